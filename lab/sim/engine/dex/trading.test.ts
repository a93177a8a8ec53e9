import { describe, expect, test } from 'vitest'
import type { Address } from '../../../../src/core/values/address.ts'
import { account, alice, bob, d, limit, oidOf, send, sizeOf, statuses } from '../venue.fixture.ts'
import type { Venue } from '../venue.ts'
import type { VenueAction } from '../venueAction.ts'
import { assetOf, placeOf } from './assetIds.ts'
import { dexVenue, gold, goldAsset, nvda, nvdaAsset, oil, oilAsset } from './dex.fixture.ts'
import { standard, stop, take, tsla, tslaAsset, tslaTwap } from './dex.fixture.ts'

const unified = account(alice, '10000', { mode: 'unifiedAccount' })
const ok = { status: 'ok', response: { type: 'default' } }
const err = (response: string) => ({ status: 'err', response })

const valueOn = (venue: Venue, dex: string, who: Address = alice): string =>
  venue.perpState(who, dex).margin.accountValue.toString()
const sizeOn = (venue: Venue, dex: string, coin: string): string | undefined =>
  venue
    .perpState(alice, dex)
    .positions.find((each) => each.coin === coin)
    ?.size.toString()

describe('asset ids', () => {
  test.each([
    [110_000, 1, 0],
    [110_001, 1, 1],
    [209_999, 10, 9_999],
    [210_000, 11, 0],
  ])('%i is dex %i, market %i', (asset, dexIndex, marketIndex) => {
    expect(placeOf(asset)).toEqual({ dexIndex, marketIndex })
    expect(assetOf(dexIndex, marketIndex)).toBe(asset)
  })

  test.each([[0], [10_000], [100_000], [109_999], [110_003], [111_000], [140_000], [99_999_999]])(
    'an order on %i is on no market of a builder dex',
    (asset) => {
      const venue = dexVenue()
      const reply = send(venue, alice, [take('buy', asset, '1', '400')])
      expect(sizeOn(venue, 'xyz', tsla)).toBe(undefined)
      if (asset > 100_000) expect(reply).toMatchObject({ response: /Invalid asset/ })
    },
  )
})

describe('a standard account', () => {
  test('trades on each dex with the money that lies there', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    expect(sizeOn(venue, 'xyz', tsla)).toBe('5')
    expect(venue.perpState(alice).positions).toEqual([])
    expect(valueOn(venue, '')).toBe('10000')
    expect(venue.perpState(alice, 'xyz').cross.totalMarginUsed.toString()).toBe('100')
    // 2,000 of value at 0.00009, and the half tick that the book is away from the mark.
    expect(Number(valueOn(venue, 'xyz'))).toBeCloseTo(1000 - 0.18 - 0.05, 3)
  })

  test('an empty dex refuses, whatever lies on the others', () => {
    const venue = dexVenue()
    const [status] = statuses(send(venue, bob, [take('buy', tslaAsset, '1', '401')])) as never[]
    expect(status).toEqual({ error: `Insufficient margin to place order. asset=${tslaAsset}` })
  })

  test('a resting order takes from its own dex', () => {
    const venue = dexVenue()
    send(venue, alice, [limit('buy', '10', '300', { asset: tslaAsset })])
    expect(venue.perpState(alice, 'xyz').withdrawable.toString()).toBe('850')
    expect(venue.perpState(alice).withdrawable.toString()).toBe('10000')
    expect(venue.openOrders(alice)).toEqual([])
    expect(venue.openOrders(alice, 'xyz')).toMatchObject([{ asset: tslaAsset, coin: tsla }])
  })

  test('a liquidation touches its dex alone', () => {
    const venue = dexVenue()
    send(venue, alice, [limit('buy', '1', '1000')])
    send(venue, alice, [take('buy', tslaAsset, '45', '401')])
    venue.setPrice(tsla, { mid: d('370') })
    expect(sizeOn(venue, 'xyz', tsla)).toBe(undefined)
    expect(valueOn(venue, '')).toBe('10000')
    expect(valueOn(venue, 'para')).toBe('5000')
    expect(venue.openOrders(alice)).toHaveLength(1)
    expect(venue.ledger(alice).at(-1)?.delta).toMatchObject({
      type: 'liquidation',
      positions: [{ coin: tsla }],
    })
  })

  test('a dex in another token pays and is paid in it', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', oilAsset, '10', '61')])
    const [fill] = venue.fills(alice)
    expect(fill).toMatchObject({ coin: oil, feeToken: 'USDT0' })
    expect(fill?.fee.toString()).toBe('0.540009')
    expect(venue.audit().tokens.get('USDT0')?.toString()).toBe('500')
  })
})

