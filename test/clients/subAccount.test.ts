import { ExchangeClient, HttpTransport } from '@nktkas/hyperliquid'
import ccxt from 'ccxt'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { account, clientKey, owner, Rig } from './rig.fixture.ts'

/** Clients that trade a sub-account, each in its own way of naming it. */

const symbol = 'ETH/USDC:USDC'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.start({ isSubAccount: true })
})
afterEach(async () => {
  await rig.close()
})

/** What reached the venue was for the sub-account, and left its owner alone. */
async function expectTraded(size: string | null): Promise<void> {
  const log = await rig.venue.log()
  expect(log.length).toBeGreaterThan(0)
  for (const each of log) expect(each).toMatchObject({ vaultAddress: account, user: account })
  const [own, master] = [await rig.venue.state(account), await rig.venue.state(owner)]
  expect(own.clearinghouseState.assetPositions.map((each: any) => each.position.szi)).toEqual(
    size === null ? [] : [size],
  )
  expect(master.clearinghouseState.assetPositions).toEqual([])
}

test.each([
  ['names it', account as `0x${string}`],
  ['does not name it', undefined],
])('nktkas %s: leverage, entry, cancel, close', async (_, defaultVaultAddress) => {
  const exchange = new ExchangeClient({
    transport: new HttpTransport({ apiUrl: rig.url }),
    wallet: privateKeyToAccount(clientKey),
    ...(defaultVaultAddress === undefined ? {} : { defaultVaultAddress }),
  })
  const send = (b: boolean, p: string, r: boolean, tif: 'Ioc' | 'Gtc') =>
    exchange.order({
      orders: [{ a: 1, b, p, s: '0.1', r, t: { limit: { tif } } }],
      grouping: 'na',
    })
  await exchange.updateLeverage({ asset: 1, isCross: false, leverage: 3 })
  await send(true, '4010', false, 'Ioc')
  await rig.settle()
  await expectTraded('0.1')
  const resting: any = await send(true, '3900', false, 'Gtc')
  const o = resting.response.data.statuses[0].resting.oid
  await exchange.cancel({ cancels: [{ a: 1, o }] })
  await send(false, '3900', true, 'Ioc')
  await rig.settle()
  await expectTraded(null)
})

test('nktkas that names another account is refused', async () => {
  const exchange = new ExchangeClient({
    transport: new HttpTransport({ apiUrl: rig.url }),
    wallet: privateKeyToAccount(clientKey),
    defaultVaultAddress: owner as `0x${string}`,
  })
  const order = { a: 1, b: true, p: '4010', s: '0.1', r: false } as const
  await expect(
    exchange.order({ orders: [{ ...order, t: { limit: { tif: 'Ioc' } } }], grouping: 'na' }),
  ).rejects.toThrow(/vault/)
  expect(await rig.venue.log()).toEqual([])
})

test('ccxt names it without its prefix: entry, cancel, close', async () => {
  const kind: any = ccxt.hyperliquid
  const exchange = new kind({
    walletAddress: account,
    privateKey: clientKey,
    urls: { api: { public: rig.url, private: rig.url } },
    options: { vaultAddress: account },
    enableRateLimit: false,
  })
  await exchange.loadMarkets()
  await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 4010, { timeInForce: 'IOC' })
  await rig.settle()
  await expectTraded('0.1')
  const resting = await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 3900)
  await exchange.cancelOrder(resting.id, symbol)
  await exchange.createOrder(symbol, 'market', 'sell', 0.1, 4000, { reduceOnly: true })
  await rig.settle()
  await expectTraded(null)
})
