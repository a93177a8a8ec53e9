import { expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import { Alerts } from './alerts.ts'
import { Faults } from './faults.ts'

test('a fault is told again after a minute, also when the clock was set back meanwhile', () => {
  let [wallMs, nowMs] = [1_794_700_000_000, 50]
  const recorded: object[] = []
  const faults = new Faults({
    clock: { now: () => millis(wallMs), monotonicMs: () => nowMs },
    log: { log: () => undefined },
    alerts: new Alerts(),
    recorder: { record: (body: object) => void recorded.push(body) } as never,
  })
  const pass = (ms: number, setByMs = 0): number => {
    nowMs += ms
    wallMs += ms + setByMs
    faults.note('a tick', new Error('broken'))
    return recorded.length
  }
  expect(pass(0)).toBe(1)
  expect(pass(30_000, -3_600_000)).toBe(1)
  expect(pass(30_000)).toBe(2)
  expect(pass(1, 3_600_000)).toBe(2)
})
