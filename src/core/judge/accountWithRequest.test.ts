import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  markets,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../account/account.fixture.ts'
import type { EntrySpec } from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { AccountWithRequest } from './accountWithRequest.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from './judge.fixture.ts'

const guardStop = '0x67756172010000000000000000000001'
const resting = (spec: Partial<EntrySpec> = {}) =>
  restingEntry({
    oid: 7,
    coin: 'ETH',
    isBuy: true,
    price: '2400',
    size: '1',
    stop: '2380',
    ...spec,
  })
const batch = (...items: readonly [number, Json][]): Json => ({
  type: 'batchModify',
  modifies: items.map(([oid, order]) => ({ oid, order })),
})
const update = (asset: number, leverage: number): Json => ({
  type: 'updateLeverage',
  asset,
  isCross: false,
  leverage,
})
/** ETH may be held at 25 up to 3000 USD, at 3 beyond. */
const tiered = markets(
  vectorMeta.map((each) =>
    each.coin === 'ETH'
      ? {
          ...each,
          tiers: [
            { lowerBound: Decimal.zero, maxLeverage: 25 },
            { lowerBound: Decimal.of('3000'), maxLeverage: 3 },
          ],
        }
      : each,
  ),
)
const roomy = { riskPerTrade: Decimal.of('0.05'), openRisk: Decimal.of('0.2') }

describe('the leverage of a modified entry suits', () => {
  test('an entry that is in flight beside it', () => {
    const account = accountWith({ orders: resting() })
    const entry = entryInFlight({
      price: '2400',
      stop: '2000',
      cloid: botCloid(1),
      stopCloid: botCloid(2),
    })
    account.reserve('1', inFlight({ ...entry, size: Decimal.of('0.1') }), fixtureNow)
    // d = (2400 - 1800) / 2400 = 0.25, 1.1 d + 5% = 0.325: L = 2 gives 0.4898, L = 3 0.3197.
    const decision = judged(batch([7, limitOrder(1, true, '1', '2410')]), { account })
    expect(decision.pre.map(wire)).toEqual([update(1, 2)])
  })

  test('no longer the entry it replaces', () => {
    // With its stop at 2000 it bears 2 at 2400; at 2050 d = 250 / 2050, need 0.18415: L = 4.
    const account = accountWith({ orders: resting({ stop: '2000' }) })
    const decision = judged(batch([7, limitOrder(1, true, '0.1', '2050')]), { account })
    expect(decision.pre.map(wire)).toEqual([update(1, 4)])
  })

  test('the ones before it, once the tier of all of them counts', () => {
    // The first alone: d = 0.175, need 0.2425, at 25: L = 3. Both are worth more than 3000, so the
    // maximum is 3, m = 1/6: the second (need 0.16825) bears 3, the first 0.2 at 3 and 0.4 at 2.
    const orders = [...resting({ stop: '2200' }), ...resting({ oid: 17 })]
    const account = accountWith({ orders, markets: tiered })
    const both = batch(
      [7, limitOrder(1, true, '1', '2400')],
      [17, limitOrder(1, true, '1', '2400')],
    )
    const decision = judged(both, { account, rules: roomy })
    expect(decision.entries.map((each) => each.leverage)).toEqual([2, 2])
    expect(decision.pre.map(wire)).toEqual([update(1, 2)])
    const fresh = judged(
      orderAction([
        limitOrder(1, true, '1', '2400'),
        triggerOrder(1, false, '1', '2200', '1980'),
        limitOrder(1, true, '1', '2400'),
        triggerOrder(1, false, '1', '2380', '2142'),
      ]),
      { account: accountWith({ markets: tiered }), rules: roomy },
    )
    expect(fresh.entries.map((each) => each.leverage)).toEqual([2, 2])
  })

  test('none on another coin', () => {
    // SOL: d = (137.4 - 99) / 137.4 = 0.27948, need 0.35742: L = 2. ETH: need 0.16825: L = 5.
    const sol = { oid: 17, coin: 'SOL', price: '137.4', stop: '110' }
    const account = accountWith({ orders: [...resting(sol), ...resting()] })
    const both = batch(
      [17, limitOrder(2, true, '1', '137.4')],
      [7, limitOrder(1, true, '1', '2400')],
    )
    expect(judged(both, { account }).entries.map((each) => each.leverage)).toEqual([2, 5])
    const fresh = judged(
      orderAction([
        limitOrder(2, true, '1', '137.4'),
        triggerOrder(2, false, '1', '110', '99'),
        limitOrder(1, true, '1', '2400'),
        triggerOrder(1, false, '1', '2380', '2142'),
      ]),
    )
    expect(fresh.entries.map((each) => each.leverage)).toEqual([2, 5])
  })
})

