import { expect, test } from 'vitest'
import type { EventBody } from '../core/events/guardEvent.ts'
import { UnservedCounts } from './unservedCounts.ts'

test('what the port had no room for is told at once, and then once a minute', () => {
  const told: string[] = []
  const logged: string[] = []
  let nowMs = 0
  const counts = new UnservedCounts({
    clock: { monotonicMs: () => nowMs },
    log: { log: (level, text) => void logged.push(`${level} ${text}`) },
    recorder: {
      record: (body: EventBody) => {
        if (body.kind === 'error') told.push(body.text)
        return null
      },
    },
  })
  counts.report()
  expect(told).toEqual([])
  counts.note('connections')
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(/^1 connections were ended/)
  for (let at = 0; at < 500; at += 1) counts.note(at % 5 === 0 ? 'bodies' : 'connections')
  nowMs += 59_999
  counts.report()
  expect(told).toHaveLength(1)
  nowMs += 1
  counts.report()
  expect(told).toHaveLength(2)
  expect(told[1]).toMatch(/^400 connections were ended.*; 100 large requests were not read/)
  nowMs += 600_000
  counts.report()
  expect(told).toHaveLength(2)
  expect(logged).toEqual(['warn the port had no room', 'warn the port had no room'])
})
