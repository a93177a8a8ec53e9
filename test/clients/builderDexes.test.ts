import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { SymbolConverter } from '@nktkas/hyperliquid/utils'
import ccxt from 'ccxt'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import type { Driver } from './bot.ts'
import { ccxtDrivers } from './drivers/ccxt.ts'
import { nktkasDrivers } from './drivers/nktkas.ts'
import { python, pythonDriver, pythonSkipped } from './drivers/python.ts'
import { account, clientKey, Rig } from './rig.fixture.ts'
import { Run } from './steps.ts'
import { keepResult } from './suite.ts'

let rig: Rig
afterEach(() => rig.close())

const market = (name: string, mid: string) => ({ name, szDecimals: 3, maxLeverage: 10, mid })
const xyz = { name: 'xyz', markets: [market('HOOD', '100'), market('TSLA', '400')] }

const start = async (rules: readonly string[] = ['markets = ["*", "xyz:*"]']): Promise<void> => {
  rig = await Rig.start({ rules, dexes: [xyz], account: { dex_equity: { xyz: '3000' } } })
  await rig.until(
    async () => (await rig.get('/guard/status')).risk.equity === '13000',
    'Guard to see both dexes',
  )
}
const held = async (): Promise<any> => (await rig.get('/guard/status')).positions[0]
const covered = async (): Promise<void> => {
  await rig.until(async () => (await held())?.covered === true, 'the position to be covered')
}
const flat = async (): Promise<void> => {
  await rig.until(async () => (await held()) === undefined, 'flat')
}
const answered = async (): Promise<void> => {
  const inFlight = async () => (await rig.get('/guard/status')).in_flight
  await rig.until(async () => (await inFlight()) === 0, 'nothing on its way')
}

/** What one client did on the dex, for the page that is made of it. */
class Told {
  readonly #driver: Driver
  readonly #how: string
  readonly #rows: unknown[] = []

  constructor(driver: Driver | undefined, how: string) {
    this.#driver = driver as Driver
    this.#how = how
  }

