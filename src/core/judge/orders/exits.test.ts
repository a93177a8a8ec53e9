import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  openOrder,
  stopOrder,
  vectorMids,
} from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { Json } from '../../protocol/action.ts'
import type { OpenOrder } from '../../protocol/venueState.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { millis } from '../../values/millis.ts'
import { actionsOf } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from '../judge.fixture.ts'

const guardStop = '0x67756172010000000000000000000001'
const stop = (trigger: string, extra = {}) =>
  stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger, ...extra })
const held = accountWith({ positions: { ETH: { size: '1' } }, orders: [stop('2440')] })

describe('an order that can only reduce is held as', () => {
  test.each<[string, Json, string, string]>([
    ['a stop of its own size', triggerOrder(1, false, '0.4', '2450', '2205'), 'stop', '0.4'],
    [
      'a reduction when it is a stop-limit',
      triggerOrder(1, false, '1', '2450', '2205', 'sl', false),
      'reduce',
      '1',
    ],
    [
      'a reduction when it is a take profit',
      triggerOrder(1, false, '1', '2600', '2300', 'tp'),
      'reduce',
      '1',
    ],
    ['a reduction when it is a limit order', limitOrder(1, false, '1', '2600'), 'reduce', '1'],
  ])('%s', (_, order, kind, size) => {
    const decision = judged(orderAction([order]), { account: held })
    expect(decision.reservations).toMatchObject([[{ kind, size: Decimal.of(size) }]])
  })
})

test('exits of every kind keep the order the bot gave them', () => {
  const orders = [
    triggerOrder(1, false, '1', '2600', '2300', 'tp'),
    limitOrder(1, false, '0.2', '2480', 'Ioc', true),
    triggerOrder(1, false, '1', '2450', '2205'),
    limitOrder(1, false, '0.3', '2481', 'Gtc', true),
  ]
  const decision = judged(orderAction(orders), { account: held })
  expect(actionsOf(decision).map(wire)).toEqual([orderAction(orders)])
  expect(decision.reply.slots.map((slot) => slot.kind === 'status' && slot.index)).toEqual([
    0, 1, 2, 3,
  ])
})

test.each<[string, readonly Json[], number]>([
  ['first', [limitOrder(1, true, '1', '2486'), triggerOrder(1, false, '1', '2440', '2196')], 0],
  [
    'among others',
    [
      triggerOrder(1, false, '1', '2440', '2196'),
      limitOrder(1, true, '1', '2486'),
      limitOrder(1, false, '1', '2600', 'Gtc', true),
    ],
    1,
  ],
])('an entry in positionTpsl cannot be judged: %s', (_, orders, at) => {
  const decision = judged(orderAction(orders, 'positionTpsl'))
  expect(decision).toMatchObject({ code: 'invalid', entryCount: 0 })
  expect(decision.text).toBe(`orders[${at}]: a positionTpsl group holds only reduce-only triggers`)
})

describe("Guard's own stop stays", () => {
  const own = (trigger: string, isBuy = false) => stop(trigger, { cloid: guardStop, isBuy })
  const long = (mids = vectorMids): Account =>
    accountWith({ mids, positions: { ETH: { size: '1' } }, orders: [own('2440')] })
  const short = accountWith({ positions: { ETH: { size: '-1' } }, orders: [own('2530', true)] })
  const released = (order: Json, account: Account, now = fixtureNow): number =>
    judged(orderAction([order]), { account, now }).post.length

  test('while the account is not seen, though the price is', () => {
    const account = long()
    const later = millis(fixtureNow + 6_001)
    account.apply({ kind: 'stream', state: 'down', at: later })
    account.apply({
      kind: 'mids',
      mids: new Map([[coin('ETH'), Decimal.of('2486.35')]]),
      at: later,
    })
    const tighter = triggerOrder(1, false, '1', '2450', '2205')
    expect(released(tighter, long())).toBe(1)
    expect(released(tighter, account, later)).toBe(0)
  })

  test('under one that stands at the price: it is no longer waiting', () => {
    const at = (trigger: string) =>
      released(triggerOrder(1, false, '1', trigger, '2200'), long({ ETH: '2450' }))
    expect(at('2449.9')).toBe(1)
    expect(at('2450')).toBe(0)
    const above = (trigger: string) =>
      released(
        triggerOrder(1, true, '1', trigger, '2800'),
        accountWith({
          mids: { ETH: '2450' },
          positions: { ETH: { size: '-1' } },
          orders: [own('2530', true)],
        }),
      )
    expect(above('2450.1')).toBe(1)
    expect(above('2450')).toBe(0)
  })

  test('under one no tighter, and not under one without room: Guard gives it a tenth', () => {
    expect(released(triggerOrder(1, true, '1', '2530', '2783'), short)).toBe(0)
    expect(released(triggerOrder(1, true, '1', '2500', '2624.9'), short)).toBe(1)
    expect(released(triggerOrder(1, false, '1', '2450', '2327.6'), long())).toBe(1)
    // A limit of 0 is no price and goes as it is: below a trigger there is room, above it none.
    expect(released(triggerOrder(1, false, '1', '2450', '0'), long())).toBe(1)
    expect(released(triggerOrder(1, true, '1', '2500', '0'), short)).toBe(0)
  })
})

