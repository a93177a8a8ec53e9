import ccxt from 'ccxt'
import type { Bot, Driver, LimitOptions, Seen, Shown, Target } from '../bot.ts'
import { packageVersion } from './nktkas.ts'
import { dead, first, refusal } from './seen.ts'

const symbol = 'ETH/USDC:USDC'

export const ccxtDrivers: readonly Driver[] = (['http', 'ws'] as const).flatMap((via) =>
  (['mainnet', 'testnet'] as const).map((signedAs) => driver(via, signedAs)),
)

function driver(via: 'http' | 'ws', signedAs: 'mainnet' | 'testnet'): Driver {
  const sandbox = signedAs === 'testnet' ? ', sandbox' : ''
  const options = signedAs === 'testnet' ? ', options: { sandboxMode: true }' : ''
  return {
    name: `ccxt ${via === 'http' ? 'REST' : 'pro'}${sandbox}`,
    client: 'ccxt',
    version: packageVersion('ccxt'),
    settings:
      via === 'http'
        ? `urls: { api: { public: GUARD, private: GUARD } }${options}`
        : `urls: { api: { public: GUARD, private: GUARD, ws: { public: GUARD_WS } } }${options}; await exchange.loadHttpProxyAgent()`,
    signedAs,
    via,
    unasked: ['approveBuilderFee', 'setReferrer'],
    overHttp: ['updateLeverage'],
    stopRoom: 0.05,
    lacks: via === 'http' ? { watch: 'streams are of ccxt.pro' } : {},
    open: (target) => open(target, via, signedAs === 'testnet'),
  }
}

async function open(target: Target, via: 'http' | 'ws', sandboxMode: boolean): Promise<Bot> {
  const kind: any = via === 'ws' ? ccxt.pro.hyperliquid : ccxt.hyperliquid
  const exchange = new kind({
    walletAddress: target.account,
    privateKey: target.key,
    urls: {
      api: { public: target.url, private: target.url, ws: { public: target.wsUrl } },
    },
    options: {
      ...(sandboxMode ? { sandboxMode } : {}),
      ...(target.vault === undefined ? {} : { vaultAddress: target.vault }),
    },
    enableRateLimit: false,
  })
  if (via === 'ws') await exchange.loadHttpProxyAgent()
  const suffix = via === 'ws' ? 'Ws' : ''
  const order = (type: string, side: string, size: number, price: number, params: object = {}) =>
    seen(() => exchange[`createOrder${suffix}`](symbol, type, side, size, price, params))
  const edit = (
    id: string,
    type: string,
    side: string,
    size: number,
    price: number,
    params: object,
  ) => seen(() => exchange[`editOrder${suffix}`](id, symbol, type, side, size, price, params))
  const stopLoss = (triggerPrice: number) => ({ stopLoss: { triggerPrice } })
  const buys = (wishes: readonly { size: number; price: number }[]) =>
    wishes.map(({ size, price }) => ({ symbol, type: 'limit', side: 'buy', amount: size, price }))
  return {
    markets: async () => {
      await exchange.loadMarkets()
      return Object.values<any>(exchange.markets)
        .filter(({ swap }) => swap)
        .map(({ base }) => base)
    },
    read: async () => ({
      mid: Number((await exchange.fetchTicker(symbol)).info.midPx),
      equity: (await exchange.fetchBalance())['USDC'].total,
      levels: (await exchange.fetchOrderBook(symbol)).bids.length,
      orders: (await exchange.fetchOpenOrders(symbol)).length,
    }),
    leverage: (value, marginMode) =>
      seen(() => exchange.setLeverage(value, symbol, { marginMode })),
    market: (side, size) => order('market', side, size, 4000),
    limit: (side, size, price, options) => order('limit', side, size, price, extra(options)),
    marketWithStop: (size, stop) => order('market', 'buy', size, 4000, stopLoss(stop)),
    limitWithStop: (size, price, stop) => order('limit', 'buy', size, price, stopLoss(stop)),
    group: (size, price, profit, stop) =>
      order('limit', 'buy', size, price, {
        ...stopLoss(stop),
        takeProfit: { triggerPrice: profit },
      }),
    // The limit of a market stop is worked out from the price given, not from the trigger.
    stop: (size, trigger) =>
      order('market', 'sell', size, trigger, { stopLossPrice: trigger, reduceOnly: true }),
    triggerEntry: (size, triggerPrice) =>
      order('market', 'buy', size, triggerPrice, { triggerPrice }),
    modify: (id, size, price) => edit(id, 'limit', 'buy', size, price, {}),
    modifyStop: (id, size, trigger) =>
      edit(id, 'market', 'sell', size, trigger, { stopLossPrice: trigger, reduceOnly: true }),
    cancel: (id) => seen(() => exchange[`cancelOrder${suffix}`](id, symbol)),
    cancelByCloid: (clientOrderId) =>
      seen(() => exchange[`cancelOrder${suffix}`](undefined, symbol, { clientOrderId })),
    // There is no cancelAllOrders for this venue: ccxt users list and cancel.
    cancelAll: async () => {
      const ids = (await exchange.fetchOpenOrders(symbol)).map(({ id }: any) => id)
      return seen(() => exchange[`cancelOrders${suffix}`](ids, symbol))
    },
    close: (size) => order('market', 'sell', size, 4000, { reduceOnly: true }),
    several: (wishes) => seen(() => exchange[`createOrders${suffix}`](buys(wishes))),
    together: (wishes) =>
      Promise.all(wishes.map(({ size, price }) => order('limit', 'buy', size, price))),
    ...(via === 'ws' ? { watch: () => watch(exchange) } : {}),
    forbidden: forbidden(exchange),
    end: async () => {
      await exchange.close?.()
    },
  }
}

