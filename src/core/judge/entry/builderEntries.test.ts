import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  restingEntry,
  stopOrder,
} from '../../account/account.fixture.ts'
import { allMarkets, dexAccount, dexMarket, dexMarkets } from '../../account/builders.fixture.ts'
import type { DexSpec } from '../../account/builders.fixture.ts'
import type { ReservedOrder } from '../../account/reservation.ts'
import type { Json } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import { coin } from '../../values/coin.ts'
import { millis } from '../../values/millis.ts'
import { AccountWithRequest } from '../accountWithRequest.ts'
import { actionsOf } from '../decision.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder } from '../judge.fixture.ts'
import type { JudgeSpec } from '../judge.fixture.ts'
import { lastLook } from '../lastLook.ts'
import { checkBookShare } from './checkMarketState.ts'
import { defaultRules } from '../../rules/rules.ts'

const tesla = 110_001
const markets = ['*', 'xyz:*']
const buy = (size = '10', price = '400'): Json =>
  orderAction([limitOrder(tesla, true, size, price)])

function entry(spec: DexSpec = {}, rules: JudgeSpec['rules'] = {}, order: Json = buy()): Decision {
  return judged(order, { account: dexAccount(spec), rules: { markets, ...rules } })
}

describe('an entry on a builder dex', () => {
  test('risks what is lost at the worst fill of its stop, the gap beyond it, and both fees', () => {
    // The stop at 392 fills at 352.8; 10% of 400 beyond: 47.2 + 40. Fees are twice the usual ones.
    const decision = entry()
    expect(decision.code, decision.text).toBe('resized')
    expect(decision.entries[0]?.leverage).toBe(4)
    expect(decision.entries[0]?.stop?.toString()).toBe('392')
    // 2% of 7350.25 are 147.005, over 87.2 + 400 x 0.2%.
    expect(decision.entries[0]?.size.toString()).toBe('1.67')
    expect(decision.entries[0]?.risk?.toString()).toBe('146.96')
    expect(actionsOf(decision)[0]).toMatchObject({
      type: 'updateLeverage',
      isCross: false,
      leverage: 4,
    })
  })

  test.each([
    ['no gap', { gap: '0' }, '3.062'],
    ['half of the price', { gap: '0.5' }, '0.592'],
    ['growth at a scale of one', { feeScale: '1', isGrowth: true }, '1.682'],
    ['a scale below one', { feeScale: '0.5' }, '1.673'],
    ['a scale of three', { feeScale: '3' }, '1.643'],
  ] as const)('is as large as its gap and its fees let it be: %s', (_, given, size) => {
    const {
      gap,
      feeScale = '1',
      isGrowth = false,
    } = { gap: null, ...given } as {
      gap: string | null
      feeScale?: string
      isGrowth?: boolean
    }
    const builder = { feeScale: Decimal.of(feeScale), isGrowth }
    const account = dexAccount({ dexMarkets: [dexMarket('xyz:TSLA', tesla, { builder })] })
    if (gap !== null) account.countGaps(() => Decimal.of(gap))
    const decision = judged(buy(), { account, rules: { markets } })
    expect(decision.entries[0]?.size.toString()).toBe(size)
  })

  test('counts in the open risk as it was sized, on its way, resting and held', () => {
    const account = dexAccount()
    const decision = judged(buy('1'), { account, rules: { markets } })
    for (const [place, items] of decision.reservations.entries()) {
      account.reserve(`${place}`, items, fixtureNow)
    }
    expect(account.exposure().openRisk.toString()).toBe('87.2')
    const rests = restingEntry({
      oid: 1,
      coin: 'xyz:TSLA',
      isBuy: true,
      price: '400',
      size: '1',
      stop: '392',
    })
    expect(dexAccount({ orders: rests }).exposure().openRisk.toString()).toBe('87.2')
    const held = dexAccount({
      positions: { 'xyz:TSLA': { size: '1' } },
      orders: [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '1', trigger: '392' })],
    })
    expect(held.exposure().openRisk.toString()).toBe('87.2')
    const short = restingEntry({
      oid: 1,
      coin: 'xyz:TSLA',
      isBuy: false,
      price: '400',
      size: '2',
      stop: '408',
    })
    // Its stop fills at 448.8, and the gap beyond that is 40.
    expect(dexAccount({ orders: short }).exposure().openRisk.toString()).toBe('177.6')
  })

  test('leaves an order on the main dex only what is left of the budget', () => {
    const spec = { positions: { 'xyz:TSLA': { size: '5' } } }
    const orders = [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '5', trigger: '392' })]
    // 5 x 87.2 are 436 of the 441.015 that may be at risk.
    const decision = entry(
      { ...spec, orders },
      {},
      orderAction([limitOrder(1, true, '9', '2486.4')]),
    )
    expect(decision.changes.join()).toContain(
      'the 5.02 USD left of open_risk (436 USD of 441.02 USD',
    )
  })

  test('of several the later see the earlier, and a modify gives its own risk back', () => {
    const two = orderAction([
      limitOrder(tesla, true, '4', '400'),
      limitOrder(tesla, true, '4', '400'),
    ])
    const rules = { openRisk: Decimal.of('0.03') }
    const sizes = entry({}, rules, two).entries.map(({ size }) => size.toString())
    // 1% of the equity is left for the second, less what costs did not use of the first.
    expect(sizes).toEqual(['1.67', '0.85'])
    const orders = restingEntry({
      oid: 7,
      coin: 'xyz:TSLA',
      isBuy: true,
      price: '400',
      size: '1.67',
      stop: '392',
    })
    const modify = { type: 'modify', oid: 7, order: limitOrder(tesla, true, '1.67', '399') }
    const moved = entry({ orders }, { openRisk: Decimal.of('0.02') }, modify)
    expect(moved.verdict, moved.text).toBe('resize')
    expect(moved.entries[0]?.size.gt(Decimal.of('1.6'))).toBe(true)
  })

  test('is looked at once more with the same gap and the same fees', () => {
    const account = dexAccount()
    const size = Decimal.of('1.67')
    const look = (rules: object) =>
      lastLook({
        ...{ account, latched: false, isShared: false, isLeverageUnknown: false },
        risk: { state: 'active', holding: false, lastEquity: null },
        rules: { ...defaultRules, ...rules },
        entry: {
          ...{ coin: coin('xyz:TSLA'), isBuy: true, size },
          ...{ price: Decimal.of('400'), stop: Decimal.of('392') },
        },
        filledMeanwhile: Decimal.zero,
      })
    expect(look({})).toBeNull()
    expect(look({ riskPerTrade: Decimal.of('0.019') })?.text).toContain('146.96 USD of 139.65 USD')
  })
})

