import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const alertCodes = (): string[] => world.guard.status().alerts.map(({ code }) => code)
const priceIs = async (mid: string): Promise<void> => {
  await world.venue.control('price', { coin: 'ETH', mid, mark: mid, oracle: mid })
}
/** The triggers of all stops that Guard tried to place, each once, in order. */
const triggers = (): string[] => [
  ...new Set(
    world
      .events('protect')
      .flatMap(({ actions }) => actions.flatMap(({ orders: placed }: any) => placed ?? []))
      .flatMap(({ t }: any) => (t.trigger === undefined ? [] : [t.trigger.triggerPx])),
  ),
]
const closes = (): any[] =>
  world
    .events('protect')
    .flatMap(({ actions }) => actions.flatMap(({ orders: placed }: any) => placed ?? []))
    .filter(({ t }: any) => t.trigger === undefined)

/** Every stop is refused, and 2 ETH are bought by hand at 4000. */
async function boughtByHand(): Promise<void> {
  world = await World.start()
  await world.venue.fault({
    ...{ where: 'exchange', kind: 'refuse_stop', text: 'Too many open orders', count: 0 },
  })
  await world.outside(orders(order(1, true, '4010', '2')))
  await world.until(() => alertCodes().includes('stop_refused'), 'a refused stop')
  expect(triggers()).toEqual(['3920'])
}

test.each<[string, () => Promise<void>]>([
  ['', () => Promise.resolve()],
  [
    ', also over a restart',
    async () => {
      await world.stopGuard()
      await world.startGuard()
    },
  ],
  [
    ', also over a crash',
    async () => {
      await world.crash()
      await world.startGuard()
    },
  ],
])('a refused stop of Guard’s own is kept, and crossed it closes%s', async (_, meanwhile) => {
  await boughtByHand()
  await priceIs('3960')
  await meanwhile()
  const before = world.events('protect').length
  await world.until(() => world.events('protect').length > before, 'another try')
  expect(triggers()).toEqual(['3920'])
  expect(closes()).toEqual([])
  expect(await world.positions()).toEqual({ ETH: '2.0' })
  await priceIs('3919')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'closed')
  expect(triggers()).toEqual(['3920'])
  expect(closes()).toHaveLength(1)
})
