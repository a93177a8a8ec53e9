import { createRequire } from 'node:module'
import type { Bot, Driver, LimitOptions, Seen, Side, Target } from '../bot.ts'
import { packageVersion, shown } from './nktkas.ts'
import { dead, first, refusal } from './seen.ts'

// Its socket needs `require` on this Node version, so it is loaded with it.
const { BASE_URLS, Hyperliquid, WSS_URLS } = createRequire(import.meta.url)('hyperliquid')

const coin = 'ETH-PERP'

export const nomeidaDrivers: readonly Driver[] = (['http', 'ws'] as const).flatMap((via) =>
  (['mainnet', 'testnet'] as const).map((signedAs) => driver(via, signedAs)),
)

function driver(via: 'http' | 'ws', signedAs: 'mainnet' | 'testnet'): Driver {
  const net = signedAs === 'testnet' ? 'TESTNET' : 'PRODUCTION'
  return {
    name: `nomeida ${via === 'http' ? 'HTTP' : 'WebSocket'}${signedAs === 'testnet' ? ', testnet' : ''}`,
    client: 'hyperliquid (nomeida)',
    version: packageVersion('hyperliquid'),
    settings: `BASE_URLS.${net} = GUARD; WSS_URLS.${net} = GUARD_WS; new Hyperliquid({ privateKey, walletAddress, testnet: ${String(signedAs === 'testnet')}, enableWs: ${String(via === 'ws')} })`,
    signedAs,
    via,
    unasked: ['setReferrer'],
    overHttp: ['updateLeverage', 'cancel', 'cancelByCloid', 'batchModify'],
    stopRoom: 0.15,
    lacks: via === 'http' ? { watch: 'its streams need enableWs' } : {},
    open: (target) => open(target, via, net),
  }
}

function limit(side: Side, sz: number, limit_px: number, options: LimitOptions = {}): any {
  const { tif = 'Gtc', cloid, reduceOnly = false } = options
  return {
    ...{ coin, is_buy: side === 'buy', sz, limit_px, reduce_only: reduceOnly },
    order_type: { limit: { tif } },
    ...(cloid === undefined ? {} : { cloid }),
  }
}

function trigger(sz: number, at: number, tpsl: 'tp' | 'sl'): any {
  return {
    ...{ coin, is_buy: false, sz, limit_px: Math.round(at * 0.85), reduce_only: true },
    order_type: { trigger: { triggerPx: at, isMarket: true, tpsl } },
  }
}

/** A buy at market that waits for a price above; its limit lies 5% beyond. */
function breakout(sz: number, at: number): any {
  return {
    ...{ coin, is_buy: true, sz, limit_px: Math.round(at * 1.05), reduce_only: false },
    order_type: { trigger: { triggerPx: at, isMarket: true, tpsl: 'sl' } },
  }
}

