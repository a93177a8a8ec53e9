import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import {
  ExchangeClient,
  HttpTransport,
  InfoClient,
  SubscriptionClient,
  WebSocketTransport,
} from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import type { Bot, Driver, LimitOptions, Seen, Shown, Side, Target } from '../bot.ts'
import { dead, first, refusal } from './seen.ts'

// The client needs a global that this Node version does not have.
globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket

const eth = 1
const version = packageVersion('@nktkas/hyperliquid')

export const nktkasDrivers: readonly Driver[] = (['http', 'ws'] as const).flatMap((via) =>
  (['mainnet', 'testnet'] as const).map((signedAs) => driver(via, signedAs)),
)

function driver(via: 'http' | 'ws', signedAs: 'mainnet' | 'testnet'): Driver {
  const isTestnet = String(signedAs === 'testnet')
  return {
    name: `nktkas ${via === 'http' ? 'HTTP' : 'WebSocket'}${signedAs === 'testnet' ? ', testnet' : ''}`,
    client: '@nktkas/hyperliquid',
    version,
    settings:
      via === 'http'
        ? `new HttpTransport({ apiUrl: GUARD, isTestnet: ${isTestnet} })`
        : `new WebSocketTransport({ url: GUARD_WS, isTestnet: ${isTestnet} })`,
    signedAs,
    via,
    unasked: [],
    overHttp: [],
    stopRoom: 0.15,
    lacks: via === 'http' ? { watch: 'subscriptions are of its WebSocket transport' } : {},
    open: (target) => open(target, via, signedAs === 'testnet'),
  }
}

type Order = {
  a: number
  b: boolean
  p: string
  s: string
  r: boolean
  t: any
  c?: `0x${string}`
}

function limit(side: Side, size: number, price: number, options: LimitOptions = {}): Order {
  const { tif = 'Gtc', cloid, reduceOnly = false } = options
  return {
    ...{ a: eth, b: side === 'buy', p: String(price), s: String(size), r: reduceOnly },
    t: { limit: { tif } },
    ...(cloid === undefined ? {} : { c: cloid as `0x${string}` }),
  }
}

/** A market stop or target that sells; its limit lies 15% beyond. */
function trigger(size: number, at: number, tpsl: 'tp' | 'sl'): Order {
  return {
    ...{ a: eth, b: false, p: String(Math.round(at * 0.85)), s: String(size), r: true },
    t: { trigger: { isMarket: true, triggerPx: String(at), tpsl } },
  }
}

/** A buy at market that waits for a price above; its limit lies 5% beyond. */
function breakout(size: number, at: number): Order {
  return {
    ...{ a: eth, b: true, p: String(Math.round(at * 1.05)), s: String(size), r: false },
    t: { trigger: { isMarket: true, triggerPx: String(at), tpsl: 'sl' } },
  }
}

async function open(target: Target, via: 'http' | 'ws', isTestnet: boolean): Promise<Bot> {
  const wallet = privateKeyToAccount(target.key as `0x${string}`)
  const transport =
    via === 'http'
      ? new HttpTransport({ apiUrl: target.url, isTestnet })
      : new WebSocketTransport({ url: target.wsUrl, isTestnet })
  if (transport instanceof WebSocketTransport) await transport.ready()
  const info = new InfoClient({ transport })
  const exchange = new ExchangeClient({
    ...{ transport, wallet },
    ...(target.vault === undefined ? {} : { defaultVaultAddress: target.vault as `0x${string}` }),
  })
  const user = target.account as `0x${string}`
  const place = (orders: Order[], grouping: 'na' | 'normalTpsl' = 'na'): Promise<Seen> =>
    seen(() => exchange.order({ orders, grouping }))
  const modify = (id: string, order: Order): Promise<Seen> =>
    seen(() => exchange.batchModify({ modifies: [{ oid: Number(id), order }] }))
  const ioc = { tif: 'Ioc' } as const
  return {
    markets: async () => (await info.meta()).universe.map(({ name }) => name),
    read: async () => ({
      mid: Number((await info.allMids())['ETH']),
      equity: Number((await info.clearinghouseState({ user })).marginSummary.accountValue),
      levels: (await info.l2Book({ coin: 'ETH' }))?.levels[0].length ?? 0,
      orders: (await info.frontendOpenOrders({ user })).length,
    }),
    leverage: (leverage, margin) =>
      seen(() => exchange.updateLeverage({ asset: eth, isCross: margin === 'cross', leverage })),
    market: (side, size) => place([limit(side, size, side === 'buy' ? 4200 : 3800, ioc)]),
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
    modify: (id, size, price) => modify(id, limit('buy', size, price)),
    modifyStop: (id, size, at) => modify(id, trigger(size, at, 'sl')),
    cancel: (id) => seen(() => exchange.cancel({ cancels: [{ a: eth, o: Number(id) }] })),
    cancelByCloid: (cloid) =>
      seen(() =>
        exchange.cancelByCloid({ cancels: [{ asset: eth, cloid: cloid as `0x${string}` }] }),
      ),
    cancelAll: async () => {
      const resting = await info.openOrders({ user })
      return seen(() =>
        exchange.cancel({ cancels: resting.map(({ oid }) => ({ a: eth, o: oid })) }),
      )
    },
    close: (size) => place([limit('sell', size, 3800, { ...ioc, reduceOnly: true })]),
    several: (wishes) => place(wishes.map(({ size, price }) => limit('buy', size, price))),
    together: (wishes) =>
      Promise.all(wishes.map(({ size, price }) => place([limit('buy', size, price)]))),
    ...(transport instanceof WebSocketTransport ? { watch: () => watch(transport, user) } : {}),
    forbidden: forbidden(exchange, transport, wallet),
    end: async () => {
      if (transport instanceof WebSocketTransport) await transport.close()
    },
  }
}

