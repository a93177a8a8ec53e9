import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const stranger = '0x00000000000000000000000000000000000000bb'

/** Somebody takes this much of what the bot bids at 4000. */
async function fill(size: string): Promise<void> {
  const done = await world.outside(orders(order(1, false, '4000', size)), stranger)
  expect(JSON.stringify(done)).toContain(`"totalSz":"${size}"`)
}

const stop = (trigger: string, size: string): JsonObject =>
  order(1, false, '3000', size, {
    ...reduceOnly,
    t: { trigger: { isMarket: true, triggerPx: trigger, tpsl: 'sl' } },
  })

interface ShownStop {
  readonly oid: number
  readonly price: string
  readonly size: string
  readonly owner: 'bot' | 'guard'
}

const held = (): any => world.guard.status().positions.find(({ coin }: any) => coin === 'ETH')
const stops = (): readonly ShownStop[] => held()?.stops ?? []
const shown = (): readonly string[] =>
  stops().map(({ owner, size, price }) => `${owner} ${size} at ${price}`)

async function until(is: readonly string[]): Promise<void> {
  const isSo = (): boolean =>
    JSON.stringify(shown()) === JSON.stringify(is) && world.guard.status().in_flight === 0
  await world.until(isSo, `${is.join(', ')}; have ${shown().join(', ')}`)
}

const oidAt = (price: string): number => stops().find((each) => each.price === price)?.oid ?? 0
const cancel = (oid: number): JsonObject => ({ type: 'cancel', cancels: [{ a: 1, o: oid }] })

/** An entry of 2.1 is promised its stop at 3920; 0.1 of it has filled, over which the bot has one at 3990. */
async function tinyStopPlaced(): Promise<void> {
  world = await World.start({ others: [{ address: stranger, equity: '1000000' }] })
  await world.ask(orders(order(1, true, '4000', '2.1', gtc)))
  await fill('0.1')
  await until(['guard 0.1 at 3920'])
  expect(await world.ask(orders(stop('3990', '0.1')))).toMatchObject({ status: 'ok' })
  await until(['bot 0.1 at 3990'])
}

describe('a tiny stop of the bot’s tightens no more than its own size', () => {
  beforeEach(tinyStopPlaced)

  test('what fills next is stopped where it was promised', async () => {
    await fill('1.2')
    await until(['bot 0.1 at 3990', 'guard 1.3 at 3920'])
  })

  test('also once the tiny one is cancelled', async () => {
    await fill('1.2')
    await until(['bot 0.1 at 3990', 'guard 1.3 at 3920'])
    expect(await world.ask(cancel(oidAt('3990')))).toMatchObject({ status: 'ok' })
    await until(['guard 1.3 at 3920'])
    await fill('0.5')
    await world.until(() => held()?.size === '1.8' && held()?.covered === true, 'covered')
    for (const each of stops()) expect(each.price).toBe('3920')
  })

  test('over its own size it stays tight', async () => {
    await world.outside(cancel(oidAt('3990')))
    await until(['guard 0.1 at 3990'])
  })
})

test('a tiny entry’s own stop tightens no other entry', async () => {
  world = await World.start({ others: [{ address: stranger, equity: '1000000' }] })
  await world.ask(orders(order(1, true, '4000', '1.5', gtc)))
  const tiny = [order(1, true, '4010', '0.01'), stop('3990', '0.01')]
  await world.ask({ type: 'order', orders: tiny, grouping: 'normalTpsl' })
  await until(['bot 0.01 at 3990'])
  await fill('1.2')
  await until(['bot 0.01 at 3990', 'guard 1.21 at 3920'])
})

describe('two entries, each with a stop of its own', () => {
  const move = async (mid: string) => await world.venue.control('price', { coin: 'ETH', mid })
  const entry = async (price: string, size: string, trigger: string, more = {}): Promise<void> => {
    const action = orders(order(1, true, price, size, more), stop(trigger, size))
    expect(await world.ask({ ...action, grouping: 'normalTpsl' })).toMatchObject({ status: 'ok' })
  }

  test('the small one fires, and nothing else is sold', async () => {
    world = await World.start()
    await entry('4010', '1', '3900')
    await until(['bot 1 at 3900'])
    await move('4050')
    await entry('4060', '0.1', '4030')
    await until(['bot 0.1 at 4030', 'bot 1 at 3900'])
    await move('4029')
    await until(['bot 1 at 3900'])
    expect(held().size).toBe('1')
    expect(world.events('protect')).toEqual([])
  })

  test('nor where another entry fills in the same moment', async () => {
    world = await World.start()
    await entry('4010', '0.6', '3900')
    await entry('4010', '0.2', '3960')
    await entry('3955', '0.4', '3880', gtc)
    await until(['bot 0.2 at 3960', 'bot 0.6 at 3900'])
    await move('3950')
    await until(['bot 0.6 at 3900', 'bot 0.4 at 3880'])
    expect(held().size).toBe('1')
    expect(world.events('protect')).toEqual([])
  })

  test('nor where it was all that was held', async () => {
    world = await World.start()
    await entry('4010', '0.4', '3960')
    await entry('3955', '0.5', '3880', gtc)
    await until(['bot 0.4 at 3960'])
    await move('3950')
    await until(['bot 0.5 at 3880'])
    expect(held().size).toBe('0.5')
    expect(world.events('protect')).toEqual([])
  })

  test('a stop that is moved while another entry fills protects until the new one is there', async () => {
    world = await World.start()
    await entry('4010', '0.6', '3900')
    await entry('4010', '0.2', '3930')
    await entry('3955', '0.4', '3880', gtc)
    await until(['bot 0.2 at 3930', 'bot 0.6 at 3900'])
    await world.venue.fault({ where: 'exchange', kind: 'delay', ms: 200 })
    const moved = world.ask({ type: 'modify', oid: oidAt('3900'), order: stop('3905', '0.6') })
    await move('3950')
    expect(await moved).toMatchObject({ status: 'ok' })
    await until(['bot 0.2 at 3930', 'bot 0.6 at 3905', 'bot 0.4 at 3880'])
    expect(held().size).toBe('1.2')
    expect(world.events('protect')).toEqual([])
  })
})
