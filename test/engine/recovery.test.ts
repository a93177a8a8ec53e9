import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { SignedRequest, VenueAnswer, VenueHttp } from '../../src/engine/ports.ts'
import { accountAddress, gtc, order, orders, strangerKey, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const entry = orders(order(1, true, '4010', '0.1'))

/** The process dies: nothing of this Guard is heard of again, and its journal is left as it is. */
async function crash(): Promise<void> {
  await world.crash()
}

/** A venue whose exchange does what the test says with the entry. */
function withEntry(
  onEntry: (request: SignedRequest, send: () => Promise<VenueAnswer>) => Promise<VenueAnswer>,
): (venue: VenueHttp) => VenueHttp {
  return (venue) => ({
    info: venue.info,
    exchange: async (request, lane) => {
      const send = (): Promise<VenueAnswer> => venue.exchange(request, lane)
      return request.action.type === 'order' ? await onEntry(request, send) : await send()
    },
  })
}

const never = new Promise<never>(() => undefined)

describe('a crash in the middle of the request line', () => {
  test('decided, not sent: looked up, told as not happened, and nothing is sent again', async () => {
    world = await World.stopped()
    await world.startGuard(withEntry(() => never))
    void world.ask(entry)
    const decision = await world.event('decision')
    await world.event('sent', (each) => each.index === 0)
    await crash()
    await world.startGuard()
    const recovered = world.events('recovered')
    expect(recovered).toEqual([
      expect.objectContaining({ of: decision.seq, index: 1, outcome: 'did_not_happen' }),
    ])
    expect(await world.positions()).toEqual({})
  })

  test('sent and executed, no answer written: looked up, told as happened, still covered', async () => {
    world = await World.stopped()
    await world.startGuard(
      withEntry(async (_, send) => {
        await send()
        return await never
      }),
    )
    void world.ask(entry)
    const decision = await world.event('decision')
    await world.until(async () => (await world.positions())['ETH'] === '0.1', 'the fill')
    await crash()
    await world.startGuard()
    expect(world.events('recovered')).toEqual([
      expect.objectContaining({ of: decision.seq, index: 1, outcome: 'happened' }),
    ])
    expect(await world.positions()).toEqual({ ETH: '0.1' })
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    expect(world.events('protect')).toEqual([])
  })

  test('answered and written: there is nothing to look up', async () => {
    world = await World.start()
    await world.ask(entry)
    await world.event('sent', (each) => each.index === 1)
    await crash()
    await world.startGuard()
    expect(world.events('recovered')).toEqual([])
    expect(await world.positions()).toEqual({ ETH: '0.1' })
  })
})

test('while it recovers, bots are told so, and an open position is protected already', async () => {
  world = await World.stopped()
  await world.startGuard(withEntry(() => never))
  void world.ask(entry)
  await world.event('sent', (each) => each.index === 0)
  await crash()
  await world.outside(orders(order(2, true, '201', '5')))
  await world.buildGuard()
  const started = world.guard.start()
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  expect(world.guard.ready()).toMatchObject({ ok: false })
  expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'recovering' })
  await started
  expect(world.guard.ready()).toEqual({ ok: true })
})

test('while it recovers latched, what opens is told of the latch', async () => {
  world = await World.stopped()
  await world.startGuard(withEntry(() => never))
  void world.ask(entry)
  await world.event('sent', (each) => each.index === 0)
  await world.kill('enough')
  await crash()
  await world.buildGuard()
  const started = world.guard.start()
  const modify = { type: 'modify', oid: 77, order: order(1, true, '4000', '0.1', gtc) }
  const leverage = { type: 'updateLeverage', asset: 2, isCross: false, leverage: 2 }
  expect(world.guard.ready()).toMatchObject({ ok: false })
  expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'kill_switch' })
  expect(await world.ask(modify)).toMatchObject({ verdict: 'veto', code: 'recovering' })
  await world.until(() => world.guard.markets.byAsset.size > 0, 'the markets')
  expect(world.guard.ready()).toMatchObject({ ok: false })
  expect(await world.ask(leverage)).toMatchObject({ verdict: 'veto', code: 'kill_switch' })
  await started
})

