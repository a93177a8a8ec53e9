import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { accountAddress, order, orders, World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const rules = { twap: 'watched' } as const
const quick = { options: { accountMs: 100 } }
/** The TWAPs of ETH: 30 minutes are 61 slices. */
const twap = (size: string, more: JsonObject = {}, details?: JsonObject): JsonObject => ({
  type: 'twapOrder',
  twap: { a: 1, b: true, s: size, r: false, m: 30, t: false, ...more },
  ...(details === undefined ? {} : { details }),
})
const status = () => world.guard.status()

async function start(more: Partial<WorldOptions> = {}): Promise<void> {
  world = await World.start({ rules, simulator: quick, ...more })
}
const listed = async (): Promise<any[]> => {
  const { twapStates } = await world.venue.info({ type: 'webData2', user: accountAddress })
  return twapStates
}
const isOver = async () => (await listed()).length === 0
const stops = async () =>
  ((await world.venueState()).openOrders as any[])
    .filter((each) => each.isTrigger === true && each.reduceOnly === true)
    .map((each) => [each.triggerPx, each.sz])
const sent = async (type: string) =>
  (await world.venue.log()).filter(({ action }: any) => action.type === type)
const pass = async (ms: number) => await world.venue.control('clock', { advance_ms: ms })
const move = async (mid: string) => await world.venue.control('price', { coin: 'ETH', mid })
const size = async () => (await world.positions())['ETH']
const started = async (wanted = '0.61') => {
  const reply = await world.ask(twap(wanted))
  await world.until(async () => (await stops()).length > 0, 'the stop')
  await world.until(() => status().in_flight === 0, 'all shown')
  return reply
}

describe('a TWAP of a bot', () => {
  test('is not hidden by a cancel of another coin, or by an answer that says there is none', async () => {
    await start()
    const { response } = await started()
    const { twapId } = response.data.status.running
    const cancel = { type: 'twapCancel', a: 1, t: twapId }
    const elsewhere = await world.ask({ ...cancel, a: 0 })
    expect(elsewhere).toMatchObject({ code: 'invalid', verdict: 'veto' })
    const error = 'TWAP was never placed, already canceled, or filled.'
    const none = { type: 'twapCancel', data: { status: { error } } }
    const text = JSON.stringify({ status: 'ok', response: none })
    await world.venue.fault({
      ...{ where: 'exchange', kind: 'reply', match: { type: 'twapCancel' }, text, count: 1 },
    })
    expect(await world.ask(cancel)).toMatchObject({ response: none })
    world.fire(10_000)
    expect(status().twaps).toMatchObject([{ id: twapId, executed: '0.01', owner: 'bot' }])
    expect(status().risk.open_risk).toBe('120.8')
    expect(await world.ask(twap('2'))).toMatchObject({ verdict: 'resize' })
    await world.kill('enough')
    await world.until(isOver, 'cancelled')
    await world.until(async () => (await size()) === undefined, 'flat')
  })

  test('previewed: what it would be cut to and what would be sent, and nothing is', async () => {
    await start()
    const body = new TextEncoder().encode(JSON.stringify({ action: twap('10') }))
    const { verdict, entries, forward } = (await world.guard.preview(body)).body as any
    expect(verdict).toBe('resize')
    // 2% of 10000 USD is what it may lose from 4120 to 3920, and the cost of both ways.
    expect(entries[0]).toMatchObject({ requested_size: '10', size: forward.twap.s })
    expect(forward).toMatchObject({ type: 'twapOrder', details: { t: null, s: '4120' } })
    expect(await sent('twapOrder')).toEqual([])
    expect(await world.ask(twap('10'))).toMatchObject({ size: forward.twap.s })
  })

  test('is judged as an entry of all of it, ends at its worst price, and is covered whole', async () => {
    await start()
    const reply = await started()
    // 3% beyond the mid of 4000; the stop is 2% from the mid.
    expect(reply).toMatchObject({
      status: 'ok',
      response: {
        type: 'twapOrder',
        data: { status: { running: { twapId: expect.any(Number) } } },
      },
      ...{ code: 'resized', verdict: 'resize', requested_size: '0.61', size: '0.61' },
    })
    const [{ action }] = await sent('twapOrder')
    expect(action).toEqual({
      type: 'twapOrder',
      twap: { a: 1, b: true, s: '0.61', r: false, m: 30, t: false },
      details: { t: null, s: '4120' },
    })
    expect(await size()).toBe('0.01')
    expect(await stops()).toEqual([['3920.0', '0.61']])
    // 0.6 to come at 4120, and 0.01 held at 4000, both down to 3920.
    expect(status().risk.open_risk).toBe('120.8')
    expect(world.discrepancies()).toEqual([])
    await pass(60_000)
    await world.until(() => status().positions[0]?.size === '0.03', 'two more slices')
    expect(await stops()).toEqual([['3920.0', '0.61']])
    expect(status().positions[0]).toMatchObject({ covered: true })
    expect(status().risk.open_risk).toBe('118.4')
    expect((await sent('order')).length).toBe(1)
    await world.until(() => world.discrepancies().length === 0, 'all of it explained')
  })

  test('is cut to what the rules allow', async () => {
    await start()
    const reply = await started('100')
    // 2% of 10,000 over 200 a unit and its costs.
    expect(reply).toMatchObject({ code: 'resized', requested_size: '100', size: '0.9778' })
    expect((await sent('twapOrder'))[0].action.twap.s).toBe('0.9778')
  })

  test('that has filled all of it leaves its stop, and counts no more', async () => {
    await start()
    await world.ask(twap('0.55', { m: 5 }))
    for (let slice = 0; slice < 10; slice += 1) await pass(30_000)
    await world.until(async () => (await size()) === '0.55', 'filled')
    await world.until(isOver, 'over')
    await world.until(() => status().twaps.length === 0, 'let go of')
    expect(status().positions[0]).toMatchObject({ size: '0.55', covered: true })
    expect(await stops()).toEqual([['3920.0', '0.55']])
    expect(status().risk.open_risk).toBe('44')
  })

  test('is shown, with what it was judged by', async () => {
    await start()
    await started()
    expect(status().twaps).toEqual([
      {
        ...{ id: expect.any(Number), coin: 'ETH', side: 'buy', size: '0.61', executed: '0.01' },
        ...{ minutes: 30, reduce_only: false, worst_price: '4120', stop: '3920', owner: 'bot' },
      },
    ])
  })

  test('is cancelled by the bot, and what has filled keeps its stop', async () => {
    await start()
    const reply = await started()
    const { twapId } = reply.response.data.status.running
    expect(await world.ask({ type: 'twapCancel', a: 1, t: twapId })).toMatchObject({
      ...{ status: 'ok', code: 'allowed' },
      response: { type: 'twapCancel', data: { status: 'success' } },
    })
    await world.until(() => status().risk.open_risk === '0.8', 'let go of')
    expect(status().twaps).toEqual([])
    expect(status().positions[0]).toMatchObject({ size: '0.01', covered: true })
  })

  test('that waits for its price counts as what waits, and is covered once it starts', async () => {
    await start()
    await world.ask(twap('0.61', {}, { t: { p: '4100', a: true }, s: null }))
    await world.until(() => status().risk.waiting_loss !== undefined, 'what could be lost')
    // 0.61 x 4223 x 10%.
    expect(status().risk.waiting_loss).toBe('257.603')
    await move('4105')
    await pass(30_000)
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    // 2% from where it starts.
    expect(await stops()).toEqual([['4018.0', '0.61']])
    expect(status().risk.waiting_loss).toBeUndefined()
  })

  test('whose stop the price has passed is cancelled', async () => {
    await start()
    await started()
    await move('3900')
    await world.until(isOver, 'cancelled')
    await world.until(async () => (await size()) === undefined, 'stopped out')
    await pass(120_000)
    expect(await size()).toBeUndefined()
  })

  test('too many and too long are refused', async () => {
    await start({ rules: { ...rules, maxTwaps: 1 } })
    await started()
    expect(await world.ask(twap('0.1'))).toMatchObject({ code: 'too_many_orders' })
    expect(await world.ask(twap('0.1', { m: 61 }))).toMatchObject({ code: 'invalid' })
  })
})

describe('while it runs', () => {
  test('a stop of Guard leaves it and its stop alone, and the next start goes on', async () => {
    await start()
    await started()
    await world.stopGuard()
    expect(await stops()).toEqual([['3920.0', '0.61']])
    await pass(60_000)
    await world.startGuard()
    await world.until(() => status().positions[0]?.size === '0.03', 'seen')
    await world.until(() => status().risk.open_risk === '118.4', 'all of it counts')
    expect(await listed()).toHaveLength(1)
    await world.until(() => world.discrepancies().length === 0, 'explained')
  })

  test('a crash forgets nothing of it', async () => {
    await start()
    await started()
    await world.crash()
    await pass(60_000)
    await world.startGuard()
    await world.until(() => status().positions[0]?.size === '0.03', 'seen')
    await world.until(() => status().twaps[0]?.owner === 'bot', 'its own')
    await world.until(() => status().risk.open_risk === '118.4', 'all of it counts')
    expect(await stops()).toContainEqual(['3920.0', '0.61'])
  })

  test.each(['stop', 'crash'])('what it fills meanwhile is no discrepancy: %s', async (how) => {
    await start()
    await started()
    await (how === 'stop' ? world.stopGuard() : world.crash())
    await pass(60_000)
    await world.startGuard()
    await world.until(() => world.events('risk').length > 1, 'the first look')
    expect(world.events('risk').map(({ discrepancies }) => discrepancies)).toEqual([[], []])
    expect(world.discrepancies()).toEqual([])
  })

  test('one that has not begun to fill is cancelled when Guard stops', async () => {
    await start()
    await world.ask(twap('0.61', {}, { t: { p: '4100', a: true }, s: null }))
    await world.until(async () => (await listed()).length === 1, 'waiting')
    await world.until(() => status().in_flight === 0, 'shown')
    await world.stopGuard()
    expect(await isOver()).toBe(true)
    // The venue's own word is enough: it is not asked again, and nobody is told that one is left.
    expect(await sent('twapCancel')).toHaveLength(1)
    expect(world.events('error')).toEqual([])
    await world.startGuard()
  })

  test('a kill cancels it before anything is closed, and it stays flat', async () => {
    await start()
    await started()
    await world.kill('enough')
    await world.until(async () => (await size()) === undefined && (await isOver()), 'flat')
    const types = (await world.venue.log()).map(({ action }: any) => action.type)
    expect(types.indexOf('twapCancel')).toBeGreaterThan(types.indexOf('twapOrder'))
    expect(types.indexOf('twapCancel')).toBeLessThan(types.lastIndexOf('order'))
    await pass(120_000)
    expect(await size()).toBeUndefined()
    expect(await world.ask(twap('0.61'))).toMatchObject({ code: 'kill_switch' })
    await world.until(() => status().alerts.every(({ code }) => code !== 'flattening'), 'done')
  })

  test('a halt does as a kill does', async () => {
    await start({ rules: { ...rules, dailyLossStop: Decimal.of('0.001') } })
    await started()
    for (let slice = 0; slice < 20; slice += 1) await pass(30_000)
    await world.until(() => status().positions[0]?.size === '0.21', 'more of it')
    await move('3940')
    await world.until(() => status().risk.state !== 'active', 'the halt')
    await world.until(async () => (await size()) === undefined && (await isOver()), 'flat')
  })

  test('rules that no longer let it run end it at the next start', async () => {
    await start()
    await started()
    await world.stopGuard()
    const before = world.options as { rules?: object }
    before.rules = {}
    await world.startGuard()
    await world.until(isOver, 'cancelled')
    expect(await size()).toBe('0.01')
  })
})

describe('an answer that does not come', () => {
  test('leaves it counted, and it is found by what was asked for', async () => {
    await start({ timeoutMs: 500 })
    const match = { type: 'twapOrder' }
    await world.venue.fault({ where: 'exchange', kind: 'drop_reply', match })
    expect(await world.ask(twap('0.61'))).toMatchObject({ code: 'venue_unreachable' })
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.until(() => status().twaps[0]?.id !== null, 'found')
    await world.until(() => status().in_flight === 0, 'settled')
    expect(await stops()).toEqual([['3920.0', '0.61']])
    expect(world.discrepancies()).toEqual([])
  })

  test('counts until it is proven that it never arrived', async () => {
    await start({ timeoutMs: 500 })
    const match = { type: 'twapOrder' }
    await world.venue.fault({ where: 'exchange', kind: 'drop_request', match })
    await world.ask(twap('0.61'))
    expect(status().risk.open_risk).toBe('122')
    await world.until(() => status().risk.open_risk === '0', 'let go of')
    expect(status().twaps).toEqual([])
  }, 300_000)

  test('over a crash it counts on, and is found', async () => {
    await start({ timeoutMs: 500 })
    const match = { type: 'twapOrder' }
    await world.venue.fault({ where: 'exchange', kind: 'drop_reply', match })
    await world.ask(twap('0.61'))
    await world.crash()
    await world.startGuard()
    await world.until(() => status().twaps[0]?.id != null, 'found')
    await world.until(() => status().positions[0]?.covered === true, 'covered')
    await world.until(() => status().risk.open_risk === '120.8', 'counted')
  })
})

describe('one that can only reduce', () => {
  const closing = (amount: string) => twap(amount, { b: false, r: true })
  const held = async (more: Partial<WorldOptions> = {}) => {
    await start({ rules: {}, ...more })
    await world.ask(orders(order(1, true, '4010', '0.5')))
    await world.until(() => status().positions[0]?.covered === true, 'covered')
  }

  test('passes whatever the rules say, and is cancelled once nothing is left', async () => {
    await held()
    expect(await world.ask(closing('0.4'))).toMatchObject({ status: 'ok', code: 'allowed' })
    await world.until(() => status().twaps[0]?.id != null, 'seen')
    expect(status().twaps[0]).toMatchObject({ reduce_only: true, owner: 'bot' })
    expect(world.discrepancies()).toEqual([])
    await world.ask(orders(order(1, false, '3990', '0.5', { r: true })))
    await world.until(isOver, 'cancelled')
  })

  test('passes while killed, and its bot may cancel it', async () => {
    await held()
    await world.venue.fault({
      where: 'exchange',
      kind: 'http_500',
      match: { type: 'order' },
      count: 0,
    })
    await world.kill('enough')
    const reply = await world.ask(closing('0.4'))
    expect(reply).toMatchObject({ status: 'ok' })
    const { twapId } = reply.response.data.status.running
    expect(await world.ask({ type: 'twapCancel', a: 1, t: twapId })).toMatchObject({ status: 'ok' })
    expect(await isOver()).toBe(true)
  })

  test('against a position, without its flag, gets it', async () => {
    await held({ rules })
    const reply = await world.ask(twap('2', { b: false }))
    expect(reply).toMatchObject({ code: 'resized', requested_size: '2', size: '0.5' })
    expect((await sent('twapOrder'))[0].action.twap).toMatchObject({ r: true, s: '0.5' })
  })
})

test('where the rules refuse, the text says what is missing', async () => {
  await start({ rules: {} })
  const reply = await world.ask(twap('0.61'))
  expect(reply).toMatchObject({ status: 'err', code: 'unsupported_action' })
  expect(reply.response).toContain('its reduce-only flag is missing')
  expect(await sent('twapOrder')).toEqual([])
})
