import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  later,
  openOrder,
  orderUpdate,
  stopOrder,
} from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { ReservedOrder } from '../../account/reservation.ts'
import type { Json } from '../../protocol/action.ts'
import { guardCloidKind } from '../../protocol/guardCloid.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { actionsOf } from '../decision.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, triggerOrder, wire } from '../judge.fixture.ts'
import { keptNamesIn } from '../keptName.ts'

const guardOrder = '0x67756172020000000000000000000001'
const modify = (oid: number | string, order: Json): Json => ({ type: 'modify', oid, order })
const sl = (size: string, trigger: string) =>
  triggerOrder(1, false, size, trigger, '2100', 'sl', true)
const stop = (oid: number, trigger: string, cloid: string) =>
  stopOrder({ oid, coin: 'ETH', size: '1', trigger, cloid })
const exit = (oid: number, cloid: string) =>
  openOrder({
    ...{ oid, coin: 'ETH', isBuy: false, price: '2600', size: '1', isReduceOnly: true, cloid },
  })
type Orders = readonly ReturnType<typeof openOrder>[]
const held = (orders: Orders): Account => accountWith({ positions: { ETH: { size: '1' } }, orders })
const sent = (decision: Decision): Json[] => actionsOf(decision).map(wire)
const [mine, other] = [botCloid(5), botCloid(4)]
const orders = [exit(2, other), stop(1, '2440', mine)]

/** An order that goes under an id of Guard's in the place of one that the bot calls `mine`. */
const planned = (index: number, kind: 'stop' | 'reduce', price: string): ReservedOrder => ({
  ...{ index, coin: coin('ETH'), isBuy: false, mayRest: true, parent: null, size: Decimal.one },
  ...{ price: Decimal.of(price), cloid: guardOrder, name: mine },
  ...(kind === 'stop' ? { kind, trigger: Decimal.of('2445') } : { kind, trigger: null }),
})

/** The stop 3 stands in the place of 1, which the bot called `mine`. */
function replaced(): Account {
  const account = held(orders)
  account.reserve('1/0', [planned(0, 'stop', '2100')], fixtureNow)
  account.numbered('1/0', 0, 3)
  const rest = [exit(2, other), stop(3, '2445', guardOrder)]
  account.apply({ kind: 'orders', orders: rest, source: 'stream', at: later(1) })
  return account
}

/** The sale 3 stands in the place of 2, which the bot called `mine`. */
function replacedExit(): Account {
  const account = held([])
  account.reserve('1/0', [planned(0, 'reduce', '2600')], fixtureNow)
  account.numbered('1/0', 0, 3)
  const orders = [exit(3, guardOrder), stop(1, '2440', other)]
  account.apply({ kind: 'orders', orders, source: 'stream', at: later(1) })
  return account
}
const update = (account: Account, order: Orders[number], status: string): void => {
  const updates = [orderUpdate(order, status, later(2))]
  account.apply({ kind: 'order_updates', updates, at: later(2) })
}