describe('the margin of an entry on a builder dex', () => {
  const at = (value: number) => ({ leverage: { 'xyz:TSLA': { type: 'isolated', value } as const } })

  test.each([
    ['lower than needed, and small enough', 3, 3],
    ['so low that all of the value were put in', 1, 4],
    ['as high as it may be', 4, 4],
    ['too high', 5, 4],
  ])('%s', (_, known, used) => {
    const decision = entry(at(known))
    expect(decision.entries[0]?.leverage).toBe(used)
    expect(decision.pre).toHaveLength(known === used ? 0 : 1)
  })

  const stopped = (stop: string, worst: string): Json[] => [
    limitOrder(tesla, true, '0.1', '400'),
    triggerOrder(tesla, false, '0.1', stop, worst),
  ]
  const [wide, tight] = [stopped('340', '300'), stopped('396', '350')]
  const resting = (stop: string) =>
    restingEntry({ oid: 9, coin: 'xyz:TSLA', isBuy: true, price: '400', size: '0.1', stop })

  // The wide stop needs leverage 2: half of the value, where 396 may lose 83.6 + fees of 400.
  test.each([
    [
      'a tight stop after a wide one of the request',
      [...wide, ...tight],
      {},
      'another entry there',
    ],
    ['a wide stop after a tight one of the request', [...tight, ...wide], {}, 'this one'],
    ['a tight stop beside a wide one that rests', tight, resting('340'), 'another entry there'],
    ['a wide stop beside a tight one that rests', wide, resting('396'), 'this one'],
  ] as const)('is not put in for a stop that is much wider: %s', (_, orders, rests, whose) => {
    const spec = Array.isArray(rests) ? { orders: rests } : {}
    const decision = entry(spec, {}, orderAction(orders))
    expect(decision.text).toContain(`at leverage 2, which the stop of ${whose} needs`)
    expect(decision.text).toContain('with its stop at 396 would put in more margin than twice')
    expect(decision.entryCount).toBe(orders.length / 2 - 1)
    expect(decision.pre).toHaveLength(decision.entryCount)
  })

  test.each([
    ['the same stop', stopped('396', '350'), 4],
    ['a stop that needs a leverage at which the other risks enough', stopped('372', '330'), 3],
  ] as const)('is put in beside one that rests with %s', (_, orders, leverage) => {
    const decision = entry({ orders: resting('396') }, {}, orderAction(orders))
    expect(decision.entries[0]?.leverage, decision.text).toBe(leverage)
  })

  test('is isolated though the coin and the rules admit cross margin', () => {
    const spec = { leverage: { 'xyz:TSLA': { type: 'cross', value: 20 } as const } }
    const decision = entry(spec, { margin: 'cross' })
    expect(decision.pre).toMatchObject([{ type: 'updateLeverage', isCross: false, leverage: 4 }])
  })

  test('of a position that has far too much of it is not added to', () => {
    const held = (value: number): DexSpec => ({
      positions: { 'xyz:TSLA': { size: '0.1', leverage: { type: 'isolated', value } } },
      orders: [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '0.1', trigger: '392' })],
    })
    expect(entry(held(4)).code).toBe('resized')
    expect(entry(held(3)).code).toBe('resized')
    const refused = entry(held(1))
    expect(refused.code).toBe('leverage')
    expect(refused.text).toContain('more margin than twice its risk')
  })

  test('is not put in for the stop of a position that is much wider than its own', () => {
    const held: DexSpec = {
      positions: { 'xyz:TSLA': { size: '0.1', leverage: { type: 'isolated', value: 2 } } },
      orders: [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '0.1', trigger: '340' })],
    }
    const refused = entry(held, {}, orderAction(tight))
    expect(refused.code, refused.text).toBe('leverage')
    expect(refused.text).toContain('the open xyz:TSLA position has leverage 2, at which an entry')
    expect(entry(held, {}, orderAction(wide)).entryCount).toBe(1)
  })

  test('of a position on cross margin is not added to', () => {
    const spec: DexSpec = {
      positions: { 'xyz:TSLA': { size: '0.1', leverage: { type: 'cross', value: 2 } } },
      orders: [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '0.1', trigger: '392' })],
    }
    expect(entry(spec, { margin: 'cross' }).code).toBe('cross_margin')
  })

  test('is not taken from what cross positions share, unless all is one balance', () => {
    const small = { equity: '300', mode: 'unifiedAccount' as const, usdcHold: '299' }
    expect(entry(small, { margin: 'cross', riskPerTrade: Decimal.of('0.05') }).code).toBe('margin')
    const parted = { equity: '300' }
    expect(entry(parted, { margin: 'cross', riskPerTrade: Decimal.of('0.05') }).code).toBe(
      'resized',
    )
  })
})

