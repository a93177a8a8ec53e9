import { coin } from '../../../../src/core/values/coin.ts'
import type { Order } from '../../../../src/core/protocol/action.ts'
import { defaultOptions } from '../options.ts'
import type { VenueOptions } from '../options.ts'
import { alice, account, bob, d, limit, testConfig, trigger } from '../venue.fixture.ts'
import { Venue } from '../venue.ts'
import type { VenueAction } from '../venueAction.ts'
import type { AccountSpec, DexSpec } from '../venueConfig.ts'

export const tsla = coin('xyz:TSLA')
export const nvda = coin('xyz:NVDA')
export const gold = coin('para:GOLD')
export const oil = coin('alt:OIL')
export const tslaAsset = 110_000
export const nvdaAsset = 110_001
export const goldAsset = 120_000
export const oilAsset = 130_000

/** Two dexes in USDC and one in another token; `xyz` has a market that is gone as well. */
const testDexes: readonly DexSpec[] = [
  {
    name: 'xyz',
    fullName: 'XYZ',
    markets: [
      {
        ...{ coin: tsla, sizeDecimals: 3, maxLeverage: 20, mid: d('400'), hasGrowthMode: true },
        feeScaleChanged: '2025-11-23T17:37:10.033211662',
        fundingMultiplier: d('0.5'),
        cap: d('200000000'),
      },
      {
        ...{ coin: nvda, sizeDecimals: 3, maxLeverage: 10, mid: d('200') },
        ...{ marginMode: 'noCross', feeScale: d('0.5') },
      },
      {
        ...{ coin: coin('xyz:UMC'), sizeDecimals: 1, maxLeverage: 10, mid: d('10') },
        isDelisted: true,
      },
    ],
  },
  {
    name: 'para',
    markets: [
      {
        ...{ coin: gold, sizeDecimals: 2, maxLeverage: 25, mid: d('4000') },
        tiers: [
          { lowerBound: d('0'), maxLeverage: 25 },
          { lowerBound: d('1000000'), maxLeverage: 10 },
        ],
      },
    ],
  },
  {
    name: 'alt',
    collateral: 'USDT0',
    markets: [{ coin: oil, sizeDecimals: 2, maxLeverage: 10, mid: d('60') }],
  },
]

/** Alice with money everywhere, and Bob as others are. */
export const standard = account(alice, '10000', {
  dexEquity: new Map([
    ['xyz', d('1000')],
    ['para', d('5000')],
    ['alt', d('500')],
  ]),
})

export function dexVenue(
  accounts: readonly AccountSpec[] = [standard, account(bob, '10000')],
  options: Partial<VenueOptions> = {},
  frozen = true,
): Venue {
  const all = { ...defaultOptions, ...options }
  return new Venue(testConfig({ accounts, options: all, dexes: testDexes, frozen }))
}

/** An order that takes what rests, up to this price, on the builder dex's market with this id. */
export function take(side: 'buy' | 'sell', asset: number, size: string, price: string): Order {
  return limit(side, size, price, { asset, tif: 'Ioc' })
}

/** A market stop on TSLA that takes any price inside the band. */
export function stop(side: 'buy' | 'sell', size: string, at: string): Order {
  const worst = side === 'sell' ? '150' : '700'
  return trigger(side, size, at, worst, 'sl', { asset: tslaAsset })
}

/** Buys 1 TSLA in slices over five minutes. */
export const tslaTwap: VenueAction = {
  ...{ type: 'twapOrder', asset: tslaAsset, isBuy: true, size: d('1'), isReduceOnly: false },
  ...{ minutes: 5, randomize: false, stopPrice: null, trigger: null },
}