function extra(options: LimitOptions = {}): object {
  const { tif, cloid, reduceOnly } = options
  return {
    ...(tif === 'Alo' ? { postOnly: true } : {}),
    ...(tif === 'Ioc' ? { timeInForce: 'IOC' } : {}),
    ...(cloid === undefined ? {} : { clientOrderId: cloid }),
    ...(reduceOnly === true ? { reduceOnly } : {}),
  }
}

async function watch(exchange: any) {
  const fill = first<number>()
  const book = first<number>()
  const report = (error: unknown): void => {
    if (!/closed/i.test(String(error))) throw error
  }
  const since = Date.now()
  const follow = async (): Promise<void> => {
    for (;;) {
      const trades: any[] = await exchange.watchMyTrades(symbol)
      const fresh = trades.find(({ timestamp }) => timestamp >= since)
      if (fresh !== undefined) return fill.give(fresh.amount)
    }
  }
  follow().catch(report)
  exchange.watchOrders(symbol).catch(report)
  book.give((await exchange.watchOrderBook(symbol)).bids.length)
  await exchange.watchTickers([symbol])
  await exchange.watchBalance()
  // Resolves with the first position, so it is waited for with the fill.
  const positions = exchange.watchPositions([symbol])
  positions.catch(report)
  const both = async (): Promise<number> => {
    await positions
    return fill.came
  }
  return { fill: both, book: () => book.came }
}

function forbidden(exchange: any): Bot['forbidden'] {
  const funds = 'funds_or_permissions'
  const unsupported = 'unsupported_action'
  const say = (name: string, code: string, ask: () => Promise<unknown>) => ({
    name,
    code,
    run: () => seen(ask),
  })
  return [
    say('withdraw', funds, () => exchange.withdraw('USDC', 5, dead)),
    say('move USDC to spot', funds, () => exchange.transfer('USDC', 1, 'swap', 'spot')),
    say('transfer to a sub-account', funds, () => exchange.transfer('USDC', 1, 'main', dead)),
    say('create a sub-account', 'funds_or_permissions', () => exchange.createSubAccount('probe')),
    say('schedule a cancel of everything', 'schedule_cancel', () =>
      exchange.cancelAllOrdersAfter(60_000),
    ),
    say('a TWAP order', unsupported, () =>
      exchange.createTwapOrder(symbol, 'buy', 1, 300_000, { randomize: false }),
    ),
    say('an order for a vault', 'vault', () =>
      exchange.createOrder(symbol, 'limit', 'buy', 0.1, 3900, { vaultAddress: dead }),
    ),
    say('an order with a stranger’s key', 'auth_unknown_signer', async () => {
      const key = exchange.privateKey
      exchange.privateKey = `0x${'33'.repeat(32)}`
      try {
        await exchange.createOrder(symbol, 'limit', 'buy', 0.1, 3900)
      } finally {
        exchange.privateKey = key
      }
    }),
    say('remove margin', 'margin_removal', () => exchange.reduceMargin(symbol, 1)),
  ]
}

async function seen(ask: () => Promise<any>): Promise<Seen> {
  try {
    const reply = await ask()
    const list: any[] = Array.isArray(reply) ? reply : [reply]
    return { orders: list.map(shown) }
  } catch (error) {
    return refusal(error)
  }
}

function shown(order: any): Shown {
  if (order?.id === undefined) return {}
  return order.filled > 0 ? { id: order.id, filled: order.filled } : { id: order.id }
}
