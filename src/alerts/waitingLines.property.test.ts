import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alertKindNames } from './alertFacts.ts'
import { alertKinds } from './alertKinds.ts'
import type { AlertKind } from './alertFacts.ts'
import { composeMessage } from './composeMessage.ts'
import { configOf } from './alerts.fixture.ts'
import type { Notice } from './notice.ts'
import { linesMax, messagesPerMinuteMax, WaitingLines } from './waitingLines.ts'

const start = Date.parse('2026-11-15T12:00:00Z')
const config = configOf({ ntfy: { topic: 'x' }, severity: { veto: 'info' } })
const sender = { mode: 'testnet', account: `0x${'1'.repeat(40)}` } as const

interface Step {
  readonly waitMs: number
  readonly kinds: readonly { readonly kind: AlertKind; readonly coin: number }[]
  readonly isTaken: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.integer({ min: 0, max: 5_000 }),
  kinds: fc.array(
    fc.record({
      kind: fc.constantFrom(...alertKindNames),
      coin: fc.integer({ min: 0, max: 400 }),
    }),
    { maxLength: 30 },
  ),
  isTaken: fc.boolean(),
})

interface Run {
  readonly sentAt: readonly number[]
  readonly told: number
  readonly added: number
  readonly linesSeen: number
  readonly left: number
}

function play(steps: readonly Step[]): Run {
  const waiting = new WaitingLines(config, [], [])
  const sentAt: number[] = []
  let [now, told, added, linesSeen] = [start, 0, 0, 0]
  const pump = (isTaken: boolean): void => {
    const lines = waiting.due(now)
    linesSeen = Math.max(linesSeen, waiting.lines().length)
    if (lines === null || !isTaken) return
    const message = composeMessage(lines, sender, now)
    expect(message.title.length).toBeLessThan(200)
    waiting.told(lines, now)
    sentAt.push(now)
    told += lines.reduce((sum, { count }) => sum + count, 0)
  }
  for (const { waitMs, kinds, isTaken } of steps) {
    now += waitMs
    for (const { kind, coin } of kinds) {
      if (config.severity[kind] === 'off') continue
      added += 1
      const notice: Notice = { key: `${kind}:${coin}`, kind, phase: 'happened', text: 'x', at: now }
      waiting.add(notice)
    }
    pump(isTaken)
  }
  for (let second = 0; second < 120; second += 1) {
    now += 1_000
    pump(true)
  }
  return { sentAt, told, added, linesSeen, left: waiting.lines().length }
}

test('whatever happens: few messages, bounded memory, nothing left untold', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { sentAt, told, added, linesSeen, left } = play(steps)
      for (const from of sentAt) {
        const inMinute = sentAt.filter((at) => at >= from && at < from + 60_000)
        expect(inMinute.length).toBeLessThanOrEqual(messagesPerMinuteMax)
      }
      expect(linesSeen).toBeLessThanOrEqual(linesMax)
      expect(left).toBe(0)
      // Only beyond the bound is a line given up, and then the least important one.
      if (linesSeen < linesMax) expect(told).toBe(added)
    }),
    { numRuns: 150 },
  )
})

test('a full list gives up what matters least, never the critical', () => {
  const waiting = new WaitingLines(config, [], [])
  const add = (kind: AlertKind, key: string): void =>
    waiting.add({ key, kind, phase: 'happened', text: key, at: start })
  add('kill', 'kill')
  for (let index = 0; index < 1_000; index += 1) add('protect', `protect:${index}`)
  for (const kind of alertKindNames) add(kind, kind)
  expect(waiting.lines().length).toBeLessThanOrEqual(linesMax)
  const kept = new Set(waiting.lines().map(({ kind }) => kind))
  const critical = alertKindNames.filter((kind) => alertKinds[kind].severity === 'critical')
  for (const kind of critical) expect(kept).toContain(kind)
  const protects = waiting.lines().filter(({ kind }) => kind === 'protect')
  expect(protects.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(900)
})
