import { afterEach, describe, expect, test } from 'vitest'
import type { VenueHttp } from '../../src/engine/ports.ts'
import { faultKinds } from '../../lab/sim/front/faults.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'

let world: World
const opened: World[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

/** A venue whose Guard does not run yet. */
async function stopped(options: WorldOptions = {}): Promise<void> {
  world = await World.stopped(options)
  opened.push(world)
}

const alertOf = (code: string): string | undefined =>
  world.guard.status().alerts.find((alert) => alert.code === code)?.text

describe('what the venue does to a read', () => {
  const timeoutMs = 2_000
  const rows: { readonly [kind: string]: { readonly ms?: number; readonly said: RegExp } } = {
    drop_request: { said: /could not be read: .*(socket hang up|closed|reset)/ },
    drop_reply: { said: /could not be read: .*(socket hang up|closed|reset)/ },
    delay: { ms: 60_000, said: /could not be read: no answer within 2000 ms/ },
    http_500: { said: /could not be read: .*HTTP 500/ },
    http_429: { said: /could not be read: .*HTTP 429/ },
    http_408: { said: /could not be read: .*HTTP 408/ },
    garbage: { said: /could not be read: .*not JSON/ },
    reply: { said: /could not be read: .*must be/ },
    lie: { said: /could not be read: .*must be/ },
    fail_share: { said: /could not be read: .*HTTP 500/ },
  }

  test('every kind is here', () => {
    expect(Object.keys(rows).sort()).toEqual([...faultKinds.info].sort())
  })

  test.each(Object.entries(rows))(
    '%s: Guard does not serve before it has seen the account, says why, and asks on',
    async (kind, { ms, said }) => {
      await stopped({ timeoutMs })
      await world.venue.fault({
        where: 'info',
        kind,
        count: 0,
        ...(ms === undefined ? {} : { ms }),
        ...(kind === 'reply' ? { text: 'null' } : {}),
        ...(kind === 'lie' ? { patch: null } : {}),
        ...(kind === 'fail_share' ? { share: '1' } : {}),
      })
      let reads = 0
      await world.buildGuard(counting(() => (reads += 1)))
      const started = world.guard.start()
      await world.until(() => alertOf('venue_unreadable') !== undefined, 'the alert')
      expect(alertOf('venue_unreadable')).toMatch(said)
      expect(world.guard.ready()).toMatchObject({ ok: false })
      expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'recovering' })
      const before = reads
      await world.until(() => reads > before, 'it to ask again')
      await world.event('error', ({ text }) => said.test(text))
      // However often it was tried, an outage is one event.
      expect(world.events('error').filter(({ text }) => said.test(text))).toHaveLength(1)
      expect(world.events('risk')).toEqual([])
      await world.venue.send('DELETE', '/sim/fault')
      await started
      await world.until(() => world.guard.ready().ok, 'ready')
      expect(alertOf('venue_unreadable')).toBe(undefined)
      expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
    },
  )

  test('a delay that is shorter than the wait only delays', async () => {
    await stopped({ timeoutMs: 20_000 })
    await world.venue.fault({ where: 'info', kind: 'delay', ms: 100, count: 0 })
    await world.startGuard()
    expect(world.events('error')).toEqual([])
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
  })
})

describe('what the venue does to the stream', () => {
  /** By kind: how it is armed, and what shows that Guard met it. */
  const rows: { readonly [kind: string]: { readonly ms?: number; readonly met: () => boolean } } = {
    delay: { ms: 700, met: () => wasInFlightAfterReply },
    silence: { met: () => stateReads > 0 && alertOf('stream') !== undefined },
    disconnect: { met: () => stateReads > 0 && logs('the venue stream closed') > 0 },
    stale: { met: () => stateReads > 0 && logs('the venue stream repeats itself') > 0 },
    duplicate: { met: () => true },
    reorder: { met: () => true },
    lie: { met: () => stateReads > 0 },
  }
  let stateReads = 0
  let wasInFlightAfterReply = false

  test('every kind is here', () => {
    expect(Object.keys(rows).sort()).toEqual([...faultKinds.ws].sort())
  })

  test.each(Object.entries(rows))(
    '%s: what is open is covered meanwhile, and in the end Guard knows what the venue knows',
    async (kind, { ms, met }) => {
      await stopped()
      await world.startGuard(
        counting(({ type }) => {
          if (type === 'clearinghouseState') stateReads += 1
        }),
      )
      stateReads = 0
      await world.venue.fault({
        ...{ where: 'ws', kind, count: 0, ...(ms === undefined ? {} : { ms }) },
        // States that cannot be read.
        ...(kind === 'lie' ? { match: { type: 'clearinghouseState' }, patch: null } : {}),
      })
      expect(await world.ask(orders(order(1, true, '4010', '0.2')))).toMatchObject({ status: 'ok' })
      wasInFlightAfterReply = world.guard.status().in_flight > 0
      await world.ask(orders(order(1, false, '3900', '0.1', reduceOnly)))
      const resting = await world.ask(orders(order(0, true, '99900', '0.001', gtc)))
      const { oid } = resting.response.data.statuses[0].resting
      await world.ask({ type: 'cancel', cancels: [{ a: 0, o: oid }] })
      await world.outside(orders(order(2, true, '201', '5')))
      await world.until(async () => same(await stopSizes('SOL'), ['5.0']), 'SOL to be covered')
      await world.venue.control('price', { coin: 'ETH', mid: '4050' })
      await world.until(met, `what shows that ${kind} was met`)
      await world.venue.send('DELETE', '/sim/fault')

      await inStep()
      expect(await world.positions()).toEqual({ ETH: '0.1', SOL: '5.0' })
      const eth = await stopSizes('ETH')
      expect(eth.reduce((sum, size) => sum + Number(size), 0)).toBeGreaterThanOrEqual(0.1)
      // Guard's own stop was placed once, for what came from outside, and for nothing else. Only a
      // snapshot that leaves out a stop that is there is answered with one more, for a while.
      const placed = world
        .events('protect')
        .filter(({ actions }) => actions.some(({ type }: any) => type === 'order'))
      if (kind !== 'stale') expect(placed.map(({ coins }) => coins)).toEqual([['SOL']])
      await world.until(async () => same(await stopSizes('SOL'), ['5.0']), 'one stop on SOL')
      await world.until(async () => (await stopSizes('ETH')).length === 1, 'one stop on ETH')
    },
  )
})