test('a used nonce stays used, whatever the verdict was, over a stop and over a crash', async () => {
  world = await World.start()
  const nonce = world.nonce()
  const request = world.sign(entry, { nonce })
  await world.post(request)
  expect(await world.post(request)).toMatchObject({ code: 'auth_replay' })
  const vetoed = world.sign({ type: 'setReferrer', code: 'X' })
  expect(await world.post(vetoed)).toMatchObject({ code: 'unsupported_action' })
  await crash()
  await world.startGuard()
  expect(await world.post(request)).toMatchObject({ code: 'auth_replay' })
  await world.stopGuard()
  await world.startGuard()
  expect(await world.post(vetoed)).toMatchObject({ code: 'auth_replay' })
})

describe('a request from before a start', () => {
  const close = orders(order(1, false, '3990', '0.1', { r: true }))

  test('after a crash opens nothing: no record says whether it was answered', async () => {
    world = await World.start()
    await world.ask(entry)
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    world.disk.breaks = true
    const vetoed = world.sign(entry)
    expect(await world.post(vetoed)).toMatchObject({ verdict: 'veto', code: 'journal' })
    const [unsent, exit] = [world.sign(orders(order(2, true, '201', '1'))), world.sign(close)]
    const leverage = world.sign({ type: 'updateLeverage', asset: 2, isCross: false, leverage: 2 })
    await crash()
    world.disk.breaks = false
    await world.startGuard()
    for (const early of [vetoed, unsent, leverage]) {
      const reply = await world.post(early)
      expect(reply).toMatchObject({ verdict: 'veto' })
      expect(reply.code).toMatch(/^auth_(nonce_too_old|replay)$/)
    }
    expect(await world.positions()).toEqual({ ETH: '0.1' })
    // What gets out passes, and what is signed now.
    expect(await world.post(exit)).toMatchObject({ status: 'ok', verdict: 'allow' })
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
  })

  test('after an ordinary stop is as good as any other', async () => {
    world = await World.start()
    const signed = world.sign(entry)
    await world.stopGuard()
    await world.startGuard()
    expect(await world.post(signed)).toMatchObject({ status: 'ok' })
  })
})

test('the risk state, its day and its peak survive a crash', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '1')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.venue.control('price', { coin: 'ETH', mid: '3300' })
  const halted = await world.event('risk', (each) => each.state === 'halted_for_day')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  await crash()
  await world.startGuard()
  const { risk } = world.guard.status()
  expect(risk).toMatchObject({ state: 'halted_for_day', detail: halted.detail })
  expect(risk.peak_equity).toBe('10000')
  expect(risk.day_start_equity).toBe('10000')
  expect(await world.ask(entry)).toMatchObject({ code: 'daily_loss_stop' })
})

test('a peak that was shown survives a crash, long before everything else is kept', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '1')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.venue.control('price', { coin: 'ETH', mid: '4200' })
  const peak = (): number => Number(world.guard.status().risk.peak_equity)
  await world.until(() => peak() > 10_150, 'a new peak')
  const shown = world.guard.status().risk.peak_equity ?? ''
  const { path } = world.opened.journal.stats
  const file = join(path, 'snapshot-risk.json')
  world.fire(500)
  const isKept = (): boolean => existsSync(file) && readFileSync(file, 'utf8').includes(shown)
  await world.until(isKept, 'the peak on disk')
  await crash()
  await world.venue.control('price', { coin: 'ETH', mid: '4000' })
  await world.startGuard()
  expect(world.guard.status().risk.peak_equity).toBe(shown)
})

test('a torn last line is moved aside and Guard starts', async () => {
  world = await World.start()
  await world.ask(entry)
  await world.event('sent', (each) => each.index === 1)
  const { path } = world.opened.journal.stats
  await crash()
  appendFileSync(await world.newestSegment(path), '{"seq":99999,"torn')
  await world.startGuard()
  expect(world.events('error')[0]?.text).toContain('torn')
})

