import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const status = () => world.guard.status()

test('what may be lost at the stops is not known while a position has none', async () => {
  world = await World.start({ simulator: { options: { accountMs: 200 } } })
  expect(status().risk.open_risk).toBe('0')
  const text = 'Too many requests.'
  await world.venue.fault({ where: 'exchange', kind: 'refuse_stop', text, count: 0 })
  await world.outside(orders(order(1, true, '4010', '0.1')))
  await world.until(() => status().positions.length > 0, 'the position')
  expect(status().positions).toMatchObject([{ covered: false, risk: null }])
  expect(status().risk.open_risk).toBeNull()
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => status().positions[0]?.covered === true, 'the stop')
  expect(status().risk.open_risk).toBe(status().positions[0]?.risk)
})
