import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { address } from '../../core/values/address.ts'
import { millis, nonce } from '../../core/values/millis.ts'
import { UsedNonces } from './usedNonces.ts'

const client = address('0x00000000000000000000000000000000000000c1')
const other = address('0x00000000000000000000000000000000000000c2')
const now = millis(1_700_000_000_000)

const right = { now, machineAheadMs: 0 }
/** Whether a nonce may be used, with what doubt, or the code of its refusal. */
const use = (used: UsedNonces, at: number, clocks = right, of = client): string => {
  const said = used.check(of, nonce(at), clocks)
  return said.isNew ? (said.doubt ?? 'new') : said.code
}

const windows: [string, number, string][] = [
  ['now', 0, 'new'],
  ['at the old edge', -30_000, 'new'],
  ['beyond the old edge', -30_001, 'auth_nonce_too_old'],
  ['at the new edge', 5_000, 'new'],
  ['beyond the new edge', 5_001, 'auth_nonce_too_new'],
]
test.each(windows)('%s', (_, offset, expected) => {
  expect(use(new UsedNonces(), now + offset)).toBe(expected)
})

const hourMs = 3_600_000
describe.each([-hourMs, hourMs])('a machine whose clock is %d ms ahead', (machineAheadMs) => {
  const wrong = { now, machineAheadMs }
  const byMachine = now + machineAheadMs

  test.each([-30_000, 0, 5_000])('a nonce %d ms from it opens nothing, and gets out', (offset) => {
    expect(use(new UsedNonces(), byMachine + offset, wrong)).toBe('clock')
  })

  test.each([-30_001, 5_001])('one %d ms from it fits no clock', (offset) => {
    const code = machineAheadMs < 0 ? 'auth_nonce_too_old' : 'auth_nonce_too_new'
    expect(use(new UsedNonces(), byMachine + offset, wrong)).toBe(code)
  })

  test.each(windows)('by the venue’s time all is as it was: %s', (_, offset, expected) => {
    expect(use(new UsedNonces(), now + offset, wrong)).toBe(expected)
  })

  test('a used one is not used again; a doubted start, a takeover and forgetting bar no way out', () => {
    const used = new UsedNonces()
    used.consume(client, nonce(byMachine))
    expect(use(used, byMachine, wrong)).toBe('auth_replay')
    used.doubtUpTo(now + 2 * hourMs)
    used.takeOver(now + 2 * hourMs)
    used.forgetUpTo(client, now + 2 * hourMs)
    expect(use(used, byMachine + 1, wrong)).toBe('clock')
  })
})

test('what was too old, or was signed before a crash, opens nothing when a slow clock comes to it', () => {
  const used = new UsedNonces()
  expect(use(used, now - 30_001)).toBe('auth_nonce_too_old')
  used.doubtUpTo(now)
  for (const at of [now - 30_001, now - 1]) {
    for (const passedMs of [0, 5_000, 60_000, hourMs]) {
      const later = { now: millis(now + passedMs), machineAheadMs: at - now - passedMs }
      expect(use(used, at, later)).not.toBe('new')
    }
  }
})

test('what is from before a start that is doubted may have been used; what came later was not', () => {
  const used = new UsedNonces()
  const uses = (): string[] => [-1, 0, 1].map((ms) => use(used, now + ms))
  expect(uses()).toEqual(['new', 'new', 'new'])
  // At first the start was taken from a clock that is an hour ahead.
  used.doubtUpTo(now + hourMs)
  used.doubtUpTo(now)
  expect(uses()).toEqual(['earlier_run', 'earlier_run', 'new'])
})

test('what was signed before this Guard took over is another’s, after a restart, too', () => {
  const used = new UsedNonces()
  expect(use(used, now)).toBe('new')
  used.takeOver(now)
  used.takeOver(now - 500)
  const restored = new UsedNonces()
  restored.restore(used.toJson(now))
  for (const each of [used, restored]) {
    for (const at of [now - hourMs, now]) {
      expect(each.check(client, nonce(at), right)).toMatchObject({ why: 'taken_over' })
    }
    expect(use(each, now + 1)).toBe('new')
  }
})

test('a nonce is used once by each client, in any order', () => {
  const used = new UsedNonces()
  for (const each of [5, 3, 9]) used.consume(client, nonce(now - each))
  expect(use(used, now - 3)).toBe('auth_replay')
  expect(use(used, now - 4)).toBe('new')
  expect(use(used, now - 3, right, other)).toBe('new')
})

test('whatever was used is never accepted again: bounded, restored, with any clock', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -30_000, max: 5_000 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 2, max: 20 }),
      fc.integer({ min: -120_000, max: 120_000 }),
      fc.integer({ min: -120_000, max: 120_000 }),
      (offsets, most, step, machineAheadMs) => {
        const used = new UsedNonces(most)
        for (const offset of offsets) used.consume(client, nonce(now + offset))
        const restored = new UsedNonces(most)
        restored.restore(JSON.parse(JSON.stringify(used.toJson(now - 60_000))))
        const later = { now: millis(now + step), machineAheadMs }
        for (const offset of offsets) {
          expect(use(used, now + offset, later)).not.toBe('new')
          expect(use(restored, now + offset, later)).not.toBe('new')
        }
      },
    ),
    { numRuns: 200 },
  )
})
