import { describe, expect, test } from 'vitest'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Order } from '../../../src/core/protocol/action.ts'
import {
  initialMargin,
  isBackstop,
  liquidationPrice,
  maintenanceMargin,
  tieredLiquidationPrice,
  withdrawable,
} from './marginMath.ts'
import { Venue } from './venue.ts'
import type { AccountSpec, MarketSpec } from './venueConfig.ts'
import { account, alice, d, testConfig } from './venue.fixture.ts'

/** The worked examples of the venue's reference, number by number. */

function market(name: string, sizeDecimals: number, maxLeverage: number, mid: string): MarketSpec {
  return { coin: coin(name), sizeDecimals, maxLeverage, mid: d(mid) }
}

function venueOf(markets: readonly MarketSpec[], spec: AccountSpec): Venue {
  return new Venue(testConfig({ markets, accounts: [spec] }))
}

function resting(venue: Venue, asset: number, isBuy: boolean, size: string, price: string): void {
  const order: Order = {
    asset,
    isBuy,
    price: d(price),
    size: d(size),
    isReduceOnly: false,
    type: { kind: 'limit', tif: 'Alo' },
    cloid: null,
  }
  const reply = venue.apply(alice, {
    type: 'order',
    orders: [order],
    grouping: 'na',
    builder: null,
  })
  expect(JSON.stringify(reply)).toContain('"resting"')
}

const texts = (record: object): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, String(value)]))

describe('the worked account: two cross positions, an isolated one and three orders', () => {
  const btc = coin('BTC')
  const eth = coin('ETH')
  const hype = coin('HYPE')

  function worked(mode: 'disabled' | 'unifiedAccount'): Venue {
    const cross = (value: number) => ({ type: 'cross' as const, value })
    const venue = venueOf(
      [market('BTC', 5, 40, '80000'), market('ETH', 4, 25, '2500'), market('HYPE', 2, 10, '90')],
      account(alice, '12000', {
        mode,
        positions: [
          { coin: btc, size: d('0.5'), leverage: cross(10) },
          { coin: eth, size: d('-5'), leverage: cross(5) },
          { coin: hype, size: d('100'), leverage: { type: 'isolated', value: 3 } },
        ],
      }),
    )
    venue.setPrice(btc, { mid: d('79000') })
    venue.setPrice(eth, { mid: d('2520') })
    venue.setPrice(hype, { mid: d('88') })
    resting(venue, 0, true, '0.1', '78000')
    resting(venue, 0, false, '0.3', '82000')
    resting(venue, 1, false, '2', '2600')
    return venue
  }

  test('standard: summaries, maintenance, what may leave', () => {
    const state = worked('disabled').perpState(alice)
    expect(texts(state.margin)).toEqual({
      accountValue: '11200',
      totalNotional: '60900',
      totalRawUsd: '-24500',
      totalMarginUsed: '9270',
    })
    expect(texts(state.cross)).toEqual({
      accountValue: '8400',
      totalNotional: '52100',
      totalRawUsd: '-18500',
      totalMarginUsed: '6470',
    })
    expect(state.crossMaintenance.toString()).toBe('745.75')
    expect(state.withdrawable.toString()).toBe('110')
  })

  test.each(['disabled', 'unifiedAccount'] as const)('%s: liquidation prices', (mode) => {
    const { positions } = worked(mode).perpState(alice)
    const shown = positions.map(({ coin: name, liquidationPrice: price }) => [
      name,
      price?.rounded(4, 'half-even').toString(),
    ])
    expect(shown).toEqual([
      ['BTC', '63497.7215'],
      ['ETH', '4020.8333'],
      ['HYPE', '63.1579'],
    ])
  })

  test('the isolated position', () => {
    const [, , position] = worked('disabled').perpState(alice).positions
    expect(position?.leverage.rawUsd?.toString()).toBe('-6000')
    expect(position?.marginUsed.toString()).toBe('2800')
  })

  test('unified: total, hold and what is left after maintenance', () => {
    const spot = worked('unifiedAccount').spotState(alice)
    expect(spot.usdcTotal.toString()).toBe('11200')
    expect(spot.usdcHold.toString()).toBe('11108.2')
    expect(spot.usdcAvailableAfterMaintenance?.toString()).toBe('7654.25')
  })

  test('the liquidator takes over below 497.1667', () => {
    expect(isBackstop(d('497.1667'), d('745.75'))).toBe(false)
    expect(isBackstop(d('497.1666'), d('745.75'))).toBe(true)
  })
})

