import { expect, test } from 'vitest'
import type { Action, Json, Order } from '../core/protocol/action.ts'
import { Decimal } from '../core/values/decimal.ts'
import { isDoneAlready } from './doneAlready.ts'
import { readVenueReply } from './venueReply.ts'

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

test.each<[string, Action, readonly Json[], boolean]>([
  ['a cancel of what is gone', cancel, [gone], true],
  ['cancels of which one was not', cancel, [gone, 'success'], false],
  ['a cancel that was refused otherwise', cancel, [other], false],
  ['a close of what is closed', orders(order), [noPosition], true],
  ['closes of which one was refused otherwise', orders(order, order), [noPosition, other], false],
  ['a stop without a position', orders({ ...order, type: trigger }), [noPosition], false],
  ['an entry', orders({ ...order, isReduceOnly: false }), [noPosition], false],
])('%s', (_, action, statuses, expected) => {
  const reply = readVenueReply({
    status: 'ok',
    response: { type: action.type, data: { statuses } },
  })
  expect(isDoneAlready(action, reply)).toBe(expected)
})

test('a refusal of the whole action says nothing of what is there', () => {
  const reply = readVenueReply({ status: 'err', response: gone.error })
  expect(isDoneAlready(cancel, reply)).toBe(false)
})
