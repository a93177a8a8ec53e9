import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  openOrder,
  restingEntry,
  stopOrder,
} from '../../account/account.fixture.ts'
import { Account } from '../../account/account.ts'
import type { Json } from '../../protocol/action.ts'
import { guardCloidKind } from '../../protocol/guardCloid.ts'
import { Decimal } from '../../values/decimal.ts'
import { actionsOf } from '../decision.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, triggerOrder, wire } from '../judge.fixture.ts'

const guardStop = '0x67756172010000000000000000000001'
const guardOrder = '0x67756172020000000000000000000001'
const modify = (oid: number | string, order: Json): Json => ({ type: 'modify', oid, order })
const batch = (...items: readonly [number, Json][]): Json => ({
  type: 'batchModify',
  modifies: items.map(([oid, order]) => ({ oid, order })),
})
const stop = (oid: number, size: string, trigger: string, extra = {}) =>
  stopOrder({ oid, coin: 'ETH', size, trigger, ...extra })
const sl = (size: string, trigger: string, limit = '2100', isMarket = true): Json =>
  triggerOrder(1, false, size, trigger, limit, 'sl', isMarket)
const exit = (oid: number, extra = {}) =>
  openOrder({
    oid,
    coin: 'ETH',
    isBuy: false,
    price: '2600',
    size: '1',
    isReduceOnly: true,
    ...extra,
  })
type Orders = readonly ReturnType<typeof openOrder>[]
const held = (orders: Orders, size = '1'): Account =>
  accountWith({ positions: { ETH: { size } }, orders })
const sent = (decision: Decision): Json[] => actionsOf(decision).map(wire)

describe('a modify', () => {
  const account = held([stop(1, '1', '2440'), exit(2, { cloid: guardOrder })])
  test.each<[string, Json, string]>([
    ['of an order nobody sees', modify(9, limitOrder(1, true, '1', '2400')), 'unknown_order'],
    [
      'of a client order id nobody sees',
      modify(botCloid(9), limitOrder(1, true, '1', '2400')),
      'unknown_order',
    ],
    ['to another market', modify(2, limitOrder(2, false, '1', '2600', 'Gtc', true)), 'invalid'],
    [
      'to a market that is not listed',
      modify(2, limitOrder(10_001, false, '1', '2600', 'Gtc', true)),
      'invalid',
    ],
    ['to the other side', modify(2, limitOrder(1, true, '1', '2600', 'Gtc', true)), 'invalid'],
    ['to an order that may open', modify(2, limitOrder(1, false, '1', '2600')), 'invalid'],
    [
      "to an id of Guard's",
      modify(2, { ...limitOrder(1, false, '1', '2600', 'Gtc', true), c: guardStop }),
      'invalid',
    ],
    [
      'that keeps the id Guard gave',
      modify(2, { ...limitOrder(1, false, '1', '2600', 'Gtc', true), c: guardOrder }),
      'allowed',
    ],
    [
      'of the same order twice',
      batch(
        [2, limitOrder(1, false, '1', '2600', 'Gtc', true)],
        [2, limitOrder(1, false, '1', '2601', 'Gtc', true)],
      ),
      'invalid',
    ],
  ])('%s', (_, json, code) => {
    const decision = judged(json, { account })
    expect(decision.code, decision.text).toBe(code)
  })

  test('of a reduce-only limit order is the venue’s own', () => {
    const order = limitOrder(1, false, '0.5', '2611.07', 'Gtc', true)
    const decision = judged(modify(2, order), { account, latched: true })
    expect(decision).toMatchObject({ verdict: 'allow', code: 'allowed', lane: 'exit' })
    expect(sent(decision)).toEqual([modify(2, order)])
    expect(decision.reply.kind).toBe('pass')
    expect(decision.reservations[0]).toMatchObject([
      { kind: 'reduce', coin: 'ETH' },
      { kind: 'cancel', oid: 2 },
    ])
    expect(decision.forward).toMatchObject({ modify: { order: { cloid: guardOrder } } })
  })

  test('in a batch answers with statuses', () => {
    const order = limitOrder(1, false, '0.5', '2611', 'Gtc', true)
    const decision = judged(batch([2, order]), { account })
    expect(sent(decision)).toEqual([batch([2, order])])
    expect(decision.reply).toMatchObject({
      kind: 'statuses',
      responseType: 'order',
      slots: [{ kind: 'status', action: 0, index: 0 }],
    })
  })

  test('with the flag a keeps it: what only reduces may be placed anew', () => {
    const order = limitOrder(1, false, '0.5', '2611', 'Gtc', true)
    const one = judged({ type: 'modify', oid: 2, order, a: true }, { account })
    expect(one).toMatchObject({ code: 'allowed', changeRecords: [] })
    expect(sent(one)).toEqual([{ type: 'modify', oid: 2, order, a: true }])
    const modifies = [{ oid: 2, order }]
    const many = judged({ type: 'batchModify', modifies, a: true }, { account })
    expect(many).toMatchObject({ code: 'allowed', changeRecords: [] })
    expect(sent(many)).toEqual([{ type: 'batchModify', modifies, a: true }])
  })
})

