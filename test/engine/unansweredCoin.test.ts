import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, World } from './world.fixture.ts'

/**
 * While everything is closed the venue answers nothing that can be used wherever one coin is among it:
 * the other coins are closed, and their entries cancelled, all the same.
 */

let world: World
afterEach(async () => {
  await world.close()
})

const names = ['BTC', 'ETH', 'SOL']
const leverage: JsonObject = { type: 'isolated', value: 5 }
const sizes: Record<string, string> = { BTC: '0.01', ETH: '-0.2', SOL: '5' }
const ways: readonly JsonObject[] = [
  { kind: 'http_500' },
  { kind: 'http_429' },
  { kind: 'drop_request' },
  { kind: 'delay', ms: 60_000 },
]

/** From now on no action with an order of ETH is answered. */
async function silenceEth(type: string, way: JsonObject): Promise<void> {
  await world.venue.fault({ where: 'exchange', match: { type, coin: 'ETH' }, count: 0, ...way })
}
/** The coins of each action of a type in the flatten events, oldest first. */
const sent = (list: string, asset: (each: any) => number): readonly string[][] =>
  world
    .events('flatten')
    .flatMap(({ actions }) =>
      actions.flatMap((action: any) =>
        action[list] === undefined ? [] : [action[list].map((each: any) => names[asset(each)])],
      ),
    )

describe.each(ways)('$kind for every action that names one coin', (way) => {
  test('its position stays, and the others are closed each by itself', async () => {
    const positions = names.map((coin) => ({ coin, szi: sizes[coin]!, leverage }))
    world = await World.start({ account: { positions }, timeoutMs: 15_000 })
    const { guard } = world
    await world.until(() => guard.status().positions.every(({ covered }) => covered), 'covered')
    await silenceEth('order', way)
    await world.kill('enough')
    const held = async (): Promise<string> => Object.keys(await world.positions()).join()
    await world.until(async () => (await held()) === 'ETH', 'only ETH is left')
    const batches = sent('orders', ({ a }) => a)
    expect(batches[0]).toEqual(names)
    expect(batches.slice(1, 4)).toEqual([['BTC'], ['ETH'], ['SOL']])
    await world.venue.send('DELETE', '/sim/fault')
    await world.until(async () => (await held()) === '', 'flat')
  })

  test('its entry stays, and the others are cancelled each by itself', async () => {
    world = await World.start({ timeoutMs: 15_000 })
    const prices = ['99000', '3900', '195']
    for (const [at, price] of prices.entries()) {
      await world.ask(orders(order(at, true, price, ['0.001', '0.02', '0.5'][at]!, gtc)))
    }
    await world.until(() => world.guard.status().open_orders === 6, 'three entries and their stops')
    await silenceEth('cancel', way)
    await world.kill('enough')
    const resting = async (): Promise<string> => {
      const { openOrders } = await world.venueState()
      return openOrders.flatMap((each: any) => (each.reduceOnly ? [] : [each.coin])).join()
    }
    await world.until(async () => (await resting()) === 'ETH', 'only the entry on ETH is left')
    const batches = sent('cancels', ({ a }) => a)
    expect(batches[0]).toEqual(names)
    expect(batches.slice(1, 4)).toEqual([['BTC'], ['ETH'], ['SOL']])
    await world.venue.send('DELETE', '/sim/fault')
    await world.until(async () => (await resting()) === '', 'no entry')
  })
})

test('cancels that are refused whole for one coin go again each by itself', async () => {
  world = await World.start()
  await world.ask(orders(order(0, true, '99000', '0.001', gtc)))
  await world.ask(orders(order(1, true, '3900', '0.02', gtc)))
  await world.until(() => world.guard.status().open_orders === 4, 'two entries and their stops')
  const text = JSON.stringify({ status: 'err', response: 'Trading is halted.' })
  await silenceEth('cancel', { kind: 'reply', executed: false, text })
  await world.kill('enough')
  await world.until(async () => {
    const { openOrders } = await world.venueState()
    return openOrders.every((each: any) => each.coin === 'ETH')
  }, 'only the entry on ETH is left')
})