describe('who may ask', () => {
  test('each way to fail has its code, and who it was is named when it is known', async () => {
    world = await World.start()
    const signed = world.sign(entry)
    const cases: [unknown, string, boolean][] = [
      ['{', 'malformed', false],
      [{ ...signed, extra: 1 }, 'malformed', false],
      [{ ...signed, signature: { r: '0x0', s: '0x0', v: 27 } }, 'auth_bad_signature', false],
      [world.sign(entry, { key: strangerKey }), 'auth_unknown_signer', false],
      [world.sign(entry, { nonce: Date.now() - 31_000 }), 'auth_nonce_too_old', true],
      [world.sign(entry, { nonce: Date.now() + 6_000 }), 'auth_nonce_too_new', true],
      [world.sign(entry, { expiresAfter: Date.now() - 1_000 }), 'auth_expired', true],
      [world.sign({ type: 'order', orders: [], grouping: 'na' }), 'malformed', true],
      [world.sign({ type: 'vaultTransfer', usd: 1 }), 'funds_or_permissions', true],
      [world.sign({ type: 'setReferrer', code: 'X' }), 'unsupported_action', true],
      [world.sign(entry, { as: 'testnet' }), 'resized', true],
    ]
    for (const [request, code, isNamed] of cases) {
      const reply = await world.post(request as string)
      expect([code, reply.code]).toEqual([code, code])
      const event = world.events('decision').at(-1)
      expect(event).toMatchObject({ code, client: isNamed ? world.client : null })
      if (!isNamed) expect(event).toMatchObject({ signed_as: null, nonce: null })
    }
    expect(world.events('decision')).toHaveLength(cases.length)
    expect(world.events('decision').at(-1).signed_as).toBe('testnet')
  })

  test('a flood without a client is shed, and clients still get through', async () => {
    world = await World.start()
    const flood = await Promise.all(
      Array.from({ length: 400 }, () => world.guard.handleExchange(new Uint8Array([123]), 'http')),
    )
    const shed = flood.filter(({ status }) => status === 429).length
    expect(shed).toBeGreaterThan(100)
    expect(world.events('decision').length).toBe(400 - shed)
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
  })
})

test('an over-long body is told so with its own decision', async () => {
  world = await World.start()
  const reply = await world.guard.refuseOverlong('ws')
  expect(reply).toMatchObject({ status: 413, body: { code: 'malformed', verdict: 'veto' } })
  expect(world.events('decision')[0]).toMatchObject({ via: 'ws', code: 'malformed', request: null })
})

test('an over-long kill is told so with an error event, as long as it is not shed', async () => {
  world = await World.start()
  const reply = await world.guard.refuseOverlong('kill')
  expect(reply).toMatchObject({ status: 413, body: { code: 'malformed', verdict: 'veto' } })
  const { text } = await world.event('error')
  expect(text).toMatch(
    /^a kill request without a client was refused \[malformed\]: the body must have at most/,
  )
  expect(world.guard.status().kill.latched).toBe(false)
  const flood = await Promise.all(
    Array.from({ length: 400 }, () => world.guard.refuseOverlong('kill')),
  )
  expect(flood.some(({ status }) => status === 429)).toBe(true)
})

test('a preview says what the judge would, and leaves nothing behind', async () => {
  world = await World.start()
  const body = new TextEncoder().encode(JSON.stringify({ action: entry, client: world.client }))
  const reply = world.guard.preview(body)
  expect(reply).toMatchObject({
    status: 200,
    body: {
      verdict: 'resize',
      code: 'resized',
      request: entry,
      forward: { type: 'order' },
      entries: [{ coin: 'ETH', side: 'buy', requested_size: '0.1', size: '0.1', code: 'resized' }],
      account_age_ms: expect.any(Number),
    },
  })
  for (const bad of ['{"action":1}', '{"action":{}}', '{"action":{"type":1}}']) {
    expect(world.guard.preview(new TextEncoder().encode(bad))).toMatchObject({ status: 400 })
  }
  // A name that is empty, or full of tricks, still makes a sentence.
  expect(world.guard.preview(new TextEncoder().encode('{"action":{"type":""}}'))).toMatchObject({
    body: { text: 'the action "" is not one that Guard forwards' },
  })
  expect(world.events('decision')).toEqual([])
  expect(world.guard.status().in_flight).toBe(0)
  expect(await world.venue.log()).toEqual([])
})

test('a stop waits for what is in flight, writes it down, and leaves the stops on the venue', async () => {
  world = await World.start()
  await world.venue.fault({ where: 'exchange', kind: 'delay', ms: 200, match: { type: 'order' } })
  const asked = world.ask(entry)
  await world.event('decision')
  await world.stopGuard('SIGINT')
  expect(await asked).toMatchObject({ status: 'ok' })
  const kinds = world.events().map(({ kind }) => kind)
  expect(kinds.at(-1)).toBe('stopped')
  expect(world.events('sent')).toHaveLength(2)
  const stops = (await world.venueState()).openOrders.filter((each: any) => each.isTrigger)
  expect(stops).toHaveLength(1)
})

