import type { Json } from './action.ts'

const cheap = new Set([
  'l2Book',
  'allMids',
  'clearinghouseState',
  'orderStatus',
  'spotClearinghouseState',
  'exchangeStatus',
])

/** How many rows of an answer cost one more, and how many rows there can be. */
interface Rows {
  readonly perWeight: number
  readonly most: number
}

const usualRows: Rows = { perWeight: 20, most: 2_000 }
const rowsOf: ReadonlyMap<string, Rows> = new Map([
  ['recentTrades', usualRows],
  ['historicalOrders', usualRows],
  ['userFills', usualRows],
  ['userFillsByTime', usualRows],
  ['fundingHistory', usualRows],
  ['userFunding', usualRows],
  ['userNonFundingLedgerUpdates', usualRows],
  ['twapHistory', usualRows],
  ['userTwapSliceFills', usualRows],
  ['userTwapSliceFillsByTime', usualRows],
  ['delegatorHistory', usualRows],
  ['delegatorRewards', usualRows],
  ['validatorStats', usualRows],
  ['candleSnapshot', { perWeight: 60, most: 5_000 }],
])

/** What a read costs of the venue's 1,200 a minute, before rows (venue's rate-limit page). */
export function infoWeight(request: Json): number {
  const type = typeOf(request)
  if (type === 'userRole') return 60
  return cheap.has(type) ? 2 : 20
}

/** What the rows of the answer to a read can cost on top, at most. */
export function rowsWeightMax(request: Json): number {
  const rows = rowsOf.get(typeOf(request))
  return rows === undefined ? 0 : Math.ceil(rows.most / rows.perWeight)
}

/** What the rows of this answer have cost on top. */
export function rowsWeight(request: Json, answer: Json): number {
  const rows = rowsOf.get(typeOf(request))
  if (rows === undefined || !Array.isArray(answer)) return 0
  return Math.ceil(answer.length / rows.perWeight)
}

/** What an action costs: one, and one more for every 40 entries. */
export function actionWeight(entries: number): number {
  return 1 + Math.floor(entries / 40)
}

function typeOf(request: Json): string {
  const type =
    typeof request === 'object' && request !== null && 'type' in request ? request['type'] : null
  return typeof type === 'string' ? type : ''
}
