import { expect, test } from 'vitest'
import type { EventBody } from '../core/events/guardEvent.ts'
import type { Json, WireAction } from '../core/protocol/action.ts'
import { decision, errorEvent } from './journal.fixture.ts'
import { orderCloids } from './orderCloids.ts'

const id = (n: number) => `0x${n.toString(16).padStart(32, '0')}`
const action = (json: Json) => json as WireAction
const placed = (...ids: number[]) => ({ type: 'order', orders: ids.map((n) => ({ c: id(n) })) })

test.each<[string, EventBody, number[]]>([
  ['the bot’s orders', decision(1, { request: placed(1, 2) }), [1, 2]],
  ['an id in capitals', decision(1, { request: { orders: [{ c: `0x${'A'.repeat(32)}` }] } }), []],
  ['what is sent first', decision(1, { request: null, pre: [action(placed(3))] }), [3]],
  ['what is forwarded', decision(1, { request: null, forward: action(placed(4)) }), [4]],
  ['the rest of it', decision(1, { request: null, forward_more: [action(placed(5))] }), [5]],
  ['what is sent after', decision(1, { request: null, post: [action(placed(6))] }), [6]],
  ['the same id twice', decision(1, { request: placed(1), forward: action(placed(1)) }), [1]],
  ['a modify', decision(1, { request: { oid: id(9), order: { c: id(7) } } }), [7]],
  ['modifies', decision(1, { request: { modifies: [{ oid: 1, order: { c: id(8) } }] } }), [8]],
  ['a cancel', decision(1, { request: { cancels: [{ asset: 0, cloid: id(1) }] } }), []],
  ['no orders', decision(1, { request: { orders: 5, order: [], modifies: [null, 1] } }), []],
  ['no ids', decision(1, { request: { orders: [{ c: 'x' }, { c: null }, {}, null] } }), []],
  ['another event', errorEvent(id(1)), []],
])('the ids of %s', (what, body, expected) => {
  const ids = what === 'an id in capitals' ? [`0x${'a'.repeat(32)}`] : expected.map(id)
  expect(orderCloids(body)).toEqual(ids)
})
