import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cloid } from '../values/cloid.ts'
import { Decimal } from '../values/decimal.ts'
import { anyAction } from './action.fixture.ts'
import type { Action, Json, Order } from './action.ts'
import {
  encodeActionReply,
  isAcceptedWhole,
  isRefusedWhole,
  itemCount,
  ordersOf,
  readActionReply,
  refusalIn,
  statusOf,
} from './actionReply.ts'
import type { ActionReply } from './actionReply.ts'
import type { ReplyStatus } from './exchangeReply.ts'
import { anyMisfit } from './misfit.fixture.ts'

const ids = [1, 2, 3].map((digit) => cloid(`0x${String(digit).repeat(32)}`))
const order = (id: Order['cloid'] = null): Order => ({
  ...{ asset: 0, isBuy: true, price: Decimal.one, size: Decimal.one, isReduceOnly: false },
  ...{ type: { kind: 'limit', tif: 'Gtc' }, cloid: id },
})
const orders = (...list: readonly Order[]): Action => ({
  ...{ type: 'order', grouping: 'na', builder: null },
  orders: list,
})
const three = orders(...ids.map(order))
const cancels: Action = {
  type: 'cancel',
  cancels: [
    { asset: 0, oid: 7 },
    { asset: 0, oid: 8 },
  ],
}
const leverage: Action = { type: 'updateLeverage', asset: 0, isCross: false, leverage: 3 }
const batch: Action = {
  type: 'batchModify',
  modifies: ids.slice(0, 2).map((id, oid) => ({ ref: { oid }, order: order(id) })),
}
const modify: Action = { type: 'modify', modify: { ref: { oid: 1 }, order: order() } }

const answer = (type: string, ...statuses: readonly Json[]): Json => ({
  status: 'ok',
  response: { type, data: { statuses } },
})
const done: Json = { status: 'ok', response: { type: 'default' } }
const resting = (oid: number, id?: string): Json => ({
  resting: { oid, ...(id === undefined ? {} : { cloid: id }) },
})
const refused: Json = { status: 'err', response: 'no' }

/** What an answer says of each item, in short. */
function said(reply: ActionReply): string {
  if (reply.kind !== 'items') return reply.kind
  return reply.statuses.map(({ kind }) => kind).join(' ')
}

const twapCancel: Action = { type: 'twapCancel', asset: 1, twapId: 16_928 }
const twapAnswer = (status: Json): Json => ({
  ...{ status: 'ok', response: { type: 'twapCancel', data: { status } } },
})

describe('an answer to an action', () => {
  test.each<[string, Action, Json, string]>([
    ['a leverage change that was taken', leverage, done, 'success'],
    ['a modify that was taken', modify, done, 'success'],
    ['a refusal', three, refused, 'refused'],
    [
      'orders that fared differently',
      three,
      answer('order', resting(1), { error: 'x' }, 'waitingForFill'),
      'resting error waitingForFill',
    ],
    ['a batch of modifies', batch, answer('order', resting(1), resting(2)), 'resting resting'],
    ['cancels', cancels, answer('cancel', 'success', { error: 'gone' }), 'success error'],
    [
      'one refusal for a whole batch',
      three,
      answer('order', { error: 'tick' }),
      'error error error',
    ],
    [
      'one item that nobody knows',
      cancels,
      answer('cancel', 'success', 'queued'),
      'success unknown',
    ],
    ['nothing but what nobody knows', cancels, answer('cancel', 'queued', null), 'unknown'],
    ['null', leverage, null, 'unknown'],
    [
      'an unknown status',
      leverage,
      { status: 'accepted', response: { type: 'default' } },
      'unknown',
    ],
    ['a reply of an unknown type', leverage, answer('leverage', 'success'), 'unknown'],
    ['a default with something in it', leverage, answer('default', null), 'unknown'],
    ['an order answered like a leverage change', three, done, 'unknown'],
    ['an order answered like a cancel', three, answer('cancel', 'success', 'success'), 'unknown'],
    ['a leverage change answered like an order', leverage, answer('order', resting(1)), 'unknown'],
    [
      'a cancel answered like an order',
      cancels,
      answer('order', resting(1), resting(2)),
      'unknown',
    ],
    [
      'a TWAP for an order',
      three,
      { status: 'ok', response: { type: 'twapCancel', data: { status: 'success' } } },
      'unknown',
    ],
    ['a TWAP that is cancelled', twapCancel, twapAnswer('success'), 'success'],
    ['a TWAP that is gone', twapCancel, twapAnswer({ error: 'TWAP was never placed' }), 'error'],
    ['a TWAP cancelled like an order', twapCancel, answer('cancel', 'success'), 'unknown'],
    ['a TWAP answered with a word', twapCancel, twapAnswer('done'), 'unknown'],
  ])('%s', (_, action, json, expected) => {
    expect(said(readActionReply(action, json))).toBe(expected)
  })

  test.each<[string, Action, readonly Json[], string]>([
    ['too few, by their ids', three, [resting(9, ids[2])], 'unknown unknown resting'],
    [
      'too many, by their ids',
      orders(order(ids[0]), order(ids[1])),
      [resting(9, ids[1]), 'waitingForFill', resting(8, ids[0])],
      'resting resting',
    ],
    ['too few, without ids', three, [resting(1), resting(2)], 'unknown'],
    ['none', three, [], 'unknown'],
    [
      'an id that the action does not have',
      orders(order(ids[0])),
      [resting(1, ids[1]), 'x'],
      'unknown',
    ],
    ['an id that comes twice', three, [resting(1, ids[0]), resting(2, ids[0])], 'unknown'],
    [
      'an id that was sent twice',
      orders(order(ids[0]), order(ids[0])),
      [resting(1, ids[0])],
      'unknown',
    ],
    [
      'a refusal and something else',
      three,
      [{ error: 'x' }, resting(1, ids[0])],
      'resting unknown unknown',
    ],
  ])('statuses that do not count up to the orders: %s', (_, action, statuses, expected) => {
    expect(said(readActionReply(action, answer('order', ...statuses)))).toBe(expected)
  })

  test('too few statuses of a cancel are matched with nothing', () => {
    expect(said(readActionReply(cancels, answer('cancel', 'success')))).toBe('unknown')
  })
})

