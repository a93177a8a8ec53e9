import type { Json } from '../../../../src/core/protocol/action.ts'

const light: ReadonlySet<string> = new Set([
  'l2Book',
  'allMids',
  'clearinghouseState',
  'orderStatus',
  'spotClearinghouseState',
  'exchangeStatus',
])

/** How many rows of an answer cost one more. */
const rowsPerWeight: { readonly [type: string]: number } = {
  recentTrades: 20,
  historicalOrders: 20,
  userFills: 20,
  userFillsByTime: 20,
  fundingHistory: 20,
  userFunding: 20,
  userNonFundingLedgerUpdates: 20,
  twapHistory: 20,
  userTwapSliceFills: 20,
  userTwapSliceFillsByTime: 20,
  delegatorHistory: 20,
  delegatorRewards: 20,
  validatorStats: 20,
  candleSnapshot: 60,
}

/** What a question costs before it is answered. */
export function infoWeight(type: string): number {
  if (light.has(type)) return 2
  return type === 'userRole' ? 60 : 20
}

/** What the rows of its answer cost on top. */
export function rowWeight(type: string, answer: Json): number {
  const rows = rowsPerWeight[type]
  return rows === undefined || !Array.isArray(answer) ? 0 : Math.floor(answer.length / rows)
}