describe('a modify of an exit', () => {
  const modify = (oid: number, order: Json): Json => ({ type: 'modify', oid, order })
  const spare = (extra = {}) =>
    stopOrder({ oid: 2, coin: 'ETH', size: '1', trigger: '2400', ...extra })
  const withExit = (order: ReturnType<typeof openOrder>): Account =>
    accountWith({ positions: { ETH: { size: '1' } }, orders: [stop('2440'), order] })
  const limit = openOrder({
    oid: 2,
    coin: 'ETH',
    isBuy: false,
    price: '2600',
    size: '1',
    isReduceOnly: true,
    cloid: botCloid(5),
  })

  const buyBack = { ...limit, isBuy: true, price: Decimal.of('2300') }
  const noMid = { ETH: '0' }
  test.each<[string, OpenOrder, Json, boolean, { readonly [coin: string]: string } | undefined]>([
    ['post-only', limit, limitOrder(1, false, '1', '2400', 'Alo', true), true, undefined],
    ['resting above', limit, limitOrder(1, false, '1', '2610', 'Gtc', true), true, undefined],
    ['resting below', buyBack, limitOrder(1, true, '1', '2310', 'Gtc', true), true, undefined],
    ['taken at once', limit, limitOrder(1, false, '1', '2400', 'Gtc', true), false, undefined],
    ['taken or gone', limit, limitOrder(1, false, '1', '2610', 'Ioc', true), false, undefined],
    ['with no price', limit, limitOrder(1, false, '1', '2610', 'Gtc', true), false, noMid],
  ])('to one that is %s', (_, old, order, isModified, mids) => {
    const size = old.isBuy ? '-1' : '1'
    const account = accountWith({
      ...{ positions: { ETH: { size } }, orders: [old] },
      ...(mids === undefined ? {} : { mids }),
    })
    const decision = judged(modify(2, order), { account })
    const types = actionsOf(decision).map(({ type }) => type)
    expect(types).toEqual(isModified ? ['modify'] : ['order', 'cancel'])
    // With the flag the venue takes whatever it is.
    const flagged = judged({ type: 'modify', oid: 2, order, a: true }, { account })
    expect(flagged.forward).toMatchObject({ type: 'modify', alwaysPlace: true })
  })

  test('that keeps its id gets another one where the old order still rests', () => {
    const order = { ...limitOrder(1, false, '1', '2400', 'Ioc', true), c: botCloid(5) }
    const [placed] = actionsOf(judged(modify(2, order), { account: withExit(limit) }))
    expect(placed?.type === 'order' && placed.orders[0]?.cloid).not.toBe(botCloid(5))
  })

  test('that names no id keeps the one it had, unless it is a new order', () => {
    const kept = judged(modify(2, limitOrder(1, false, '1', '2610', 'Gtc', true)), {
      account: withExit(limit),
    })
    expect(kept.forward).toMatchObject({ modify: { order: { cloid: botCloid(5) } } })
    expect(kept.reply.stripCloids).toEqual([])
    const moved = judged(modify(2, triggerOrder(1, false, '1', '2450', '2205')), {
      account: withExit(spare({ cloid: botCloid(5) })),
    })
    const [placed] = actionsOf(moved)
    const id = placed?.type === 'order' ? placed.orders[0]?.cloid : null
    expect(id).not.toBe(botCloid(5))
    expect(moved.reply.stripCloids).toEqual([id])
  })

  test.each<[string, Json]>([
    ['a take profit', triggerOrder(1, false, '1', '2600.01', '2500.07', 'tp')],
    ['a stop-limit', triggerOrder(1, false, '1', '2450.01', '2449.07', 'sl', false)],
  ])('to %s goes as sent, also off the grid', (_, order) => {
    const decision = judged(modify(2, order), { account: withExit(spare()) })
    expect(actionsOf(decision).map(wire)[0]).toEqual(orderAction([order]))
    expect(decision.changeRecords.map(({ field }) => field)).toEqual(['action'])
  })

  test.each([
    // 2450 x 0.9 = 2205
    ['2205', []],
    ['2205.05', [['stop.price', '2205', 'grid']]],
    ['2205.2', [['stop.price', '2205', 'stop_room']]],
  ])('to a stop limited at %s', (price, changes) => {
    const decision = judged(modify(2, triggerOrder(1, false, '1', '2450', price)), {
      account: withExit(spare()),
    })
    expect(decision.changeRecords.map(({ field, to, rule }) => [field, to, rule])).toEqual([
      ...changes,
      ['action', 'order', 'replaced'],
    ])
  })

  test.each([
    // 2520 x 1.1 = 2772
    ['2772', []],
    ['2771.95', [['stop.price', '2772', 'grid']]],
    ['2771.9', [['stop.price', '2772', 'stop_room']]],
  ])('to a buy stop limited at %s', (price, changes) => {
    const account = accountWith({
      positions: { ETH: { size: '-1' } },
      orders: [stop('2530', { isBuy: true })],
    })
    const decision = judged(modify(21, triggerOrder(1, true, '1', '2520', price)), { account })
    expect(decision.changeRecords.map(({ field, to, rule }) => [field, to, rule])).toEqual([
      ...changes,
      ['action', 'order', 'replaced'],
    ])
  })
})