describe('what follows from an answer', () => {
  test.each<[Action, Json, boolean, boolean]>([
    [leverage, done, true, false],
    [leverage, refused, false, true],
    [leverage, null, false, false],
    [cancels, answer('cancel', 'success', 'success'), true, false],
    [cancels, answer('cancel', { error: 'x' }, { error: 'x' }), false, true],
    [cancels, answer('cancel', 'success', { error: 'x' }), false, false],
    [cancels, answer('cancel', 'success', 'queued'), false, false],
    [cancels, answer('cancel', { error: 'x' }, 'queued'), false, false],
  ])('%j answered with %j: accepted %s, refused %s', (action, json, accepted, isRefused) => {
    const reply = readActionReply(action, json)
    expect(isAcceptedWhole(reply)).toBe(accepted)
    expect(isRefusedWhole(reply)).toBe(isRefused)
  })

  test('a refusal of the whole action is the refusal of each item', () => {
    const reply = readActionReply(three, refused)
    expect(refusalIn(statusOf(reply, 2))).toBe('no')
    expect(refusalIn(statusOf(readActionReply(three, null), 0))).toBe(null)
    expect(statusOf(readActionReply(cancels, answer('cancel', 'success', 'success')), 2)).toEqual({
      kind: 'unknown',
      json: null,
    })
  })

  test.each<[Action, Json, Json]>([
    [leverage, done, done],
    [three, refused, refused],
    [cancels, answer('cancel', 'success', 'queued'), answer('cancel', 'success', 'in doubt')],
    [
      batch,
      answer('order', resting(1, ids[0]), { error: 'x' }),
      answer('order', resting(1, ids[0]), { error: 'x' }),
    ],
  ])('%j answered with %j is told as the venue would', (action, json, expected) => {
    expect(encodeActionReply(action, readActionReply(action, json), 'in doubt')).toEqual(expected)
  })
})

test('an action has as many statuses as it has items', () => {
  expect([three, cancels, batch, modify, leverage].map(itemCount)).toEqual([3, 2, 2, 1, 1])
  expect([three, cancels, batch, modify, leverage].map((each) => ordersOf(each).length)).toEqual([
    3, 0, 2, 1, 0,
  ])
})

/** Nothing counts as taken or as refused unless the venue's answer says so of that very item. */
test('whatever comes, an item is accepted or refused only where its own status says so', () => {
  const answers = [
    ...[refused, done, answer('cancel', 'success', { error: 'gone' })],
    answer('order', resting(1, ids[0]), { error: 'x' }, 'waitingForFill'),
  ]
  const anyJson = fc.oneof(anyMisfit(answers), fc.jsonValue() as fc.Arbitrary<Json>)
  fc.assert(
    fc.property(anyAction, anyJson, (action, json) => {
      const reply = readActionReply(action, json)
      if (reply.kind === 'refused') {
        expect(json).toMatchObject({ status: 'err', response: reply.text })
        return
      }
      if (reply.kind === 'unknown') return
      expect(reply.statuses).toHaveLength(itemCount(action))
      const { response } = json as { response: { type: string; data?: { statuses: Json[] } } }
      const told = response.data?.statuses ?? ['success']
      for (const status of reply.statuses) {
        if (status.kind !== 'unknown') expect(told.map(outcomeIn)).toContain(status.kind)
      }
    }),
    { numRuns: 5_000 },
  )
})

/** Read without the decoder: the word, or the name of the one outcome in it. */
function outcomeIn(status: Json): ReplyStatus['kind'] | Json {
  return typeof status === 'object' && status !== null ? (Object.keys(status)[0] ?? null) : status
}