describe('what replaces an order goes on being called by the bot’s own id', () => {
  const place = (account: Account, oid: number | string, c?: string, extra = {}) => {
    const order = { ...sl('1', '2450'), ...(c === undefined ? {} : { c }), ...extra }
    const decision = judged(modify(oid, order), { account })
    expect(decision.verdict, decision.text).toBe('resize')
    const [sentOrder] = actionsOf(decision)
    const id = sentOrder?.type === 'order' ? sentOrder.orders[0]?.cloid : undefined
    const [reserved] = decision.reservations.flat()
    const name = reserved?.kind === 'stop' ? reserved.name : undefined
    const kept = [...keptNamesIn(decision.changeRecords)]
    return { decision, id, name, kept }
  }
  test.each<[string, number | string, string | undefined, string | undefined]>([
    ['given again', 1, mine, mine],
    ['given again, and named by it', mine, mine, mine],
    ['named by it alone', mine, undefined, mine],
    ['named by its number alone', 1, undefined, undefined],
    ['that has another order', 1, other, undefined],
    ['a new one', mine, botCloid(9), undefined],
  ])('%s', (_, oid, c, called) => {
    const { id, name, kept } = place(held(orders), oid, c)
    expect(name).toBe(called)
    expect(kept).toEqual(called === undefined ? [] : [[id, called]])
    expect(guardCloidKind(id ?? null)).toBe(c === botCloid(9) ? null : 'order')
  })

  test('and one that asks for the id of another keeps its own, though that is replaced as well', () => {
    const account = held([stop(1, '2440', mine), stop(2, '2430', other)])
    const modifies = [
      { oid: 1, order: { ...sl('1', '2450'), c: other } },
      { oid: 2, order: sl('1', '2445') },
    ]
    const decision = judged({ type: 'batchModify', modifies }, { account })
    const ids = actionsOf(decision).flatMap((each) => (each.type === 'order' ? each.orders : []))
    expect(ids.map(({ cloid }) => guardCloidKind(cloid))).toEqual(['order', 'order'])
  })

  test('an id of Guard’s is no name', () => {
    const own = [stop(1, '2440', guardOrder)]
    expect(place(held(own), guardOrder, guardOrder).name).toBe(undefined)
  })

  test('over several in a row', () => {
    const { decision, id, kept } = place(replaced(), mine, mine)
    expect(kept).toEqual([[id, mine]])
    expect(sent(decision).at(-1)).toEqual({ type: 'cancel', cancels: [{ a: 1, o: 3 }] })
    expect(place(replaced(), 3, mine).kept).toHaveLength(1)
  })

  test('where the venue modifies the order it keeps the id that Guard gave', () => {
    const account = replacedExit()
    const order = limitOrder(1, false, '0.5', '2611', 'Gtc', true)
    const anew = judged(modify(mine, { ...order, c: botCloid(9) }), { account })
    expect(sent(anew)).toEqual([modify(guardOrder, order)])
    expect(anew).toMatchObject({
      code: 'allowed',
      forward: { modify: { order: { cloid: botCloid(9) } } },
    })
    for (const c of [{ c: mine }, {}]) {
      const decision = judged(modify(mine, { ...order, ...c }), { account })
      expect(sent(decision)).toEqual([modify(guardOrder, order)])
      expect(decision.forward).toMatchObject({ modify: { order: { cloid: guardOrder } } })
      expect([...keptNamesIn(decision.changeRecords)]).toEqual([[guardOrder, mine]])
    }
  })

  test('an entry with that id is refused while the order rests', () => {
    const entry = { ...limitOrder(1, true, '0.01', '2480'), c: mine }
    const decision = judged(
      { type: 'order', orders: [entry], grouping: 'na' },
      { account: replaced() },
    )
    expect(decision).toMatchObject({ verdict: 'veto', code: 'invalid' })
    expect(decision.text).toContain('order 3')
  })
})

describe('a cancel by the bot’s own id', () => {
  const cancel = (...cloids: readonly string[]): Json => ({
    type: 'cancelByCloid',
    cancels: cloids.map((cloid) => ({ asset: 1, cloid })),
  })

  test('takes the order that replaced the one it was given', () => {
    const account = replacedExit()
    const decision = judged(cancel(mine), { account })
    expect(sent(decision)).toEqual([cancel(guardOrder)])
    expect([...keptNamesIn(decision.changeRecords)]).toEqual([[guardOrder, mine]])
    expect(decision.reservations.flat()).toMatchObject([{ oid: 3, cloid: guardOrder }])
  })

  test('does not take the stop that a position needs', () => {
    expect(judged(cancel(mine), { account: replaced() }).code).toBe('stop_removed')
  })

  test('is answered as the venue would where the order has ended', () => {
    const account = replacedExit()
    update(account, exit(3, guardOrder), 'canceled')
    const decision = judged(cancel(mine), { account })
    expect(actionsOf(decision)).toEqual([])
    expect(decision.reply.slots).toMatchObject([{ text: expect.stringContaining('never placed') }])
  })

  test('takes the one before where that rests and the one in its place has gone', () => {
    const account = replacedExit()
    update(account, exit(2, mine), 'open')
    expect(sent(judged(cancel(mine), { account }))).toEqual([cancel(guardOrder)])
    update(account, exit(3, guardOrder), 'canceled')
    expect(sent(judged(cancel(mine), { account }))).toEqual([cancel(mine)])
  })
})
