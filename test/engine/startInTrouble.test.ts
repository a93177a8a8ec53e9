import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/protocol/action.ts'
import { err } from '../../src/core/values/result.ts'
import type { VenueHttp } from '../../src/engine/ports.ts'
import { accountAddress, gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.venue.send('DELETE', '/sim/fault')
  await world.close()
})

const lost = { kind: 'unreachable', text: 'the connection was reset' } as const

/** Whether a read fails: by how many were asked for, what is asked, and how many are out already. */
type Fails = (count: number, type: string, out: number) => boolean

function failing(fails: Fails) {
  let count = 0
  let out = 0
  return (venue: VenueHttp): VenueHttp => ({
    exchange: venue.exchange,
    info: async (request, lane) => {
      const { type } = request as { readonly type: string }
      count += 1
      if (fails(count, type, out)) return err(lost)
      out += 1
      return await venue.info(request, lane).finally(() => {
        out -= 1
      })
    },
  })
}

const threeOfTen: Fails = (count) => [1, 4, 7].includes(count % 10)
/** Whatever begins a round of reads fails, in every round. */
const firstOfRound: Fails = (_count, _type, out) => out === 0
const all: Fails = () => true

const isFlat = async (): Promise<boolean> => Object.keys(await world.positions()).length === 0

async function isCovered(coin: string): Promise<boolean> {
  const { openOrders } = await world.venueState()
  return openOrders.some((each: any) => each.coin === coin && each.orderType === 'Stop Market')
}

/** Starts without waiting: a start in trouble may take for ever. */
async function begin(wrap: (venue: VenueHttp) => VenueHttp): Promise<void> {
  await world.buildGuard(wrap)
  world.guard.start().catch(() => undefined)
}

/** A Guard that has run once, and was then ended from outside with a position open. */
async function killedWith(action: Json): Promise<void> {
  await world.crash()
  await world.outside(action)
}

const bare = orders(order(2, true, '201', '5'))

describe('after a run that was ended from outside', () => {
  beforeEach(async () => {
    world = await World.start()
    await killedWith(bare)
  })

  test.each([
    ['three reads of ten fail', threeOfTen],
    ['the first read of every round fails', firstOfRound],
    ['every read fails', all],
  ])('%s and the stream lives: what is held is protected', async (_, fails) => {
    await begin(failing(fails))
    await world.until(() => isCovered('SOL'), 'a stop')
    await world.event('protect', ({ coins, sent }) => coins.includes('SOL') && sent === true)
  })

  test.each([
    ['three reads of ten fail', threeOfTen],
    ['the first read of every round fails', firstOfRound],
    ['every read fails', all],
  ])('%s and the stream lives: latched, it is flat', async (_, fails) => {
    writeFileSync(join(world.home, 'kill'), 'smoke\n')
    await begin(failing(fails))
    await world.until(isFlat, 'flat')
  })

  test('the stream is down and three reads of ten fail: protected', async () => {
    await world.venue.fault({ where: 'ws', kind: 'disconnect', count: 0 })
    await begin(failing(threeOfTen))
    await world.until(() => isCovered('SOL'), 'a stop')
  })

  test('the stream is down and three reads of ten fail: latched, it is flat', async () => {
    await world.venue.fault({ where: 'ws', kind: 'disconnect', count: 0 })
    writeFileSync(join(world.home, 'kill'), 'smoke\n')
    await begin(failing(threeOfTen))
    await world.until(isFlat, 'flat')
  })

  test('nobody lists the orders: what is held is protected all the same', async () => {
    const match = { type: 'openOrders' }
    await world.venue.fault({ where: 'ws', kind: 'silence', match, count: 0 })
    await begin(failing((_, type) => type === 'frontendOpenOrders'))
    await world.until(() => isCovered('SOL'), 'a stop')
  })

  test('nobody tells a price but with the position itself: it is closed all the same', async () => {
    for (const type of ['allMids', 'activeAssetCtx']) {
      await world.venue.fault({ where: 'ws', kind: 'silence', match: { type }, count: 0 })
    }
    writeFileSync(join(world.home, 'kill'), 'smoke\n')
    await begin(failing((_, type) => type === 'allMids' || type === 'metaAndAssetCtxs'))
    await world.until(isFlat, 'flat')
  })

  test('three reads of ten fail for good: it serves, and what opens too', async () => {
    await begin(failing(threeOfTen))
    await world.until(() => world.guard.ready().ok, 'ready')
    await world.until(() => world.guard.status().positions.every((each) => each.covered), 'covered')
    expect(await world.ask(orders(order(1, true, '4010', '0.1')))).toMatchObject({ status: 'ok' })
  })

  test('no read is answered: what gets out is served, what opens waits and is told for what', async () => {
    await begin(failing(all))
    await world.until(() => isCovered('SOL'), 'a stop')
    expect(world.guard.ready()).toEqual({
      ok: false,
      reason: 'recovering: the venue has not told yet: markets, mode, ledger',
    })
    const opening = orders(order(1, true, '4010', '0.1'))
    expect(await world.ask(opening)).toMatchObject({ verdict: 'veto', code: 'recovering' })
    const leverage = { type: 'updateLeverage', asset: 1, isCross: false, leverage: 2 }
    expect(await world.ask(leverage)).toMatchObject({ verdict: 'veto', code: 'recovering' })
    // Guard's own stop is kept, whoever asks for its end.
    const { openOrders } = await world.venueState()
    const cancel = { type: 'cancel', cancels: [{ a: 2, o: openOrders[0].oid }] }
    expect(await world.ask(cancel)).toMatchObject({ verdict: 'veto', code: 'recovering' })
    const close = orders(order(2, false, '199', '5', reduceOnly))
    expect(await world.ask(close)).toMatchObject({ verdict: 'allow', status: 'ok' })
    await world.until(isFlat, 'flat')
  })
})