describe('a unified account', () => {
  test('has one pool for every dex in USDC', () => {
    const venue = dexVenue([unified])
    send(venue, alice, [take('buy', tslaAsset, '50', '401')])
    send(venue, alice, [take('buy', goldAsset, '2', '4010')])
    const { usdcTotal, usdcHold } = venue.spotState(alice)
    expect(usdcTotal.gt(d('9990')) && usdcTotal.lt(d('10000'))).toBe(true)
    expect(usdcHold.toString()).toBe('1400')
    expect(valueOn(venue, 'xyz')).toBe('1000')
    expect(valueOn(venue, 'para')).toBe('400')
    expect(valueOn(venue, '')).toBe('0')
  })

  test('the pool decides where a position on one dex ends', () => {
    const alone = dexVenue([unified])
    send(alone, alice, [take('buy', tslaAsset, '50', '401')])
    const both = dexVenue([unified])
    send(both, alice, [take('buy', tslaAsset, '50', '401')])
    send(both, alice, [take('buy', goldAsset, '5', '4010')])
    const at = (venue: Venue) => venue.perpState(alice, 'xyz').positions[0]?.liquidationPrice
    const [first, second] = [at(alone), at(both)]
    expect(first !== null && second !== null && first?.lt(second ?? d('0'))).toBe(true)
  })

  test('a liquidation takes positions of every dex in that token', () => {
    const venue = dexVenue([unified])
    send(venue, alice, [take('buy', tslaAsset, '200', '401')])
    send(venue, alice, [take('buy', goldAsset, '10', '4010')])
    venue.setPrice(tsla, { mid: d('345') })
    expect(sizeOn(venue, 'xyz', tsla)).toBe(undefined)
    expect(sizeOn(venue, 'para', gold)).toBe(undefined)
  })

  test('a dex in another token leans on the balance of that token', () => {
    const rich = account(alice, '1000', {
      mode: 'unifiedAccount',
      spot: [{ token: 'USDT0', total: d('300') }],
    })
    const venue = dexVenue([rich])
    send(venue, alice, [take('buy', oilAsset, '20', '61')])
    const { tokens, holds, available, usdcTotal } = venue.spotState(alice)
    expect(usdcTotal.toString()).toBe('1000')
    expect(tokens.get('USDT0')?.lt(d('300'))).toBe(true)
    expect(holds.get('USDT0')?.toString()).toBe('120')
    expect(available.get('USDT0')?.gt(d('200'))).toBe(true)
  })
})

describe('margin modes', () => {
  const leverage = (asset: number, isCross: boolean) =>
    ({ type: 'updateLeverage', asset, isCross, leverage: 5 }) as const

  test('cross only where the market allows it', () => {
    const venue = dexVenue()
    expect(venue.apply(alice, leverage(tslaAsset, true))).toEqual(ok)
    expect(venue.apply(alice, leverage(nvdaAsset, true))).toEqual(
      err('Cross margin is not allowed for this asset.'),
    )
    expect(venue.apply(alice, leverage(nvdaAsset, false))).toEqual(ok)
    expect(venue.leverage(alice, nvda)).toMatchObject({ type: 'isolated', value: 5 })
  })

  test('an isolated position takes its margin from its own dex and gives it back', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', nvdaAsset, '10', '201')])
    const { positions, cross } = venue.perpState(alice, 'xyz')
    expect(positions[0]?.leverage).toMatchObject({ type: 'isolated', value: 10 })
    expect(cross.accountValue.lt(d('801'))).toBe(true)
    send(venue, alice, [take('sell', nvdaAsset, '10', '199')])
    // Twice 2,000 at 0.000675, and two ticks of 0.01 for each of ten.
    expect(Number(valueOn(venue, 'xyz'))).toBeCloseTo(1000 - 2.7 - 0.2, 2)
  })
})

describe('the same ways as on the main dex', () => {
  test('triggers fire on its mark, modifies and cancels by its ids', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    send(venue, alice, [stop('sell', '5', '380')])
    const oid = oidOf(send(venue, alice, [limit('buy', '1', '300', { asset: tslaAsset })]))
    const order = limit('buy', '1', '310', { asset: tslaAsset, tif: 'Alo' })
    venue.apply(alice, { type: 'modify', modify: { ref: { oid }, order } })
    const [moved] = venue.openOrders(alice, 'xyz').filter(({ trigger }) => trigger === null)
    expect(moved?.limitPrice.toString()).toBe('310')
    const wrong = { type: 'cancel', cancels: [{ asset: 0, oid: moved?.oid ?? 0 }] } as const
    expect(statuses(venue.apply(alice, wrong))).toMatchObject([{ error: /never placed/ }])
    const right = { type: 'cancel', cancels: [{ asset: tslaAsset, oid: moved?.oid ?? 0 }] } as const
    expect(statuses(venue.apply(alice, right))).toEqual(['success'])
    venue.setPrice(tsla, { mid: d('379') })
    expect(sizeOn(venue, 'xyz', tsla)).toBe(undefined)
    expect(sizeOf(venue, alice)).toBe('0')
  })

  test('a TWAP runs there and is listed there alone', () => {
    const venue = dexVenue()
    venue.apply(alice, {
      ...{ type: 'twapOrder', asset: tslaAsset, isBuy: true, size: d('5'), isReduceOnly: false },
      ...{ minutes: 5, randomize: false, trigger: null, stopPrice: null },
    })
    expect(venue.listedTwaps(alice)).toEqual([])
    expect(venue.listedTwaps(alice, 'xyz')).toMatchObject([{ coin: tsla }])
    venue.advanceTo(venue.nowMs + 10 * 60_000)
    expect(sizeOn(venue, 'xyz', tsla)).toBe('5')
  })

  test('a vault may not', () => {
    const vault = account(bob, '100', { vaultOf: alice })
    const reply = send(dexVenue([standard, vault]), bob, [take('buy', tslaAsset, '1', '401')])
    expect(reply).toEqual(err('Vault may not perform this action.'))
    expect(dexVenue([standard, vault]).apply(bob, tslaTwap)).toMatchObject({
      response: { data: { status: { error: 'Vault may not perform this action.' } } },
    })
  })
})

