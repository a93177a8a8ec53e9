import { afterEach, describe, expect, test } from 'vitest'
import { accountAddress, gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const entry = orders(order(1, true, '4010', '0.1'))

/** What the venue executed, by its own log: entries only. */
async function executedEntries(): Promise<any[]> {
  const log = await world.venue.log()
  return log.filter(
    (each) =>
      each.fault?.kind !== 'drop_request' &&
      each.action.type === 'order' &&
      each.action.orders.some((one: any) => !one.r),
  )
}

describe('what the venue does to an exchange request', () => {
  const told = { status: 'err', code: 'venue_unreachable' }
  const isOpen = (): boolean =>
    world.guard.status().alerts.some(({ code }) => code === 'unknown_outcome')

  test.each(['drop_reply', 'garbage'])(
    '%s: what happened is found, never sent again',
    async (kind) => {
      world = await World.start()
      await world.venue.fault({ where: 'exchange', kind, match: { type: 'order' } })
      const reply = await world.ask(entry)
      expect(reply).toMatchObject(told)
      expect(reply.response).toContain('it may have arrived')
      const sent = await world.event('sent', (each) => each.index === 1)
      expect(sent).toMatchObject({ ok: false, reply: { may_have_arrived: true } })
      await world.until(() => !isOpen(), 'the outcome to be found')
      await world.until(() => world.guard.status().in_flight === 0, 'nothing in flight')
      expect(await executedEntries()).toHaveLength(1)
      expect(await world.positions()).toEqual({ ETH: '0.1' })
    },
  )

  test('drop_request, http_500: what did not happen is released once it can no longer happen', async () => {
    world = await World.start()
    for (const [asset, kind] of [
      [1, 'drop_request'],
      [2, 'http_500'],
    ] as const) {
      await world.venue.fault({ where: 'exchange', kind, match: { type: 'order' } })
      const price = asset === 1 ? '4010' : '201'
      const reply = await world.ask(orders(order(asset, true, price, '0.5')))
      expect(reply).toMatchObject(told)
    }
    // Meanwhile both are held at their worst case.
    expect(isOpen()).toBe(true)
    expect(world.guard.status().in_flight).toBeGreaterThanOrEqual(2)
    await world.until(() => !isOpen(), 'the outcome to be found')
    expect(world.guard.status().in_flight).toBe(0)
    expect(await world.positions()).toEqual({})
  })

  test('http_429 to an entry may have been executed: it is told so, looked up, and let go of', async () => {
    world = await World.start()
    await world.venue.fault({ where: 'exchange', kind: 'http_429', match: { type: 'order' } })
    const reply = await world.ask(entry)
    expect(reply).toMatchObject({ status: 'err', code: 'venue_unreachable' })
    expect(reply.response).toContain('it may have arrived')
    expect(world.guard.status().in_flight).toBeGreaterThan(0)
    await world.until(() => world.guard.status().in_flight === 0, 'the outcome to be found')
    expect(await world.positions()).toEqual({})
  })

  test('a delay beyond the wait is an unknown outcome, and the late fill is followed', async () => {
    world = await World.start({ timeoutMs: 300 })
    const match = { type: 'order' }
    await world.venue.fault({ where: 'exchange', kind: 'delay', ms: 900, match })
    expect(await world.ask(entry)).toMatchObject({ code: 'venue_unreachable' })
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'the late fill')
    expect((await executedEntries()).length).toBe(1)
  })

  test('a refusal of the venue reaches the bot in its own words', async () => {
    world = await World.start()
    const text = 'Insufficient margin to place order. asset=1'
    await world.venue.fault({ where: 'exchange', kind: 'refuse', match: { type: 'order' }, text })
    const reply = await world.ask(entry)
    expect(JSON.stringify(reply)).toContain('Insufficient margin')
    expect(await world.event('sent', (each) => each.index === 1)).toMatchObject({ ok: false })
    expect(world.guard.status().in_flight).toBe(0)
  })

  test('an entry is not sent when the venue refuses the leverage it needs', async () => {
    world = await World.start()
    const match = { type: 'updateLeverage' }
    await world.venue.fault({ where: 'exchange', kind: 'refuse', match, text: 'Invalid leverage' })
    const reply = await world.ask(entry)
    expect(reply).toMatchObject({ status: 'err', code: 'venue_refused_leverage' })
    expect(await executedEntries()).toEqual([])
    expect(world.guard.status().in_flight).toBe(0)
  })

  test('an entry that filled while its stop was refused is closed at once', async () => {
    world = await World.start()
    await world.venue.fault({
      where: 'exchange',
      kind: 'refuse_stop',
      text: 'Invalid TP/SL price.',
    })
    const reply = await world.ask(entry)
    expect(reply).toMatchObject({ status: 'ok' })
    const protect = await world.event('protect')
    expect(protect.actions[0].orders[0]).toMatchObject({ a: 1, b: false, r: true })
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'closed')
  })

  test('an entry that rests while its stop was refused is cancelled', async () => {
    world = await World.start()
    await world.venue.fault({
      where: 'exchange',
      kind: 'refuse_stop',
      text: 'Invalid TP/SL price.',
    })
    await world.ask(orders(order(1, true, '3950', '0.1', gtc)))
    await world.event('protect')
    await world.until(async () => (await world.venueState()).openOrders.length === 0, 'cancelled')
  })

  test('a position whose stop the venue refuses is closed instead', async () => {
    world = await World.start()
    const text = 'Invalid TP/SL price.'
    // The stop is refused, and the close that follows is not.
    await world.venue.fault({ where: 'exchange', kind: 'refuse', match: { type: 'order' }, text })
    await world.outside(orders(order(2, true, '201', '5')))
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'closed')
    expect(world.events('protect').length).toBeGreaterThanOrEqual(2)
  })

  test('a lost answer to a protective stop never leads to two of them', async () => {
    world = await World.start()
    await world.venue.fault({ where: 'exchange', kind: 'drop_reply', match: { type: 'order' } })
    await world.outside(orders(order(2, true, '201', '5')))
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    await world.until(() => world.guard.status().in_flight === 0, 'nothing in flight')
    const stops = (await world.venueState()).openOrders.filter((each: any) => each.isTrigger)
    expect(stops.length).toBe(1)
  })
})