describe('an account with an isolated long and a resting buy, as activeAssetData shows it', () => {
  const mega = coin('MEGA')

  function held(): Venue {
    const venue = venueOf(
      [market('MEGA', 0, 3, '0.045715')],
      account(alice, '2296.35783828', {
        mode: 'unifiedAccount',
        positions: [{ coin: mega, size: d('75000'), leverage: { type: 'isolated', value: 3 } }],
      }),
    )
    const ntli = 2_123_360_586 - 1_142_875_000
    venue.apply(alice, { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli })
    resting(venue, 0, true, '5000', '0.04185')
    return venue
  }

  test('the largest buy and sell, and their margin', () => {
    const view = held().activeAsset(alice, mega)
    expect(view?.maxTradeSizes.map(String)).toEqual(['6775', '225696'])
    expect(view?.availableToTrade.map(String)).toEqual(['103.239708', '3439.23088'])
  })

  test('what is held, and what the perp side shows', () => {
    const venue = held()
    expect(venue.spotState(alice).usdcHold.toString()).toBe('2193.808086')
    expect(venue.perpState(alice).cross.accountValue.toString()).toBe('70.4475')
    expect(venue.perpState(alice).withdrawable.toString()).toBe('0.6975')
  })

  test('an order of the largest size is taken, a larger one is not', () => {
    const order = (size: string): Order => ({
      asset: 0,
      isBuy: true,
      price: d('0.045714'),
      size: d(size),
      isReduceOnly: false,
      type: { kind: 'limit', tif: 'Alo' },
      cloid: null,
    })
    const send = (size: string) =>
      held().apply(alice, { type: 'order', orders: [order(size)], grouping: 'na', builder: null })
    expect(JSON.stringify(send('6775'))).toContain('resting')
    expect(JSON.stringify(send('6777'))).toContain('Insufficient margin to place order. asset=0')
  })
})

test('the other side of an isolated short: the position, and all the collateral after it', () => {
  const hype = coin('HYPE')
  const venue = venueOf(
    [market('HYPE', 2, 10, '95.057')],
    account(alice, '289.1707113', {
      positions: [{ coin: hype, size: d('-15'), leverage: { type: 'isolated', value: 10 } }],
    }),
  )
  venue.setPrice(hype, { mid: d('95.057'), mark: d('95.0571') })
  expect(venue.activeAsset(alice, hype)?.maxTradeSizes[0].toString()).toBe('45.42')
})

test('the other side of a cross position: twice its size more', () => {
  const pengu = coin('PENGU')
  const venue = venueOf(
    [market('PENGU', 0, 5, '0.03')],
    account(alice, '30000000', {
      positions: [{ coin: pengu, size: d('54460298'), leverage: { type: 'cross', value: 5 } }],
    }),
  )
  const [buy, sell] = venue.activeAsset(alice, pengu)?.maxTradeSizes ?? []
  const apart = sell?.minus(buy ?? Decimal.zero)
  expect(apart?.toString()).toBe(String(2 * 54460298))
})

/** Mark, leverage, bound of the tier, and how much may be bought. */
test.each([
  ['ETH', 4, 25, '2745.78', '100000000', 15, '36419.5237'],
  ['NEAR', 1, 10, '4.5238', '20000000', 5, '4421061.9'],
  ['XPL', 0, 10, '0.5', '3000000', 5, '6000000'],
] as const)(
  '%s: the tier bounds what may be bought',
  (name, sizeDecimals, leverage, mark, bound, next, most) => {
    const spec = {
      ...market(name, sizeDecimals, leverage, '1'),
      mid: d(mark === '2745.78' ? '2745.8' : mark),
      mark: d(mark),
      tiers: [
        { lowerBound: d('0'), maxLeverage: leverage },
        { lowerBound: d(bound), maxLeverage: next },
      ],
    }
    const whole = { type: 'cross' as const, value: leverage }
    const venue = venueOf(
      [spec],
      account(alice, '50000000', { leverage: new Map([[coin(name), whole]]) }),
    )
    const view = venue.activeAsset(alice, coin(name))
    expect(view?.maxTradeSizes.map(String)).toEqual([most, most])
    expect(view?.availableToTrade.map(String)).toEqual(['50000000', '50000000'])
  },
)