describe('what only reduces is replaced where the venue would not modify it', () => {
  const long = held([exit(2, { cloid: botCloid(4) }), stop(1, '1', '2440', { cloid: botCloid(5) })])
  const short = held([exit(2, { isBuy: true, price: '2400' })], '-1')
  const at = (isBuy: boolean, price: string): Json =>
    limitOrder(1, isBuy, '0.5', price, 'Gtc', true)
  const rows: [string, Account, Json, readonly string[]][] = [
    ['a sale above the mid', long, modify(2, at(false, '2486.36')), ['modify']],
    ['a sale at the mid', long, modify(2, at(false, '2486.35')), ['order', 'cancel']],
    ['a buy below the mid', short, modify(2, at(true, '2486.34')), ['modify']],
    ['a buy at the mid', short, modify(2, at(true, '2486.35')), ['order', 'cancel']],
    [
      'a stop, though it may be placed anew',
      long,
      { type: 'modify', oid: 1, order: sl('1', '2450'), a: true },
      ['order', 'cancel'],
    ],
  ]
  test.each(rows)('%s', (_, account, json, types) => {
    const decision = judged(json, { account })
    expect(actionsOf(decision).map(({ type }) => type)).toEqual(types)
    // It asked for no id of its own, so that none was changed.
    expect(decision.changeRecords.filter(({ field }) => field === 'cloid')).toEqual([])
  })
})

