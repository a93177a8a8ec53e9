import ccxt from 'ccxt'
import { WebSocket } from 'ws'
import { afterEach, describe, expect, test } from 'vitest'
import { signed } from '../../lab/sim/simulator.fixture.ts'
import type { Json } from '../../src/core/protocol/action.ts'
import { account, clientKey, Rig } from './rig.fixture.ts'
import { summary } from './steps.ts'

/**
 * Frameworks that are too large to install for a test: what they send, written here in the shapes in
 * which they send it, and Passivbot's calls through the ccxt that it uses.
 */

let rig: Rig
afterEach(() => rig.close())

const cloid = (last: string): string => `0x${last.padStart(32, '0')}`
const foundation = `0x${'f0'.repeat(20)}`

type Fields = { readonly [key: string]: Json }

/** What the venue was sent since, in a few words, without what Guard did by itself. */
async function reached(since: number): Promise<string[]> {
  await rig.settle()
  return (await rig.venue.log()).slice(since).map(({ action }) => summary(action))
}

async function post(path: string, body: unknown): Promise<any> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${rig.url}${path}`, {
    ...{ method: 'POST', headers, body: JSON.stringify(body) },
  })
  expect(answer.status).toBe(200)
  return await answer.json()
}

const ask = (type: string, more: Fields = {}): Promise<any> => post('/info', { type, ...more })

/** The first status of an answer that was no refusal. */
function statusOf(reply: any): any {
  expect(reply).toMatchObject({ status: 'ok' })
  return reply.response.data?.statuses?.[0] ?? reply.response.type
}

describe('Hummingbot', () => {
  /** Signed as Python signs: without leading zeros, and with a vault address that may be null. */
  function body(action: Json, vaultAddress: string | null = null): Fields {
    const plain = signed(action, {
      ...{ key: clientKey, network: 'mainnet' },
      ...(vaultAddress === null ? {} : { vaultAddress }),
    })
    const { r, s, v } = plain['signature'] as { r: string; s: string; v: number }
    const short = (hex: string): string => `0x${hex.slice(2).replace(/^0+/, '')}`
    const { action: sent, nonce } = plain as { action: Json; nonce: number }
    return { action: sent, nonce, signature: { r: short(r), s: short(s), v }, vaultAddress }
  }
  const order = (tif: string, b: boolean, p: string, r: boolean, c: string): Json => ({
    type: 'order',
    orders: [{ a: 1, b, p, s: '0.1', r, t: { limit: { tif } }, c }],
    grouping: 'na',
    builder: { b: foundation, f: 10 },
  })
  const leverage: Json = { type: 'updateLeverage', asset: 1, isCross: true, leverage: 5 }
  const send = (action: Json, vault: string | null = null): Promise<any> =>
    post('/exchange', body(action, vault))

  test('what it asks at its start and in every round is answered', async () => {
    rig = await Rig.start()
    expect((await ask('meta')).universe.length).toBeGreaterThan(2)
    expect(await ask('metaAndAssetCtxs')).toHaveLength(2)
    expect((await ask('allPerpMetas'))[0].universe[1].name).toBe('ETH')
    expect(await ask('userAbstraction', { user: account })).toBe('disabled')
    expect(await ask('extraAgents', { user: account })).toEqual(expect.any(Array))
    const fee = { user: account, builder: foundation }
    expect(await ask('maxBuilderFee', fee)).toEqual(expect.any(Number))
    expect(await ask('clearinghouseState', { user: account })).toHaveProperty('withdrawable')
    expect(await ask('spotClearinghouseState', { user: account })).toHaveProperty('balances')
    expect(await ask('userFills', { user: account })).toEqual([])
    const unknown = await ask('orderStatus', { user: account, oid: cloid('1') })
    expect(unknown).toEqual({ status: 'unknownOid' })
  })

  test('trades on cross margin, which is all it sets', async () => {
    rig = await Rig.start({ rules: ['margin = "cross"'] })
    expect(statusOf(await send(leverage))).toBe('default')
    const limit = statusOf(await send(order('Gtc', true, '3900', false, cloid('a1'))))
    expect(limit.resting).toMatchObject({ cloid: cloid('a1') })
    expect(await ask('orderStatus', { user: account, oid: cloid('a1') })).toMatchObject({
      order: { status: 'open' },
    })
    const cancels = [{ asset: 1, cloid: cloid('a1') }]
    expect(statusOf(await send({ type: 'cancelByCloid', cancels }))).toBe('success')
    const maker = statusOf(await send(order('Alo', true, '3900', false, cloid('a2'))))
    expect(maker).toHaveProperty('resting')
    const before = (await rig.venue.log()).length
    const market = statusOf(await send(order('Ioc', true, '4200', false, cloid('a3'))))
    expect(market.filled).toMatchObject({ totalSz: '0.1' })
    expect(await reached(before)).toEqual(['order buy + sl'])
    const close = statusOf(await send(order('Ioc', false, '3800', true, cloid('a4'))))
    expect(close.filled).toMatchObject({ totalSz: '0.1' })
    // A builder that the configuration does not name is paid nothing.
    for (const { action } of await rig.venue.log()) expect(action).not.toHaveProperty('builder')
  })

  test('is told why its leverage is refused where the rules say isolated', async () => {
    rig = await Rig.start()
    expect(await send(leverage)).toMatchObject({
      status: 'err',
      response: expect.stringContaining('Guard veto [cross_margin]'),
    })
    expect(await rig.venue.log()).toEqual([])
  })

  test('trades a sub-account as its vault', async () => {
    rig = await Rig.start({ isSubAccount: true })
    const market = statusOf(await send(order('Ioc', true, '4200', false, cloid('b1')), account))
    expect(market.filled).toMatchObject({ totalSz: '0.1' })
    for (const each of await rig.venue.log()) expect(each).toMatchObject({ user: account })
  })
})

describe('NautilusTrader', () => {
  const body = (action: Json): Fields => signed(action, { key: clientKey, network: 'mainnet' })
  const limit = (tif: string): Json => ({ limit: { tif } })
  const trigger = (tpsl: string, triggerPx: string): Json => ({
    trigger: { isMarket: true, triggerPx, tpsl },
  })
  const order = (b: boolean, p: string, r: boolean, t: Json, c: string): Json => ({
    ...{ a: 1, b, p, s: '0.1', r, t, c },
  })
  const orders = (grouping: string, ...list: Json[]): Json => ({
    ...{ type: 'order', orders: list, grouping, builder: { b: foundation, f: 1 } },
  })

  /** One of its two ways in; both answer with the body of HTTP. */
  async function over(way: 'http' | 'ws', action: Json): Promise<any> {
    if (way === 'http') return await post('/exchange', body(action))
    const socket = new WebSocket(rig.wsUrl)
    await new Promise((opened) => socket.once('open', opened))
    const request = { type: 'action', payload: body(action) }
    socket.send(JSON.stringify({ method: 'post', id: 1, request }))
    const [frame] = await new Promise<Buffer[]>((came) =>
      socket.once('message', (data: Buffer) => came([data])),
    )
    socket.terminate()
    return JSON.parse(String(frame)).data.response.payload
  }

  test.each(['http', 'ws'] as const)('orders, stops, brackets and cancels over %s', async (way) => {
    rig = await Rig.start()
    const entry = order(true, '3900', false, limit('Gtc'), cloid('c1'))
    const placed = statusOf(await over(way, orders('na', entry)))
    expect(placed.resting).toMatchObject({ cloid: cloid('c1') })
    const moved = order(true, '3890', false, limit('Gtc'), cloid('c2'))
    const modify = { type: 'modify', oid: placed.resting.oid, order: moved }
    expect(await over(way, modify)).toMatchObject({ status: 'ok' })
    await rig.settle()
    const cancels = [{ asset: 1, cloid: cloid('c2') }]
    expect(statusOf(await over(way, { type: 'cancelByCloid', cancels }))).toBe('success')
    const market = order(true, '4200', false, limit('Ioc'), cloid('c3'))
    expect(statusOf(await over(way, orders('na', market)))).toHaveProperty('filled')
    await rig.settle()
    // Its market stops have half a percent of room: Guard gives them a tenth.
    const stop = order(false, '3930', true, trigger('sl', '3950'), cloid('c4'))
    expect(statusOf(await over(way, orders('na', stop)))).toHaveProperty('resting')
    await rig.settle()
    const [resting] = (await rig.openOrders()).filter(({ triggerPx }) => triggerPx === '3950.0')
    expect(Number(resting.limitPx)).toBeLessThanOrEqual(3950 * 0.9)
    const close = order(false, '3800', true, limit('Ioc'), cloid('c5'))
    expect(statusOf(await over(way, orders('na', close)))).toHaveProperty('filled')
    await rig.settle()
    const before = (await rig.venue.log()).length
    const bracket = orders(
      'normalTpsl',
      order(true, '3900', false, limit('Gtc'), cloid('d1')),
      order(false, '4279', true, trigger('tp', '4300'), cloid('d2')),
      order(false, '3781', true, trigger('sl', '3800'), cloid('d3')),
    )
    expect(await over(way, bracket)).toMatchObject({ status: 'ok' })
    expect(await reached(before)).toEqual(['order buy + tp + sl'])
  })

  test('a stop that enters is refused with its reason, or waits where the rules let it', async () => {
    rig = await Rig.start()
    const breakout = order(true, '4121', false, trigger('sl', '4100'), cloid('e1'))
    expect(await over('http', orders('na', breakout))).toMatchObject({
      status: 'err',
      response: expect.stringContaining('Guard veto [unsupported_order]'),
    })
    await rig.close()
    rig = await Rig.start({ rules: ['trigger_entries = "watched"'] })
    expect(statusOf(await over('http', orders('na', breakout)))).toHaveProperty('resting')
  })
})

describe('Passivbot, by the calls that it makes of ccxt', () => {
  const symbol = 'ETH/USDC:USDC'
  /** As it makes its session: an address of its own, swaps alone. */
  function session(): any {
    const kind: any = ccxt.hyperliquid
    return new kind({
      ...{ walletAddress: account, privateKey: clientKey, enableRateLimit: false },
      urls: { api: { public: rig.url, private: rig.url } },
      options: { defaultType: 'swap', fetchMarkets: { types: ['swap'] } },
    })
  }
  const params = (reduceOnly: boolean, last: string): object => ({
    ...{ reduceOnly, timeInForce: 'Alo', clientOrderId: cloid(last) },
  })

  test.each([false, true])('a grid on cross margin, as a vault: %s', async (isVault) => {
    rig = await Rig.start({ rules: ['margin = "cross"'], isSubAccount: isVault })
    const bot = session()
    const more = isVault ? { vaultAddress: account } : {}
    await bot.loadMarkets()
    await bot.setMarginMode('cross', symbol, { leverage: 10, ...more })
    const grid = async (side: string, price: number, isClose: boolean, last: string) =>
      bot.createOrder(symbol, 'limit', side, 0.1, price, { ...params(isClose, last), ...more })
    const entry = await grid('buy', 3990, false, 'a1')
    await grid('buy', 3900, false, 'a2')
    await rig.settle()
    await rig.venue.control('price', { coin: 'ETH', mid: '3985' })
    await rig.until(async () => (await rig.held('ETH')) > 0, 'the entry to fill')
    await rig.settle()
    const exit = await grid('sell', 4050, true, 'a3')
    expect(exit.id).toMatch(/^\d+$/)
    expect(entry.id).not.toBe(exit.id)
    await bot.cancelOrder(exit.id, symbol, more)
    await rig.settle()
    const log = await rig.venue.log()
    if (isVault) for (const each of log) expect(each).toMatchObject({ vaultAddress: account })
    const state = (await rig.venue.state(account)).clearinghouseState
    expect(state.assetPositions[0].position.leverage).toMatchObject({ type: 'cross' })
  })

  test('is refused at its first step where the rules say isolated', async () => {
    rig = await Rig.start()
    const bot = session()
    await bot.loadMarkets()
    await expect(bot.setMarginMode('cross', symbol, { leverage: 10 })).rejects.toThrow(
      /Guard veto \[cross_margin\]/,
    )
  })
})
