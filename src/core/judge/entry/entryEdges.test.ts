import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  markets,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../../account/account.fixture.ts'
import type { Json } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from '../judge.fixture.ts'
import type { JudgeSpec } from '../judge.fixture.ts'
import { modeProblem } from './checkAccount.ts'

/** ETH may be held at 25 up to this value, at 3 beyond. */
const tieredAt = (bound: string) =>
  markets(
    vectorMeta.map((each) =>
      each.coin === 'ETH'
        ? {
            ...each,
            tiers: [
              { lowerBound: Decimal.zero, maxLeverage: 25 },
              { lowerBound: Decimal.of(bound), maxLeverage: 3 },
            ],
          }
        : each,
    ),
  )
const group = (...orders: readonly Json[]): Json => orderAction(orders, 'normalTpsl')
const near = (size = '0.1'): Json =>
  group(limitOrder(1, true, size, '2486.4'), triggerOrder(1, false, size, '2440', '2196'))

test.each([
  ['100', 'allowed'],
  ['99.99', 'below_minimum'],
])('0.1 SOL with its stop limited at %s: %s', (limit, code) => {
  // 0.1 x 100 is what the venue takes at least.
  const json = group(
    limitOrder(2, true, '0.1', '137.4'),
    triggerOrder(2, false, '0.1', '130', limit),
  )
  expect(judged(json).code).toBe(code)
})

describe('the stop of an entry', () => {
  test.each<[string, Json, string]>([
    ['of a buy, at its limit', group(...pair(true, '2400', '2400')), 'stop_wrong_side'],
    ['of a buy, a tick below', group(...pair(true, '2400', '2399.9')), 'allowed'],
    ['of a sell, at its limit', group(...pair(false, '2600', '2600')), 'stop_wrong_side'],
    ['of a sell, a tick above', group(...pair(false, '2600', '2600.1')), 'allowed'],
  ])('%s: %s', (_, json, code) => {
    expect(judged(json).code).toBe(code)
  })

  test.each<[string, Json, string, string, string]>([
    // 2440 x 0.9 = 2196 and 2530 x 1.1 = 2783 are the bounds.
    [
      'a sell stop rounded to its bound',
      stopped(true, '2440', '2196.05'),
      '2196.05',
      '2196',
      'grid',
    ],
    [
      'a buy stop rounded to its bound',
      stopped(false, '2530', '2782.95'),
      '2782.95',
      '2783',
      'grid',
    ],
    ['a buy stop beyond it', stopped(false, '2530', '2900.01'), '2900.01', '2900.1', 'grid'],
    ['a sell stop within it', stopped(true, '2440', '2196.2'), '2196.2', '2196', 'stop_room'],
    ['a buy stop within it', stopped(false, '2530', '2782'), '2782', '2783', 'stop_room'],
  ])('has a limit: %s', (_, json, from, to, rule) => {
    expect(judged(json).changeRecords).toEqual([{ field: 'stop.price', from, to, rule }])
  })

  test('is known by its own id, wherever it stands in the group', () => {
    const [entry, stop, profit] = [
      { ...limitOrder(1, true, '1', '2486.4'), c: botCloid(1) },
      { ...triggerOrder(1, false, '1', '2440', '2196'), c: botCloid(2) },
      { ...triggerOrder(1, false, '1', '2600', '2500', 'tp'), c: botCloid(3) },
    ]
    for (const orders of [
      [entry, stop, profit],
      [entry, profit, stop],
    ]) {
      const decision = judged(group(...orders))
      expect(decision.reservations[1]).toMatchObject([
        { kind: 'entry', index: 0, parent: null },
        ...orders.slice(1).map(({ c }, at) => ({
          kind: c === botCloid(2) ? 'stop' : 'reduce',
          index: at + 1,
          parent: 0,
          cloid: c,
        })),
      ])
      expect(decision.forward === null ? null : wire(decision.forward)).toMatchObject({
        orders: orders.map((each) => ({ t: each.t })),
      })
    }
  })
})

function pair(isBuy: boolean, price: string, trigger: string): readonly Json[] {
  const limit = isBuy ? '2000' : '3000'
  return [limitOrder(1, isBuy, '0.1', price), triggerOrder(1, !isBuy, '0.1', trigger, limit)]
}

function stopped(isBuy: boolean, trigger: string, limit: string): Json {
  const price = isBuy ? '2486.4' : '2486.3'
  return group(limitOrder(1, isBuy, '0.1', price), triggerOrder(1, !isBuy, '0.1', trigger, limit))
}

test('what is left of the open risk is named where it binds', () => {
  // 20 x (137.42 - 118) = 388.4 of 441.015 is used: 52.615 is less than the 147.005 of one trade.
  const account = accountWith({
    positions: { SOL: { size: '20' } },
    orders: [stopOrder({ oid: 11, coin: 'SOL', size: '20', trigger: '118' })],
  })
  const decision = judged(orderAction([limitOrder(1, true, '5', '2486.4', 'Ioc')]), { account })
  expect(decision.changeRecords).toContainEqual({
    field: 'size',
    from: '5',
    to: '1.0034',
    rule: 'open_risk',
  })
})

describe('what is named when two limits are equal', () => {
  test.each<[string, JudgeSpec['rules'] & object]>([
    ['risk_per_trade', { openRisk: Decimal.of('0.02') }],
    ['max_leverage', { maxLeverage: Decimal.of('0.1'), maxPosition: Decimal.of('0.1') }],
  ])('%s', (rule, rules) => {
    const decision = judged(orderAction([limitOrder(1, true, '5', '2486.4', 'Ioc')]), { rules })
    expect(decision.changeRecords).toContainEqual(expect.objectContaining({ field: 'size', rule }))
  })
})

