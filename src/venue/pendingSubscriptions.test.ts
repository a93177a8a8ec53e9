import { expect, test } from 'vitest'
import { PendingSubscriptions } from './pendingSubscriptions.ts'

const user = `0x${'a'.repeat(40)}`
const orders = { type: 'openOrders', user }
const btc = { type: 'activeAssetCtx', coin: 'BTC' }
const eth = { type: 'activeAssetCtx', coin: 'ETH' }

function asked(): PendingSubscriptions {
  const pending = new PendingSubscriptions()
  for (const each of [orders, btc, eth]) pending.asked(each, 0)
  return pending
}

const ack = (subscription: object, method = 'subscribe'): string =>
  JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } })

test('what is not acknowledged is asked again, every three seconds', () => {
  const pending = asked()
  expect(pending.due(2_999)).toEqual([])
  expect(pending.due(3_000)).toEqual([orders, btc, eth])
  expect(pending.due(5_999)).toEqual([])
  expect(pending.due(6_000)).toEqual([orders, btc, eth])
})

test('an acknowledgement answers its own subscription, whatever it adds to it', () => {
  const pending = asked()
  pending.heard(ack({ ...btc, nSigFigs: null }))
  pending.heard(ack(eth, 'unsubscribe'))
  pending.heard('not json')
  pending.heard('[]')
  expect(pending.due(3_000)).toEqual([orders, eth])
})

test('a frame of the stream answers it too', () => {
  const pending = asked()
  pending.heard(JSON.stringify({ channel: 'openOrders', data: { user, orders: [] } }))
  pending.heard(JSON.stringify({ channel: 'activeAssetCtx', data: { coin: 'ETH', ctx: {} } }))
  expect(pending.due(3_000)).toEqual([btc])
})

test('it is asked ten times and no more, and forgotten when it is not wanted', () => {
  const pending = asked()
  pending.forget(btc)
  for (let turn = 1; turn <= 9; turn += 1) expect(pending.due(turn * 3_000)).toEqual([orders, eth])
  expect(pending.due(60_000)).toEqual([])
  pending.asked(btc, 60_000)
  pending.clear()
  expect(pending.due(90_000)).toEqual([])
})

const already = (subscription: object): string =>
  JSON.stringify({ channel: 'error', data: `Already subscribed: ${JSON.stringify(subscription)}` })

test('what the venue has already was answered once; when that was not heard, it is lost', () => {
  const pending = asked()
  expect(pending.heard(already(orders))).toBe('lost')
  expect(pending.heard(already({ ...eth, nSigFigs: null }))).toBe('lost')
  expect(pending.heard(ack(orders))).toBe('answered')
  expect(pending.heard(already(orders))).toBe('nothing')
  for (const data of [
    'Already subscribed: {',
    'Already subscribed: 7',
    'Invalid subscription',
    7,
  ]) {
    expect(pending.heard(JSON.stringify({ channel: 'error', data }))).toBe('nothing')
  }
  expect(pending.due(3_000)).toEqual([btc, eth])
})

test('it says which of some are unanswered', () => {
  const pending = asked()
  expect(pending.hasAny([{ type: 'allMids' }, eth])).toBe(true)
  expect(pending.hasAny([{ type: 'allMids' }, 'no subscription'])).toBe(false)
  for (const each of [orders, btc, eth]) pending.heard(ack(each))
  expect(pending.hasAny([orders, btc, eth])).toBe(false)
  expect(pending.heard(ack(eth))).toBe('nothing')
})
