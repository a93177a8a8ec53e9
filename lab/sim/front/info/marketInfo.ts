import type { Json } from '../../../../src/core/protocol/action.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import type { CandleInterval } from '../../engine/views.ts'
import { groupBook, bookDepth } from '../render/groupBook.ts'
import type { BookGrouping } from '../render/groupBook.ts'
import {
  renderBook,
  renderCandle,
  renderContext,
  renderFundingRate,
  renderMarginTable,
  renderAllMids,
  renderTrade,
} from '../render/renderMarket.ts'
import { cappedOn, renderDex, renderDexMeta, renderLimits } from '../render/renderDex.ts'
import { wireNumber } from '../render/wireNumber.ts'
import { ofDex, readCoin, readMillis, readRange, told } from './ask.ts'
import type { Ask, InfoAnswer, Told } from './ask.ts'
import { vaultDetails } from './ownedInfo.ts'
import { spotContexts, spotMeta, tokenDetails } from './spotInfo.ts'

const rowsMax = 500
const candlesMax = 5_000
const hourMs = 3_600_000

const intervals: readonly CandleInterval[] = [
  ...(['1m', '3m', '5m', '15m', '30m', '1h', '2h'] as const),
  ...(['4h', '8h', '12h', '1d', '3d', '1w', '1M'] as const),
]

export function readInterval(value: Json | undefined): CandleInterval | null {
  return intervals.find((each) => each === value) ?? null
}

/** `nSigFigs` and `mantissa` as the venue allows them; null when it would not. */
export function readGrouping(fields: { readonly [key: string]: Json }): BookGrouping | null {
  const figures = fields['nSigFigs'] ?? null
  const mantissa = fields['mantissa'] ?? null
  if (figures !== null && !(typeof figures === 'number' && [2, 3, 4, 5].includes(figures))) {
    return null
  }
  if (mantissa !== null && !(typeof mantissa === 'number' && [1, 2, 5].includes(mantissa))) {
    return null
  }
  if (mantissa !== null && figures !== 5) return null
  return { significantFigures: figures, mantissa }
}

function l2Book(ask: Ask): Told {
  const coin = readCoin(ask)
  const grouping = readGrouping(ask.request)
  if (coin === null || grouping === null) return 'unfit'
  const book = ask.venue.book(coin)
  if (book === null) return told(null)
  const grouped = groupBook(book, grouping, bookDepth)
  const rendered = renderBook(grouped)
  if (grouping.significantFigures === null) return told(rendered)
  const [bid, ask_] = [grouped.bids[0], grouped.asks[0]]
  const spread =
    bid === undefined || ask_ === undefined ? '0.0' : wireNumber(ask_.price.minus(bid.price))
  return told({ ...rendered, spread })
}

function candleSnapshot(ask: Ask): Told {
  const req = ask.request['req']
  if (req === null || typeof req !== 'object' || Array.isArray(req)) return 'unfit'
  const fields = req as { readonly [key: string]: Json }
  const coin = readCoin(ask, fields['coin'])
  const interval = readInterval(fields['interval'])
  const range = readRange(fields, true)
  if (coin === null || interval === null || range === 'unfit') return 'unfit'
  if (ask.venue.market(coin) === null) return 'failed'
  const candles = ask.venue.candles(coin, interval, range.start, range.end)
  return told(candles.slice(-candlesMax).map(renderCandle))
}

function fundingHistory(ask: Ask): Told {
  const coin = readCoin(ask)
  const range = readRange(ask.request, true)
  if (coin === null || range === 'unfit') return 'unfit'
  const rows = ask.venue.fundingHistory(coin, range.start, range.end)
  return rows === null ? 'failed' : told(rows.slice(0, rowsMax).map(renderFundingRate))
}

function predictedFundings(ask: Ask): Told {
  const settled = Math.floor(ask.venue.nowMs / hourMs) * hourMs
  const row = (funding: string): Json => [
    ['HlPerp', { fundingRate: funding, nextFundingTime: settled, fundingIntervalHours: 1 }],
  ]
  return told(
    ask.venue.contexts().map((context) => [context.coin, row(wireNumber(context.funding))]),
  )
}