describe('the leverage of an entry', () => {
  test('suits an entry that rests on the coin', () => {
    // d = (2400 - 1800) / 2400 = 0.25, need 0.325: L = 2 gives 0.4898, L = 3 0.3197.
    const orders = restingEntry({
      oid: 7,
      coin: 'ETH',
      isBuy: true,
      price: '2400',
      size: '0.1',
      stop: '2000',
    })
    expect(judged(near(), { account: accountWith({ orders }) }).entries[0]?.leverage).toBe(2)
  })

  test('is that of the tier at the higher of limit and mid', () => {
    // 1 at 2400 is worth 2486.35 once it is filled, so 3 is the most; at 2486.4 the bound is 25.
    const buy = group(limitOrder(1, true, '1', '2400'), triggerOrder(1, false, '1', '2380', '2142'))
    const at = (bound: string) =>
      judged(buy, { account: accountWith({ markets: tieredAt(bound) }) }).entries[0]?.leverage
    expect(at('2450')).toBe(3)
    expect(at('2486.36')).toBe(5)
  })

  test('is that of the tier of the larger side', () => {
    // 1.5 at 2600 rests to sell: 3900. m = 1/6, need 0.1693: L = 3 gives 0.1429, L = 2 0.2857.
    const orders = restingEntry({
      oid: 7,
      coin: 'ETH',
      isBuy: false,
      price: '2600',
      size: '1.5',
      stop: '2620',
    })
    const at = (bound: string) =>
      judged(near(), { account: accountWith({ orders, markets: tieredAt(bound) }) }).entries[0]
        ?.leverage
    expect(at('3000')).toBe(2)
    expect(at('4000')).toBe(5)
  })

  test.each([
    // HYPE, at most 10: m = 0.05. Short at 2: 0.45 / 1.05 = 0.42857; long at 2: 0.45 / 0.95 = 0.47368.
    [false, '0.4285', 2],
    [false, '0.4286', 1],
    [true, '0.4736', 2],
    [true, '0.4737', 1],
  ])('long %s, at least %s from the liquidation: %i', (isBuy, distance, leverage) => {
    const json = group(
      limitOrder(3, isBuy, '1', isBuy ? '41.9' : '41.8'),
      triggerOrder(3, !isBuy, '1', isBuy ? '41.5' : '42.2', isBuy ? '30' : '60'),
    )
    const rules = { minLiquidationDistance: Decimal.of(distance) }
    expect(judged(json, { rules }).entries[0]?.leverage).toBe(leverage)
  })

  test('that the coin has already is not set again, for one entry or several', () => {
    const account = accountWith({ leverage: { ETH: { type: 'isolated', value: 5 } } })
    const one = judged(near(), { account })
    expect(one.pre).toEqual([])
    expect(one.needs).toEqual([[]])
    const orders = [
      limitOrder(1, true, '0.1', '2486.4'),
      triggerOrder(1, false, '0.1', '2440', '2196'),
    ]
    expect(judged(orderAction([...orders, ...orders]), { account }).pre).toEqual([])
  })
})

describe('an open position', () => {
  const long = (liquidation: string | null) =>
    accountWith({
      positions: { ETH: { size: '1', leverage: { type: 'isolated', value: 1 }, liquidation } },
      orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440' })],
    })
  const short = (liquidation: string) =>
    accountWith({
      positions: { ETH: { size: '-1', leverage: { type: 'isolated', value: 1 }, liquidation } },
      orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2490', isBuy: true })],
    })
  const sell = group(
    limitOrder(1, false, '0.1', '2486.3'),
    triggerOrder(1, true, '0.1', '2490', '2739'),
  )

  test('without a liquidation price keeps its leverage unsaid', () => {
    const decision = judged(near(), { account: long(null) })
    expect(decision).toMatchObject({ code: 'allowed', pre: [], needs: [[]] })
  })

  test.each<[string, Json, JudgeSpec, string]>([
    // 2486.35 x 0.8 = 1989.08
    ['long, far enough from the mid', near(), at(long('1989.08'), '0.2'), 'allowed'],
    ['long, a cent nearer', near(), at(long('1989.09'), '0.2'), 'liquidation_too_close'],
    // 2490 x 1.1 = 2739; 2486.35 x 1.1 = 2734.985
    ['short, at the worst fill', sell, at(short('2739'), '0.1'), 'liquidation_too_close'],
    ['short, beyond the worst fill', sell, at(short('2739.01'), '0.1'), 'allowed'],
  ])('%s', (_, json, spec, code) => {
    expect(judged(json, spec).code).toBe(code)
  })
})

function at(account: JudgeSpec['account'] & object, distance: string): JudgeSpec {
  return { account, rules: { minLiquidationDistance: Decimal.of(distance) } }
}

test.each([
  ['default', null],
  ['disabled', null],
  ['unifiedAccount', null],
  ['portfolioMargin', /mode portfolioMargin, which Guard cannot size for/],
  ['dexAbstraction', /mode dexAbstraction/],
] as const)('an account in mode %s', (mode, words) => {
  if (words === null) expect(modeProblem(mode)).toBeNull()
  else expect(modeProblem(mode)).toMatch(words)
})
