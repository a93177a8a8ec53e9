import * as z from 'zod'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { limits } from '../../core/values/limits.ts'
import { AgentError } from '../agentError.ts'
import { dexOf } from '../../core/rules/marketNames.ts'
import { builderDexAsset } from '../../core/protocol/assetId.ts'
import type { AgentContext } from '../context.ts'
import type { Status } from '../guardPort.ts'
import { marketNamed } from '../marketNames.ts'
import { isPlainName, shownName } from '../plainNames.ts'
import { coinName, figure, inputOf, untrusted, untrustedText } from '../schemas.ts'
import { counted, quoted } from '../answer.ts'
import { tool } from '../tool.ts'

/** Market data for a decision, trimmed to what fits a context. Only figures are taken over. */

const names = untrusted({
  names: z.array(untrustedText).describe('market names that are no mere names'),
})
const rowsLimit = z.number().int().min(1).max(limits.agentRowsMax).optional()
const intervals = ['1m', '5m', '15m', '1h', '4h', '1d'] as const
const intervalMs = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
}

export const marketTool = tool({
  name: 'market',
  title: 'A market now',
  description:
    'Mid, mark and oracle price, funding, open interest, day volume, largest leverage and lot of one perp. Without a coin: the names of all perps, with those of the builder dexes that the rules name.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({ coin: coinName.optional() }),
  output: z.strictObject({
    coins: z.array(z.string()).describe('the names of the perps, where no coin was named'),
    market: z
      .strictObject({
        coin: z.string(),
        mid: figure('USD'),
        mark: figure('USD'),
        oracle: figure('USD'),
        funding: figure('a share of the value, an hour'),
        open_interest: figure('coins'),
        day_volume: figure('USD'),
        max_leverage: z.number(),
        size_decimals: z.number().describe('decimals of a size'),
      })
      .nullable(),
    untrusted: names,
  }),
  run: async (context, { coin: named }) => {
    if (named === undefined) return allCoins(context)
    const market = await marketNamed(context.reads, named)
    const coin = shownName(named)
    const dex = market.builder === undefined ? {} : { dex: market.builder.dex }
    const answer = await context.reads.info({ type: 'metaAndAssetCtxs', ...dex })
    const contexts = listOf(Array.isArray(answer) ? (answer as readonly Json[])[1] : null)
    const row = contexts[builderDexAsset(market.asset)?.index ?? market.asset] ?? {}
    const data = {
      coins: [],
      market: {
        coin,
        mid: decimalIn(row, 'midPx'),
        mark: decimalIn(row, 'markPx'),
        oracle: decimalIn(row, 'oraclePx'),
        funding: decimalIn(row, 'funding'),
        open_interest: decimalIn(row, 'openInterest'),
        day_volume: decimalIn(row, 'dayNtlVlm'),
        max_leverage: market.maxLeverage,
        size_decimals: market.sizeDecimals,
      },
      untrusted: { names: [] },
    }
    return {
      text: `${coin}: mid ${data.market.mid ?? 'unknown'}, mark ${data.market.mark ?? 'unknown'}.`,
      data,
    }
  },
})

async function allCoins(context: AgentContext) {
  const dexes = dexesOf(await context.status())
  const markets = await context.reads.marketsWith(dexes.map((dex) => `${dex}:*`))
  const all = [...markets.byAsset.values()].filter(
    ({ isDelisted, builder }) =>
      !isDelisted && (builder === undefined || dexes.includes(builder.dex)),
  )
  const coins = all.map(({ coin }) => coin).filter(isPlainName)
  const odd = all.filter(({ coin }) => !isPlainName(coin)).slice(0, limits.agentRowsMax)
  return {
    text: `${counted(coins.length, 'perp')} can be named.`,
    data: { coins, market: null, untrusted: { names: odd.map(({ coin }) => quoted(coin)) } },
  }
}

const level = z.strictObject({ price: z.string(), size: z.string() })