describe('what the venue does to the stream', () => {
  const kinds = ['disconnect', 'silence', 'stale', 'duplicate', 'reorder'] as const

  test.each(kinds)('%s: a position opened outside is still covered', async (kind) => {
    world = await World.start()
    await world.venue.fault({ where: 'ws', kind, count: 0 })
    await world.outside(orders(order(2, true, '201', '5')))
    await world.until(async () => {
      const stops = (await world.venueState()).openOrders.filter((each: any) => each.isTrigger)
      return stops.length === 1 && stops[0].sz === '5.0'
    }, 'one stop over the whole position')
    await world.venue.send('DELETE', '/sim/fault')
    const { SOL } = await world.positions()
    expect(SOL).toBe('5.0')
  })

  test('entries are judged from reads while the stream is silent, and exits go anyway', async () => {
    world = await World.start()
    await world.ask(entry)
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    await world.venue.fault({ where: 'ws', kind: 'silence' })
    await world.venue.fault({ where: 'info', kind: 'http_500', count: 0 })
    await world.until(async () => {
      const reply = await world.ask(orders(order(2, true, '201', '1')))
      return ['account_stale', 'no_price'].includes(reply?.code)
    }, 'an entry to be refused for want of news')
    const close = await world.ask(orders(order(1, false, '3900', '0.1', reduceOnly)))
    expect(close.status).toBe('ok')
    expect((await world.positions())['ETH']).toBeUndefined()
  })
})

