import { afterEach, expect, test } from 'vitest'
import { order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test('an exit passes while any request weight is left, though nothing else does', async () => {
  const weightLimit = 2_000
  world = await World.start({ weightLimit, simulator: { options: { accountMs: 200 } } })
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  world.budget.tryTake('safety', weightLimit - 2 - world.budget.used())
  const refused = await world.ask(orders(order(1, true, '4010', '0.1')))
  expect(refused.code).toBe('rate_limited')
  const reply = await world.ask(orders(order(1, false, '3900', '0.4', reduceOnly)))
  expect(reply).toMatchObject({ status: 'ok', verdict: 'allow' })
  await world.until(async () => (await world.positions())['ETH'] !== '0.5', 'the exit')
})
