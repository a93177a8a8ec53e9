import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  openOrder,
  orderUpdate,
  restingEntry,
  stopOrder,
} from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { Json, Order } from '../../protocol/action.ts'
import { guardCloidKind } from '../../protocol/guardCloid.ts'
import { millis } from '../../values/millis.ts'
import { actionsOf } from '../decision.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder } from '../judge.fixture.ts'

const c = botCloid(7)
const stops = [stopOrder({ coin: 'ETH', oid: 21, size: '1', trigger: '2440' })]
const resting = restingEntry({
  ...{ coin: 'SOL', oid: 5, isBuy: true, price: '130', size: '1', stop: '128', cloid: c },
})
const open = accountWith({ positions: { ETH: { size: '1' } }, orders: [...stops, ...resting] })
const flying = accountWith({ positions: { ETH: { size: '1' } }, orders: stops })
flying.reserve(
  'a',
  inFlight(entryInFlight({ price: '2400', stop: '2350', cloid: c, stopCloid: null })),
  fixtureNow,
)

function ordersOf(decision: Decision): readonly Order[] {
  return actionsOf(decision).flatMap((action) => {
    if (action.type === 'order') return action.orders
    return action.type === 'modify' ? [action.modify.order] : []
  })
}

describe.each([
  ['open', open, 'order 5'],
  ['on its way', flying, 'an order on its way'],
])('a client order id of an order that is %s', (_, account, holder) => {
  test('is refused for an entry, in its place', () => {
    const entry = limitOrder(1, true, '0.1', '2400')
    const alone = judged(orderAction([{ ...entry, c }]), { account })
    expect(alone).toMatchObject({ verdict: 'veto', code: 'invalid', forward: null })
    expect(alone.text).toBe(
      `orders[0]: ${holder} has the client order id ${c} already; give each order one of its own`,
    )
    const two = judged(orderAction([entry, { ...entry, c }]), { account })
    expect(two.entries.map(({ code }) => code)).toEqual(['resized', 'invalid'])
    expect(two.reply.slots[1]).toMatchObject({ kind: 'veto' })
  })

  test.each<[string, Json]>([
    ['a reduce-only order', limitOrder(1, false, '1', '2480', 'Ioc', true)],
    ['a close', limitOrder(1, false, '1', '2480', 'Ioc')],
    ['a stop', triggerOrder(1, false, '1', '2450', '2205')],
  ])('does not hold up %s: it goes under one of Guard’s', (_name, order) => {
    const decision = judged(orderAction([{ ...(order as object), c }]), { account })
    expect(decision.verdict).toBe('resize')
    const [sent] = ordersOf(decision)
    expect(guardCloidKind(sent?.cloid ?? null)).toBe('order')
    expect(decision.reply.stripCloids).toEqual([sent?.cloid])
    expect(decision.changeRecords).toContainEqual({
      ...{ field: 'cloid', from: c, to: null, rule: 'cloid' },
    })
    expect(decision.changes.join()).toContain(
      `orders[0] goes under an id of Guard's: ${holder} has the client order id ${c} already`,
    )
  })

  test('does not go out again with the stop of an entry', () => {
    const group = orderAction(
      [limitOrder(1, true, '0.1', '2400'), { ...triggerOrder(1, false, '0.1', '2380', '2142'), c }],
      'normalTpsl',
    )
    const decision = judged(group, { account })
    expect(decision.forward).not.toBeNull()
    expect(ordersOf(decision).map(({ cloid }) => cloid)).not.toContain(c)
  })

  test('is refused for an entry that is modified, unless it is its own', () => {
    const other = restingEntry({
      ...{ coin: 'BTC', oid: 9, isBuy: true, price: '80000', size: '0.001', stop: '79000' },
      cloid: botCloid(9),
    })
    const both = withOrders(account, other)
    const modified = (id: string): Decision =>
      judged(
        { type: 'modify', oid: 9, order: { ...limitOrder(0, true, '0.001', '80100'), c: id } },
        { account: both },
      )
    expect(modified(c)).toMatchObject({ verdict: 'veto', code: 'invalid' })
    expect(modified(c).text).toBe(
      `the modify: ${holder} has the client order id ${c} already; give each order one of its own`,
    )
    expect(modified(botCloid(9)).verdict).toBe('resize')
    expect(modified(botCloid(10)).verdict).toBe('resize')
  })

  test('does not hold up a modify of what only reduces, and does not go out again with it', () => {
    const exit = openOrder({
      ...{ coin: 'ETH', oid: 9, isBuy: false, price: '2600', size: '1', isReduceOnly: true },
      cloid: botCloid(9),
    })
    const both = withOrders(account, [exit])
    const order = { ...limitOrder(1, false, '1', '2610', 'Gtc', true), c }
    const decision = judged({ type: 'modify', oid: 9, order }, { account: both })
    expect(decision.verdict).not.toBe('veto')
    expect(ordersOf(decision).map(({ cloid }) => cloid)).not.toContain(c)
  })
})

test('an id is free again once its order has ended', () => {
  const account = accountWith({ orders: resting })
  const entry = orderAction([{ ...limitOrder(1, true, '0.1', '2400'), c }])
  expect(judged(entry, { account }).code).toBe('invalid')
  const at = millis(fixtureNow + 1)
  const updates = resting.map((order) => orderUpdate(order, 'canceled', at))
  account.apply({ kind: 'order_updates', updates, at })
  expect(judged(entry, { account }).code).toBe('resized')
})

/** The same account with more orders resting. */
function withOrders(account: Account, orders: readonly ReturnType<typeof openOrder>[]): Account {
  const more = accountWith({
    positions: { ETH: { size: '1' } },
    orders: [...stops, ...(account === open ? resting : []), ...orders],
  })
  if (account === flying) {
    const entry = entryInFlight({ price: '2400', stop: '2350', cloid: c, stopCloid: null })
    more.reserve('a', inFlight(entry), fixtureNow)
  }
  return more
}