describe('the market of an entry', () => {
  const cases: readonly [string, Json, JudgeSpec['rules'], string, string][] = [
    [
      'a dex that is not named',
      buy(),
      { markets: ['*'] },
      'dex_not_allowed',
      '"xyz:*" or "xyz:TSLA" in markets would allow it',
    ],
    [
      'another dex alone',
      buy(),
      { markets: ['para:*'] },
      'dex_not_allowed',
      'the builder dex xyz, which the rules do not name',
    ],
    [
      'another market of the dex',
      buy(),
      { markets: ['xyz:NVDA'] },
      'market_not_allowed',
      'allowed here: xyz:NVDA',
    ],
    [
      'another collateral',
      orderAction([limitOrder(120_000, true, '1', '400')]),
      { markets: ['usdh:*'] },
      'dex_not_allowed',
      'whose collateral is not USDC',
    ],
    [
      'an index that no dex has',
      orderAction([limitOrder(110_099, true, '1', '400')]),
      { markets },
      'unknown_market',
      'asset 110099',
    ],
    [
      'a dex that the venue has not',
      orderAction([limitOrder(990_000, true, '1', '400')]),
      { markets },
      'unknown_market',
      'asset 990000',
    ],
    [
      'a delisted one',
      orderAction([limitOrder(110_003, true, '1', '400')]),
      { markets },
      'market_state',
      'delisted',
    ],
  ]
  test.each(cases)('%s', (_, json, rules, code, text) => {
    const decision = judged(json, { account: dexAccount(), rules: rules ?? {} })
    expect(decision.code, decision.text).toBe(code)
    expect(decision.text).toContain(text)
  })

  test('one alone may be named', () => {
    expect(entry({}, { markets: ['xyz:TSLA'] }).code).toBe('resized')
  })
})