test('fifty entries at once never exceed the open-risk budget on the venue itself', async () => {
  world = await World.start()
  const asked = Array.from({ length: 50 }, (_, at) =>
    world.ask(
      orders(
        order(
          at % 3,
          true,
          ['100200', '4010', '201'][at % 3] ?? '',
          ['0.02', '0.5', '10'][at % 3] ?? '',
        ),
      ),
    ),
  )
  const replies = await Promise.all(asked)
  const accepted = replies.filter((reply) => reply.status === 'ok')
  expect(accepted.length).toBeGreaterThan(0)
  expect(replies.some((reply) => reply.verdict === 'veto')).toBe(true)
  // The venue's own books: what would be lost at the stops, against 6 percent of the equity.
  const state = await world.venueState()
  const stops = state.openOrders.filter((each: any) => each.isTrigger)
  let risk = 0
  for (const { position } of state.clearinghouseState.assetPositions) {
    const mid = Number(state.mids[position.coin])
    for (const stop of stops.filter((each: any) => each.coin === position.coin)) {
      risk += Number(stop.sz) * (mid - Number(stop.triggerPx))
    }
    const size = stops
      .filter((each: any) => each.coin === position.coin)
      .reduce((sum: number, each: any) => sum + Number(each.sz), 0)
    expect(size).toBeCloseTo(Number(position.szi), 8)
  }
  expect(risk).toBeGreaterThan(0)
  expect(risk).toBeLessThanOrEqual(600)
})

test('when the request weight is short entries are refused first, and exits still go', async () => {
  world = await World.start({ weightLimit: 300 })
  await world.ask(entry)
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  let reply: any
  for (let at = 0; at < 200 && reply?.code !== 'rate_limited'; at++) {
    reply = await world.ask(orders(order(2, true, '201', '0.1')))
  }
  expect(reply).toMatchObject({ verdict: 'veto', code: 'rate_limited' })
  const close = await world.ask(orders(order(1, false, '3900', '0.1', reduceOnly)))
  expect(close).toMatchObject({ status: 'ok', verdict: 'allow' })
})

test('paper mode judges, journals and answers, and sends nothing at all', async () => {
  world = await World.start({
    mode: 'paper',
    account: {
      positions: [{ coin: 'SOL', szi: '5', leverage: { type: 'isolated', value: 5 } }],
    },
  })
  const reply = await world.ask(orders(order(2, false, '199', '2', reduceOnly)))
  expect(reply).toMatchObject({ status: 'err', verdict: 'allow', code: 'allowed' })
  expect(reply.response).toBe(
    `Guard paper mode: would allow [allowed]: ${world.events('decision')[0].text} (nothing was sent)`,
  )
  const protect = await world.event('protect')
  expect(protect).toMatchObject({ coins: ['SOL'], sent: false })
  await world.venue.control('price', { coin: 'SOL', mid: '201' })
  await world.kill('enough')
  const flatten = await world.event('flatten')
  expect(flatten).toMatchObject({ sent: false })
  expect(flatten.actions.length).toBe(1)
  expect(world.events('protect').length).toBe(1)
  expect(world.events('sent')).toEqual([])
  expect(await world.venue.log()).toEqual([])
  expect(world.guard.status().account).toBe(accountAddress)
})

test('a position gets its stop also where the account has all the orders it may have', async () => {
  // Entries with their stops, as bots place them: the venue then refuses every stop and every close.
  const trigger = { isMarket: true, triggerPx: '49500', tpsl: 'sl' }
  const stop = { a: 0, b: false, p: '45000', s: '0.0002', r: true, t: { trigger } }
  const entry = { a: 0, b: true, p: '50000', s: '0.0002', r: false, t: { limit: { tif: 'Gtc' } } }
  const resting = { ...entry, grouping: 'normalTpsl', children: [stop] }
  world = await World.start({
    account: {
      equity: '1000000',
      orders: Array.from({ length: 500 }, () => resting),
      positions: [{ coin: 'SOL', szi: '5', leverage: { type: 'isolated', value: 3 } }],
    },
  })
  const covered = (): boolean =>
    world.guard.status().positions.find(({ coin }) => coin === 'SOL')?.covered === true
  await world.until(covered, 'SOL to be covered')
  expect(await world.positions()).toEqual({ SOL: '5.0' })
  expect((await world.venueState()).openOrders.length).toBeLessThan(1_000)
})
