import { expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fixtureNow,
  openOrder,
  restingEntry,
  stopOrder,
} from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { ReservedOrder } from '../account/reservation.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { actionsOf } from './decision.ts'
import { AccountWithRequest } from './accountWithRequest.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from './judge.fixture.ts'

const eth = coin('ETH')

/** What a draft counts on ETH bought without an order: risk, value, places. */
function without(account: Account, [order]: readonly OpenOrder[]): string[] {
  const draft = new AccountWithRequest(account)
  if (order !== undefined) draft.remove(order)
  return [draft.openRisk, draft.sideValue(eth, true), draft.orderCount].map(String)
}

test('an order that is taken out takes along what it counted as', () => {
  const bare = restingEntry({ coin: 'ETH', oid: 7, isBuy: true, price: '2400', size: '1' })
  expect(without(accountWith({ orders: bare }), bare)).toEqual(['0', '0', '0'])
  const whole = restingEntry({
    ...{ coin: 'ETH', oid: 7, isBuy: true },
    ...{ price: '2400', size: '1', stop: '2350' },
  })
  expect(without(accountWith({ orders: whole }), whole)).toEqual(['0', '0', '0'])
  // Without a mid it counted at its limit.
  expect(without(accountWith({ orders: whole, mids: { BTC: '1' } }), whole)).toEqual([
    '0',
    '0',
    '0',
  ])
  const exit = openOrder({
    ...{ coin: 'ETH', oid: 30, isBuy: false, price: '2600' },
    ...{ size: '1', isReduceOnly: true },
  })
  const both = accountWith({ orders: [...whole, exit] })
  expect(without(both, [exit])).toEqual(['50', '2486.35', '2'])
})

test('of two entries of one request with one id the second is refused in its place', () => {
  const entry = { ...limitOrder(1, true, '0.01', '2480'), c: botCloid(3) }
  const { reply } = judged(orderAction([entry, entry]))
  expect(reply.slots).toMatchObject([
    { kind: 'status' },
    { kind: 'veto', text: expect.stringContaining(`client order id ${botCloid(3)}`) },
  ])
})

test('at the bound a stop of the bot that is on its way is cover already', () => {
  const account = accountWith({ positions: { ETH: { size: '1' } } })
  const flying: ReservedOrder = {
    ...{ kind: 'stop', index: 0, coin: eth, isBuy: false, size: Decimal.one, parent: null },
    ...{
      price: Decimal.of('2000'),
      trigger: Decimal.of('2400'),
      cloid: botCloid(9),
      mayRest: true,
    },
  }
  const stop = triggerOrder(1, false, '1', '2410', '2000')
  const rules = { maxOpenOrders: 1 }
  account.reserve('other', [{ ...flying, isBuy: true }], fixtureNow)
  expect(judged(orderAction([stop]), { account, rules }).verdict).toBe('allow')
  account.reserve('same', [flying], fixtureNow)
  expect(judged(orderAction([stop]), { account, rules }).code).toBe('too_many_orders')
  // Each of one request covers what the ones before it do not.
  const other = stopOrder({ coin: 'SOL', oid: 21, size: '1', trigger: '130' })
  const bare = accountWith({ positions: { ETH: { size: '1' } }, orders: [other] })
  const slots = judged(orderAction([stop, stop]), { account: bare, rules: { maxOpenOrders: 1 } })
    .reply.slots
  expect(slots.map(({ kind }) => kind)).toEqual(['status', 'veto'])
})

test.each([
  ['before', '2530', 'allow'],
  ['beyond', '2540', 'veto'],
])('at the bound a stop of a short that lies %s its liquidation', (_, trigger, verdict) => {
  const other = stopOrder({ coin: 'SOL', oid: 21, size: '1', trigger: '130' })
  const positions = { ETH: { size: '-1', liquidation: '2540' } }
  const account = accountWith({ positions, orders: [other] })
  const stop = triggerOrder(1, true, '1', trigger, '2900')
  expect(judged(orderAction([stop]), { account, rules: { maxOpenOrders: 1 } }).verdict).toBe(
    verdict,
  )
})

test.each([
  ['before the liquidation', '2540', 1],
  ['beyond it', '2520', 0],
])('a stop of a short that lies %s takes the place of Guard’s', (_, liquidation, released) => {
  const own = stopOrder({
    ...{ coin: 'ETH', oid: 5, size: '1', trigger: '2535', isBuy: true },
    cloid: '0x67756172010000000000000000000001',
  })
  const account = accountWith({ positions: { ETH: { size: '-1', liquidation } }, orders: [own] })
  const stop = triggerOrder(1, true, '1', '2530', '2800')
  expect(judged(orderAction([stop]), { account }).post).toHaveLength(released)
})