export const bookTool = tool({
  name: 'book',
  title: 'The order book',
  description: 'The best bids and asks of one perp, at most 20 levels a side.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({
    coin: coinName,
    levels: z
      .number()
      .int()
      .min(1)
      .max(limits.agentBookLevelsMax)
      .optional()
      .describe('a side; 5 unless told'),
  }),
  output: z.strictObject({ coin: z.string(), bids: z.array(level), asks: z.array(level) }),
  run: async (context, { coin: named, levels = 5 }) => {
    const market = await marketNamed(context.reads, named)
    const coin = shownName(named)
    const answer = await context.reads.info({ type: 'l2Book', coin: market.coin })
    const sides =
      isObject(answer) && Array.isArray(answer['levels'])
        ? (answer['levels'] as readonly Json[])
        : []
    const [bids = [], asks = []] = sides.map((side) =>
      listOf(side)
        .slice(0, levels)
        .map((row) => ({ price: decimalIn(row, 'px') ?? '0', size: decimalIn(row, 'sz') ?? '0' })),
    )
    const best = `best bid ${bids[0]?.price ?? 'none'}, best ask ${asks[0]?.price ?? 'none'}`
    return { text: `${coin}: ${best}.`, data: { coin, bids, asks } }
  },
})

export const candlesTool = tool({
  name: 'candles',
  title: 'Candles',
  description: 'The last candles of one perp, oldest first, at most 200 rows.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({
    coin: coinName,
    interval: z.enum(intervals),
    count: z
      .number()
      .int()
      .min(1)
      .max(limits.agentCandlesMax)
      .optional()
      .describe('50 unless told'),
  }),
  output: z.strictObject({
    coin: z.string(),
    interval: z.string(),
    rows: z
      .array(z.tuple([z.number(), z.string(), z.string(), z.string(), z.string(), z.string()]))
      .describe('[start in ms, open, high, low, close, volume in coins]'),
  }),
  run: async (context, { coin: named, interval, count = limits.agentRowsMax }) => {
    const market = await marketNamed(context.reads, named)
    const coin = shownName(named)
    const { now_ms: now } = await context.status()
    const end = now - (now % intervalMs[interval]) + intervalMs[interval]
    const startTime = end - count * intervalMs[interval]
    const req = { coin: market.coin, interval, startTime, endTime: end }
    const answer = await context.reads.info({ type: 'candleSnapshot', req })
    const rows = listOf(answer)
      .slice(-count)
      .map((row): [number, string, string, string, string, string] => {
        const [open, high, low, close, volume] = ['o', 'h', 'l', 'c', 'v'].map(
          (name) => decimalIn(row, name) ?? '0',
        )
        return [Number(row['t']), open ?? '0', high ?? '0', low ?? '0', close ?? '0', volume ?? '0']
      })
    const last = rows.at(-1)?.[4] ?? 'unknown'
    return {
      text: `${counted(rows.length, 'candle')} of ${coin}; the last close is ${last}.`,
      data: { coin, interval, rows },
    }
  },
})

const fill = z.strictObject({
  at_ms: z.number().int(),
  coin: z.string(),
  side: z.enum(['buy', 'sell']),
  price: z.string(),
  size: z.string(),
  fee: figure('USD'),
  closed_pnl: figure('USD'),
  oid: z.number().int().nullable(),
})

export const fillsTool = tool({
  name: 'fills',
  title: 'Fills of the account',
  description: 'The latest fills of the account, newest first, at most 50.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({ limit: rowsLimit.describe('20 unless told') }),
  output: z.strictObject({ fills: z.array(fill), untrusted: names }),
  run: async (context, { limit = 20 }) => {
    const { account } = await context.status()
    const all = listOf(await context.reads.info({ type: 'userFills', user: account })).slice(
      0,
      limit,
    )
    const fills = all.map((row) => ({
      at_ms: wholeIn(row, 'time') ?? 0,
      coin: shownName(String(row['coin'])),
      side: row['side'] === 'B' ? ('buy' as const) : ('sell' as const),
      price: decimalIn(row, 'px') ?? '0',
      size: decimalIn(row, 'sz') ?? '0',
      fee: decimalIn(row, 'fee'),
      closed_pnl: decimalIn(row, 'closedPnl'),
      oid: wholeIn(row, 'oid'),
    }))
    return {
      text: `${counted(fills.length, 'fill')}, newest first.`,
      data: { fills, untrusted: oddNames(all) },
    }
  },
})