function recentTrades(ask: Ask): Told {
  const coin = readCoin(ask)
  if (coin === null) return 'unfit'
  if (ask.venue.bestBidAsk(coin) === null) return 'failed'
  return told(ask.venue.recentTrades(coin).map(renderTrade))
}

function marginTable(ask: Ask, dex: string): Told {
  const id = readMillis(ask.request['id'])
  if (id === null || id === 'unfit') return 'unfit'
  const table = renderMarginTable(ask.venue.markets(dex), id)
  return table === null ? 'failed' : told(table)
}

/** Of every index from 1 on; null where a dex has gone. */
function dexNames({ venue }: Ask): (string | null)[] {
  return venue.dexes().map((dex) => dex?.name ?? null)
}

/** What stands at the index of a dex that has gone. */
const noMeta: Json = { universe: [], marginTables: [], collateralToken: 0 }

/** Largest market order by maximum leverage. */
const maxMarketOrderNtls: Json = [
  [3, '500000.0'],
  [5, '500000.0'],
  [10, '2000000.0'],
  [20, '5000000.0'],
  [25, '30000000.0'],
  [40, '30000000.0'],
]

export const marketInfo: { readonly [type: string]: InfoAnswer } = {
  allMids: ofDex((ask, dex) => told(renderAllMids(ask.venue, dex))),
  l2Book,
  meta: ofDex((ask, dex) => told(renderDexMeta(ask.venue, dex))),
  metaAndAssetCtxs: ofDex((ask, dex) =>
    told([renderDexMeta(ask.venue, dex), ask.venue.contexts(dex).map(renderContext)]),
  ),
  allPerpMetas: (ask) =>
    told(['', ...dexNames(ask)].map((dex) => renderDexMeta(ask.venue, dex) ?? noMeta)),
  perpDexs: (ask) =>
    told([null, ...ask.venue.dexes().map((dex) => (dex === null ? null : renderDex(dex)))]),
  spotMeta: () => told(spotMeta),
  spotMetaAndAssetCtxs: (ask) => told([spotMeta, spotContexts(ask.venue)]),
  tokenDetails,
  outcomeMeta: () => told({ outcomes: [], questions: [] }),
  candleSnapshot,
  recentTrades,
  fundingHistory,
  predictedFundings,
  exchangeStatus: (ask) => told({ time: ask.venue.nowMs, specialStatuses: null }),
  perpsAtOpenInterestCap: ofDex((ask, dex) => told(cappedOn(ask.venue, dex))),
  marginTable: ofDex(marginTable),
  maxMarketOrderNtls: () => told(maxMarketOrderNtls),
  perpDexStatus: ofDex((ask, dex) => {
    const moved = ask.venue.dex(dex)?.netDeposit
    return told({ totalNetDeposit: moved === undefined ? '0.0' : wireNumber(moved) })
  }),
  liquidatable: () => told([]),
  vaultSummaries: () => told([]),
  vaultDetails: (ask) => {
    const who = parseAddress(ask.request['vaultAddress'])
    const given = ask.request['user'] ?? null
    const user = given === null ? null : parseAddress(given)
    if (!who.ok || user?.ok === false) return 'unfit'
    return told(vaultDetails(ask.venue, who.value, user?.value ?? null))
  },
  perpCategories: () => told([]),
  perpConciseAnnotations: () => told([]),
  perpAnnotation: (ask) => (readCoin(ask) === null ? 'unfit' : told(null)),
  perpDexLimits: ofDex((ask, name) => {
    const dex = ask.venue.dex(name)
    return told(dex === null ? null : renderLimits(dex))
  }),
  outcomeTemplates: () => told([]),
  settledOutcome: (ask) =>
    typeof readMillis(ask.request['outcome']) === 'number' ? told(null) : 'unfit',
  usdcRouting: () => told({ depositRoute: 'bridge', withdrawalRoute: 'bridge' }),
}
