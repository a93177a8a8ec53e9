import { describe, expect, test } from 'vitest'
import { coin } from '../../../../src/core/values/coin.ts'
import { account, alice, bob, d, limit, send, statuses } from '../venue.fixture.ts'
import type { VenueOptions } from '../options.ts'
import type { Venue } from '../venue.ts'
import type { DexSpec } from '../venueConfig.ts'
import { dexVenue, gold, goldAsset, nvda, nvdaAsset, oil, oilAsset } from './dex.fixture.ts'
import { standard, stop, take, tsla, tslaAsset, tslaTwap } from './dex.fixture.ts'

const unified = account(bob, '10000', { mode: 'unifiedAccount' })

/** Alice and Bob hold TSLA, one of them cross and pooled; orders, a stop and a TWAP are open. */
function held(options: Partial<VenueOptions> = {}): Venue {
  const venue = dexVenue([standard, unified], options)
  send(venue, alice, [take('buy', tslaAsset, '5', '401')])
  send(venue, bob, [take('sell', tslaAsset, '10', '399')])
  send(venue, alice, [take('buy', nvdaAsset, '2', '201')])
  send(venue, alice, [stop('sell', '5', '380'), limit('buy', '1', '300', { asset: tslaAsset })])
  venue.apply(alice, {
    ...{ type: 'twapOrder', asset: tslaAsset, isBuy: true, size: d('1'), isReduceOnly: false },
    ...{ minutes: 30, randomize: false, stopPrice: null },
    trigger: { price: d('900'), isAbove: true },
  })
  return venue
}

const fresh: DexSpec = {
  name: 'io',
  markets: [{ coin: coin('io:AI'), sizeDecimals: 1, maxLeverage: 5, mid: d('50') }],
}

const equity = (venue: Venue): number =>
  Number(venue.perpState(alice, 'xyz').margin.accountValue.toString())
const isBalanced = (venue: Venue): boolean => {
  const { held: all, deposited, feesCollected, netSizes } = venue.audit()
  return (
    all.plus(feesCollected).eq(deposited) && [...netSizes.values()].every((net) => net.isZero())
  )
}

test('a thin book shows little, and is full again afterwards', () => {
  const venue = dexVenue()
  const levels = () => venue.book(tsla)?.bids.length
  expect(levels()).toBe(100)
  venue.changeDex('xyz', tsla, { isThin: true })
  expect(levels()).toBe(4)
  // Four prices of 150 USD each, and what is missing of two units finds nobody.
  expect(statuses(send(venue, alice, [take('buy', tslaAsset, '2', '410')]))).toMatchObject([
    { filled: { totalSz: '1.5' } },
  ])
  expect(levels()).toBe(4)
  venue.changeDex('xyz', tsla, { isThin: false })
  expect(levels()).toBe(100)
  expect(isBalanced(venue)).toBe(true)
})

