import { expect, test } from 'vitest'
import { guardCloidPrefix } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'
import { botCloid, fixtureNow, reductionInFlight, stopInFlight } from './account.fixture.ts'
import { OrderLife } from './orderLife.ts'
import type { ReservedOrder } from './reservation.ts'
import { UnsettledOrders } from './unsettledOrders.ts'

const [eth, sol] = [coin('ETH'), coin('SOL')]
const guardClose = `${guardCloidPrefix}03${'0'.repeat(22)}`
const lifeOf = (plan: ReservedOrder): OrderLife =>
  new OrderLife({ action: 'a', plan }, fixtureNow, 0)
const stop = (nth: number): OrderLife =>
  lifeOf(stopInFlight({ size: '1', trigger: '90', cloid: botCloid(nth) }))

test('stops and closes by Guard are found by their coin, until they are settled', () => {
  const [first, second] = [stop(1), stop(2)]
  const close = lifeOf(reductionInFlight('SOL', '1', guardClose))
  const exit = lifeOf(reductionInFlight('SOL', '1', botCloid(3)))
  const orders = new UnsettledOrders()
  for (const life of [first, second, second, close, exit]) orders.add(life)
  const found = () => [orders.stopsOf(eth), orders.stopsOf(sol), orders.closesOf(sol)].map(list)
  const list = (lives: Iterable<OrderLife>): readonly OrderLife[] => [...lives]
  expect(found()).toEqual([[first, second], [], [close]])
  expect([orders.size, list(orders)]).toEqual([4, [first, second, close, exit]])
  orders.delete(first)
  orders.delete(exit)
  expect(found()).toEqual([[second], [], [close]])
  orders.delete(second)
  orders.delete(close)
  orders.delete(close)
  expect([found(), orders.size]).toEqual([[[], [], []], 0])
})
