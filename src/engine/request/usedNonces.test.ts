import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address } from '../../core/values/address.ts'
import { millis, nonce } from '../../core/values/millis.ts'
import { UsedNonces } from './usedNonces.ts'

const client = address('0x00000000000000000000000000000000000000c1')
const other = address('0x00000000000000000000000000000000000000c2')
const now = millis(1_700_000_000_000)

const right = { now, machineAheadMs: 0 }
/** Whether a nonce may be used, or the code of its refusal. */
const use = (used: UsedNonces, at: number, clocks = right, of = client): string => {
  const said = used.check(of, nonce(at), clocks)
  return said.isNew ? 'new' : said.code
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
test.each([-hourMs, -40_000, 40_000, hourMs])(
  'by the clock of this machine, which is %d ms ahead, as by the venue’s',
  (machineAheadMs) => {
    const clocks = { now, machineAheadMs }
    for (const [, offset, expected] of windows) {
      const byMachine = use(new UsedNonces(), now + machineAheadMs + offset, clocks)
      const wanted = [offset, machineAheadMs + offset].some((ms) => ms >= -30_000 && ms <= 5_000)
      expect(byMachine === 'new').toBe(wanted)
      expect(use(new UsedNonces(), now + offset, clocks)).toBe(expected)
    }
    const used = new UsedNonces()
    expect(used.check(client, nonce(now), clocks)).toMatchObject({ clockErrorMs: 0 })
    expect(used.check(client, nonce(now + machineAheadMs), clocks)).toMatchObject({
      clockErrorMs: machineAheadMs,
    })
  },
)

test('what is from before a start that is doubted may have been used; what came later was not', () => {
  const used = new UsedNonces()
  const doubts = (aheadMs: number): unknown[] =>
    [-1, 0, 1].map((ms) => {
      const clocks = { now, machineAheadMs: aheadMs }
      return used.check(client, nonce(now + aheadMs + ms), clocks)
    })
  const known = expect.objectContaining({ isNew: true, mayBeUsed: false })
  const doubted = expect.objectContaining({ isNew: true, mayBeUsed: true })
  expect(doubts(0)).toEqual([known, known, known])
  used.doubtUpTo(now)
  used.doubtUpTo(now - 500)
  for (const aheadMs of [0, -hourMs, hourMs]) {
    expect(doubts(aheadMs)).toEqual([doubted, doubted, known])
  }
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