describe('an entry sees those before it as reserved', () => {
  const sell = (size: string): readonly Json[] => [
    limitOrder(1, false, size, '2600'),
    triggerOrder(1, true, size, '2650', '2915'),
  ]

  test('a sell above the mid as filled at its limit, which is the worst that can be', () => {
    // 7350.25 x 5% = 367.5125; the first holds 1 x (2650 - 2600) = 50 of it. The second loses
    // 50 + 2600 x 0.0011 = 52.86 a unit: 317.5125 / 52.86 = 6.00666...
    const rules = {
      riskPerTrade: Decimal.of('0.05'),
      openRisk: Decimal.of('0.05'),
      maxPosition: Decimal.of('5'),
    }
    const decision = judged(orderAction([...sell('1'), ...sell('9')]), { rules })
    expect(decision.entries.map((each) => each.size.toString())).toEqual(['1', '6.0066'])
  })

  test('a sell above the mid as worth its limit, one below it as worth the mid', () => {
    // 7350.25 x 2 = 14700.5: less 1 x 2600, by 2600 a unit: 4.65403...
    const rules = { riskPerTrade: Decimal.of('0.05'), openRisk: Decimal.of('0.2') }
    const above = judged(orderAction([...sell('1'), ...sell('9')]), { rules })
    expect(above.entries.map((each) => each.size.toString())).toEqual(['1', '4.654'])
    // Less 1 x 2486.35, by 2486.35 a unit: 4.91246...
    const low = (size: string): readonly Json[] => [
      limitOrder(1, false, size, '2480'),
      triggerOrder(1, true, size, '2500', '2750'),
    ]
    const below = judged(orderAction([...low('1'), ...low('9')]), { rules })
    expect(below.entries.map((each) => each.size.toString())).toEqual(['1', '4.9124'])
  })

  test('by its value, on whatever coin', () => {
    // 7350.25 x 1 - 2486.4 = 4863.85; / 137.4 = 35.3992...
    const rules = { maxLeverage: Decimal.one, maxPosition: Decimal.one }
    const decision = judged(
      orderAction([
        limitOrder(1, true, '1', '2486.4'),
        triggerOrder(1, false, '1', '2440', '2196'),
        limitOrder(2, true, '90', '137.4'),
        triggerOrder(2, false, '90', '137', '123'),
      ]),
      { rules },
    )
    expect(decision.entries.map((each) => each.size.toString())).toEqual(['1', '35.39'])
  })

  test('by the places of open orders that it takes with its stop', () => {
    const small = limitOrder(1, true, '0.1', '2486.4')
    const codeAt = (maxOpenOrders: number, ...orders: readonly Json[]): readonly string[] =>
      judged(orderAction(orders), { rules: { maxOpenOrders } }).entries.map(({ code }) => code)
    expect(codeAt(1, small)).toEqual(['too_many_orders'])
    expect(codeAt(2, small)).toEqual(['resized'])
    expect(codeAt(3, small, small)).toEqual(['resized', 'too_many_orders'])
    expect(codeAt(4, small, small)).toEqual(['resized', 'resized'])
  })
})

describe('a modified entry takes the place of the old one', () => {
  // 500 x 5% = 25 of open risk; the entry that rests uses 20 of it.
  const rules = {
    riskPerTrade: Decimal.of('0.05'),
    openRisk: Decimal.of('0.05'),
    maxPosition: Decimal.of('5'),
  }

  test('with the risk it had', () => {
    // 20 + 2400 x 0.0011 = 22.64 a unit, and 25 / 22.64 > 1.
    const account = accountWith({ equity: '500', orders: resting() })
    const decision = judged(batch([7, limitOrder(1, true, '1', '2400')]), { account, rules })
    expect(decision.entries[0]?.size.toString()).toBe('1')
  })

  test('with none if its stop lay on the wrong side', () => {
    // SOL risks 3 x (137.42 - 130.42) = 21 of the 25. The stop of the old entry, above it, counted
    // as nothing. Guard's own goes to 2352: 48 + 2.64 a unit, 4 / 50.64 = 0.07898...
    const account = accountWith({
      equity: '500',
      positions: { SOL: { size: '3' } },
      orders: [
        ...resting({ stop: '2450', stopCloid: guardStop }),
        stopOrder({ oid: 30, coin: 'SOL', size: '3', trigger: '130.42' }),
      ],
    })
    const decision = judged(batch([7, limitOrder(1, true, '1', '2400')]), { account, rules })
    expect(decision.entries[0]?.size.toString()).toBe('0.0789')
  })

  test('with costs as any entry', () => {
    // 147.005 / (20 + 2400 x 0.0011) = 6.49315...
    const account = accountWith({ orders: resting() })
    const decision = judged(batch([7, limitOrder(1, true, '100', '2400')]), {
      account,
      rules: { maxPosition: Decimal.of('5') },
    })
    expect(decision.entries[0]?.size.toString()).toBe('6.4931')
  })
})

