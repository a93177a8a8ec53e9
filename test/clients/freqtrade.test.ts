import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import ccxt from 'ccxt'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { account, clientKey, Rig } from './rig.fixture.ts'
import { summary } from './steps.ts'
import { keepResult } from './suite.ts'

const root = resolve(import.meta.dirname, '..', '..')
const freqtrade = process.env['GUARD_FREQTRADE'] ?? join(root, '.venv-freqtrade', 'bin', 'python')
const flow = join(import.meta.dirname, 'drivers', 'freqtrade_flow.py')
const symbol = 'ETH/USDC:USDC'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.start()
})
afterEach(() => rig.close())

async function decisions(): Promise<[action: string, code: string][]> {
  const events: any[] = await rig.get('/guard/events')
  return events
    .filter(({ kind }) => kind === 'decision')
    .map(({ action, code }): [string, string] => [action, code])
    .filter(([action]) => action !== 'approveBuilderFee' && action !== 'setReferrer')
}

const venueGot = async (): Promise<string[]> =>
  (await rig.venue.log()).map(({ action }) => summary(action))

/** One trade as Freqtrade does it: it sets the leverage before each order that may open. */
const oneTrade: readonly (readonly [action: string, code: string])[] = [
  ['updateLeverage', 'allowed'],
  ['order', 'resized'],
  ['updateLeverage', 'allowed'],
  ['order', 'allowed'],
  ['cancel', 'allowed'],
  ['updateLeverage', 'allowed'],
  ['order', 'allowed'],
]

test('its order flow through ccxt: leverage, entry, stop-limit on exchange, cancel and replace', async () => {
  const exchange: any = new ccxt.hyperliquid({
    walletAddress: account,
    privateKey: clientKey,
    urls: { api: { public: rig.url, private: rig.url } } as any,
    enableRateLimit: false,
  })
  await exchange.loadMarkets()
  const leverage = (): Promise<unknown> =>
    exchange.setLeverage(3, symbol, { marginMode: 'isolated' })
  const stop = async (at: number): Promise<any> => {
    await leverage()
    const params = { stopPrice: at, reduceOnly: true }
    return exchange.createOrder(symbol, 'limit', 'sell', 0.1, at * 0.99, params)
  }
  await leverage()
  const bought = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 4010, {
    timeInForce: 'GTC',
  })
  expect(bought.filled).toBe(0.1)
  const first = await stop(3950)
  expect((await exchange.fetchOrder(first.id, symbol)).status).toBe('open')
  await exchange.cancelOrder(first.id, symbol)
  const second = await stop(3960)
  expect(second.id).not.toBe(first.id)
  await rig.settle()
  expect(await decisions()).toEqual(oneTrade)
  expect(await venueGot()).toEqual([
    'updateLeverage',
    'order buy + sl',
    'updateLeverage',
    'order sl',
    'cancel',
    'updateLeverage',
    'order sl',
  ])
  // A stop-limit may trigger and not fill: Guard's own market stop stays beside it.
  const stops = (await rig.openOrders()).map(({ orderType, triggerPx }) => [orderType, triggerPx])
  expect(stops.sort()).toEqual([
    ['Stop Limit', '3960.0'],
    ['Stop Market', '3920.0'],
  ])
})

const reason = 'needs scripts/clients-freqtrade.sh, or an interpreter named in GUARD_FREQTRADE'

describe.skipIf(!existsSync(freqtrade))(`Freqtrade itself (${reason})`, () => {
  const run = async (mode: 'dry' | 'live'): Promise<any> => {
    const { stdout } = await promisify(execFile)(freqtrade, [
      flow,
      rig.url,
      clientKey,
      account,
      mode,
    ])
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  }

  test('dry: it reads through Guard, and sends nothing', async () => {
    const seen = await run('dry')
    expect(seen).toMatchObject({
      markets: ['BTC/USDC:USDC', symbol],
      entry: { status: 'closed', filled: 0.1 },
    })
    expect(await decisions()).toEqual([])
    expect(await venueGot()).toEqual([])
    keepResult('freqtrade', { freqtrade: seen.version })
  })

  test('live: one trade with its stop on the exchange', async () => {
    const seen = await run('live')
    expect(seen).toMatchObject({
      balance: 10_000,
      entry: { filled: 0.1 },
      position: 0.1,
      stop: 'open',
      cancelled: 'canceled',
      replaced: 'open',
      refused: expect.stringContaining('Guard veto [below_minimum]'),
      exit: { filled: 0.1 },
    })
    expect(await decisions()).toEqual([
      ...oneTrade,
      ['updateLeverage', 'allowed'],
      ['order', 'below_minimum'],
      ['cancel', 'allowed'],
      ['order', 'allowed'],
    ])
    expect(await rig.held('ETH')).toBe(0)
  })
})