const entry = orders(order(1, true, '4010', '0.1'))

/** Tells of every read that Guard makes. */
test('a bot that reads all it may does not blind Guard while the stream is silent', async () => {
  await stopped({ weightLimit: 1_200 })
  const venue = await startSharing()
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  const asBotsDo = async (type: string): Promise<boolean> => (await venue.info({ type }, 'read')).ok
  for (const type of ['metaAndAssetCtxs', 'allMids']) while (await asBotsDo(type)) continue
  await world.outside(orders(order(2, true, '201', '5')))
  await world.until(async () => same(await stopSizes('SOL'), ['5.0']), 'SOL to be covered')
  expect(await asBotsDo('allMids')).toBe(false)
})

test('reads of a bot that the venue leaves without an answer do not hold up a stop', async () => {
  await stopped({ timeoutMs: 60_000 })
  const venue = await startSharing()
  await world.venue.fault({ where: 'info', kind: 'delay', ms: 60_000, count: 0 })
  for (let n = 0; n < 200; n += 1) void venue.info({ type: 'allMids' }, 'read')
  await world.outside(orders(order(2, true, '201', '5')))
  await world.until(async () => same(await stopSizes('SOL'), ['5.0']), 'SOL to be covered')
  await world.venue.send('DELETE', '/sim/fault')
})

test('once the venue has refused a close for its weight nothing opens for a while, and closes go', async () => {
  await stopped({})
  const venue = await startSharing()
  await world.ask(orders(order(1, true, '4010', '0.2')))
  const close = orders(order(1, false, '3900', '0.1', reduceOnly))
  await world.venue.fault({ where: 'exchange', kind: 'http_429', match: { type: 'order' } })
  const refused = await world.ask(close)
  expect(refused.response).toMatch(/^Guard \[venue_unreachable\]: HTTP 429: .*it may have arrived/)
  expect(await world.ask(entry)).toMatchObject({
    code: 'rate_limited',
    response: expect.stringContaining('the venue refused a request for its weight (HTTP 429)'),
  })
  expect(await venue.info({ type: 'allMids' }, 'read')).toMatchObject({
    ok: false,
    error: { kind: 'no_weight' },
  })
  expect(await world.ask(close)).toMatchObject({ status: 'ok', code: 'allowed' })
  expect(await world.positions()).toEqual({ ETH: '0.1' })
})

/** Starts Guard, and answers what it and its bots ask the venue through. */
async function startSharing(): Promise<VenueHttp> {
  const shared: VenueHttp[] = []
  await world.startGuard((venue) => {
    shared.push(venue)
    return venue
  })
  const [venue] = shared
  if (venue === undefined) throw new Error('Guard was started without a venue')
  return venue
}

function counting(told: (request: { readonly type: string }) => void) {
  return (venue: VenueHttp): VenueHttp => ({
    exchange: venue.exchange,
    info: (request, lane) => {
      told(request as { readonly type: string })
      return venue.info(request, lane)
    },
  })
}

const logs = (message: string): number =>
  world.logged.filter((line) => line.message === message).length

const same = (left: readonly string[], right: readonly string[]): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

async function stopSizes(coin: string): Promise<string[]> {
  const { openOrders } = await world.venueState()
  return openOrders
    .filter((each: any) => each.coin === coin && each.isTrigger)
    .map(({ sz }: any) => sz)
}

/** Waits until what Guard shows is what the venue has, everything covered, settled and explained. */
async function inStep(): Promise<void> {
  let [shown, held] = [{}, {}]
  const isSame = async (): Promise<boolean> => {
    const status = world.guard.status()
    const { clearinghouseState, openOrders } = await world.venueState()
    const settled = { isCovered: true, inFlight: 0, strange: [] }
    held = {
      positions: clearinghouseState.assetPositions.map(({ position }: any) => position.coin).sort(),
      sizes: clearinghouseState.assetPositions.map(({ position }: any) => +position.szi).sort(),
      equity: Number(clearinghouseState.marginSummary.accountValue).toFixed(2),
      orders: openOrders.length,
      ...settled,
    }
    shown = {
      positions: status.positions.map(({ coin }) => coin).sort(),
      sizes: status.positions.map(({ size }) => +size).sort(),
      equity: Number(status.risk.equity).toFixed(2),
      orders: status.open_orders,
      isCovered: status.positions.every(({ covered }) => covered),
      inFlight: status.in_flight,
      // What was bought outside is strange for good; nothing else is.
      strange: world.discrepancies().filter((text) => !text.startsWith('SOL:')),
    }
    return JSON.stringify(shown) === JSON.stringify(held)
  }
  await world.until(isSame, 'Guard and the venue to be in step').catch(() => {
    expect(shown).toEqual(held)
  })
}
