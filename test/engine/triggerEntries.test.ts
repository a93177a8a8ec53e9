import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { coin } from '../../src/core/values/coin.ts'
import { accountInside } from './insideGuard.fixture.ts'
import { gtc, order, orders, World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const rules = { triggerEntries: 'watched' } as const
const quick = { options: { accountMs: 200 } }
const status = () => world.guard.status()

/** An order that waits for a trigger. */
function trigger(
  isBuy: boolean,
  triggerPx: string,
  price: string,
  size: string,
  more: JsonObject = {},
): JsonObject {
  const { tpsl = 'sl', isMarket = true, ...rest } = more
  return order(1, isBuy, price, size, { t: { trigger: { isMarket, triggerPx, tpsl } }, ...rest })
}
const breakout = trigger(true, '4100', '4120', '0.1')
const stopAt = (price: string) => trigger(false, price, '3600', '0.1', { r: true })

async function start(more: Partial<WorldOptions> = {}): Promise<void> {
  world = await World.start({ rules, simulator: quick, ...more })
}
const listed = async () => (await world.venueState()).openOrders as any[]
const waiting = async () =>
  (await listed()).filter((each) => each.isTrigger === true && each.reduceOnly !== true)
/** The stops that rest, as [trigger, size]. */
const stops = async () =>
  (await listed())
    .filter((each) => each.isTrigger === true && each.reduceOnly === true)
    .map((each) => [each.triggerPx, each.sz])
const move = async (mid: string) => await world.venue.control('price', { coin: 'ETH', mid })
const isCovered = () => status().positions[0]?.covered === true
const isWaiting = () => status().risk.waiting_loss !== undefined && status().in_flight === 0
/** How long after the first cancel the second one was decided on. */
const betweenCancels = (kind: 'protect' | 'flatten') => {
  const isCancel = ({ actions }: any) => actions.some((each: any) => each.type === 'cancel')
  const [first, second] = world.events(kind).filter(isCancel)
  return second.at_ms - first.at_ms
}

describe('an entry that waits for a trigger', () => {
  test('rests alone, fires, and gets the stop that the bot had sent with it', async () => {
    await start()
    const reply = await world.ask(orders(breakout, stopAt('4010')))
    expect(reply.response.data.statuses).toEqual([
      { resting: { oid: expect.any(Number) } },
      'waitingForFill',
    ])
    expect(await waiting()).toHaveLength(1)
    expect(await stops()).toEqual([])
    await world.until(isWaiting, 'what could be lost')
    // 0.1 x 4120 x 10%, and 6% of 10,000.
    expect(status().risk).toMatchObject({ waiting_loss: '41.2', waiting_loss_limit: '600' })
    await move('4105')
    await world.until(isCovered, 'covered')
    expect(await stops()).toEqual([['4010.0', '0.1']])
    expect(status().positions[0]).toMatchObject({ side: 'long', size: '0.1' })
    expect(status().risk.waiting_loss).toBeUndefined()
    expect(world.discrepancies()).toEqual([])
  })

  test("gets Guard's own stop where the bot sent none, as a group is taken apart", async () => {
    await start()
    const group = { ...orders(trigger(false, '3900', '3885', '0.1')), grouping: 'normalTpsl' }
    expect((await world.ask(group)).status).toBe('ok')
    await move('3895')
    await world.until(isCovered, 'covered')
    // 2% from the worst price that it could fill at.
    expect(await stops()).toEqual([['3962.7', '0.1']])
  })

  test.each([
    ['on both sides at once', [breakout, trigger(false, '3900', '3885', '0.1')], 2],
    ['a buy of the dip', [trigger(true, '3900', '3910', '0.1', { tpsl: 'tp' })], 1],
    ['a stop-limit', [trigger(true, '4100', '4110', '0.1', { isMarket: false })], 1],
  ])('%s rests', async (_, list, count) => {
    await start()
    expect((await world.ask(orders(...list))).status).toBe('ok')
    await world.until(async () => (await waiting()).length === count, 'resting')
    await world.until(isWaiting, 'seen')
    world.fire(500)
    expect(await waiting()).toHaveLength(count)
  })

  test.each([
    ['no margin at its trigger', { options: { ...quick.options } }],
    ['another number at its trigger', { options: { ...quick.options, trigger_new_oid: true } }],
    ['margin reserved for it', { options: { ...quick.options, trigger_reserve: 'limit' } }],
    ['a trigger beyond its touch', { options: { ...quick.options, trigger_cmp: 'gt' } }],
  ])('is covered under another reading of the venue: %s', async (name, simulator) => {
    await start({ simulator: simulator as typeof quick })
    await world.ask(orders(breakout, stopAt('4010')))
    await world.until(isWaiting, 'seen')
    if (name.startsWith('no margin')) {
      await world.outside({ type: 'usdClassTransfer', amount: '9999', toPerp: false })
      await move('4105')
      await world.until(async () => (await waiting()).length === 0, 'gone')
      return
    }
    await move('4105')
    await world.until(isCovered, 'covered')
    await world.until(() => !isWaiting(), 'told')
    expect(await world.positions()).toEqual({ ETH: '0.1' })
    expect((await stops()).map(([price]) => price)).toContain('4010.0')
  })

  test('a modify moves it with its stop; a cancel lets it go', async () => {
    await start()
    const reply = await world.ask(orders(breakout, stopAt('4010')))
    const { oid } = reply.response.data.statuses[0].resting
    await world.until(isWaiting, 'seen')
    const moved = trigger(true, '4200', '4220', '0.1')
    expect((await world.ask({ type: 'modify', oid, order: moved })).status).toBe('ok')
    await world.until(async () => (await waiting())[0]?.triggerPx === '4200.0', 'moved')
    await world.until(() => status().risk.waiting_loss === '42.2', 'seen anew')
    const [{ oid: now }] = await waiting()
    await world.ask({ type: 'cancel', cancels: [{ a: 1, o: now }] })
    await world.until(() => !isWaiting(), 'gone')
  })

  test('a limit entry keeps its own stop beside it, and both count', async () => {
    await start()
    await world.ask(orders(order(1, true, '3990', '0.1', gtc)))
    await world.ask(orders(breakout))
    await world.until(isWaiting, 'seen')
    await world.until(() => status().open_orders === 3, 'all of them')
  })
})

describe('while nobody watches it would have no stop', () => {
  const away = async (more: Partial<WorldOptions> = {}) => {
    await start(more)
    await world.ask(orders(breakout, stopAt('4010')))
    await world.until(isWaiting, 'seen')
  }

  test('so it is cancelled when Guard stops', async () => {
    await away()
    await world.stopGuard()
    expect(await waiting()).toEqual([])
    await world.startGuard()
  })

  test('and its cancel goes again where the first one was lost', async () => {
    await away({ drainMs: 6_000 })
    const lost = { where: 'exchange', kind: 'drop_request', count: 1, match: { type: 'cancel' } }
    await world.venue.fault(lost)
    const stopping = world.stopGuard()
    await stopping
    expect(await waiting()).toEqual([])
    expect(betweenCancels('protect')).toBeLessThan(2_000)
  })

  test.each(['drop_request', 'http_500'])('also at a kill: %s', async (kind) => {
    await away()
    await world.venue.fault({ where: 'exchange', kind, count: 1, match: { type: 'cancel' } })
    await world.kill('enough')
    await world.until(async () => (await waiting()).length === 0, 'cancelled')
    expect(betweenCancels('flatten')).toBeLessThan(2_000)
  })

  test('so it is cancelled when Guard stops after it has fired and rests', async () => {
    await away()
    await world.ask(orders(trigger(true, '4100', '4050', '0.1', { isMarket: false })))
    await world.until(async () => (await waiting()).length === 2, 'resting')
    await move('4105')
    await world.until(isCovered, 'the market one is covered')
    await world.stopGuard()
    expect((await listed()).filter((each) => each.reduceOnly !== true)).toEqual([])
  })

  test('one that fires while the stream is silent gets its own stop at once, and is kept', async () => {
    await start({ rules: { ...rules, margin: 'cross' } })
    await world.ask(orders(breakout, stopAt('4090')))
    await world.until(isWaiting, 'seen')
    await world.venue.fault({ where: 'ws', kind: 'silence', ms: 25_000 })
    await move('4105')
    await world.until(isCovered, 'covered')
    expect((await stops())[0]).toEqual(['4090.0', '0.1'])
    const promise = () => accountInside(world.guard).promise(coin('ETH'))
    await world.until(() => promise()?.rest.isZero() === true, 'its fill')
    world.fire(500)
    expect(world.events('protect')).toHaveLength(1)
    expect(await stops()).toEqual([['4090.0', '0.1']])
    expect(await world.positions()).toEqual({ ETH: '0.1' })
  })

  test('so it is cancelled by a kill', async () => {
    await away()
    await world.kill('enough')
    await world.until(async () => (await waiting()).length === 0, 'cancelled')
  })

  test('after a crash it is kept, with the stop that was on record', async () => {
    await away()
    await world.crash()
    await world.startGuard()
    await world.until(isWaiting, 'seen again')
    world.fire(500)
    expect(await waiting()).toHaveLength(1)
    expect(status().risk.open_risk).not.toBe('0')
    await move('4105')
    await world.until(isCovered, 'covered')
    expect(await stops()).toEqual([['4010.0', '0.1']])
  })

  test('one that fires after a crash is covered by the next start', async () => {
    await away()
    await world.crash()
    await move('4105')
    await world.startGuard()
    await world.until(isCovered, 'covered')
    // Cover comes first: until the fills are told nobody knows which entry opened it.
    const [[price, size]] = (await stops()) as [[string, string]]
    expect([Number(price) >= 4010, size]).toEqual([true, '0.1'])
  })

  test('two that fire after a crash each get the stop of their own', async () => {
    await away()
    await world.ask(orders(trigger(true, '4150', '4170', '0.1'), stopAt('3990')))
    await world.until(isWaiting, 'both wait')
    await world.crash()
    await move('4105')
    await move('4155')
    await world.startGuard()
    const sorted = async () => JSON.stringify((await stops()).sort())
    // One for all of it at the looser, and the tighter for its own part.
    const wanted = JSON.stringify([
      ['3990.0', '0.2'],
      ['4010.0', '0.1'],
    ])
    await world.until(async () => (await sorted()) === wanted, 'their stops')
  })

  test('one whose stop the price has passed meanwhile is closed', async () => {
    await away()
    await world.crash()
    await move('4105')
    await move('4005')
    await world.startGuard()
    await world.until(async () => (await world.positions())['ETH'] === undefined, 'closed')
  })

  test('one that nobody has on record is cancelled, at the start and later', async () => {
    await start()
    await world.outside(orders(breakout))
    await world.until(async () => (await waiting()).length === 0, 'cancelled')
  })

  test('it is cancelled at the start where the rules no longer let it wait', async () => {
    await away()
    await world.crash()
    const before = world.options as { rules?: object }
    before.rules = {}
    await world.startGuard()
    await world.until(async () => (await waiting()).length === 0, 'cancelled')
  })
})

test('where the rules refuse, the text says what is missing', async () => {
  await start({ rules: {} })
  const reply = await world.ask(orders(trigger(false, '3900', '3700', '0.1')))
  expect(reply).toMatchObject({ status: 'err', code: 'unsupported_order' })
  expect(reply.response).toContain('its reduce-only flag is missing')
})