describe('a stop only tightens', () => {
  const one = held([stop(1, '1', '2440')])
  const two = held([stop(1, '0.5', '2440'), stop(2, '0.5', '2400')])
  const spare = held([stop(1, '1', '2440'), stop(2, '1', '2400')])
  const short = accountWith({
    positions: { ETH: { size: '-1' } },
    orders: [stop(1, '1', '2530', { isBuy: true })],
  })
  const up = (trigger: string): Json => triggerOrder(1, true, '1', trigger, '2900')

  test('of several in a batch no old one goes unless every new one is there', () => {
    const decision = judged(batch([1, sl('0.9', '2441')], [2, sl('0.1', '2401')]), { account: two })
    const actions = actionsOf(decision)
    const places = actions.flatMap(({ type }, at) => (type === 'order' ? [at] : []))
    const cancels = actions.flatMap(({ type }, at) => (type === 'cancel' ? [at] : []))
    expect([places.length, cancels.length]).toEqual([2, 2])
    for (const at of cancels) expect(decision.needs[at]).toEqual(places)
  })

  test.each<[string, Account, Json, string]>([
    ['tighter', one, modify(1, sl('1', '2441')), 'resized'],
    ['the same', one, modify(1, sl('1', '2440')), 'resized'],
    ['larger', one, modify(1, sl('3', '2440')), 'resized'],
    ['looser by a tick', one, modify(1, sl('1', '2439.9')), 'stop_loosened'],
    ['smaller by a lot', one, modify(1, sl('0.9999', '2450')), 'stop_loosened'],
    ['a stop-limit', one, modify(1, sl('1', '2450', '2100', false)), 'stop_loosened'],
    [
      'a take profit',
      one,
      modify(1, triggerOrder(1, false, '1', '2600', '2500', 'tp')),
      'stop_loosened',
    ],
    [
      'a limit order',
      one,
      modify(1, limitOrder(1, false, '1', '2600', 'Gtc', true)),
      'stop_loosened',
    ],
    ['of a short, tighter', short, modify(1, up('2529')), 'resized'],
    ['of a short, looser', short, modify(1, up('2531')), 'stop_loosened'],
    ['the looser of two halves, tighter', two, modify(2, sl('0.5', '2410')), 'resized'],
    ['the looser of two halves, looser', two, modify(2, sl('0.5', '2399')), 'stop_loosened'],
    ['the halves swapped', two, batch([1, sl('0.5', '2400')], [2, sl('0.5', '2440')]), 'resized'],
    [
      'the halves swapped and one looser',
      two,
      batch([1, sl('0.5', '2400')], [2, sl('0.5', '2439')]),
      'stop_loosened',
    ],
    ['a spare one, any way', spare, modify(2, sl('0.1', '2000', '1800')), 'resized'],
    [
      'without a position, any way',
      accountWith({ orders: [stop(1, '1', '2440')] }),
      modify(1, sl('0.1', '2000', '1800')),
      'resized',
    ],
  ])('%s', (_, account, json, code) => {
    const decision = judged(json, { account })
    expect(decision.code, decision.text).toBe(code)
  })

  test('one that covers more is no looser, whatever it then risks and the account has left', () => {
    // 2 at the mid 2486.35: half of it covered at 2400. All of it would risk 172.70 of the 60.
    const account = accountWith({
      equity: '1000',
      positions: { ETH: { size: '2' } },
      orders: [stop(1, '1', '2400')],
    })
    expect(judged(modify(1, sl('2', '2400')), { account }).code).toBe('resized')
    expect(judged(modify(1, sl('1.5', '2410')), { account }).code).toBe('resized')
    expect(judged(modify(1, sl('2', '2399')), { account }).code).toBe('stop_loosened')
  })

  test.each<[string, Json, string]>([
    // 46.35 at 2440 beside an entry of 1 that takes the one at 2450, and risks 20: 66.35 of the 84.
    [
      'a spare one that an entry may leave it with, looser',
      modify(2, sl('1', '2400')),
      'stop_loosened',
    ],
    ['within what is left', modify(2, sl('1', '2425')), 'resized'],
    ['smaller', modify(2, sl('0.5', '2440')), 'stop_loosened'],
    ['tighter', modify(2, sl('1', '2445')), 'resized'],
    ['the loosest of all, larger', modify(3, sl('2', '2300')), 'resized'],
    ['the loosest of all, any way', modify(3, sl('0.1', '2000', '1800')), 'resized'],
  ])('%s, by what is counted: %s', (_, json, code) => {
    const account = accountWith({
      equity: '1400',
      positions: { ETH: { size: '1' } },
      orders: [
        ...[stop(1, '1', '2450'), stop(2, '1', '2440'), stop(3, '1', '2300')],
        ...restingEntry({
          ...{ oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1', stop: '2380' },
        }),
      ],
    })
    expect(account.exposure().openRisk.toString()).toBe('66.35')
    const decision = judged(json, { account })
    expect(decision.code, decision.text).toBe(code)
  })

  test('that reaches further or comes within reach is never held up, though it then is counted', () => {
    // Of stops at 2450 and, from the liquidation on, at 2300 an entry may take the first alone.
    const account = accountWith({
      equity: '1000',
      positions: { ETH: { size: '1', liquidation: '2310' } },
      orders: [
        ...[stop(1, '1', '2450'), stop(2, '1', '2300')],
        ...restingEntry({
          ...{ oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1', stop: '2380' },
        }),
      ],
    })
    expect(account.exposure().openRisk.toString()).toBe('56.35')
    expect(judged(modify(2, sl('1', '2320')), { account }).code).toBe('resized')
    expect(judged(modify(1, sl('2', '2450')), { account }).code).toBe('resized')
  })

  test("Guard's own is not the bot's to change while its position is open", () => {
    const orders = [stop(1, '1', '2440', { cloid: guardStop })]
    expect(judged(modify(1, sl('1', '2450')), { account: held(orders) }).code).toBe('guard_stop')
    expect(judged(modify(1, sl('1', '2450')), { account: accountWith({ orders }) }).code).toBe(
      'resized',
    )
  })

  test('the stop of an entry that rests cannot be modified on its own', () => {
    const orders = restingEntry({
      oid: 7,
      coin: 'ETH',
      isBuy: true,
      price: '2400',
      size: '1',
      stop: '2380',
    })
    const decision = judged(modify(8, sl('1', '2390')), { account: accountWith({ orders }) })
    expect(decision.code).toBe('invalid')
    expect(decision.text).toContain('place it again')
  })

  test('the new one is placed first, and the old one cancelled after it rests', () => {
    const decision = judged(modify(1, sl('1', '2450')), { account: one, latched: true })
    expect(sent(decision)).toEqual([
      { type: 'order', orders: [sl('1', '2450')], grouping: 'na' },
      { type: 'cancel', cancels: [{ a: 1, o: 1 }] },
    ])
    expect(decision.needs).toEqual([[], [0]])
    expect(decision.lane).toBe('exit')
    expect(decision.reply).toMatchObject({
      kind: 'default',
      responseType: 'default',
      slots: [{ kind: 'status', action: 0, index: 0 }],
    })
    expect(decision.reservations).toMatchObject([
      [{ kind: 'stop', index: 0, parent: null, trigger: Decimal.of('2450') }],
      [{ kind: 'cancel', oid: 1 }],
    ])
    const [place] = actionsOf(decision)
    const id = place?.type === 'order' ? place.orders[0]?.cloid : undefined
    expect(guardCloidKind(id ?? null)).toBe('order')
    expect(decision.reply.stripCloids).toEqual([id])
  })

  test('one that is tied to the position stays so', () => {
    const account = held([stop(1, '0', '2440', { isPositionTpsl: true })])
    const decision = judged(modify(1, sl('0', '2450')), { account })
    expect(decision.forward).toMatchObject({ grouping: 'positionTpsl' })
  })

  test('off the grid it goes toward the price, and gets a tenth of room', () => {
    const decision = judged(modify(1, sl('1', '2450.01', '2450')), { account: one })
    // 2450.1 x 0.9 = 2205.09, down to 2205
    expect(sent(decision)[0]).toMatchObject({ orders: [sl('1', '2450.1', '2205')] })
    expect(decision.changeRecords.map(({ field, to, rule }) => [field, to, rule])).toEqual([
      ['stop.trigger', '2450.1', 'grid'],
      ['stop.price', '2205', 'stop_room'],
      ['action', 'order', 'replaced'],
    ])
    const outward = judged(modify(1, sl('1', '2450', '2100.07')), { account: one })
    expect(sent(outward)[0]).toMatchObject({ orders: [sl('1', '2450', '2100')] })
    const above = judged(modify(1, triggerOrder(1, true, '1', '2520.09', '2520.09')), {
      account: short,
    })
    expect(sent(above)[0]).toMatchObject({ orders: [triggerOrder(1, true, '1', '2520', '2772')] })
    const far = judged(modify(1, triggerOrder(1, true, '1', '2520', '2900.01')), { account: short })
    expect(sent(far)[0]).toMatchObject({ orders: [triggerOrder(1, true, '1', '2520', '2900.1')] })
  })

  test("a tighter one over everything makes Guard's own go", () => {
    const orders = [stop(1, '1', '2440'), stop(5, '1', '2430', { cloid: guardStop })]
    const decision = judged(modify(1, sl('1', '2450')), { account: held(orders) })
    expect(decision.post.map(wire)).toEqual([{ type: 'cancel', cancels: [{ a: 1, o: 5 }] }])
    expect(decision.needs).toEqual([[], [0], [0]])
  })
})

describe('while the positions have not been seen', () => {
  const ordersAlone = (): Account => {
    const account = new Account()
    const markets = accountWith().markets
    account.apply({ kind: 'markets', markets, at: fixtureNow })
    const orders = [stop(1, '1', '2440'), stop(3, '1', '2430', { cloid: guardStop }), exit(2)]
    account.apply({ kind: 'orders', orders, source: 'read', at: fixtureNow })
    return account
  }
  test.each<[string, Json, string]>([
    ['a stop may be tightened', modify(1, sl('1', '2450')), 'resized'],
    ['no stop loosened', modify(1, sl('1', '2439')), 'account_stale'],
    ['none made smaller', modify(1, sl('0.9', '2450')), 'account_stale'],
    ['none made a stop-limit', modify(1, sl('1', '2450', '2100', false)), 'account_stale'],
    ["Guard's own stays", modify(3, sl('1', '2450')), 'account_stale'],
    [
      'what takes a profit moves freely',
      modify(2, limitOrder(1, false, '1', '2700', 'Alo', true)),
      'allowed',
    ],
  ])('%s', (_, json, code) => {
    expect(judged(json, { account: ordersAlone() }).code).toBe(code)
  })
})

describe('a modify of a resting entry', () => {
  const resting = (extra = {}) =>
    restingEntry({
      oid: 7,
      coin: 'ETH',
      isBuy: true,
      price: '2400',
      size: '1',
      stop: '2380',
      ...extra,
    })
  const account = accountWith({ orders: resting() })

  test('is its cancel and a new entry with the stop it had', () => {
    const decision = judged(modify(7, limitOrder(1, true, '1', '2410')), { account })
    expect(decision).toMatchObject({
      verdict: 'resize',
      code: 'resized',
      lane: 'entry',
      entryCount: 1,
    })
    // d = (2410 - 2142) / 2410 = 0.1112; 1.1 d + 5% = 0.17232; L = 5 gives 0.18367.
    expect(sent(decision)).toEqual([
      { type: 'updateLeverage', asset: 1, isCross: false, leverage: 5 },
      { type: 'cancel', cancels: [{ a: 1, o: 7 }] },
      {
        type: 'order',
        orders: [limitOrder(1, true, '1', '2410'), sl('1', '2380', '2142')],
        grouping: 'normalTpsl',
      },
    ])
    expect(decision.needs).toEqual([[], [], [1, 0]])
    expect(decision.reply).toMatchObject({
      kind: 'default',
      slots: [{ kind: 'status', action: 2, index: 0 }],
    })
    expect(decision.changeRecords).toContainEqual({
      field: 'action',
      from: 'modify',
      to: 'order',
      rule: 'keeps_stop',
    })
  })

  test.each<[string, Account, Json, string]>([
    [
      'beyond its own stop',
      account,
      modify(7, limitOrder(1, true, '1', '2370')),
      'stop_wrong_side',
    ],
    [
      'to a trigger',
      account,
      modify(7, { ...triggerOrder(1, true, '1', '2500', '2700'), r: false }),
      'unsupported_order',
    ],
    ['to no size', account, modify(7, limitOrder(1, true, '0', '2400')), 'invalid'],
    [
      'while a position is uncovered',
      accountWith({ positions: { SOL: { size: '1' } }, orders: resting() }),
      modify(7, limitOrder(1, true, '1', '2400')),
      'unprotected_position',
    ],
    [
      'while another entry has no stop',
      accountWith({
        orders: [
          ...resting(),
          ...restingEntry({ oid: 17, coin: 'ETH', isBuy: true, price: '2300', size: '1' }),
        ],
      }),
      modify(7, limitOrder(1, true, '1', '2400')),
      'unprotected_order',
    ],
    [
      'that has no stop itself',
      accountWith({
        orders: restingEntry({ oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1' }),
      }),
      modify(7, limitOrder(1, true, '1', '2400')),
      'resized',
    ],
  ])('%s', (_, view, json, code) => {
    const decision = judged(json, { account: view })
    expect(decision.code, decision.text).toBe(code)
  })

  test('while killed is refused: it would open', () => {
    const decision = judged(modify(7, limitOrder(1, true, '1', '2300')), { account, latched: true })
    expect(decision.code).toBe('kill_switch')
    expect(decision.entries).toMatchObject([{ verdict: 'veto', code: 'kill_switch' }])
  })

  test("Guard's own stop moves with it, unless Guard may not attach one", () => {
    const own = accountWith({ orders: resting({ stopCloid: guardStop }) })
    const moved = judged(modify(7, limitOrder(1, true, '1', '2300')), { account: own })
    expect(moved.entries[0]?.stop?.toString()).toBe('2254')
    const kept = judged(modify(7, limitOrder(1, true, '1', '2400')), {
      account: own,
      rules: { stop: 'refuse' },
    })
    expect(kept.entries[0]?.stop?.toString()).toBe('2380')
  })

  test('keeps its take profit, as large as the entry if it was', () => {
    const profit = (oid: number, size: string) =>
      openOrder({
        oid,
        coin: 'ETH',
        isBuy: false,
        price: '2500',
        size,
        isReduceOnly: true,
        cloid: botCloid(oid),
        trigger: { price: '2600', tpsl: 'tp' },
      })
    const [parent, child] = resting()
    const withProfit = (size: string): Account =>
      accountWith({ orders: [{ ...parent!, children: [8, 9] }, child!, profit(9, size)] })
    const whole = judged(modify(7, limitOrder(1, true, '0.5', '2410')), {
      account: withProfit('1'),
    })
    const orders = (decision: Decision): Json => sent(decision).at(-1) ?? null
    expect(orders(whole)).toMatchObject({
      orders: [
        { s: '0.5' },
        triggerOrder(1, false, '0.5', '2600', '2500', 'tp'),
        sl('0.5', '2380', '2142'),
      ],
    })
    // Larger than the new entry: cut to it.
    const cut = judged(modify(7, limitOrder(1, true, '0.5', '2410')), {
      account: withProfit('0.7'),
    })
    expect(orders(cut)).toMatchObject({ orders: [{ s: '0.5' }, { s: '0.5' }, { s: '0.5' }] })
  })

  test('leaves out a take profit that is smaller than it, and says so', () => {
    const [parent, child] = resting()
    const profit = openOrder({
      ...{ oid: 9, coin: 'ETH', isBuy: false, price: '2500', size: '0.2', isReduceOnly: true },
      trigger: { price: '2600', tpsl: 'tp' },
    })
    const account = accountWith({ orders: [{ ...parent!, children: [8, 9] }, child!, profit] })
    const decision = judged(modify(7, limitOrder(1, true, '0.5', '2410')), { account })
    expect(sent(decision).at(-1)).toMatchObject({ orders: [{ s: '0.5' }, { s: '0.5' }] })
    expect(decision.text).toContain('take profit')
  })

  test('frees what the old one used', () => {
    // Equity 7350.25: at most 14700.5 in one coin. 6 at 2400 rest: 14400.
    const rules = { riskPerTrade: Decimal.of('0.05'), openRisk: Decimal.of('0.2') }
    const large = accountWith({ orders: resting({ size: '6', stop: '2390' }) })
    const more = judged(modify(7, limitOrder(1, true, '7', '2400')), { account: large, rules })
    // 14700.5 / 2486.35 = 5.91248
    expect(more.entries[0]?.size.toString()).toBe('5.9124')
    // 5 at 2390 and 5 at 2395 instead: 5 x 2390 at the mid 2486.35 = 12431.75, then 2268.75 left.
    const two = accountWith({
      orders: [
        ...resting({ size: '3', stop: '2390' }),
        ...resting({ oid: 17, size: '3', stop: '2390' }),
      ],
    })
    const both = judged(
      batch([7, limitOrder(1, true, '5', '2400')], [17, limitOrder(1, true, '5', '2400')]),
      { account: two, rules },
    )
    expect(both.entries.map((each) => each.size.toString())).toEqual(['5', '0.9124'])
    expect(sent(both)).toMatchObject([
      { type: 'updateLeverage' },
      { type: 'cancel', cancels: [{ o: 7 }, { o: 17 }] },
      { type: 'order' },
      { type: 'order' },
    ])
    expect(both.needs).toEqual([[], [], [1, 0], [1, 0]])
  })

  test('of a trigger that was placed elsewhere to open is judged as a new entry', () => {
    const trigger = openOrder({
      oid: 7,
      coin: 'ETH',
      isBuy: true,
      price: '2600',
      size: '1',
      trigger: { price: '2550' },
    })
    const decision = judged(modify(7, limitOrder(1, true, '1', '2486.4')), {
      account: accountWith({ orders: [trigger] }),
    })
    expect(decision.entries).toMatchObject([{ coin: 'ETH', side: 'buy' }])
  })

  test('whose child is gone already goes with a stop of Guard', () => {
    const [parent] = resting()
    const decision = judged(modify(7, limitOrder(1, true, '1', '2300')), {
      account: accountWith({ orders: [parent!] }),
    })
    expect(decision.entries[0]?.stop?.toString()).toBe('2254')
  })

  test('against a position closes, and never more than it', () => {
    const orders = [
      stop(1, '1', '2440'),
      ...restingEntry({
        oid: 7,
        coin: 'ETH',
        isBuy: false,
        price: '2600',
        size: '1',
        stop: '2650',
      }),
    ]
    const decision = judged(modify(7, limitOrder(1, false, '1', '2590')), { account: held(orders) })
    expect(sent(decision)).toEqual([
      { type: 'cancel', cancels: [{ a: 1, o: 7 }] },
      { type: 'order', orders: [limitOrder(1, false, '1', '2590', 'Gtc', true)], grouping: 'na' },
    ])
    expect(decision).toMatchObject({ code: 'resized', lane: 'exit', needs: [[], [0]] })
    expect(decision.reply).toMatchObject({ kind: 'default', slots: [{ action: 1, index: 0 }] })
    const larger = modify(7, limitOrder(1, false, '1.1', '2590'))
    const cut = judged(larger, { account: held(orders) })
    expect(sent(cut)).toEqual(sent(decision))
    expect(cut.changeRecords).toEqual([
      { field: 'size', from: '1.1', to: '1', rule: 'flip' },
      { field: 'reduce_only', from: 'false', to: 'true', rule: 'closing' },
    ])
    const refused = judged(larger, { account: held(orders), rules: { flip: 'refuse' } })
    expect(refused).toMatchObject({ verdict: 'veto', code: 'flip', forward: null })
    const flagged = { ...(larger as object), a: true }
    expect(judged(flagged, { account: held(orders) }).changeRecords[0]).toEqual({
      ...{ field: 'a', from: 'true', to: null, rule: 'flags' },
    })
    const trigger = { ...triggerOrder(1, false, '1', '2500', '2400'), r: false }
    expect(judged(modify(7, trigger), { account: held(orders) }).code).toBe('unsupported_order')
  })

  test('a batch of every kind keeps the order of the answers', () => {
    const orders = [
      stop(1, '1', '2440'),
      exit(2),
      ...restingEntry({ oid: 7, coin: 'SOL', isBuy: true, price: '130', size: '5', stop: '128' }),
    ]
    const decision = judged(
      batch(
        [7, limitOrder(2, true, '5', '131')],
        [2, limitOrder(1, false, '1', '2610', 'Gtc', true)],
        [1, sl('1', '2450')],
      ),
      { account: held(orders) },
    )
    expect(sent(decision).map((each) => (each as { type: string }).type)).toEqual([
      'updateLeverage',
      'order',
      'cancel',
      'batchModify',
      'cancel',
      'order',
    ])
    expect(decision.reply.slots).toEqual([
      { kind: 'status', action: 5, index: 0 },
      { kind: 'status', action: 3, index: 0 },
      { kind: 'status', action: 1, index: 0 },
    ])
    expect(decision.needs).toEqual([[], [], [1], [], [], [4, 0]])
  })
})

test('an entry that is modified may keep the id it had', () => {
  const cloid = botCloid(5)
  const spec = { oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1', stop: '2380', cloid }
  const account = accountWith({ orders: restingEntry(spec) })
  const order = { ...limitOrder(1, true, '1', '2410'), c: cloid }
  const decision = judged(modify(7, order), { account })
  expect(decision.changeRecords.filter(({ field }) => field === 'cloid')).toEqual([])
  const entries = decision.reservations.flat().filter(({ kind }) => kind === 'entry')
  expect(entries).toMatchObject([{ cloid, index: 0 }])
})

test('an order that would close a position is held as the one order of its action', () => {
  const resting = openOrder({ oid: 7, coin: 'ETH', isBuy: false, price: '2600', size: '1' })
  const account = held([resting, stop(1, '1', '2440')])
  const { reservations } = judged(modify(7, limitOrder(1, false, '1', '2590')), { account })
  const reductions = reservations.flat().filter(({ kind }) => kind === 'reduce')
  expect(reductions).toMatchObject([{ index: 0, parent: null }])
})
