import ccxt from 'ccxt'
import { afterEach, expect, test } from 'vitest'
import { account, clientKey, Rig } from './rig.fixture.ts'

const symbol = 'HYPE/USDC'
let rig: Rig
afterEach(() => rig.close())

const held = { account: { spot: [{ coin: 'HYPE', total: '20' }] } }

/** ccxt as a bot has it, pointed at Guard. */
function exchange(): any {
  const urls = { api: { public: rig.url, private: rig.url } }
  return new ccxt.hyperliquid({
    ...{ walletAddress: account, privateKey: clientKey, urls, enableRateLimit: false },
  } as never)
}

async function hype(): Promise<any> {
  const { spotClearinghouseState } = await rig.venue.state(account)
  return spotClearinghouseState.balances.find(({ coin }: any) => coin === 'HYPE')
}

test('ccxt sells what the account holds of a token, and no more', async () => {
  rig = await Rig.start({ rules: ['spot = "sell"'], ...held })
  const bot = exchange()
  const made = await bot.createOrder(symbol, 'limit', 'sell', 8, 32)
  expect(made.id).toMatch(/^\d+$/)
  expect(await hype()).toMatchObject({ total: '20.0', hold: '8.0' })
  await bot.cancelOrder(made.id, symbol)
  await rig.until(async () => (await hype()).hold === '0.0', 'the hold to end')
  await bot.createOrder(symbol, 'market', 'sell', 5, 30)
  expect(await hype()).toMatchObject({ total: '15.0' })
  await expect(bot.createOrder(symbol, 'limit', 'buy', 1, 29)).rejects.toThrow('unsupported_market')
})

test('without the rule it is told that spot is refused', async () => {
  rig = await Rig.start(held)
  const made = exchange().createOrder(symbol, 'limit', 'sell', 8, 32)
  await expect(made).rejects.toThrow('unsupported_market')
})