test.each([
  ['before the liquidation', '2430', 1],
  ['at it', '2440', 0],
  ['beyond it', '2450', 0],
])('a stop of a long that lies %s takes the place of Guard’s', (_, liquidation, released) => {
  const own = stopOrder({
    ...{ coin: 'ETH', oid: 5, size: '1', trigger: '2435' },
    cloid: '0x67756172010000000000000000000001',
  })
  const account = accountWith({ positions: { ETH: { size: '1', liquidation } }, orders: [own] })
  const stop = triggerOrder(1, false, '1', '2440', '2190')
  expect(judged(orderAction([stop]), { account }).post).toHaveLength(released)
})

test('a stop of a short that lies where it is liquidated leaves Guard’s alone', () => {
  const own = stopOrder({
    ...{ coin: 'ETH', oid: 5, size: '1', trigger: '2535', isBuy: true },
    cloid: '0x67756172010000000000000000000001',
  })
  const positions = { ETH: { size: '-1', liquidation: '2530' } }
  const account = accountWith({ positions, orders: [own] })
  const stop = triggerOrder(1, true, '1', '2530', '2800')
  expect(judged(orderAction([stop]), { account }).post).toHaveLength(0)
})

test.each([
  { grouping: 'normalTpsl', parents: [null, 0, 0] },
  { grouping: 'na', parents: [null, null, null] },
])('of exits in $grouping those wait for the first that are in its group', (row) => {
  const { grouping, parents } = row
  const account = accountWith({ positions: { ETH: { size: '2' } } })
  const orders = [
    limitOrder(1, false, '1', '2600', 'Gtc', true),
    triggerOrder(1, false, '1', '2400', '2160'),
    triggerOrder(1, false, '1', '2700', '2400', 'tp'),
  ]
  const { reservations } = judged(orderAction(orders, grouping), { account })
  expect(reservations).toMatchObject([parents.map((parent, index) => ({ index, parent }))])
})

test.each([
  { what: 'the entry', isEntryFirst: true, code: 'kill_switch' },
  { what: 'the exit', isEntryFirst: false, code: 'unsupported_market' },
])('where nothing goes, the first order of the list tells why: $what', ({ isEntryFirst, code }) => {
  const entry = limitOrder(1, true, '1', '2480')
  const exit = limitOrder(10_107, false, '1', '20', 'Gtc', true)
  const orders = isEntryFirst ? [entry, exit] : [exit, entry]
  expect(judged(orderAction(orders), { latched: true }).code).toBe(code)
})

test.each([
  [10_107, 'a spot'],
  [100_000_010, 'an outcome'],
])('what reduces nothing on asset %i says that it is %s market', (asset, name) => {
  const { text } = judged(orderAction([limitOrder(asset, false, '1', '20', 'Gtc', true)]))
  expect(text).toBe(`orders[0]: asset ${asset} is ${name} market, which has no position to reduce`)
})

test('a group whose first order closes and whose second opens cannot be judged', () => {
  const account = accountWith({ positions: { ETH: { size: '1' } } })
  const orders = [limitOrder(1, false, '1', '2480'), limitOrder(2, true, '1', '137')]
  expect(judged(orderAction(orders, 'normalTpsl'), { account })).toMatchObject({
    code: 'invalid',
    text: 'orders[0]: must be the entry of its normalTpsl group',
  })
})

test.each([
  ['an entry', limitOrder(1, true, '0.1', '2480')],
  ['an exit', limitOrder(1, false, '1', '2600', 'Gtc', true)],
])('nothing is paid for the priority of %s', (_, order) => {
  const account = accountWith({
    positions: { SOL: { size: '1' } },
    orders: [stopOrder({ coin: 'SOL', oid: 1, size: '1', trigger: '135' })],
  })
  const decision = judged(orderAction([order], { p: 5 }), { account })
  expect(decision.changeRecords[0]).toMatchObject({ field: 'grouping', from: 'p 5', to: 'na' })
  const sent = actionsOf(decision).map(wire)
  expect(sent.length).toBeGreaterThan(0)
  expect(JSON.stringify(sent)).not.toContain('"p":5')
})
