import { expect, test } from 'vitest'
import type { Action, Json, Order } from '../../core/protocol/action.ts'
import { readActionReply } from '../../core/protocol/actionReply.ts'
import { cloid } from '../../core/values/cloid.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { isDoneAlready, refusedOrders } from './doneAlready.ts'

const gone = { error: 'Order was never placed, already canceled, or filled. asset=3' }
const noPosition = { error: 'Reduce only order would increase position. asset=0' }
const other = { error: 'Order price cannot be more than 95% away from the reference price' }

const order: Order = {
  asset: 0,
  isBuy: true,
  price: Decimal.one,
  size: Decimal.one,
  isReduceOnly: true,
  type: { kind: 'limit', tif: 'Ioc' },
  cloid: null,
}
const trigger = { kind: 'trigger', isMarket: true, triggerPrice: Decimal.one, tpsl: 'sl' } as const
const orders = (...list: readonly Order[]): Action => ({
  type: 'order',
  orders: list,
  grouping: 'na',
  builder: null,
})
const cancel: Action = { type: 'cancel', cancels: [{ asset: 3, oid: 7 }] }
const two: Action = { type: 'cancel', cancels: [7, 8].map((oid) => ({ asset: 3, oid })) }

test.each<[string, Action, readonly Json[], boolean]>([
  ['a cancel of what is gone', cancel, [gone], true],
  ['cancels of which one was not', two, [gone, 'success'], false],
  ['cancels of which one is unknown', two, [gone, 'queued'], false],
  ['a cancel that was refused otherwise', cancel, [other], false],
  ['a cancel in the words of a close', cancel, [noPosition], false],
  ['a close in the words of a cancel', orders(order), [gone], false],
  ['a close of what is closed', orders(order), [noPosition], true],
  ['closes of which one was refused otherwise', orders(order, order), [noPosition, other], false],
  ['a stop without a position', orders({ ...order, type: trigger }), [noPosition], false],
  ['an entry', orders({ ...order, isReduceOnly: false }), [noPosition], false],
])('%s', (_, action, statuses, expected) => {
  const response = { type: action.type, data: { statuses } }
  const reply = readActionReply(action, { status: 'ok', response })
  expect(isDoneAlready(action, reply)).toBe(expected)
})

const rests: Json = { resting: { oid: 1 } }
const entry: Order = { ...order, isReduceOnly: false, cloid: cloid(`0x${'1'.repeat(32)}`) }
const stop: Order = { ...order, type: trigger, cloid: cloid(`0x${'2'.repeat(32)}`) }
const close: Order = { ...order, cloid: cloid(`0x${'3'.repeat(32)}`) }
const modified: Action = {
  type: 'batchModify',
  modifies: [
    { ref: { oid: 1 }, order: entry },
    { ref: { oid: 2 }, order: stop },
  ],
}

test.each<[string, Action, readonly Json[], readonly number[]]>([
  ['a stop beside its entry', orders(entry, stop), [rests, other], [1]],
  ['an entry in a batch', orders(entry, stop), [other, 'waitingForFill'], [0]],
  ['a stop without a position', orders(entry, stop), [rests, noPosition], [1]],
  ['a close of what is closed', orders(close, entry), [noPosition, rests], []],
  ['a close refused otherwise', orders(close, entry), [other, rests], [0]],
  ['orders that all were taken', orders(entry, stop), [rests, 'waitingForFill'], []],
  ['an order of which nothing was said', orders(entry, stop), [rests], []],
  ['an order of which nobody knows', orders(entry, stop), [rests, { refused: 'x' }], []],
  ['a modify in a batch', modified, [rests, other], [1]],
  ['a cancel', cancel, [other], []],
])('refused alone: %s', (_, action, statuses, expected) => {
  const type = action.type === 'cancel' ? 'cancel' : 'order'
  const reply = readActionReply(action, { status: 'ok', response: { type, data: { statuses } } })
  expect(refusedOrders(action, reply)).toEqual(expected)
})

test('a refusal of the whole action names no order', () => {
  const action = orders(entry)
  const reply = readActionReply(action, { status: 'err', response: gone.error })
  expect(refusedOrders(action, reply)).toEqual([])
})

test('a refusal of the whole action says nothing of what is there', () => {
  const reply = readActionReply(cancel, { status: 'err', response: gone.error })
  expect(isDoneAlready(cancel, reply)).toBe(false)
})
