import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { MarketSpec } from './venueConfig.ts'

const rows: readonly (readonly [string, number, number, string, string, number])[] = [
  ['BTC', 5, 40, '84213.5', '150000000', 20],
  ['ETH', 4, 25, '2486.35', '100000000', 15],
  ['SOL', 2, 20, '137.42', '70000000', 10],
  ['HYPE', 2, 10, '41.873', '20000000', 5],
  ['DOGE', 0, 10, '0.17342', '20000000', 5],
  ['kPEPE', 0, 10, '0.0098215', '20000000', 5],
]

/** The markets of a simulator that was told nothing else. */
export const defaultMarkets: readonly MarketSpec[] = rows.map(
  ([name, sizeDecimals, maxLeverage, mid, bound, upper]) => ({
    coin: coin(name),
    sizeDecimals,
    maxLeverage,
    mid: Decimal.of(mid),
    tiers: [
      { lowerBound: Decimal.zero, maxLeverage },
      { lowerBound: Decimal.of(bound), maxLeverage: upper },
    ],
  }),
)
