import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RestingEntry } from '../../account/accountView.ts'
import { EntrySide } from '../../account/entrySide.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { bearableLeverage } from './liquidation.ts'

const entry: fc.Arbitrary<RestingEntry> = fc
  .record({
    isBuy: fc.boolean(),
    price: fc.integer({ min: 1, max: 100_000 }),
    share: fc.option(fc.integer({ min: 1, max: 3_000 }), { freq: 8 }),
  })
  .map(({ isBuy, price, share }) => ({
    coin: coin('ETH'),
    isBuy,
    price: new Decimal(BigInt(price), 2),
    size: Decimal.one,
    stop: share === null ? null : new Decimal(BigInt(price * share), 5),
    oid: null,
    cloid: null,
    isConfirmed: false,
  }))

/** The entries that stand for all of them: those of either side, without the ones left out. */
function extremesOf(
  entries: readonly RestingEntry[],
  leftOut: ReadonlySet<RestingEntry>,
): readonly RestingEntry[] {
  const [buys, sells] = [new EntrySide(), new EntrySide()]
  entries.forEach((entry, id) =>
    (entry.isBuy ? buys : sells).add({ id, entry, value: entry.size.times(entry.price) }),
  )
  const isLeftOut = (entry: RestingEntry): boolean => leftOut.has(entry)
  return [...buys.extremes(isLeftOut), ...sells.extremes(isLeftOut)]
}

test('the extreme entries bear exactly what all entries bear, wherever their stops are', () => {
  const figures = fc.record({
    entries: fc.array(entry, { maxLength: 12 }),
    isLeftOut: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    coinMax: fc.constantFrom(3, 5, 10, 25, 40),
    cap: fc.integer({ min: 1, max: 10 }),
    least: fc.constantFrom('0.01', '0.1', '0.5'),
  })
  fc.assert(
    fc.property(figures, ({ entries, isLeftOut, coinMax, cap, least }) => {
      const leftOut = new Set(entries.filter((_, at) => isLeftOut[at]))
      const extremes = extremesOf(entries, leftOut)
      const borne = (some: readonly RestingEntry[]): number =>
        Math.min(
          cap,
          ...some.flatMap((each) => {
            const { stop } = each
            if (stop === null) return []
            return [bearableLeverage({ ...each, stop }, cap, coinMax, Decimal.of(least))]
          }),
        )
      expect(extremes.length).toBeLessThanOrEqual(4)
      expect(borne(extremes)).toBe(borne(entries.filter((each) => !leftOut.has(each))))
    }),
    { numRuns: 2_000 },
  )
})