describe('the state of the market', () => {
  const far = millis(fixtureNow + 30_001)
  const builder = { openInterestCap: Decimal.of('4000') }
  const capped4000 = dexMarket('xyz:TSLA', tesla, { builder })
  const cases: readonly [string, DexSpec, string][] = [
    ['nothing told', { isUntold: true }, 'nothing was told yet of the mark and oracle of xyz:TSLA'],
    ['only read', { isRead: true }, 'nothing was told yet of the mark and oracle of xyz:TSLA'],
    [
      'nothing told for long',
      { toldAt: fixtureNow - 30_001 },
      'for 30 s; entries need them within 30 s',
    ],
    [
      'of a dex whose oracle prices have stopped',
      { movedAt: fixtureNow - 30_001 },
      'no oracle price of the dex xyz has moved for 30 s, and before that they moved all the time',
    ],
    ['halted', { halted: ['xyz:TSLA'] }, 'xyz:TSLA is halted'],
    ['by an id in doubt', { arePlacesDoubted: true }, 'the id of xyz:TSLA may have become another'],
    ['without a price on both sides', { oneSided: ['xyz:TSLA'] }, 'no price on both sides'],
    ['at its cap', { capped: ['xyz:TSLA'] }, "at the venue's cap, so"],
    [
      'at a cap that is known',
      { capped: ['xyz:TSLA'], dexMarkets: [capped4000] },
      "at the venue's cap (last listed as 4000 USD), so",
    ],
    [
      'mark far from the oracle',
      { oracles: { 'xyz:TSLA': '402.1' } },
      '400, is 2.1 (0.5223%) from its oracle price 402.1; entries need 0.5% or less',
    ],
    ['no oracle price', { oracles: { 'xyz:TSLA': '0' } }, 'is 400 from its oracle price 0;'],
  ]
  const exits: readonly Json[] = [
    orderAction([limitOrder(tesla, false, '1', '390', 'Ioc', true)]),
    orderAction([limitOrder(tesla, false, '1', '390', 'Ioc')]),
    orderAction([triggerOrder(tesla, false, '1', '396', '356')], 'positionTpsl'),
    { type: 'cancel', cancels: [{ a: tesla, o: 9 }] },
    { type: 'modify', oid: 3, order: triggerOrder(tesla, false, '1', '395', '355') },
    { type: 'updateIsolatedMargin', asset: tesla, isBuy: true, ntli: 1_000_000 },
    { type: 'twapCancel', a: tesla, t: 5 },
    { type: 'twapOrder', twap: { a: tesla, b: false, s: '1', r: true, m: 5, t: false } },
  ]
  const held: DexSpec = {
    positions: { 'xyz:TSLA': { size: '1', liquidation: '300' } },
    orders: [
      stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '1', trigger: '392' }),
      ...restingEntry({
        oid: 9,
        coin: 'xyz:TSLA',
        isBuy: true,
        price: '390',
        size: '1',
        stop: '380',
      }),
    ],
  }
  test.each(cases)('%s: nothing opens, and what reduces passes', (_, spec, text) => {
    const refused = entry(spec)
    expect(refused.code, refused.text).toBe('market_state')
    expect(refused.text).toContain(text)
    for (const named of [markets, ['BTC']]) {
      for (const exit of exits) {
        const account = dexAccount({ ...held, ...spec })
        const decision = judged(exit, { account, rules: { markets: named } })
        expect(decision.verdict, `${JSON.stringify(exit)} ${decision.text}`).not.toBe('veto')
      }
    }
  })

  test('what reduces passes on a dex that Guard does not know, too', () => {
    for (const exit of [exits[0], exits[2], exits[6], exits[7]] as Json[]) {
      const decision = judged(exit, { rules: { markets } })
      expect(decision.verdict, decision.text).toBe('allow')
    }
  })

  test('is good where an oracle price of the dex has moved within 30 s', () => {
    expect(entry({ movedAt: fixtureNow - 30_000 }).code).toBe('resized')
  })

  test('is good at the very age and the very distance that are allowed', () => {
    // The mid came with them, and is too old for another reason.
    expect(entry({ toldAt: fixtureNow - 30_000 }).code).toBe('no_price')
    expect(
      entry({ oracles: { 'xyz:TSLA': '402' } }, { maxDistanceFromMid: Decimal.of('0.005') }).code,
    ).toBe('resized')
    expect(judged(buy(), { account: dexAccount(), now: far, rules: { markets } }).code).toBe(
      'market_state',
    )
  })
})

