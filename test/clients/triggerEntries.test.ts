import ccxt from 'ccxt'
import { afterEach, describe, expect, test } from 'vitest'
import { account, clientKey, Rig } from './rig.fixture.ts'

const symbol = 'ETH/USDC:USDC'
let rig: Rig
afterEach(() => rig.close())

/** ccxt as a bot has it, pointed at Guard. */
function exchange(): any {
  const urls = { api: { public: rig.url, private: rig.url } }
  return new ccxt.hyperliquid({
    ...{ walletAddress: account, privateKey: clientKey, urls, enableRateLimit: false },
  } as never)
}

describe('a breakout entry of ccxt', () => {
  test('rests, fires, and is covered by the stop that Guard kept', async () => {
    rig = await Rig.start({ rules: ['trigger_entries = "watched"'] })
    const made = await exchange().createOrder(symbol, 'market', 'buy', 0.1, 4100, {
      triggerPrice: 4100,
    })
    expect(made.id).toMatch(/^\d+$/)
    await rig.settle()
    const [waiting] = await rig.openOrders()
    expect(waiting).toMatchObject({ isTrigger: true, reduceOnly: false, triggerPx: '4100.0' })
    // 4100 with the 0.5% of max_distance_from_mid, in place of the 5% that ccxt adds.
    expect(waiting.limitPx).toBe('4120.5')
    expect((await rig.get('/guard/status')).risk.waiting_loss).toBe('41.205')
    await rig.venue.control('price', { coin: 'ETH', mid: '4105' })
    await rig.until(async () => {
      const [position] = (await rig.get('/guard/status')).positions
      return position?.covered === true
    }, 'the position to be covered')
    const [stop] = await rig.openOrders()
    expect(stop).toMatchObject({ isTrigger: true, reduceOnly: true, sz: '0.1' })
    expect(Number(stop.triggerPx)).toBeCloseTo(4120.5 * 0.98, 0)
  })

  test('is told what is missing where it was meant to protect', async () => {
    rig = await Rig.start()
    const made = exchange().createOrder(symbol, 'market', 'sell', 0.1, 3900, {
      stopLossPrice: 3900,
    })
    await expect(made).rejects.toThrow(/unsupported_order.*its reduce-only flag is missing/)
  })
})