  /** A step, and when it is over; gives back what the client told its bot. */
  async step<T>(name: string, bot: string, ask: () => Promise<T>, over = answered): Promise<T> {
    const since = (await rig.get('/guard/status')).last_seq
    const logged = (await rig.venue.log()).length
    const answer = await ask()
    await over()
    await rig.until(async () => {
      const [events, venue] = [
        (await rig.get(`/guard/events?since=${String(since)}`)) as any[],
        (await rig.venue.log()).slice(logged),
      ]
      const sent = new Set(events.flatMap(({ kind, nonce }) => (kind === 'sent' ? [nonce] : [])))
      const run = new Run(rig, this.#driver, null as never)
      const decisions = run.asked({ decisions: events.filter(({ kind }) => kind === 'decision') })
      if (decisions.length === 0 || !venue.every(({ nonce }) => sent.has(nonce))) return false
      const got = run.got({ decisions, events, venue })
      const guard = decisions.map(({ verdict, code }) => `${verdict} \`${code}\``).join(', ')
      this.#rows.push({ step: name, bot, guard, venue: got.join('; ') || 'nothing' })
      return true
    }, `${name} to be on record`)
    return answer
  }

  keep(): void {
    const { client, version } = this.#driver
    const how = this.#how
    keepResult(`dex ${client}`, { dexes: { client, version, how, steps: this.#rows } })
  }
}

/** ccxt as a bot has it, pointed at Guard. */
function ccxtBot(): any {
  const urls = { api: { public: rig.url, private: rig.url } }
  const options = { fetchMarkets: { types: ['swap', 'hip3'], hip3: { dexes: ['xyz'] } } }
  return new ccxt.hyperliquid({
    ...{ walletAddress: account, privateKey: clientKey, urls, options, enableRateLimit: false },
  } as never)
}

test('ccxt trades a market of a builder dex, cut by its gap, and closes it', async () => {
  await start()
  const bot = ccxtBot()
  const symbol = 'XYZ-TSLA/USDC:USDC'
  const how = "options: { fetchMarkets: { types: ['swap', 'hip3'], hip3: { dexes: ['xyz'] } } }"
  const told = new Told(ccxtDrivers[0], how)
  const params = { leverage: 3 }
  await told.step('isolated leverage 3', 'accepted', () =>
    bot.setMarginMode('isolated', symbol, params),
  )
  const buy = () => bot.createOrder(symbol, 'market', 'buy', 10, 400)
  await told.step('market entry of 10 TSLA', 'filled: 2.882', buy, covered)
  expect(await held()).toMatchObject({ coin: 'xyz:TSLA', size: '2.882', margin: 'isolated' })
  const [position] = await bot.fetchPositions([symbol])
  expect(position).toMatchObject({ symbol, contracts: 2.882, side: 'long' })
  const sell = () => bot.createOrder(symbol, 'market', 'sell', 2.882, 400, { reduceOnly: true })
  await told.step('close', 'filled: 2.882', sell, flat)
  told.keep()
})

test('ccxt is told what to put into markets where the dex is not named', async () => {
  await start([])
  const made = ccxtBot().createOrder('XYZ-TSLA/USDC:USDC', 'market', 'buy', 1, 400)
  await expect(made).rejects.toThrow(/dex_not_allowed.*xyz:\*/)
})

test('nktkas trades a market of a builder dex by its symbol, and closes it', async () => {
  await start()
  const told = new Told(nktkasDrivers[0], 'SymbolConverter.create({ transport, dexs: true })')
  const transport = new HttpTransport({ apiUrl: rig.url, isTestnet: true })
  const symbols = await SymbolConverter.create({ transport, dexs: true })
  const a = symbols.getAssetId('xyz:TSLA') as number
  const wallet = privateKeyToAccount(clientKey)
  const exchange = new ExchangeClient({ transport, wallet })
  const t = { limit: { tif: 'Ioc' } } as const
  await told.step('isolated leverage 3', 'accepted', () =>
    exchange.updateLeverage({ asset: a, isCross: false, leverage: 3 }),
  )
  const entry = { a, b: true, p: '410', s: '10', r: false, t }
  const buy = () => exchange.order({ orders: [entry], grouping: 'na' })
  await told.step('market entry of 10 TSLA', 'filled: 2.882', buy, covered)
  expect(await held()).toMatchObject({ coin: 'xyz:TSLA', size: '2.882', margin: 'isolated' })
  const info = new InfoClient({ transport })
  const { assetPositions } = await info.clearinghouseState({ user: account, dex: 'xyz' })
  expect(assetPositions[0]?.position).toMatchObject({ coin: 'xyz:TSLA', szi: '2.882' })
  const exit = { a, b: false, p: '385', s: '2.882', r: true, t }
  const sell = () => exchange.order({ orders: [exit], grouping: 'na' })
  await told.step('close', 'filled: 2.882', sell, flat)
  told.keep()
})

test.skipIf(python === null)(
  `the official Python SDK opens and closes by the market's name (${pythonSkipped})`,
  async () => {
    await start()
    const script = join(import.meta.dirname, 'drivers', 'python_dex.py')
    const run = async (wish: string): Promise<any> => {
      const args = [script, rig.url, clientKey, account, wish]
      return JSON.parse((await promisify(execFile)(python ?? '', args)).stdout)
    }
    const told = new Told(
      pythonDriver(),
      "Info(GUARD, perp_dexs=['', 'xyz']); Exchange(.., perp_dexs=['', 'xyz'])",
    )
    const leverage = await told.step('isolated leverage 3', 'accepted', () => run('leverage'))
    expect(leverage.status).toBe('ok')
    const opened = await told.step(
      ...(['market entry of 10 TSLA', 'filled: 2.882', () => run('open'), covered] as const),
    )
    expect(opened.response.data.statuses[0].filled.totalSz).toBe('2.882')
    const [seen] = (await run('held')).assetPositions
    expect(seen.position).toMatchObject({ coin: 'xyz:TSLA', szi: '2.882' })
    const closed = await told.step('close', 'filled: 2.882', () => run('close'), flat)
    expect(closed.response.data.statuses[0].filled.totalSz).toBe('2.882')
    told.keep()
  },
)
