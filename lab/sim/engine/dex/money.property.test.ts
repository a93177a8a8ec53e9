import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coin } from '../../../../src/core/values/coin.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { account, alice, bob, carol, d, limit, send } from '../venue.fixture.ts'
import type { VenueOptions } from '../options.ts'
import type { Venue } from '../venue.ts'
import type { VenueAction } from '../venueAction.ts'
import { dexVenue, gold, nvda, oil, standard, stop, tsla } from './dex.fixture.ts'

const traders = [
  standard,
  account(bob, '20000', {
    mode: 'unifiedAccount',
    spot: [{ token: 'USDT0', total: d('3000') }],
  }),
  account(carol, '20000', { dexEquity: new Map([['xyz', d('2000')]]) }),
]
const coins = [coin('ETH'), tsla, nvda, gold, oil]
const dexNames = ['xyz', 'para', 'alt', 'io']

type Step = (venue: Venue) => unknown

const who = fc.constantFrom(alice, bob, carol)
const some = fc.integer({ min: 1, max: 40 })
/** A price some percent away from the mid, on the grid of every market here. */
const priceNear = (venue: Venue, market: (typeof coins)[number], percent: number): Decimal => {
  const mid = venue.markPrice(market) ?? d('100')
  return mid.times(Decimal.whole(100 + percent)).over(d('100'), 0, 'half-even')
}

const orders: fc.Arbitrary<Step> = fc
  .record({
    who,
    market: fc.constantFrom(...coins),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    size: some,
    away: fc.integer({ min: -8, max: 8 }),
    tif: fc.constantFrom('Gtc' as const, 'Ioc' as const, 'Alo' as const),
    isReduceOnly: fc.boolean(),
  })
  .map(({ who: by, market, side, size, away, tif, isReduceOnly }) => (venue) => {
    const asset = venue.market(market)?.asset ?? 119_999
    const price = priceNear(venue, market, away)
    if (!price.isPositive()) return null
    return send(venue, by, [
      limit(side, String(size / 10), price.toString(), { asset, tif, isReduceOnly }),
    ])
  })

const sends: fc.Arbitrary<Step> = fc
  .record({
    ...{ who, to: who, amount: some, isToken: fc.boolean() },
    places: fc.tuple(
      fc.constantFrom('', 'spot', ...dexNames),
      fc.constantFrom('', 'spot', ...dexNames),
    ),
  })
  .map(({ who: by, to: destination, amount, isToken, places: [from, to] }) => (venue) => {
    const action: VenueAction = {
      ...{ type: 'sendAsset', isByAgent: false, subAccount: null, destination },
      ...{ token: isToken ? 'USDT0' : 'USDC', amount: Decimal.whole(amount), from, to, nonce: 1 },
    }
    return venue.apply(by, action)
  })

const prices: fc.Arbitrary<Step> = fc
  .record({ market: fc.constantFrom(...coins), percent: fc.integer({ min: -15, max: 15 }) })
  .map(({ market, percent }) => (venue) => {
    const price = priceNear(venue, market, percent)
    return price.isPositive() ? venue.setPrice(market, { mid: price }) : null
  })

const others: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ by: who, mode: fc.constantFrom('disabled' as const, 'unifiedAccount' as const) }).map(
    ({ by, mode }): Step =>
      (venue) =>
        venue.setMode(by, mode),
  ),
  fc.constantFrom<Step>((venue) => send(venue, alice, [stop('sell', '0.5', '390')])),
  fc
    .record({ market: fc.constantFrom(tsla, nvda, gold, oil), isHalted: fc.boolean() })
    .map(({ market, isHalted }): Step => (venue) => {
      const dex = market.slice(0, market.indexOf(':'))
      return venue.changeDex(dex, market, { isHalted })
    }),
  fc.constantFrom(...dexNames).map(
    (name): Step =>
      (venue) =>
        venue.removeDex(name),
  ),
  fc.constant<Step>((venue) =>
    venue.addDex({
      name: 'io',
      markets: [{ coin: coin('io:AI'), sizeDecimals: 1, maxLeverage: 5, mid: d('50') }],
    }),
  ),
  fc.constantFrom('normal' as const, 'noCross' as const, 'strictIsolated' as const).map(
    (marginMode): Step =>
      (venue) =>
        venue.changeDex('xyz', tsla, { marginMode }),
  ),
  fc.integer({ min: 1, max: 4_000 }).map((seconds): Step => (venue) => {
    venue.advanceTo(venue.nowMs + seconds * 1_000)
  }),
)

