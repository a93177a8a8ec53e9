import { afterEach, expect, test } from 'vitest'
import { accountAddress, gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test('a run in order: started, decision, sent, protect, risk, flatten, stopped', async () => {
  world = await World.start()
  const reply = await world.ask(orders(order(1, true, '4010', '0.1')))
  expect(reply).toEqual({
    status: 'ok',
    response: {
      type: 'order',
      data: {
        statuses: [{ filled: { totalSz: '0.1', avgPx: '4000.1', oid: expect.any(Number) } }],
      },
    },
    code: 'resized',
    verdict: 'resize',
    requested_size: '0.1',
    size: '0.1',
  })
  const sent = await world.event('sent', (each) => each.index === 1)

  // A position opened outside the bot gets Guard's stop.
  await world.outside(orders(order(2, true, '201', '5')))
  const protect = await world.event('protect')
  await world.until(async () => (await covered('SOL')) === 'guard', 'SOL to be covered')

  // The price falls far enough for the daily loss stop; everything is closed.
  await world.venue.control('flow', { user: accountAddress, amount: '1000' })
  await world.until(() => world.guard.status().risk.day_start_equity !== '10000', 'the deposit')
  await world.venue.control('price', { coin: 'ETH', mid: '3000' })
  await world.venue.control('price', { coin: 'SOL', mid: '60' })
  const risk = await world.event('risk', (each) => each.state !== 'active')
  const flatten = await world.event('flatten')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  await world.stopGuard('SIGTERM')
  const stopped = world.events('stopped')[0]

  const [started] = world.events('started')
  const [decision] = world.events('decision')
  expect(started).toEqual({
    seq: 1,
    at_ms: expect.any(Number),
    kind: 'started',
    schema: 1,
    version: '0.0.0-test',
    mode: 'testnet',
    account: accountAddress,
    rules: 'gr1_e30',
    clients: [world.client],
  })
  expect(decision).toMatchObject({
    via: 'http',
    client: world.client,
    signed_as: 'mainnet',
    nonce: expect.any(Number),
    action: 'order',
    verdict: 'resize',
    code: 'resized',
    text: expect.any(String),
    changes: [expect.stringContaining('stop')],
    request: { type: 'order', grouping: 'na' },
    pre: [{ type: 'updateLeverage', asset: 1, isCross: false, leverage: expect.any(Number) }],
    forward: { type: 'order', grouping: 'normalTpsl' },
    forward_more: [],
    post: [],
  })
  expect(sent).toMatchObject({ decision: decision.seq, nonce: expect.any(Number), ok: true })
  expect(protect).toMatchObject({ coins: ['SOL'], problems: [], sent: true })
  expect(protect.actions[0]).toMatchObject({ type: 'order', grouping: 'na' })
  expect(risk).toMatchObject({
    detail: { limit: expect.any(String), equity: expect.any(String) },
    equity: expect.any(String),
    open_positions: expect.any(Number),
    discrepancies: expect.any(Array),
    journal_error: null,
  })
  expect(flatten).toMatchObject({ reason: expect.any(String), problems: [], sent: true })
  expect(stopped).toMatchObject({ kind: 'stopped', reason: 'SIGTERM' })
  const order_ = [started, decision, sent, protect, risk, flatten, stopped].map(({ seq }) => seq)
  expect(order_).toEqual([...order_].sort((a, b) => a - b))
  expect(world.events().map(({ seq }) => seq)).toEqual(world.events().map((_, at) => at + 1))
})

test('a unified account is sized by its one balance and protected like any other', async () => {
  world = await World.start({ account: { mode: 'unifiedAccount' } })
  expect(world.guard.status().risk.equity).toBe('10000')
  const reply = await world.ask(orders(order(1, true, '4010', '0.1')))
  expect(reply).toMatchObject({ status: 'ok', code: 'resized' })
  await world.outside(orders(order(2, false, '199', '5')))
  await world.until(async () => (await covered('SOL')) === 'guard', 'SOL to be covered')
})

test('a deposit whose ledger entry comes late is neither profit nor loss', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '1')))
  await world.until(() => world.guard.status().positions.length === 1, 'the position')
  const user = accountAddress
  await world.venue.control('flow', { user, amount: '-3000', delay_ms: 1500 })
  // A drop of 30 percent would stop trading at once if it were a loss.
  await world.until(() => world.guard.status().risk.equity?.startsWith('6') === true, 'the drop')
  const held = await world.ask(orders(order(1, true, '4010', '0.1')))
  expect(held).toMatchObject({ status: 'err', verdict: 'veto', code: 'account_stale' })
  await world.until(
    () => world.guard.status().risk.peak_equity?.startsWith('10000') === false,
    'the flow to be explained',
  )
  expect(world.guard.status().risk).toMatchObject({ state: 'active', detail: null })
  expect(Number(world.guard.status().risk.peak_equity)).toBeLessThan(7100)
  expect(world.events('flatten')).toEqual([])
})

