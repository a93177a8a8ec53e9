import { ExchangeClient, HttpTransport } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSimulator } from './simulator.ts'
import type { Simulator } from './simulatorOptions.ts'

/** The example of docs/simulator.md, so that it stays true. */
const key = '0x0123456789012345678901234567890123456789012345678901234567890123'
const wallet = privateKeyToAccount(key)

let simulator: Simulator
beforeAll(async () => {
  simulator = await startSimulator({ port: 0, control: true })
})
afterAll(() => simulator.close())

const control = (path: string, body: unknown): Promise<any> =>
  fetch(`${simulator.url}/sim/${path}`, { method: 'POST', body: JSON.stringify(body) }).then((r) =>
    r.json(),
  )

test('the stop closes the position when the price falls', async () => {
  await control('reset', {
    frozen: true,
    markets: [{ name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2486.35' }],
    accounts: [{ address: wallet.address, equity: '10000' }],
  })
  const transport = new HttpTransport({ apiUrl: simulator.url, isTestnet: true })
  const bot = new ExchangeClient({ transport, wallet })
  await bot.order({
    orders: [
      { a: 0, b: true, p: '2500', s: '1', r: false, t: { limit: { tif: 'Ioc' } } },
      {
        ...{ a: 0, b: false, p: '2000', s: '1', r: true },
        t: { trigger: { isMarket: true, triggerPx: '2400', tpsl: 'sl' } },
      },
    ],
    grouping: 'normalTpsl',
  })
  const state = async (): Promise<any> =>
    (await fetch(`${simulator.url}/sim/state?user=${wallet.address}`)).json()
  expect((await state()).clearinghouseState.assetPositions).toHaveLength(1)
  await control('price', { coin: 'ETH', mid: '2399' })
  expect((await state()).clearinghouseState.assetPositions).toEqual([])
})