test('what went through Guard before a restart is still its own afterwards', async () => {
  world = await World.start()
  await world.ask(entry)
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  expect(world.discrepancies()).toEqual([])
  for (const leave of [() => world.stopGuard(), crash]) {
    await leave()
    await world.startGuard()
    await world.until(() => world.guard.status().venue.stream === 'live', 'the stream')
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    expect(world.discrepancies()).toEqual([])
  }
})

test('after a crash no event calls a position another’s whose fill was not read yet', async () => {
  world = await World.start()
  await world.ask(entry)
  await world.event('sent', (each) => each.index === 1)
  await crash()
  const before = world.events().length
  await world.outside(orders(order(2, true, '201', '5')))
  await world.startGuard()
  const first = await world.event('risk', (each) => each.seq > before)
  // What is another's is told in that very event.
  expect(first.discrepancies).toEqual([
    "SOL: the venue shows a position of 5 long, Guard's record none",
  ])
  expect(first.open_positions).toBe(2)
})

test('where the stream lists no fills, they are read', async () => {
  world = await World.start()
  await world.ask(entry)
  await world.event('sent', (each) => each.index === 1)
  await crash()
  await world.outside(orders(order(2, true, '201', '5')))
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  await world.startGuard()
  const named = (): readonly string[] => world.discrepancies().map((text) => text.slice(0, 4))
  await world.until(() => named().length > 0, 'the fills')
  expect(named()).toEqual(['SOL:'])
})

test('resting entries keep their stops through a restart', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '3950', '0.2', gtc)))
  await world.until(() => world.guard.status().open_orders === 2, 'the entry and its stop')
  await world.stopGuard()
  // Nobody puts a stop under a part of it that fills now: that is said.
  expect(world.logged.filter(({ level }) => level === 'warn').at(-1)?.['entries']).toEqual([
    expect.stringMatching(/^ETH: buy 0\.2 at 3950, stop /),
  ])
  await world.startGuard()
  expect(world.events('protect')).toEqual([])
  expect(world.guard.status()).toMatchObject({ open_orders: 2, alerts: [] })
})

test('a position that the stream shows before the markets are read is protected at once', async () => {
  world = await World.stopped()
  await world.outside(orders(order(2, true, '201', '5')))
  // No price comes but with the markets, and they come last.
  for (const type of ['allMids', 'activeAssetCtx']) {
    await world.venue.control('fault', { where: 'ws', kind: 'silence', match: { type }, count: 0 })
  }
  const isTold = (): boolean => {
    const request = { type: 'frontendOpenOrders', user: accountAddress }
    return world.guard.accountRead(request) !== null
  }
  await world.startGuard((venue) => ({
    exchange: venue.exchange,
    info: async (request, lane) => {
      const { type } = request as { readonly type: string }
      if (type === 'metaAndAssetCtxs') await world.until(isTold, 'the stream to tell the orders')
      return await venue.info(request, lane)
    },
  }))
  await world.until(() => world.guard.status().positions.every((each) => each.covered), 'cover')
  // One event, and it says what was done: nothing was lacking.
  expect(world.events('protect')).toEqual([
    expect.objectContaining({ coins: ['SOL'], actions: [expect.anything()], problems: [] }),
  ])
})

test('what was spent of the request weight counts on over a stop, and a crash may have spent more', async () => {
  world = await World.start({ weightLimit: 1_200 })
  const used = (): number => world.guard.status().venue.weight_used_1m
  for (let n = 0; n < 50; n += 1) await world.ask(orders(order(1, true, '3000', '0.01', gtc)))
  const first = used()
  expect(first).toBeGreaterThan(150)
  await world.stopGuard()
  await world.buildGuard()
  expect(used()).toBe(first)
  await world.guard.start()
  await world.until(() => world.guard.ready().ok, 'ready')
  expect(used()).toBeGreaterThan(first)
  await crash()
  await world.buildGuard()
  // Its last word was what it had spent by its start; since then bots may have read all they may.
  expect(used()).toBe(840)
  await world.guard.start()
  await world.until(() => world.guard.ready().ok, 'ready')
})
