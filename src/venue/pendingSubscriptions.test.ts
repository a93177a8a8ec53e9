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
