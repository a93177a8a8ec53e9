import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { MarketSpec } from './engine/venueConfig.ts'

type Row = readonly [
  name: string,
  sizeDecimals: number,
  maxLeverage: number,
  mid: string,
  /** From this notional on, at most that leverage. */
  tier?: readonly [lowerBound: string, maxLeverage: number],
]

const rows: readonly Row[] = [
  ['BTC', 5, 40, '84213.5', ['150000000', 20]],
  ['ETH', 4, 25, '2486.35', ['100000000', 15]],
  ['SOL', 2, 20, '137.42', ['70000000', 10]],
  ['HYPE', 2, 10, '41.873', ['20000000', 5]],
  ['DOGE', 0, 10, '0.17342', ['20000000', 5]],
  ['kPEPE', 0, 10, '0.0098215', ['3000000', 5]],
  ['XRP', 0, 20, '2.2513', ['40000000', 10]],
  ['AVAX', 2, 10, '18.724', ['3000000', 5]],
  ['LINK', 1, 10, '14.382', ['3000000', 5]],
  ['ARB', 1, 10, '0.31245', ['3000000', 5]],
]

/** The markets of a venue that nobody described: the usual ones, a delisted and an isolated one. */
export const defaultMarkets: readonly MarketSpec[] = [
  ...rows.map(([name, sizeDecimals, maxLeverage, mid, tier]) => ({
    coin: coin(name),
    sizeDecimals,
    maxLeverage,
    mid: Decimal.of(mid),
    ...(tier === undefined
      ? {}
      : {
          tiers: [
            { lowerBound: Decimal.zero, maxLeverage },
            { lowerBound: Decimal.of(tier[0]), maxLeverage: tier[1] },
          ],
        }),
  })),
  {
    coin: coin('MATIC'),
    sizeDecimals: 1,
    maxLeverage: 5,
    mid: Decimal.of('0.37621'),
    isDelisted: true,
  },
  {
    coin: coin('CANTO'),
    sizeDecimals: 0,
    maxLeverage: 3,
    mid: Decimal.of('0.01934'),
    onlyIsolated: true,
  },
]
