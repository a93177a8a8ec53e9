import { expect, test } from 'vitest'
import type { Action, Json, Order } from '../../core/protocol/action.ts'
import { readActionReply } from '../../core/protocol/actionReply.ts'
import { cloid } from '../../core/values/cloid.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { numbersIn } from './numbersIn.ts'

const [first, second] = [cloid(`0x${'1'.repeat(32)}`), cloid(`0x${'2'.repeat(32)}`)]
const order = (id: NonNullable<Order['cloid']>): Order => ({
  ...{ asset: 0, isBuy: true, price: Decimal.one, size: Decimal.one, isReduceOnly: false },
  ...{ type: { kind: 'limit', tif: 'Gtc' }, cloid: id },
})
const placed: Action = {
  ...{ type: 'order', grouping: 'na', builder: null },
  orders: [order(first), order(second)],
}
const answer = (...statuses: readonly Json[]): Json => ({
  status: 'ok',
  response: { type: 'order', data: { statuses } },
})

test.each<[string, Action, Json, readonly (readonly [number, number])[]]>([
  [
    'one that rests and one that was filled',
    placed,
    answer({ resting: { oid: 7 } }, { filled: { totalSz: '1', avgPx: '1', oid: 8 } }),
    [
      [0, 7],
      [1, 8],
    ],
  ],
  ['a stop that waits', placed, answer({ resting: { oid: 7 } }, 'waitingForFill'), [[0, 7]]],
  ['one that was refused', placed, answer({ error: 'no' }, { resting: { oid: 8 } }), [[1, 8]]],
  ['fewer answers than orders', placed, answer({ resting: { oid: 7 } }), []],
  [
    'fewer answers than orders, by their ids',
    placed,
    answer({ resting: { oid: 7, cloid: second } }),
    [[1, 7]],
  ],
  ['a number that is none', placed, answer({ resting: { oid: '7' } }), []],
  ['a refusal of all', placed, { status: 'err', response: 'no' }, []],
  ['a cancel', { type: 'cancel', cancels: [{ asset: 0, oid: 7 }] }, answer('success'), []],
])('%s', (_, action, json, expected) => {
  const found = numbersIn(action, readActionReply(action, json))
  expect(found.map(({ at, oid }) => [at, oid])).toEqual(expected)
})
