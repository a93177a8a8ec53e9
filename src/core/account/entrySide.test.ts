import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { EntrySide } from './entrySide.ts'
import type { CountedEntry } from './entrySide.ts'
import { entryLossAt } from './worstLoss.ts'

/** A buy under a number of its own; `stop` is null for one without. */
function entry(id: number, price: string, size: string, stop: string | null = null): CountedEntry {
  const [limit, amount] = [Decimal.of(price), Decimal.of(size)]
  return {
    id,
    entry: {
      ...{ coin: coin('ETH'), isBuy: true, price: limit, size: amount, oid: id, cloid: null },
      ...{ stop: stop === null ? null : Decimal.of(stop), isConfirmed: true },
    },
    value: limit.times(amount),
  }
}

type Step =
  | { readonly add: CountedEntry }
  | { readonly remove: CountedEntry }
  /** Asks for the value at a mid, null without one; `is` is size x the higher of limit and mid. */
  | { readonly mid: string | null; readonly is: string }

describe('what entries are worth when they are filled', () => {
  const [low, same, mid, high] = [
    entry(1, '90', '1'),
    entry(2, '90', '3'),
    entry(3, '100', '2'),
    entry(4, '110', '5'),
  ]
  const all: readonly Step[] = [{ add: mid }, { add: high }, { add: low }, { add: same }]
  const rows: { what: string; steps: readonly Step[] }[] = [
    {
      what: 'none',
      steps: [
        { mid: null, is: '0' },
        { mid: '100', is: '0' },
      ],
    },
    { what: 'without a mid at their limits', steps: [...all, { mid: null, is: '1110' }] },
    { what: 'a mid below them all', steps: [...all, { mid: '80', is: '1110' }] },
    { what: 'a mid at a limit', steps: [...all, { mid: '90', is: '1110' }] },
    { what: 'a mid just above two', steps: [...all, { mid: '90.5', is: '1112' }] },
    { what: 'a mid at the next limit', steps: [...all, { mid: '100', is: '1150' }] },
    { what: 'a mid above three', steps: [...all, { mid: '105', is: '1180' }] },
    { what: 'a mid above them all', steps: [...all, { mid: '120', is: '1320' }] },
    {
      what: 'a mid that moves up and down again',
      steps: [
        ...all,
        { mid: '120', is: '1320' },
        { mid: '90', is: '1110' },
        { mid: '105', is: '1180' },
        { mid: '100', is: '1150' },
        { mid: '80', is: '1110' },
        { mid: '105', is: '1180' },
      ],
    },
    {
      what: 'one that comes below the mid, one at it and one above it',
      steps: [
        { add: high },
        { mid: '100', is: '550' },
        { add: low },
        { mid: '100', is: '650' },
        { add: mid },
        { mid: '100', is: '850' },
        { mid: '101', is: '853' },
      ],
    },
    {
      what: 'one that comes below the mid before another that is there',
      steps: [{ add: same }, { mid: '100', is: '300' }, { add: low }, { mid: '100', is: '400' }],
    },
    {
      what: 'one that goes from below the mid, one at it and one above it',
      steps: [
        ...all,
        { mid: '100', is: '1150' },
        { remove: same },
        { mid: '100', is: '850' },
        { remove: high },
        { mid: '100', is: '300' },
        { remove: mid },
        { mid: '100', is: '100' },
        { mid: '80', is: '90' },
        { remove: low },
        { mid: '100', is: '0' },
      ],
    },
    {
      what: 'the others are still there when one has gone',
      steps: [...all, { remove: same }, { mid: '120', is: '960' }, { mid: '105', is: '865' }],
    },
    {
      what: 'without a mid again',
      steps: [...all, { mid: '105', is: '1180' }, { mid: null, is: '1110' }],
    },
  ]
  test.each(rows)('$what', ({ steps }) => {
    const side = new EntrySide()
    for (const step of steps) {
      if ('add' in step) side.add(step.add)
      else if ('remove' in step) side.remove(step.remove)
      else {
        const at = step.mid === null ? null : Decimal.of(step.mid)
        // The second answer comes from the sums that the first has kept.
        const values = [side.valueAt(at), side.valueAt(at)].map((each) => each.toString())
        expect(values).toEqual([step.is, step.is])
      }
    }
  })
})

