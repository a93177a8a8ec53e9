import { expect, test } from 'vitest'
import type { Action, Order } from '../../core/protocol/action.ts'
import type { ReplyStatus } from '../../core/protocol/exchangeReply.ts'
import { cloid } from '../../core/values/cloid.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { doubtfulItems } from './doubtfulItems.ts'

const ids = [1, 2, 3].map((digit) => cloid(`0x${String(digit).repeat(32)}`))
const order = (id: Order['cloid']): Order => ({
  ...{ asset: 0, isBuy: true, price: Decimal.one, size: Decimal.one, isReduceOnly: false },
  ...{ type: { kind: 'limit', tif: 'Gtc' }, cloid: id },
})
const [one, two, three] = ids.map(order) as [Order, Order, Order]
const orders = (...list: readonly Order[]): Action => ({
  ...{ type: 'order', grouping: 'normalTpsl', builder: null },
  orders: list,
})
const modify = (list: readonly Order[]): Action => ({
  type: 'batchModify',
  modifies: list.map((each, oid) => ({ ref: { oid }, order: each })),
})
const cancels = (...oids: readonly number[]): Action => ({
  type: 'cancel',
  cancels: oids.map((oid) => ({ asset: 0, oid })),
})
const byCloid = (...cloids: typeof ids): Action => ({
  type: 'cancelByCloid',
  cancels: cloids.map((each) => ({ asset: 0, cloid: each })),
})

const open: ReplyStatus = { kind: 'unknown', json: null }
const rests: ReplyStatus = { kind: 'resting', oid: 1, cloid: null }
const gone: ReplyStatus = { kind: 'error', text: 'no' }
const done: ReplyStatus = { kind: 'success' }

test.each<[string, Action, readonly ReplyStatus[], readonly (readonly [Action, number | null])[]]>([
  ['all is told', orders(one, two), [rests, gone], []],
  [
    'each order by itself',
    orders(one, two, three),
    [open, rests, open],
    [
      [orders(one), 0],
      [orders(three), 2],
    ],
  ],
  ['an order that cannot be asked about', orders(order(null), one), [open, rests], []],
  [
    'a modify of a batch',
    modify([one, two]),
    [gone, open],
    [[{ type: 'batchModify', modifies: [{ ref: { oid: 1 }, order: two }] }, 1]],
  ],
  ['cancels together', cancels(7, 8, 9), [open, done, open], [[cancels(7, 9), null]]],
  ['cancels of which all is told', cancels(7, 8), [done, gone], []],
  ['cancels by id', byCloid(...ids), [done, open, done], [[byCloid(...ids.slice(1, 2)), null]]],
  ['cancels by id of which all is told', byCloid(...ids), [done, gone, done], []],
  [
    'a leverage change',
    { type: 'updateLeverage', asset: 0, isCross: false, leverage: 3 },
    [done],
    [],
  ],
])('%s', (_, action, statuses, expected) => {
  const parts = doubtfulItems(action, { kind: 'items', statuses })
  expect(parts.map((part) => [part.action, part.place])).toEqual(expected)
})
