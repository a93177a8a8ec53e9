import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** The stream tells of a fill long after the answer to its order. */
const late = { simulator: { options: { streamLagMs: 2_000 } } }

test('a bot closes what it was told is filled before any stream tells it', async () => {
  world = await World.start(late)
  const bought = await world.ask(orders(order(1, true, '4010', '0.5')))
  expect(JSON.stringify(bought)).toContain('"filled"')
  expect(world.guard.status().positions).toEqual([])
  const sold = await world.ask(orders(order(1, false, '3900', '0.5')))
  expect(JSON.stringify(sold)).toContain('"filled"')
  const sent = await world.venue.log()
  const last: any = sent.filter((each: any) => each.action.type === 'order').at(-1)
  expect(last.action.orders).toMatchObject([{ b: false, r: true, s: '0.5' }])
})

test('a larger one closes it and turns nothing around', async () => {
  world = await World.start(late)
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.ask(orders(order(1, false, '3900', '2')))
  const sent = await world.venue.log()
  const last: any = sent.filter((each: any) => each.action.type === 'order').at(-1)
  expect(last.action.orders).toMatchObject([{ b: false, r: true, s: '0.5' }])
})