describe('the share of the book', () => {
  const share = (text: string) => ({ maxBookShare: Decimal.of(text) })
  const book: NonNullable<DexSpec['book']> = {
    bids: [
      ['399.9', '3'],
      ['398', '5'],
      ['397.9', '1000'],
    ],
    asks: [
      ['400.1', '20'],
      ['402', '10'],
      ['402.1', '1000'],
    ],
  }

  test('cuts an entry to what the thinner side shows near the mid', () => {
    const decision = entry({ book }, share('0.1'))
    expect(decision.entries[0]?.size.toString()).toBe('0.8')
    expect(decision.changes.join()).toContain(
      '10% (max_book_share) of the 8 xyz:TSLA that the thinner side of its book shows within 0.5% of the mid',
    )
  })

  test('counts what is held and rests on that side', () => {
    const spec: DexSpec = {
      book,
      positions: { 'xyz:TSLA': { size: '0.6' } },
      orders: [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '0.6', trigger: '392' })],
    }
    expect(entry(spec, share('0.1')).entries[0]?.size.toString()).toBe('0.2')
    const refused = entry(spec, share('0.077'))
    expect(refused.code, refused.text).toBe('market_state')
    expect(refused.text).toContain(
      '0.6 xyz:TSLA held and resting on that side leaves too little of 7.7%',
    )
    expect(entry(spec, share('0.07')).code).toBe('market_state')
  })

  const step = (isBuy: boolean, price: string, size = '10') =>
    orderAction([limitOrder(tesla, isBuy, size, price)])
  const resting = (isBuy: boolean, price: string, size: string) =>
    restingEntry({
      ...{ oid: 1, coin: 'xyz:TSLA', isBuy, price, size },
      // As far away as the stop that the other gets: unlike ones have no leverage in common.
      stop: Decimal.of(price)
        .times(Decimal.of(isBuy ? '0.98' : '1.02'))
        .toString(),
    })

  // Whatever each costs: value by value, 0.6 at 350 would leave more than 0.2 at 402, and 0.6 at 403
  // more than 0.2 at 440.
  test.each([
    ['a buy above cheaper ones', true, '350', '402'],
    ['a buy below dearer ones', true, '397', '350'],
    ['a sell above cheaper ones', false, '403', '440'],
    ['a sell below dearer ones', false, '440', '399'],
  ])('is one of sizes, for %s', (_, isBuy, rests, price) => {
    const orders = resting(isBuy, rests, '0.6')
    const deep = { bids: [['399', '8']], asks: [['401', '8']] } as const
    const wide = { maxPosition: Decimal.of('10'), riskPerTrade: Decimal.of('0.05') }
    const rules = { ...share('0.1'), ...wide, openRisk: Decimal.of('0.2') }
    const decision = entry({ book: deep, orders }, rules, step(isBuy, price))
    expect(decision.entries[0]?.size.toString(), decision.text).toBe('0.2')
  })

  test('of a ladder in one request no rung is more than the ones before it leave', () => {
    const rungs = orderAction(
      ['402', '380', '350', '300'].map((p) => limitOrder(tesla, true, '0.3', p)),
    )
    const sizes = entry({ book }, share('0.1'), rungs).entries.map(({ size }) => size.toString())
    expect(sizes.slice(0, 3)).toEqual(['0.3', '0.3', '0.2'])
    expect(sizes[3] ?? '0').toBe('0')
  })

  test("is taken of what others show: the account's own orders are no depth", () => {
    const orders = resting(true, '399', '3')
    const own = { bids: [['399', '8']], asks: [['401', '8']] } as const
    const refused = entry({ book: own, orders }, share('0.5'), step(true, '400', '5'))
    expect(refused.text).toContain('3 xyz:TSLA held and resting on that side leaves too little')
    expect(refused.text).toContain('50% (max_book_share) of the 5 xyz:TSLA')
    // One that waits for a trigger, and one that lies elsewhere, are no part of it.
    const away = restingEntry({ oid: 1, coin: 'xyz:TSLA', isBuy: true, price: '390', size: '3' })
    const stop = stopOrder({ oid: 9, coin: 'xyz:TSLA', size: '3', trigger: '399', price: '399' })
    for (const rests of [away, [stop]]) {
      const account = dexAccount({ book: own, orders: rests })
      const depth = account.bookWithin(coin('xyz:TSLA'), Decimal.of('398'), Decimal.of('402'))
      expect(`${depth?.bids} ${depth?.asks}`).toBe('8 8')
    }
  })

  describe('is looked at once more where the order that an entry replaces has filled', () => {
    const look = (filled: string, more: Pick<DexSpec, 'book'> & { rules?: object } = {}) => {
      const held = { positions: { 'xyz:TSLA': { size: '0.6' } } }
      const orders = [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '0.6', trigger: '392' })]
      const account = dexAccount({ ...held, orders, ...('book' in more ? more : { book }) })
      const size = Decimal.of('0.3')
      const [price, stop] = [Decimal.of('400'), Decimal.of('392')]
      const entered = { coin: coin('xyz:TSLA'), isBuy: true, size, price, stop }
      const rest = { kind: 'entry', index: 0, cloid: botCloid(1), parent: null, mayRest: true }
      account.reserve('a', [{ ...rest, ...entered } as ReservedOrder], fixtureNow)
      return lastLook({
        ...{ account, latched: false, isShared: false, isLeverageUnknown: false },
        risk: { state: 'active', holding: false, lastEquity: null },
        rules: { ...defaultRules, ...share('0.1'), ...more.rules },
        entry: entered,
        filledMeanwhile: Decimal.of(filled),
      })
    }

    test('and not sent where both are more than the share', () => {
      expect(look('0')).toBeNull()
      expect(look('0.1')?.code).toBe('market_state')
      expect(look('0.1')?.text).toContain('0.9 xyz:TSLA held, resting and leaving on that side')
    })

    test.each([
      ['both are within it', { rules: share('0.12') }],
      ['there is no such rule', { rules: { maxBookShare: null } }],
      ['no book was read', { book: undefined }],
    ])('and sent where %s', (_, more) => {
      expect(look('0.1', more as object)).toBeNull()
    })
  })

  test.each([
    ['never seen', {}],
    ['seen too long ago', { book: { ...book, at: fixtureNow - 2_001 } }],
  ])('needs a book: %s', (_, spec) => {
    const refused = entry(spec, share('0.1'))
    expect(refused.code).toBe('market_state')
    expect(refused.text).toContain('was not seen within the last 2 s')
  })

  test('bounds what waits for a trigger beside what that may lose', () => {
    const trigger = { trigger: { isMarket: true, triggerPx: '405', tpsl: 'sl' } }
    const order = { a: tesla, b: true, p: '406', s: '5', r: false, t: trigger }
    const rules = { ...share('0.1'), triggerEntries: 'watched' as const }
    const decision = entry({ book }, rules, orderAction([order]))
    expect(decision.entries[0]?.size.toString()).toBe('0.8')
  })

  test('is not looked at again where no price is told any more', () => {
    const unpriced = accountWith({ mids: { ETH: '2486.4' }, markets: allMarkets(dexMarkets) })
    const draft = new AccountWithRequest(unpriced)
    const rules = { ...defaultRules, ...share('0.1') }
    const looked = checkBookShare(draft, rules, { coin: coin('xyz:TSLA'), isBuy: true })
    expect(looked).toBeNull()
  })

  test('is nothing to the main dex', () => {
    const eth = orderAction([limitOrder(1, true, '1', '2486.4')])
    expect(entry({}, share('0.0001'), eth).code).toBe('resized')
  })
})

