import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { coverOf, covering, upTo } from './coverRecord.ts'
import type { CoverRecord } from './coverRecord.ts'

const dec = (value: number | string): Decimal => Decimal.of(String(value))
const shown = (record: CoverRecord): readonly string[] =>
  record.map(({ trigger, size }) => `${size.toString()} at ${trigger.toString()}`)
const after = (isLong: boolean, ...steps: readonly (readonly [string, string])[]): CoverRecord =>
  steps.reduce<CoverRecord>(
    (record, [size, trigger]) =>
      covering(record, isLong, { size: dec(size), trigger: dec(trigger) }),
    [],
  )

test.each<[string, CoverRecord, readonly string[]]>([
  [
    'a tiny stop says nothing of more',
    after(true, ['0.1', '2499'], ['3.1', '2450']),
    ['0.1 at 2499', '3.1 at 2450'],
  ],
  [
    'nor one of a short',
    after(false, ['0.1', '2501'], ['3.1', '2550']),
    ['0.1 at 2501', '3.1 at 2550'],
  ],
  [
    'a tighter one over all takes its place',
    after(true, ['0.1', '2499'], ['3.1', '2500']),
    ['3.1 at 2500'],
  ],
  [
    'a looser one over less adds nothing',
    after(true, ['3.1', '2450'], ['0.1', '2440']),
    ['3.1 at 2450'],
  ],
  [
    'a tighter one over less stands before it',
    after(true, ['3.1', '2450'], ['0.1', '2499']),
    ['0.1 at 2499', '3.1 at 2450'],
  ],
  ['the same again is one', after(true, ['1', '2450'], ['1', '2450']), ['1 at 2450']],
])('%s', (_, record, is) => {
  expect(shown(record)).toEqual(is)
})

test.each([
  ['4', ['0.1 at 2499', '1 at 2480', '3 at 2450']],
  ['3', ['0.1 at 2499', '1 at 2480', '3 at 2450']],
  ['2', ['0.1 at 2499', '1 at 2480', '2 at 2450']],
  ['1', ['0.1 at 2499', '1 at 2480']],
  ['0.05', ['0.05 at 2499']],
])('of a position that has shrunk to %s it keeps what is about no more', (held, is) => {
  const record = after(true, ['0.1', '2499'], ['1', '2480'], ['3', '2450'])
  expect(shown(upTo(record, dec(held)))).toEqual(is)
})

const covers = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })), {
  maxLength: 12,
})

test('a size is recorded at the tightest stop that ever covered so much, in any order', () => {
  fc.assert(
    fc.property(covers, fc.boolean(), fc.integer({ min: 1, max: 9 }), (steps, isLong, held) => {
      const record = after(isLong, ...steps.map(([size, at]) => [`${size}`, `${at}`] as const))
      const triggers = steps.filter(([size]) => size >= held).map(([, trigger]) => trigger)
      const tightest = isLong ? Math.max(...triggers) : Math.min(...triggers)
      const is = triggers.length === 0 ? null : String(tightest)
      expect(coverOf(record, dec(held))?.toString() ?? null).toBe(is)
      // A position that has shrunk is recorded as if it had never been larger.
      expect(coverOf(upTo(record, dec(held)), dec(held))?.toString() ?? null).toBe(is)
    }),
  )
})

test('of more than 64 those over the smallest sizes are forgotten', () => {
  const steps = Array.from({ length: 66 }, (_, nth) => [`${nth + 1}`, `${200 - nth}`] as const)
  const record = after(true, ...steps)
  expect([record.length, shown(record)[0], shown(record).at(-1)]).toEqual([
    64,
    '3 at 198',
    '66 at 135',
  ])
})
