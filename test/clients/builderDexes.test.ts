import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { SymbolConverter } from '@nktkas/hyperliquid/utils'
import ccxt from 'ccxt'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { python, pythonSkipped } from './drivers/python.ts'
import { account, clientKey, Rig } from './rig.fixture.ts'

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
  await bot.createOrder(symbol, 'market', 'buy', 10, 400)
  await covered()
  expect(await held()).toMatchObject({ coin: 'xyz:TSLA', size: '2.882', margin: 'isolated' })
  const [position] = await bot.fetchPositions([symbol])
  expect(position).toMatchObject({ symbol, contracts: 2.882, side: 'long' })
  await bot.createOrder(symbol, 'market', 'sell', 2.882, 400, { reduceOnly: true })
  await flat()
})

test('ccxt is told what to put into markets where the dex is not named', async () => {
  await start([])
  const made = ccxtBot().createOrder('XYZ-TSLA/USDC:USDC', 'market', 'buy', 1, 400)
  await expect(made).rejects.toThrow(/dex_not_allowed.*xyz:\*/)
})

test('nktkas trades a market of a builder dex by its symbol, and closes it', async () => {
  await start()
  const transport = new HttpTransport({ apiUrl: rig.url, isTestnet: true })
  const symbols = await SymbolConverter.create({ transport, dexs: true })
  const a = symbols.getAssetId('xyz:TSLA') as number
  const wallet = privateKeyToAccount(clientKey)
  const exchange = new ExchangeClient({ transport, wallet })
  const t = { limit: { tif: 'Ioc' } } as const
  await exchange.order({
    ...{ orders: [{ a, b: true, p: '410', s: '10', r: false, t }], grouping: 'na' },
  })
  await covered()
  expect(await held()).toMatchObject({ coin: 'xyz:TSLA', size: '2.882', margin: 'isolated' })
  const info = new InfoClient({ transport })
  const { assetPositions } = await info.clearinghouseState({ user: account, dex: 'xyz' })
  expect(assetPositions[0]?.position).toMatchObject({ coin: 'xyz:TSLA', szi: '2.882' })
  await exchange.order({
    ...{ orders: [{ a, b: false, p: '385', s: '2.882', r: true, t }], grouping: 'na' },
  })
  await flat()
})

test.skipIf(python === null)(
  `the official Python SDK opens and closes by the market's name (${pythonSkipped})`,
  async () => {
    await start()
    const script = join(import.meta.dirname, 'drivers', 'python_dex.py')
    const { stdout } = await promisify(execFile)(python ?? '', [
      script,
      rig.url,
      clientKey,
      account,
    ])
    const { leverage, opened, held: seen, closed } = JSON.parse(stdout)
    expect(leverage.status).toBe('ok')
    expect(opened.response.data.statuses[0].filled.totalSz).toBe('2.882')
    expect(seen[0].position).toMatchObject({ coin: 'xyz:TSLA', szi: '2.882' })
    expect(closed.response.data.statuses[0].filled.totalSz).toBe('2.882')
    await flat()
  },
)