describe('fees and funding', () => {
  test.each([
    ['growth', tslaAsset, '401', tsla, '0.00009'],
    ['a scale below one', nvdaAsset, '201', nvda, '0.000675'],
    ['a scale of one', goldAsset, '4001', gold, '0.0009'],
  ])('%s', (_, asset, price, coin, rate) => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', asset, '1', price)])
    const fill = venue.fills(alice).find((each) => each.coin === coin)
    const value = fill?.price.times(fill.size) ?? d('0')
    expect(fill?.fee.toString()).toBe(value.times(d(rate)).rounded(6, 'down').toString())
  })

  test('growth counts a tenth towards what trading earns', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', tslaAsset, '1', '401')])
    expect(venue.cumulativeVolume(alice).lt(d('40.1'))).toBe(true)
  })

  test('funding has the multiplier of its market', () => {
    const venue = dexVenue()
    const before = venue.context(tsla)?.funding
    expect(before?.toString()).toBe('0.00000625')
    expect(venue.context(gold)?.funding.toString()).toBe('0.0000125')
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    venue.advanceTo(venue.nowMs + 3_600_000)
    expect(venue.fundings(alice)).toMatchObject([{ coin: tsla }])
    expect(venue.fundings(alice)[0]?.usdc.toString()).toBe('-0.0125')
  })

  test('far from the oracle it is pulled back by less than on the main dex', () => {
    const venue = dexVenue()
    venue.setPrice(gold, { mid: d('4040'), mark: d('4040'), oracle: d('4000') })
    // (0.01 - 0.0003) / 8, where the main dex has 0.0005.
    expect(venue.context(gold)?.funding.toString()).toBe('0.0012125')
  })
})

describe('money between dexes', () => {
  const move = (from: string, to: string, amount: string): VenueAction => ({
    ...{ type: 'sendAsset', isByAgent: true, subAccount: null, destination: alice },
    ...{ token: 'USDC', amount: d(amount), from, to, nonce: 1 },
  })

  test('moves at once, with a row in the ledger', () => {
    const venue = dexVenue()
    expect(venue.apply(alice, move('', 'xyz', '500'))).toEqual(ok)
    expect([valueOn(venue, ''), valueOn(venue, 'xyz')]).toEqual(['9500', '1500'])
    expect(venue.apply(alice, move('xyz', 'para', '200'))).toEqual(ok)
    expect([valueOn(venue, 'xyz'), valueOn(venue, 'para')]).toEqual(['1300', '5200'])
    expect(venue.ledger(alice).at(-1)?.delta).toMatchObject({
      ...{ type: 'send', sourceDex: 'xyz', destinationDex: 'para' },
    })
    expect(venue.dex('xyz')?.netDeposit.toString()).toBe('1300')
  })

  test('only what is free may leave', () => {
    const venue = dexVenue()
    send(venue, alice, [take('buy', tslaAsset, '25', '401')])
    // A tenth of the value stays although the margin is a twentieth.
    expect(venue.apply(alice, move('xyz', '', '5'))).toEqual(
      err('Insufficient balance for token transfer'),
    )
  })

  test.each([
    ['another token', move('', 'alt', '10')],
    ['an unknown dex', move('', 'nope', '10')],
    ['from where it is', move('xyz', 'xyz', '10')],
  ])('%s is refused', (_, action) => {
    expect(dexVenue().apply(alice, action)).toEqual(err('Invalid send'))
  })

  test('a unified account has nothing to move', () => {
    expect(dexVenue([unified]).apply(alice, move('', 'xyz', '10'))).toEqual(
      err('Action disabled when unified account is active'),
    )
  })
})

test('a change of mode with positions on dexes keeps the total', () => {
  const venue = dexVenue()
  send(venue, alice, [take('buy', tslaAsset, '5', '401')])
  send(venue, alice, [take('buy', nvdaAsset, '1', '201')])
  const dexes = ['', 'xyz', 'para']
  const total = () => dexes.reduce((sum, dex) => sum + Number(valueOn(venue, dex)), 0)
  const before = total()
  venue.setMode(alice, 'unifiedAccount')
  expect(Number(venue.spotState(alice).usdcTotal.toString())).toBeCloseTo(before, 6)
  venue.setMode(alice, 'disabled')
  expect(total()).toBeCloseTo(before, 6)
  expect(venue.perpState(alice, 'xyz').cross.accountValue.toString()).toBe('100')
  const { held, deposited, feesCollected } = venue.audit()
  expect(held.plus(feesCollected).eq(deposited)).toBe(true)
})