describe('maintenance by tiers', () => {
  const testnet = [
    { lowerBound: d('0'), maxLeverage: 40 },
    { lowerBound: d('10000'), maxLeverage: 25 },
    { lowerBound: d('50000'), maxLeverage: 10 },
  ]
  const mainnet = [
    { lowerBound: d('0'), maxLeverage: 40 },
    { lowerBound: d('150000000'), maxLeverage: 20 },
  ]
  test.each([
    [testnet, '12073.655', '166.4731'],
    [mainnet, '200000000', '3125000'],
    [mainnet, '150000000', '1875000'],
  ])('of a value of %#', (tiers, value, expected) => {
    expect(maintenanceMargin(tiers, d(value)).toString()).toBe(expected)
  })

  test('a liquidation price in another tier is computed with that tier’s rate', () => {
    // 1 at 12000 with 7000 available: by the first tier's rate it would be at 4910 and worth less
    // than the second tier's bound, where the first one's rate holds.
    const price = tieredLiquidationPrice(testnet, d('12000'), d('1'), d('7000'))
    const equityAt = (mark: Decimal) =>
      d('7000')
        .plus(maintenanceMargin(testnet, d('12000')))
        .minus(d('12000').minus(mark))
    expect(price).not.toBeNull()
    const gap = equityAt(price ?? d('0')).minus(maintenanceMargin(testnet, price ?? d('0')))
    expect(gap.abs().lt(d('0.000000001'))).toBe(true)
    expect(price?.rounded(4, 'half-even').toString()).toBe('4896.2025')
  })
})

/** Size, mark, maximum leverage, what is available, and the price to as many digits as it is given. */
test.each([
  ['-22', '80870', 40, '1235001.99300258', '136313.41158261', 8],
  ['-125', '2423.8', 25, '1235001.99300258', '12110.0901412', 8],
  ['-70560.4', '4.5238', 10, '1235001.99300258', '21.19309856', 8],
  ['-12.07087', '80531', 40, '87097.493881', '87657.4305', 5],
  ['-15', '95.063', 10, '35.423192', '97.3120915556', 10],
] as const)(
  '%s at %s: liquidated at the recorded price',
  (size, mark, most, free, price, digits) => {
    const found = liquidationPrice(d(mark), d(size), d(free), most)
    expect(found?.rounded(digits, 'half-even').toString()).toBe(price)
  },
)

test('what may leave is bounded by the initial margin, or by a tenth of the value', () => {
  const [value, notional] = [d('1008998.241837'), d('10070203.001339')]
  expect(withdrawable(value, d('503510.150066'), notional).rounded(6, 'down').toString()).toBe(
    '1977.941703',
  )
  const [other, positions] = [d('99248.48428'), d('972079.23')]
  const free = withdrawable(other, initialMargin(positions, 40), positions)
  expect(free.rounded(2, 'down').toString()).toBe('2040.56')
})

/** Recorded fills that closed a long: the entry is one of the price's decimals, cut. */
test.each([
  ['SOL', 2, '312.69', ['105.6683', '105.6684'], '102.93', '-856.239027'],
  ['ETH', 4, '0.0067', ['1892.4', '1892.4'], '1863.2', '-0.19564'],
] as const)(
  '%s: the profit of a fill is told from the entry price that is shown',
  (name, sizeDecimals, size, entries, price, closedPnl) => {
    const [first, second] = entries
    const spec = market(name, sizeDecimals, 20, '100')
    const venue = venueOf([{ ...spec, mid: d(price) }], account(alice, '100000'))
    const whole = d(size)
    const part = new Decimal(1n, sizeDecimals)
    const position = {
      coin: coin(name),
      size: whole,
      // The average lies between the two entries, less than a decimal above the first.
      entryPrice: d(first)
        .times(whole.minus(part))
        .plus(d(second).times(part))
        .over(whole, 12, 'half-even'),
      leverage: { type: 'cross' as const, value: 5 },
    }
    const config = testConfig({
      markets: [{ ...spec, mid: d(price) }],
      accounts: [account(alice, '100000', { positions: [position] })],
    })
    expect(venue.reset(config).ok).toBe(true)
    const order: Order = {
      asset: 0,
      isBuy: false,
      price: d(price),
      size: whole,
      isReduceOnly: true,
      type: { kind: 'limit', tif: 'Gtc' },
      cloid: null,
    }
    venue.apply(alice, { type: 'order', orders: [order], grouping: 'na', builder: null })
    venue.setPrice(coin(name), { mid: d(price).times(d('1.05')).rounded(0, 'down') })
    expect(venue.fills(alice)[0]?.price.toString()).toBe(price)
    expect(venue.fills(alice)[0]?.closedPnl.toString()).toBe(closedPnl)
  },
)