async function watch(transport: WebSocketTransport, user: `0x${string}`) {
  const streams = new SubscriptionClient({ transport })
  const book = first<number>()
  const fill = first<number>()
  await streams.l2Book({ coin: 'ETH' }, ({ levels }) => {
    book.give(levels[0].length)
  })
  await streams.userFills({ user }, ({ isSnapshot, fills }) => {
    if (isSnapshot !== true) fill.give(Number(fills[0]?.sz))
  })
  await streams.orderUpdates({ user }, () => undefined)
  return { book: () => book.came, fill: () => fill.came }
}

function forbidden(
  exchange: ExchangeClient,
  transport: HttpTransport | WebSocketTransport,
  wallet: ReturnType<typeof privateKeyToAccount>,
): Bot['forbidden'] {
  const funds = 'funds_or_permissions'
  const unsupported = 'unsupported_action'
  const say = (name: string, code: string, ask: () => Promise<unknown>) => ({
    name,
    code,
    run: () => seen(ask),
  })
  const vaulted = new ExchangeClient({ transport, wallet, defaultVaultAddress: dead })
  const stranger = new ExchangeClient({
    transport,
    wallet: privateKeyToAccount(`0x${'33'.repeat(32)}`),
  })
  const order = { orders: [limit('buy', 0.1, 3900)], grouping: 'na' as const }
  const usd = 1_000_000
  return [
    say('withdraw', funds, () => exchange.withdraw3({ destination: dead, amount: '5' })),
    say('send USDC', funds, () => exchange.usdSend({ destination: dead, amount: '1' })),
    say('move USDC to spot', funds, () =>
      exchange.usdClassTransfer({ amount: '1', toPerp: false }),
    ),
    say('approve an agent', funds, () =>
      exchange.approveAgent({ agentAddress: dead, agentName: 'probe' }),
    ),
    say('approve a builder fee', funds, () =>
      exchange.approveBuilderFee({ builder: dead, maxFeeRate: '0.01%' }),
    ),
    say('transfer to a sub-account', funds, () =>
      exchange.subAccountTransfer({ subAccountUser: dead, isDeposit: true, usd }),
    ),
    say('transfer to a vault', funds, () =>
      exchange.vaultTransfer({ vaultAddress: dead, isDeposit: true, usd }),
    ),
    say('create a sub-account', 'funds_or_permissions', () =>
      exchange.createSubAccount({ name: 'probe' }),
    ),
    say('a TWAP order', unsupported, () =>
      exchange.twapOrder({ twap: { a: eth, b: true, s: '1', r: false, m: 5, t: false } }),
    ),
    say('schedule a cancel of everything', 'schedule_cancel', () =>
      exchange.scheduleCancel({ time: Date.now() + 60_000 }),
    ),
    say('an order for a vault', 'vault', () => vaulted.order(order)),
    say('an order with a stranger’s key', 'auth_unknown_signer', () => stranger.order(order)),
    say('an unknown asset', 'unknown_market', () =>
      exchange.order({ ...order, orders: [{ ...limit('buy', 0.1, 3900), a: 9999 }] }),
    ),
  ]
}

async function seen(ask: () => Promise<unknown>): Promise<Seen> {
  try {
    const reply = (await ask()) as { response: { data?: { statuses?: unknown[] } } }
    return { orders: (reply.response.data?.statuses ?? []).map(shown) }
  } catch (error) {
    return refusal(error)
  }
}

export function shown(status: any): Shown {
  if (status?.resting !== undefined) return { id: String(status.resting.oid) }
  if (status?.filled !== undefined)
    return { id: String(status.filled.oid), filled: Number(status.filled.totalSz) }
  return status?.error === undefined ? {} : { error: status.error }
}

export function packageVersion(name: string): string {
  const require = createRequire(import.meta.url)
  const main = require.resolve(name)
  const folder = main.slice(0, main.lastIndexOf(`node_modules/${name}/`))
  const file = `${folder}node_modules/${name}/package.json`
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