async function open(
  target: Target,
  via: 'http' | 'ws',
  net: 'TESTNET' | 'PRODUCTION',
): Promise<Bot> {
  BASE_URLS[net] = target.url
  WSS_URLS[net] = target.wsUrl
  const sdk = new Hyperliquid({
    privateKey: target.key,
    walletAddress: target.account,
    testnet: net === 'TESTNET',
    enableWs: via === 'ws',
    disableAssetMapRefresh: true,
    ...(target.vault === undefined ? {} : { vaultAddress: target.vault }),
  })
  await sdk.connect()
  // Its socket knows fewer calls: leverage, modify and cancel by cloid go over HTTP in any case.
  const { exchange, wsPayloads: posts } = sdk
  const api = via === 'ws' ? posts : exchange
  const place = (orders: any[], grouping = 'na'): Promise<Seen> =>
    seen(() =>
      via === 'ws'
        ? posts.placeOrders(orders.map(asText), grouping)
        : exchange.placeOrder({ orders, grouping }),
    )
  const modify = (oid: number, order: any): Promise<Seen> =>
    seen(() => exchange.batchModifyOrders([{ oid, order }]))
  const user = target.account
  const ioc = { tif: 'Ioc' } as const
  return {
    markets: async () =>
      (await sdk.info.perpetuals.getMeta()).universe.map(({ name }: any) =>
        name.replace('-PERP', ''),
      ),
    read: async () => ({
      mid: Number((await sdk.info.getAllMids())[coin]),
      equity: Number(
        (await sdk.info.perpetuals.getClearinghouseState(user)).marginSummary.accountValue,
      ),
      levels: (await sdk.info.getL2Book(coin)).levels[0].length,
      orders: (await sdk.info.getUserOpenOrders(user)).length,
    }),
    leverage: (value, margin) => seen(() => exchange.updateLeverage(coin, margin, value)),
    market: (side, size) =>
      via === 'ws'
        ? place([limit(side, size, side === 'buy' ? 4200 : 3800, ioc)])
        : seen(() => sdk.custom.marketOpen(coin, side === 'buy', size)),
    limit: (side, size, price, options) => place([limit(side, size, price, options)]),
    marketWithStop: (size, at) =>
      place([limit('buy', size, 4200, ioc), trigger(size, at, 'sl')], 'normalTpsl'),
    limitWithStop: (size, price, at) =>
      place([limit('buy', size, price), trigger(size, at, 'sl')], 'normalTpsl'),
    group: (size, price, profit, at) =>
      place(
        [limit('buy', size, price), trigger(size, profit, 'tp'), trigger(size, at, 'sl')],
        'normalTpsl',
      ),
    stop: (size, at) => place([trigger(size, at, 'sl')]),
    triggerEntry: (size, at) => place([breakout(size, at)]),
    modify: (id, size, price) => modify(Number(id), limit('buy', size, price)),
    modifyStop: (id, size, at) => modify(Number(id), trigger(size, at, 'sl')),
    cancel: (id) => seen(() => api.cancelOrder({ coin, o: Number(id) })),
    cancelByCloid: (cloid) => seen(() => exchange.cancelOrderByCloid(coin, cloid)),
    cancelAll: () => seen(() => (via === 'ws' ? posts : sdk.custom).cancelAllOrders()),
    close: (size) =>
      via === 'ws'
        ? place([limit('sell', size, 3800, { ...ioc, reduceOnly: true })])
        : seen(() => sdk.custom.marketClose(coin)),
    several: (wishes) => place(wishes.map(({ size, price }) => limit('buy', size, price))),
    together: (wishes) =>
      Promise.all(
        wishes.map(async ({ size, price }, nth) => {
          // Over its socket the nonce is the bare clock: two in one millisecond would be one nonce.
          if (via === 'ws') await new Promise((resolve) => setTimeout(resolve, nth * 3))
          return place([limit('buy', size, price)])
        }),
      ),
    ...(via === 'ws' ? { watch: () => watch(sdk, user) } : {}),
    forbidden: forbidden(sdk),
    end: async () => {
      sdk.disconnect()
    },
  }
}

/** Over its socket numbers are passed on as they are, so they are given as text. */
const asText = (order: any): any => ({
  ...order,
  sz: String(order.sz),
  limit_px: String(order.limit_px),
})

async function watch(sdk: any, user: string) {
  const book = first<number>()
  const fill = first<number>()
  await sdk.subscriptions.subscribeToL2Book(coin, ({ levels }: any) => {
    book.give(levels[0].length)
  })
  await sdk.subscriptions.subscribeToUserFills(user, ({ isSnapshot, fills }: any) => {
    if (isSnapshot !== true) fill.give(Number(fills[0].sz))
  })
  return { book: () => book.came, fill: () => fill.came }
}

function forbidden(sdk: any): Bot['forbidden'] {
  const funds = 'funds_or_permissions'
  const say = (name: string, code: string, ask: () => Promise<unknown>) => ({
    name,
    code,
    run: () => seen(ask),
  })
  const { exchange } = sdk
  return [
    say('withdraw', funds, () => exchange.initiateWithdrawal(dead, 5)),
    say('send USDC', funds, () => exchange.usdTransfer(dead, 1)),
    say('move USDC to spot', funds, () => exchange.transferBetweenSpotAndPerp(1, false)),
    say('approve an agent', funds, () =>
      exchange.approveAgent({ agentAddress: dead, agentName: 'probe' }),
    ),
    say('approve a builder fee', funds, () =>
      exchange.approveBuilderFee({ builder: dead, maxFeeRate: '0.01%' }),
    ),
    say('transfer to a vault', funds, () => exchange.vaultTransfer(dead, true, 1)),
    say('transfer to a sub-account', funds, () => exchange.subAccountTransfer(dead, true, 1)),
    say('schedule a cancel of everything', 'schedule_cancel', () =>
      exchange.scheduleCancel(Date.now() + 60_000),
    ),
  ]
}

/** This client returns a refusal where others throw it. */
async function seen(ask: () => Promise<any>): Promise<Seen> {
  try {
    const answer = await ask()
    const reply = Array.isArray(answer) ? answer[0] : answer
    if (reply?.status === 'err') return { refused: reply.response, as: 'a returned error' }
    return { orders: (reply?.response?.data?.statuses ?? []).map(shown) }
  } catch (error) {
    return refusal(error)
  }
}