test('they lose from limit or mid to a tenth beyond their stop; without a mid from their limit', () => {
  const side = new EntrySide()
  side.add(entry(1, '100', '1', '90'))
  const losses = [null, '50', '100', '200', '50', null].map((mid) =>
    side.lossAt(mid === null ? null : Decimal.of(mid)).toString(),
  )
  expect(losses).toEqual(['19', '19', '19', '38', '19', '19'])
})

test('whatever comes, goes and is asked, they are worth and lose what each does by itself', () => {
  const prices = ['90', '100', '100', '110', '120']
  const entries = prices.map((price, nth) =>
    entry(nth + 1, price, `${nth + 1}`, nth === 2 ? null : `${80 + nth}`),
  )
  const plain = (of: ReadonlySet<CountedEntry>, mid: Decimal | null) => {
    let [value, loss] = [Decimal.zero, Decimal.zero]
    for (const { entry: each } of of) {
      value = value.plus(each.size.times(mid === null ? each.price : Decimal.max(each.price, mid)))
      loss = loss.plus(entryLossAt(each, mid))
    }
    return { value: value.toString(), loss: loss.toString() }
  }
  const step = fc.record({
    of: fc.integer({ min: 0, max: entries.length - 1 }),
    mid: fc.constantFrom(null, '80', '90', '95', '100', '110', '130'),
    asks: fc.constantFrom('value', 'loss', 'nothing'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const side = new EntrySide()
      const there = new Set<CountedEntry>()
      for (const { of, mid, asks } of steps) {
        const changed = entries[of] as CountedEntry
        if (there.delete(changed)) side.remove(changed)
        else {
          there.add(changed)
          side.add(changed)
        }
        const at = mid === null ? null : Decimal.of(mid)
        const { value, loss } = plain(there, at)
        if (asks === 'value') expect(side.valueAt(at).toString()).toBe(value)
        if (asks === 'loss') expect(side.lossAt(at).toString()).toBe(loss)
      }
    }),
    { numRuns: 100, seed: 1 },
  )
})

describe('whose stops are nearest and farthest', () => {
  // As shares of their prices: 0.9, 0.95, 0.98, and none.
  const far = entry(1, '100', '1', '90')
  const between = entry(2, '200', '1', '190')
  const near = entry(3, '50', '1', '49')
  const bare = entry(4, '100', '1')
  const barer = entry(5, '90', '1')
  // The same share as `far`: the older one counts as farther.
  const equal = entry(6, '10', '1', '9')
  const rows: {
    what: string
    added: readonly CountedEntry[]
    removed?: readonly CountedEntry[]
    without?: readonly number[]
    is: readonly number[]
  }[] = [
    { what: 'none', added: [], is: [] },
    { what: 'none with a stop', added: [bare, barer], is: [] },
    { what: 'one', added: [far], is: [1] },
    { what: 'one beside those without', added: [bare, far, barer], is: [1] },
    { what: 'two', added: [near, far], is: [1, 3] },
    { what: 'all, in one order', added: [far, between, near, bare, barer], is: [1, 3] },
    { what: 'all, in another', added: [barer, near, bare, between, far], is: [1, 3] },
    { what: 'the farthest left out', added: [near, far, between], without: [1], is: [2, 3] },
    { what: 'the nearest left out', added: [near, far, between], without: [3], is: [1, 2] },
    { what: 'all but one left out', added: [near, far, between], without: [1, 3], is: [2] },
    { what: 'all left out', added: [near, far], without: [1, 3], is: [] },
    { what: 'the farthest is gone', added: [near, far, bare, between], removed: [far], is: [2, 3] },
    { what: 'the nearest is gone', added: [near, far, bare, between], removed: [near], is: [1, 2] },
    { what: 'those without are gone', added: [bare, far, barer], removed: [barer, bare], is: [1] },
    { what: 'one of two without is gone', added: [barer, bare, far], removed: [bare], is: [1] },
    { what: 'equal shares', added: [equal, far], is: [1, 6] },
    { what: 'the older of equal shares is gone', added: [equal, far], removed: [far], is: [6] },
    { what: 'the younger of equal shares is gone', added: [equal, far], removed: [equal], is: [1] },
  ]
  test.each(rows)('$what', ({ added, removed = [], without = [], is }) => {
    const side = new EntrySide()
    for (const each of added) side.add(each)
    for (const each of removed) side.remove(each)
    const found = side.extremes(({ oid }) => oid !== null && without.includes(oid))
    expect(found.map(({ oid }) => oid)).toEqual(is)
  })
})