export const fundingTool = tool({
  name: 'funding',
  title: 'Funding history',
  description: 'The funding rates of one perp over the last hours, oldest first, at most 50.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({ coin: coinName, hours: rowsLimit.describe('24 unless told') }),
  output: z.strictObject({
    coin: z.string(),
    rates: z.array(
      z.strictObject({
        at_ms: z.number().int(),
        rate: z.string().describe('a share of the value, an hour'),
      }),
    ),
  }),
  run: async (context, { coin: named, hours = 24 }) => {
    const market = await marketNamed(context.reads, named)
    const coin = shownName(named)
    const { now_ms: now } = await context.status()
    const startTime = now - (now % intervalMs['1h']) - hours * intervalMs['1h']
    const answer = await context.reads.info({
      type: 'fundingHistory',
      coin: market.coin,
      startTime,
    })
    const rates = listOf(answer)
      .slice(-hours)
      .map((row) => ({
        at_ms: wholeIn(row, 'time') ?? 0,
        rate: decimalIn(row, 'fundingRate') ?? '0',
      }))
    return { text: `${counted(rates.length, 'funding rate')} of ${coin}.`, data: { coin, rates } }
  },
})

const openOrder = z.strictObject({
  oid: z.number().int(),
  coin: z.string(),
  side: z.enum(['buy', 'sell']),
  size: z.string(),
  price: z.string().describe('USD, the limit'),
  trigger: figure('USD, of a stop or take profit'),
  reduce_only: z.boolean(),
})

export const openOrdersTool = tool({
  name: 'open_orders',
  title: 'Open orders of the account',
  description:
    'The orders that rest, with the oid that modify_order and cancel_order take; at most 50.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({ coin: coinName.optional() }),
  output: z.strictObject({ orders: z.array(openOrder), more: z.number().int(), untrusted: names }),
  run: async (context, { coin }) => {
    const all = await openRows(await context.status(), (request) => context.reads.info(request))
    const rows = all.filter((row) => coin === undefined || row['coin'] === coin)
    const shown = rows.slice(0, limits.agentRowsMax)
    const orders = shown.map((row) => ({
      oid: wholeIn(row, 'oid') ?? 0,
      coin: shownName(String(row['coin'])),
      side: row['side'] === 'B' ? ('buy' as const) : ('sell' as const),
      size: decimalIn(row, 'sz') ?? '0',
      price: decimalIn(row, 'limitPx') ?? '0',
      trigger: row['isTrigger'] === true ? decimalIn(row, 'triggerPx') : null,
      reduce_only: row['reduceOnly'] === true,
    }))
    const more = rows.length - shown.length
    return {
      text: `${counted(rows.length, 'open order')}.`,
      data: { orders, more, untrusted: oddNames(shown) },
    }
  },
})

/** The account's open orders as the venue's `frontendOpenOrders` has them, to cancel or change some. */
export async function openOrders(context: AgentContext): Promise<readonly JsonObject[]> {
  return openRows(await context.status(), (request) => context.reads.infoToAct(request))
}

/** Of the main dex, and of each builder dex that the rules name or that holds a position. */
async function openRows(
  status: Status,
  read: (request: JsonObject) => Promise<Json>,
): Promise<readonly JsonObject[]> {
  const { account: user } = status
  const asked = [{}, ...dexesOf(status).map((dex) => ({ dex }))].map(async (dex) =>
    listOf(await read({ type: 'frontendOpenOrders', user, ...dex })),
  )
  return (await Promise.all(asked)).flat()
}

/** The builder dexes that this account may trade on or holds something on. */
function dexesOf({ rules_decoded: rules, positions }: Status): readonly string[] {
  const { markets } = rules as JsonObject
  const named = Array.isArray(markets) ? (markets as readonly Json[]) : []
  const held = positions.map(({ coin }) => coin)
  const dexes = [...named, ...held].map((name) => (typeof name === 'string' ? dexOf(name) : null))
  return [...new Set(dexes)].filter((dex) => dex !== null)
}

function oddNames(rows: readonly JsonObject[]): { names: string[] } {
  const odd = rows.map((row) => row['coin']).filter((name) => !isPlainName(name))
  return { names: [...new Set(odd.map((name) => quoted(String(name))))] }
}

function listOf(json: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(json)) {
    throw new AgentError('The venue answered in a form that is not known', 'Try again later.')
  }
  return (json as readonly Json[]).filter(isObject)
}

/** A figure as the venue writes it; whatever else stands there is not taken over. */
export function decimalIn(row: JsonObject, name: string): string | null {
  const value = row[name]
  return typeof value === 'string' && /^-?\d{1,20}(\.\d{1,20})?$/.test(value) ? value : null
}

export function wholeIn(row: JsonObject, name: string): number | null {
  const value = row[name]
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}
