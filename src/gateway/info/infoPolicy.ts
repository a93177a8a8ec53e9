import type { Json } from '../../core/protocol/action.ts'

/** A request to `/info`: always a type, the rest as it came. */
export type InfoRequest = { readonly type: string } & { readonly [key: string]: Json }

const second = 1_000

/** How long an answer may be given again, by type; what is not listed is always asked for. */
const keepMs: Readonly<Record<string, number>> = {
  meta: 60 * second,
  spotMeta: 60 * second,
  perpDexs: 60 * second,
  allPerpMetas: 60 * second,
  outcomeMeta: 60 * second,
  marginTable: 60 * second,
  maxMarketOrderNtls: 60 * second,
  perpDexLimits: 60 * second,
  perpCategories: 60 * second,
  tokenDetails: 60 * second,
  predictedFundings: 10 * second,
  fundingHistory: 10 * second,
  perpsAtOpenInterestCap: 10 * second,
  metaAndAssetCtxs: 2 * second,
  spotMetaAndAssetCtxs: 2 * second,
  candleSnapshot: second,
  recentTrades: second,
  allMids: second / 2,
  l2Book: second / 4,
}

/** Answers about a user are never kept: a bot that has just traded must see what it did. */
export const keepFor = (request: InfoRequest): number =>
  request['user'] === undefined ? (keepMs[request.type] ?? 0) : 0

/** The same question, whatever the order of its fields; `dex: ""` is the main dex. */
export function keyOf(request: InfoRequest): string {
  return canonical({ ...request, dex: request['dex'] ?? '' })
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`
}