describe('a halt', () => {
  test('ends every order and settles every position at the mark, for nothing', () => {
    const venue = held()
    venue.setPrice(tsla, { mid: d('420') })
    const before = equity(venue)
    const pooled = venue.spotState(bob).usdcTotal
    venue.changeDex('xyz', tsla, { isHalted: true })
    expect(equity(venue)).toBeCloseTo(before, 6)
    expect(venue.spotState(bob).usdcTotal.eq(pooled)).toBe(true)
    expect(venue.openOrders(alice, 'xyz')).toEqual([])
    expect(venue.twaps(alice)).toEqual([])
    expect(venue.perpState(alice, 'xyz').positions.map((each) => each.coin)).toEqual([nvda])
    expect(venue.perpState(bob, 'xyz').positions).toEqual([])
    expect(venue.book(tsla)).toMatchObject({ bids: [], asks: [] })
    expect(venue.historicalOrders(alice)[0]?.status).toBe('delistedCanceled')
    const [fill] = venue.fills(alice)
    expect(fill).toMatchObject({ coin: tsla, dir: 'Settlement', isBuy: false, fee: d('0') })
    expect(fill?.price.toString()).toBe('420')
    expect(venue.context(tsla)?.openInterest.isZero()).toBe(true)
    expect(isBalanced(venue)).toBe(true)
  })

  test('by the other reading nothing tells of it but the position that is gone', () => {
    const venue = held({ haltStatus: 'internalCancel', haltedMeta: 'listed' })
    const fills = venue.fills(alice).length
    venue.changeDex('xyz', tsla, { isHalted: true })
    expect(venue.fills(alice)).toHaveLength(fills)
    expect(venue.historicalOrders(alice)[0]?.status).toBe('internalCancel')
    expect(venue.dex('xyz')?.markets[0]?.market.isDelisted).toBe(false)
  })

  test('refuses orders until it is over; then the market trades as before', () => {
    const venue = held()
    venue.changeDex('xyz', tsla, { isHalted: true })
    expect(venue.dex('xyz')?.markets[0]?.market.isDelisted).toBe(true)
    const order = take('buy', tslaAsset, '1', '401')
    expect(statuses(send(venue, alice, [order]))).toMatchObject([{ error: /Trading is halted/ }])
    expect(venue.apply(alice, tslaTwap)).toMatchObject({
      response: { data: { status: { error: 'Trading is halted' } } },
    })
    venue.advanceTo(venue.nowMs + 7_200_000)
    venue.setPrice(tsla, { mid: d('398') })
    venue.changeDex('xyz', tsla, { isHalted: false })
    expect(statuses(send(venue, alice, [order]))).toMatchObject([{ filled: {} }])
    expect(venue.context(tsla)?.midPrice?.toString()).toBe('398')
  })

  test('a loss beyond the margin is not the account’s', () => {
    const ai = { ...fresh, markets: fresh.markets.map((each) => ({ ...each, maxLeverage: 50 })) }
    const venue = dexVenue([unified])
    venue.addDex(ai)
    const [asset, market] = [140_000, coin('io:AI')]
    venue.apply(bob, { type: 'updateLeverage', asset, isCross: false, leverage: 50 })
    send(venue, bob, [take('buy', asset, '5000', '51')])
    // A fifth is liquidated; then the mark falls below what is left of the margin, into the halt.
    venue.setPrice(market, { mid: d('49.46') })
    const outside = venue.perpState(bob, 'io').positions[0]
    expect(outside?.size.toString()).toBe('4000')
    const free = venue.spotState(bob).usdcTotal.minus(outside?.marginUsed ?? d('0'))
    const posted = { oracle: d('48'), marks: [d('48'), d('48')] }
    venue.changeDex('io', market, { posted, isHalted: true })
    expect(venue.perpState(bob, 'io').positions).toEqual([])
    expect(venue.spotState(bob).usdcTotal.eq(free)).toBe(true)
    expect(isBalanced(venue)).toBe(true)
  })

  test('a whole dex at once, and for good', () => {
    const venue = held()
    venue.changeDex('xyz', null, { isDelisted: true })
    expect(venue.perpState(alice, 'xyz').positions).toEqual([])
    expect(venue.dex('xyz')?.markets.every(({ market }) => market.isDelisted)).toBe(true)
    venue.changeDex('xyz', null, { isHalted: true })
    venue.changeDex('xyz', null, { isHalted: false })
    expect(venue.dex('xyz')?.markets.every(({ market }) => market.isDelisted)).toBe(true)
    expect(isBalanced(venue)).toBe(true)
  })
})

describe('a margin mode that becomes narrower', () => {
  test('leaves a cross position that may only be reduced', () => {
    const venue = held()
    venue.changeDex('xyz', tsla, { marginMode: 'noCross' })
    expect(venue.perpState(alice, 'xyz').positions[0]?.leverage.type).toBe('cross')
    const more = statuses(send(venue, alice, [take('buy', tslaAsset, '1', '401')]))
    expect(more).toMatchObject([{ error: /only supports reduce-only/ }])
    const exit = { ...take('sell', tslaAsset, '5', '399'), isReduceOnly: true }
    expect(statuses(send(venue, alice, [exit]))).toMatchObject([{ filled: {} }])
    send(venue, alice, [take('buy', tslaAsset, '1', '401')])
    expect(venue.perpState(alice, 'xyz').positions[0]?.leverage.type).toBe('isolated')
  })

  test('margin of a strict market comes back only by closing', () => {
    const venue = held()
    venue.changeDex('xyz', nvda, { marginMode: 'strictIsolated' })
    const add = { type: 'updateIsolatedMargin', asset: nvdaAsset, isBuy: true } as const
    venue.apply(alice, { ...add, ntli: 100_000_000 })
    expect(venue.apply(alice, { ...add, ntli: -10_000_000 })).toMatchObject({
      response: /Cannot remove isolated margin/,
    })
  })
})