const plans = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: orders },
    { weight: 2, arbitrary: sends },
    { weight: 2, arbitrary: prices },
    { weight: 2, arbitrary: others },
  ),
  { maxLength: 60 },
)

function checkMoney(venue: Venue, tokens: Decimal): void {
  const { held, deposited, feesCollected, netSizes, tokens: all } = venue.audit()
  expect(held.plus(feesCollected).toString()).toBe(deposited.toString())
  expect(all.get('USDT0')?.toString()).toBe(tokens.toString())
  for (const net of netSizes.values()) expect(net.isZero()).toBe(true)
}

/** Every market is found by its id and by its name, and no id means two. */
function checkIds(venue: Venue): void {
  const seen = new Set<number>()
  for (const [at, dex] of venue.dexes().entries()) {
    for (const [index, { market }] of (dex?.markets ?? []).entries()) {
      expect(market.asset).toBe(100_000 + (at + 1) * 10_000 + index)
      expect(venue.marketById(market.asset)?.coin).toBe(market.coin)
      expect(venue.market(market.coin)?.asset).toBe(market.asset)
      seen.add(market.asset)
    }
  }
  expect(seen.size).toBe(venue.dexes().flatMap((dex) => dex?.markets ?? []).length)
}

/** Where nothing is traded nobody has anything, and every dex shows its own alone. */
function checkAccounts(venue: Venue, users: readonly Address[]): void {
  for (const dex of venue.dexes()) {
    if (dex === null) continue
    const closed = dex.markets.filter(({ market }) => market.isDelisted)
    for (const user of users) {
      const { positions } = venue.perpState(user, dex.name)
      const open = venue.openOrders(user, dex.name)
      for (const { coin: name } of [...positions, ...open]) {
        expect(name.startsWith(`${dex.name}:`)).toBe(true)
        expect(closed.some(({ market }) => market.coin === name)).toBe(false)
      }
    }
  }
}

describe.each<Partial<VenueOptions>>([{}, { haltStatus: 'internalCancel', dexRemoval: 'shift' }])(
  'whatever happens on builder dexes, with %o',
  (options) => {
    test('money, sizes and ids add up', () => {
      fc.assert(
        fc.property(plans, fc.boolean(), (plan, frozen) => {
          const venue = dexVenue(traders, options, frozen)
          const tokens = venue.audit().tokens.get('USDT0') ?? Decimal.zero
          for (const step of plan) {
            step(venue)
            checkMoney(venue, tokens)
            checkIds(venue)
          }
          checkAccounts(venue, [alice, bob, carol])
        }),
        { numRuns: 25 },
      )
    })
  },
)

/** What an account is worth, positions at the mark. */
function worth(venue: Venue, user: Address): string {
  if (venue.mode(user) !== 'disabled') return venue.spotState(user).usdcTotal.toString()
  return venue.perpState(user, 'xyz').margin.accountValue.toString()
}

test('a settlement pays everybody exactly, and leaves nothing open', () => {
  const trades = fc.array(orders, { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(trades, prices, fc.boolean(), (plan, last, frozen) => {
      const venue = dexVenue(traders, {}, frozen)
      for (const step of plan) step(venue)
      last(venue)
      const users = [alice, bob, carol]
      const before = users.map((user) => worth(venue, user))
      venue.changeDex('xyz', null, { isHalted: true })
      expect(users.map((user) => worth(venue, user))).toEqual(before)
      for (const user of users) {
        expect(venue.perpState(user, 'xyz').positions).toEqual([])
        expect(venue.openOrders(user, 'xyz')).toEqual([])
      }
      for (const { coin: name } of venue.markets('xyz')) {
        expect(venue.context(name)?.openInterest.isZero()).toBe(true)
      }
    }),
    { numRuns: 60 },
  )
})