test('a take profit as large as its entry grows with it', () => {
  const [size, child] = ['1', stopOrder({ oid: 8, coin: 'ETH', size: '1', trigger: '2380' })]
  const profit = openOrder({
    oid: 9,
    coin: 'ETH',
    isBuy: false,
    price: '2500',
    size,
    isReduceOnly: true,
    trigger: { price: '2600', tpsl: 'tp' },
  })
  const entry = openOrder({
    oid: 7,
    coin: 'ETH',
    isBuy: true,
    price: '2400',
    size,
    children: [8, 9],
  })
  const decision = judged(
    { type: 'modify', oid: 7, order: limitOrder(1, true, '2', '2400') },
    { account: accountWith({ orders: [entry, child, profit] }) },
  )
  expect(actionsOf(decision).map(wire).at(-1)).toMatchObject({
    orders: [{ s: '2' }, { s: '2' }, { s: '2' }],
  })
})

describe('what an answer says was filled is held, though no fill has told it yet', () => {
  /** A buy of 3 ETH whose answer said that so much of it was filled; beside a position of this size. */
  const answered = (filled: string, size: string | null = null): Account => {
    const positions = size === null ? {} : { ETH: { size } }
    const account = accountWith({ positions })
    const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
    const entry = entryInFlight({ price: '2500', stop: '2440', ...ids })
    account.reserve('a', inFlight({ ...entry, size: Decimal.of('3') }), fixtureNow)
    account.settle('a', { outcome: 'accepted' }, fixtureNow)
    account.numbered('a', 0, 7, Decimal.of(filled))
    return account
  }
  const sell = (size: string): Json => orderAction([limitOrder(1, false, size, '2480', 'Ioc')])
  const forwarded = (account: Account, size: string) =>
    actionsOf(judged(sell(size), { account })).map((action) =>
      action.type === 'order'
        ? action.orders.map((each) => `${each.size.toString()} ${String(each.isReduceOnly)}`)
        : action.type,
    )

  test.each<[string, Account, string, string]>([
    ['a close of all of it', answered('3'), '3', '3 true'],
    ['a close of a part', answered('3'), '1', '1 true'],
    ['what is larger is cut to it', answered('3'), '7', '3 true'],
    ['beside a position both are held', answered('3', '2'), '7', '5 true'],
  ])('%s', (_, account, size, expected) => {
    expect(forwarded(account, size)).toEqual([[expected]])
  })

  test('a short of which some is told as bought is closed as it is shown', () => {
    // 0.4 of the 1 may be bought already, and nobody knows whether the position shows that.
    const decision = judged(orderAction([limitOrder(1, true, '5', '2490', 'Ioc')]), {
      account: answered('0.4', '-1'),
    })
    expect(decision.exits.map(({ size }) => size.toString())).toEqual(['1'])
  })

  test('a buy closes nothing of it', () => {
    const decision = judged(orderAction([limitOrder(1, true, '1', '2490', 'Ioc')]), {
      account: answered('3'),
    })
    expect(JSON.stringify(decision.changes)).not.toContain('reduce_only')
  })
})