describe('stops beyond the position’s size', () => {
  // 1 ETH at the mid 2486.35: 36.35 USD at risk with the stop at 2450, 86.35 with the one at 2400.
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    orders: [
      stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2400' }),
      stopOrder({ coin: 'ETH', oid: 2, size: '1', trigger: '2450' }),
    ],
  })
  const eth = coin('ETH')
  const entry = {
    ...{ coin: eth, isBuy: true, size: Decimal.of('0.5'), price: Decimal.of('2480') },
    ...{ stop: Decimal.of('2440'), orderCount: 2, watched: null },
    margin: { type: 'isolated', value: 2 } as const,
  }
  const mid = Decimal.of('2486.35')

  test.each([
    { what: 'an entry of its own side takes them', coin: eth, isBuy: true, risk: '86.35' },
    { what: 'one of the other side does not', coin: eth, isBuy: false, risk: '36.35' },
    { what: 'nor one of another coin', coin: coin('BTC'), isBuy: true, risk: '36.35' },
  ])('$what: $risk', ({ coin: of, isBuy, risk }) => {
    expect(new AccountWithRequest(account).openRiskFor(of, isBuy).toString()).toBe(risk)
  })

  test('are taken once by all entries of a request', () => {
    const draft = new AccountWithRequest(account)
    // 0.5 x 40 each.
    draft.add(entry, mid)
    expect(draft.openRisk.toString()).toBe('106.35')
    draft.add(entry, mid)
    expect(draft.openRisk.toString()).toBe('126.35')
    expect(draft.openRiskFor(eth, true).toString()).toBe('126.35')
  })

  test.each([
    // 0.1 x 40 of another coin, 0.5 x 20 on the other side; the 50 of ETH's looser stop stay to be counted.
    { what: 'another coin', more: { coin: coin('BTC'), size: Decimal.of('0.1') }, risk: '90.35' },
    { what: 'the other side', more: { isBuy: false, stop: Decimal.of('2500') }, risk: '96.35' },
  ])('are not taken by an entry of $what: $risk', ({ more, risk }) => {
    const draft = new AccountWithRequest(account)
    draft.add({ ...entry, ...more }, mid)
    expect(draft.openRiskFor(eth, true).toString()).toBe(risk)
  })

  test.each([
    // 6% of 1600 leave 9.65 USD beside 86.35; a unit loses 40 at its stop and 2.728 in fees: 0.2258.
    { equity: '2000', size: '0.5' },
    { equity: '1600', size: '0.2258' },
    { equity: '1400', size: '0' },
  ])('with $equity of equity an entry of 0.5 goes as $size', ({ equity, size }) => {
    const held = accountWith({
      equity,
      positions: { ETH: { size: '1' } },
      orders: [
        stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2400' }),
        stopOrder({ coin: 'ETH', oid: 2, size: '1', trigger: '2450' }),
      ],
    })
    const [parent, child] = [
      limitOrder(1, true, '0.5', '2480'),
      triggerOrder(1, false, '0.5', '2440', '2200'),
    ]
    const decision = judged(orderAction([parent, child], 'normalTpsl'), {
      account: held,
      rules: {
        maxLeverage: Decimal.of('10'),
        maxPosition: Decimal.of('5'),
        riskPerTrade: Decimal.of('0.05'),
      },
    })
    expect(decision.entries[0]?.size?.toString(), decision.text).toBe(size)
  })
})

describe('only what waits for a trigger counts as waiting', () => {
  const entry = {
    ...{ coin: coin('ETH'), isBuy: true, size: Decimal.of('0.5'), price: Decimal.of('2480') },
    ...{ stop: Decimal.of('2440'), orderCount: 2 },
    margin: { type: 'isolated', value: 2 } as const,
  }
  const trigger = { price: Decimal.of('2500'), isMarket: true, tpsl: 'sl' } as const
  const watched = { trigger, stopBy: 'bot', worth: Decimal.of('2510') } as const
  const waiting = (draft: AccountWithRequest): readonly string[] =>
    draft.waitingValues().map(({ coin: of, value }) => `${of} ${value.toString()}`)

  test('of what a request places', () => {
    const draft = new AccountWithRequest(accountWith())
    draft.add({ ...entry, watched: null }, Decimal.of('2486.35'))
    expect(waiting(draft)).toEqual([])
    draft.add({ ...entry, watched }, Decimal.of('2486.35'))
    expect(waiting(draft)).toEqual(['ETH 1255'])
  })

  test('of what it takes away', () => {
    const orders = resting()
    const draft = new AccountWithRequest(accountWith({ orders }))
    draft.remove(orders[0]!)
    expect(waiting(draft)).toEqual([])
  })
})