describe('leverage on a builder dex', () => {
  const set = (leverage: number, isCross = false): Json => ({
    type: 'updateLeverage',
    asset: tesla,
    isCross,
    leverage,
  })
  const rests = (stop: string): DexSpec => ({
    orders: restingEntry({ oid: 9, coin: 'xyz:TSLA', isBuy: true, price: '390', size: '1', stop }),
  })

  test.each([
    ['within the cap', {}, set(5), {}, 'allowed'],
    ['beyond the cap', {}, set(6), {}, 'leverage'],
    ['on cross margin', {}, set(3, true), {}, 'cross_margin'],
    [
      'on cross margin, though the rules admit it',
      {},
      set(3, true),
      { margin: 'cross' },
      'cross_margin',
    ],
    ['as a resting entry needs it', rests('380'), set(4), {}, 'allowed'],
    ['with a little more margin', rests('380'), set(3), {}, 'allowed'],
    ['with all of its value as margin', rests('380'), set(1), {}, 'leverage'],
    ['too high for a resting entry', rests('380'), set(5), {}, 'liquidation_too_close'],
    ['on a dex that is not named', {}, set(3), { markets: ['*'] }, 'dex_not_allowed'],
    ['isolated, where other coins are on cross', {}, set(3), { margin: 'cross' }, 'allowed'],
  ] as const)('%s', (_, spec, json, rules, code) => {
    const decision = judged(json, { account: dexAccount(spec), rules: { markets, ...rules } })
    expect(decision.code, decision.text).toBe(code)
  })

  const held = (beside: ReturnType<typeof restingEntry> = [], trigger = '392'): DexSpec => ({
    positions: {
      'xyz:TSLA': { size: '1', leverage: { type: 'isolated', value: 4 }, liquidation: '310' },
    },
    orders: [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '1', trigger }), ...beside],
  })
  const beside = (stop: string) =>
    restingEntry({ oid: 9, coin: 'xyz:TSLA', isBuy: true, price: '390', size: '1', stop })

  // 400 at leverage 3 puts in 33.3 more; at leverage 1 it is 300, and 174.4 may be in it.
  test.each([
    ['to what twice its risk bears', held(), 3, 'allowed', ''],
    ['to all of its value', held(), 1, 'leverage', 'twice what it risks or what its stop needs'],
    ['with an entry beside it that bears it', held(beside('380')), 3, 'allowed', ''],
    [
      'with an entry beside it that would put in too much',
      held(beside('389'), '350'),
      2,
      'leverage',
      'the xyz:TSLA entry resting at 390 would put in more margin than twice its risk',
    ],
  ] as const)('of a position goes down %s', (_, spec, leverage, code, text) => {
    const decision = judged(set(leverage), { account: dexAccount(spec), rules: { markets } })
    expect(decision.code, decision.text).toBe(code)
    expect(decision.text).toContain(text)
  })

  test.each([
    ['of a position stays: nothing tells what it risks', held(), 3, 'leverage'],
    ['goes by the limit of what rests', { orders: beside('380') }, 3, 'allowed'],
    ['puts in no more than that bears', { orders: beside('380') }, 1, 'leverage'],
  ] as const)('where no price is told %s', (_, spec, leverage, code) => {
    const told = { mids: { ETH: '2486.4' }, markets: allMarkets(dexMarkets) }
    const decision = judged(set(leverage), {
      account: accountWith({ ...spec, ...told }),
      rules: { markets },
    })
    expect(decision.code, decision.text).toBe(code)
  })

  test('of a position on the main dex goes down freely, where margin is no risk', () => {
    const positions = { ETH: { size: '1', leverage: { type: 'isolated', value: 5 } as const } }
    const orders = [stopOrder({ oid: 3, coin: 'ETH', size: '1', trigger: '2480' })]
    const json = { type: 'updateLeverage', asset: 1, isCross: false, leverage: 1 }
    expect(judged(json, { account: accountWith({ positions, orders }) }).code).toBe('allowed')
  })

  test('says why where the venue itself admits none', () => {
    const json = { type: 'updateLeverage', asset: 110_002, isCross: true, leverage: 2 }
    const decision = entry({}, { margin: 'cross' }, json)
    expect(decision.text).toBe('the venue admits only isolated margin on xyz:NVDA')
    expect(entry({}, { margin: 'cross' }, set(2, true)).text).toBe(
      'on a builder dex Guard forwards only isolated margin on xyz:TSLA',
    )
  })

  test('is judged where no price was told, too', () => {
    const orders = restingEntry({
      oid: 9,
      coin: 'ETH',
      isBuy: true,
      price: '2400',
      size: '1',
      stop: '2380',
    })
    const account = accountWith({ mids: { BTC: '84213.5' }, orders })
    const json = { type: 'updateLeverage', asset: 1, isCross: false, leverage: 2 }
    expect(judged(json, { account }).code).toBe('allowed')
  })
})