test('a deposit told after the hold moves the start of the day of a unified account', async () => {
  world = await World.start({ account: { mode: 'unifiedAccount' } })
  await world.ask(orders(order(1, true, '4010', '1')))
  await world.until(() => world.guard.status().positions.length === 1, 'the position')
  await world.venue.control('flow', { user: accountAddress, amount: '5000', delay_ms: 11_500 })
  const risk = () => world.guard.status().risk
  // Nothing explains it within the hold: it counts as profit of the day.
  await world.until(() => Number(risk().peak_equity) > 14_900, 'the end of the hold')
  expect(Number(risk().day_start_equity)).toBeLessThan(10_100)
  await world.until(() => Number(risk().day_start_equity) > 14_900, 'the flow to be told')
  expect(Math.abs(Number(risk().daily_loss))).toBeLessThan(0.01)
})

test('a bot that closes, reduces and cancels is never in its own way', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const resting = await world.ask(orders(order(1, true, '3900', '0.1', gtc)))
  const { oid } = resting.response.data.statuses[0].resting
  await world.until(() => world.guard.status().open_orders >= 3, 'the resting entry')
  expect(await world.ask({ type: 'cancel', cancels: [{ a: 1, o: oid }] })).toMatchObject({
    status: 'ok',
    response: { type: 'cancel', data: { statuses: ['success'] } },
  })
  const close = await world.ask(orders(order(1, false, '3900', '0.5', reduceOnly)))
  expect(close).toMatchObject({ status: 'ok', code: 'allowed' })
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  // Guard's own stop goes with the position.
  await world.until(async () => (await world.venueState()).openOrders.length === 0, 'no orders')
})

test('a ladder goes out entry by entry and comes back as one answer in its own order', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '0.2')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const cloid = '0x000000000000000000000000000000aa'
  const reply = await world.ask(
    orders(
      order(1, true, '3990', '0.1', { ...gtc, c: cloid }),
      order(9, true, '1', '1', gtc),
      order(1, false, '3900', '0.1', reduceOnly),
      order(2, true, '190', '2', gtc),
    ),
  )
  const { statuses } = reply.response.data
  expect(reply).toMatchObject({ status: 'ok', verdict: 'resize' })
  expect(statuses[0]).toEqual({ resting: { oid: expect.any(Number), cloid } })
  expect(statuses[1]).toEqual({ error: expect.stringContaining('Guard veto [unknown_market]') })
  expect(statuses[2]).toMatchObject({ filled: { totalSz: '0.1' } })
  expect(statuses[3]).toEqual({ resting: { oid: expect.any(Number) } })
  expect(reply.entries.map((each: any) => each.code)).toEqual([
    'resized',
    'unknown_market',
    'resized',
  ])
  const decision = world.events('decision').at(-1)
  expect(decision.forward.orders).toHaveLength(1)
  expect(decision.forward_more).toHaveLength(2)
  await world.until(() => world.events('sent').length >= 2 + 1 + 3, 'what was sent')
  const indexes = world.events('sent').filter((each) => each.decision === decision.seq)
  const count = decision.pre.length + 3 + decision.post.length
  expect(indexes.map((each) => each.index).sort()).toEqual([...Array(count).keys()])
})

test('the status has every field of its contract', async () => {
  world = await World.start()
  await world.ask(orders(order(1, false, '3990', '0.2')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const status = world.guard.status()
  expect(Object.keys(status)).toEqual(
    'schema version mode network account via account_mode started_at_ms now_ms last_seq kill risk entries rules rules_decoded clients assumptions positions cross cross_pools twaps open_orders in_flight alerts venue host fleet journal'.split(
      ' ',
    ),
  )
  expect(status.kill).toEqual({ latched: false, reason: null, at_ms: null, durable: false })
  expect(status.positions[0]).toEqual({
    coin: 'ETH',
    side: 'short',
    size: '0.2',
    entry_price: expect.any(String),
    mark_price: '4000',
    value: '800',
    unrealised_pnl: expect.any(String),
    leverage: expect.any(Number),
    margin: 'isolated',
    liquidation_price: expect.any(String),
    stops: [{ oid: expect.any(Number), price: '4080', size: '0.2', owner: 'guard' }],
    covered: true,
    risk: '16',
  })
  expect(status.risk).toMatchObject({ state: 'active', open_risk: '16', daily_loss_limit: '0.06' })
  expect(status.venue).toMatchObject({ url: world.venue.url, stream: 'live' })
  expect(status.journal).toMatchObject({ error: null, events: expect.any(Number) })
})

async function covered(coin: string): Promise<'guard' | 'bot' | null> {
  const orders = (await world.venueState()).openOrders
  const stop = orders.find((each: any) => each.coin === coin && each.isTrigger)
  if (stop === undefined) return null
  return String(stop.cloid).startsWith('0x67756172') ? 'guard' : 'bot'
}
