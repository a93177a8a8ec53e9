import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'

/** An ordinary bot on an ordinary client: only the URL and the key are Guard's. */
export interface DemoBot {
  marketBuy(asset: number, price: string, size: string): Promise<string>
  limitBuyWithStop(
    asset: number,
    price: string,
    size: string,
    stop: string,
    stopLimit: string,
  ): Promise<string>
  withdraw(amount: string): Promise<string>
  /** Cancels the first stop that rests for the account. */
  cancelAStop(account: string, coin: string, asset: number): Promise<string>
  rush(asset: number, price: string, size: string, count: number): Promise<string>
}

export function createDemoBot(guardUrl: string, key: string): DemoBot {
  const transport = new HttpTransport({ apiUrl: guardUrl, isTestnet: true })
  const wallet = privateKeyToAccount(key as `0x${string}`)
  const exchange = new ExchangeClient({ transport, wallet })
  const info = new InfoClient({ transport })
  const buy = (asset: number, price: string, size: string): Promise<unknown> =>
    exchange.order({
      orders: [{ a: asset, b: true, p: price, s: size, r: false, t: { limit: { tif: 'Ioc' } } }],
      grouping: 'na',
    })
  return {
    marketBuy: (asset, price, size) => said(() => buy(asset, price, size)),
    limitBuyWithStop: (asset, price, size, stop, stopLimit) =>
      said(() =>
        exchange.order({
          orders: [
            { a: asset, b: true, p: price, s: size, r: false, t: { limit: { tif: 'Gtc' } } },
            {
              a: asset,
              b: false,
              p: stopLimit,
              s: size,
              r: true,
              t: { trigger: { isMarket: true, triggerPx: stop, tpsl: 'sl' } },
            },
          ],
          grouping: 'normalTpsl',
        }),
      ),
    withdraw: (amount) => said(() => exchange.withdraw3({ destination: wallet.address, amount })),
    cancelAStop: async (account, coin, asset) => {
      const orders = await info.frontendOpenOrders({ user: account as `0x${string}` })
      const stop = orders.find((order) => order.coin === coin && order.isTrigger)
      if (stop === undefined) return 'found no stop to cancel'
      return said(() => exchange.cancel({ cancels: [{ a: asset, o: stop.oid }] }))
    },
    rush: async (asset, price, size, count) => {
      const answers = await Promise.all(
        Array.from({ length: count }, () => said(() => buy(asset, price, size))),
      )
      const refused = answers.filter((answer) => answer.startsWith('refused')).length
      return `${count - refused} accepted, ${refused} refused`
    },
  }
}

/** What the bot is told, in its client's own words. */
async function said(ask: () => Promise<unknown>): Promise<string> {
  try {
    const reply = await ask()
    return `accepted: ${JSON.stringify((reply as { response: { data: unknown } }).response.data)}`
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : String(error)}`
  }
}