test('what only gets out goes before anything is known of the account', async () => {
  world = await World.start()
  await killedWith(bare)
  for (const type of ['clearinghouseState', 'openOrders']) {
    await world.venue.fault({ where: 'ws', kind: 'silence', match: { type }, count: 0 })
  }
  await begin(failing(all))
  const close = orders(order(2, false, '199', '5', reduceOnly))
  const reply = await world.ask(close)
  expect(reply).toMatchObject({ status: 'ok', verdict: 'allow', code: 'exit_unjudged' })
  expect(await isFlat()).toBe(true)
})

test('a first start that is told nothing but by the stream says what it lacks', async () => {
  world = await World.stopped()
  await world.outside(bare)
  await begin(failing(all))
  await world.until(() => world.guard.status().positions.length === 1, 'the position')
  expect(world.guard.ready()).toMatchObject({ ok: false })
  // Without the markets nobody knows by which number a coin is traded.
  expect(await isCovered('SOL')).toBe(false)
  expect(world.guard.status().alerts.map(({ code }) => code)).toContain('venue_unreadable')
})

test('a part that fails is asked for again, and what was read is not', async () => {
  world = await World.stopped()
  const asked: string[] = []
  await world.startGuard((venue) => ({
    exchange: venue.exchange,
    info: async (request, lane) => {
      const { type } = request as { readonly type: string }
      asked.push(type)
      const isLost = asked.filter((each) => each === type).length <= 3
      return type === 'userAbstraction' && isLost ? err(lost) : await venue.info(request, lane)
    },
  }))
  const times = (type: string): number => asked.filter((each) => each === type).length
  expect(times('userAbstraction')).toBe(4)
  for (const type of ['metaAndAssetCtxs', 'frontendOpenOrders', 'userNonFundingLedgerUpdates']) {
    expect([type, times(type)]).toEqual([type, 1])
  }
  expect(world.guard.status().alerts).toEqual([])
})

test('a stop that was there all along is not doubled, however late the orders are listed', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '0.1')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.crash()
  await world.venue.fault({ where: 'ws', kind: 'silence', match: { type: 'openOrders' }, count: 0 })
  // Two questions about the orders are lost; the next one is answered within the time they are given.
  let left = 2
  await begin(failing((_, type) => type === 'frontendOpenOrders' && left-- > 0))
  await world.until(() => world.guard.ready().ok, 'ready')
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const { openOrders } = await world.venueState()
  expect(openOrders).toHaveLength(1)
  expect(world.events('protect')).toEqual([])
})

test('an entry that rests keeps its place through such a start', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '3950', '0.2', gtc)))
  await world.until(() => world.guard.status().open_orders === 2, 'the entry and its stop')
  await world.crash()
  await begin(failing(threeOfTen))
  await world.until(() => world.guard.ready().ok, 'ready')
  const read = await world.venue.info({ type: 'frontendOpenOrders', user: accountAddress })
  expect(read).toHaveLength(2)
  expect(world.events('protect')).toEqual([])
})