describe('dexes that come and go', () => {
  test('a new one has the next index and trades at once', () => {
    const venue = dexVenue([unified])
    expect(venue.addDex(fresh)).toEqual({ ok: true, value: 4 })
    expect(venue.market(coin('io:AI'))?.asset).toBe(140_000)
    const order = take('buy', 140_000, '10', '51')
    expect(statuses(send(venue, bob, [order]))).toMatchObject([{ filled: {} }])
    venue.advanceTo(venue.nowMs + 10_000)
    expect(venue.markPrice(coin('io:AI'))?.toString()).toBe('50')
    expect(venue.addDex(fresh)).toMatchObject({ ok: false })
  })

  test('one that vanishes settles, gives money back and leaves its index empty', () => {
    const venue = held()
    const total = equity(venue) + 10_000
    expect(venue.removeDex('xyz').ok).toBe(true)
    const main = venue.perpState(alice)
    expect(Number(main.margin.accountValue.toString())).toBeCloseTo(total, 6)
    expect(venue.dexes().map((dex) => dex?.name ?? null)).toEqual([null, 'para', 'alt'])
    expect(send(venue, alice, [take('buy', tslaAsset, '1', '401')])).toMatchObject({
      response: /Invalid asset/,
    })
    expect(venue.market(gold)?.asset).toBe(goldAsset)
    expect(isBalanced(venue)).toBe(true)
    expect(venue.removeDex('xyz').ok).toBe(false)
  })

  test('a market is listed behind those of its dex', () => {
    const venue = dexVenue([unified])
    const spec = { coin: coin('para:SILVER'), sizeDecimals: 2, maxLeverage: 10, mid: d('50') }
    expect(venue.list({ ...spec, marginMode: 'noCross' })).toMatchObject({
      value: { asset: 120_001, onlyIsolated: true },
    })
    expect(statuses(send(venue, bob, [take('buy', 120_001, '10', '51')]))).toMatchObject([
      { filled: {} },
    ])
    expect(venue.list(spec).ok).toBe(false)
    expect(venue.list({ ...spec, coin: coin('nope:A') }).ok).toBe(false)
    expect(venue.markets('para').map(({ asset }) => asset)).toEqual([120_000, 120_001])
  })

  test('by the other reading those behind it move up, with what is open on them', () => {
    const venue = dexVenue([standard, unified], { dexRemoval: 'shift' })
    send(venue, alice, [limit('buy', '1', '3000', { asset: goldAsset })])
    send(venue, alice, [take('buy', oilAsset, '1', '61')])
    venue.removeDex('xyz')
    expect([venue.market(gold)?.asset, venue.market(oil)?.asset]).toEqual([110_000, 120_000])
    const [order] = venue.openOrders(alice, 'para')
    expect(order?.asset).toBe(110_000)
    const cancel = { type: 'cancel', cancels: [{ asset: 110_000, oid: order?.oid ?? 0 }] } as const
    expect(statuses(venue.apply(alice, cancel))).toEqual(['success'])
    send(venue, alice, [take('sell', 120_000, '1', '59')])
    expect(venue.perpState(alice, 'alt').positions).toEqual([])
    expect(venue.audit().tokens.get('USDT0')?.toString()).toBe('500')
  })

  test.each([
    ['nope', null, {}],
    ['xyz', gold, {}],
    ['xyz', null, { posted: { oracle: d('1'), marks: [] } }],
    ['xyz', tsla, { posted: { oracle: d('0'), marks: [] } }],
    ['xyz', tsla, { posted: { oracle: d('1'), marks: [d('1'), d('1'), d('1')] } }],
    ['xyz', tsla, { cap: d('0') }],
  ] as const)('what makes no sense changes nothing: %#', (dex, market, change) => {
    expect(dexVenue().changeDex(dex, market, change).ok).toBe(false)
  })
})
