import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test('a run in order: started, decision, sent, protect, risk, flatten, stopped', async () => {
  world = await World.start()
  expect(world.events()[0]).toMatchObject({ seq: 1, kind: 'started', schema: 1, mode: 'testnet' })

  const reply = await world.ask(orders(order(1, true, '4010', '0.1')))
  console.log(JSON.stringify(reply))
  console.log(JSON.stringify(world.events(), null, 1))
  expect(reply).toMatchObject({ status: 'ok', verdict: 'resize', code: 'resized' })
})
