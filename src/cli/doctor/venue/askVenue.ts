import { randomBytes } from 'node:crypto'
import type { Json } from '../../../core/protocol/action.ts'
import {
  decodeActiveAssetData,
  decodeUserAbstraction,
  decodeUserFees,
} from '../../../core/protocol/decodeInfoAccount.ts'
import {
  decodeFrontendOpenOrders,
  decodeHistoricalOrders,
  decodeOrderStatus,
} from '../../../core/protocol/decodeInfoOrders.ts'
import type { OrderRow } from '../../../core/protocol/decodeInfoOrders.ts'
import { decodeMetaAndAssetCtxs } from '../../../core/protocol/decodeMeta.ts'
import type { ActiveAssetData } from '../../../core/protocol/decodeInfoAccount.ts'
import type { Market, Markets } from '../../../core/protocol/market.ts'
import type { OpenOrder } from '../../../core/protocol/venueState.ts'
import type { Address } from '../../../core/values/address.ts'
import type { Coin } from '../../../core/values/coin.ts'
import { limits } from '../../../core/values/limits.ts'
import { ok } from '../../../core/values/result.ts'
import { systemClock } from '../../../system/systemClock.ts'
import type { Questions } from './questions.ts'
import {
  readAllowance,
  readFillRows,
  readLiquidation,
  readPerp,
  readSlices,
  readSpot,
  readTables,
  readTime,
} from './readTold.ts'
import type { FillRow, LiquidationRow, PerpSight, Told } from './told.ts'

/** Asks everything that the points are seen by; reads alone, one after the other. */
export async function askVenue(questions: Questions, user: Address): Promise<Told> {
  const clock = await askClock(questions)
  const metaRequest = { type: 'metaAndAssetCtxs' }
  const meta = await questions.ask(metaRequest, (json) => ok(json))
  const markets = questions.decoded(meta, (json) => decodeMetaAndAssetCtxs(json))?.markets ?? null
  const tables = questions.decoded(meta, readTables)
  const mode = await questions.ask({ type: 'userAbstraction', user }, decodeUserAbstraction)
  const account = await askAccount(questions, user)
  const history = await questions.ask({ type: 'historicalOrders', user }, decodeHistoricalOrders)
  const fills = await questions.ask({ type: 'userFills', user }, (json) => readFillRows(json, user))
  return {
    ...{ account: user, clock, markets, tables, mode, ...account, history, fills },
    ...(await askNobody(questions, markets)),
    assets: await askAssets(questions, user, markets, account),
    slices: await questions.ask({ type: 'userTwapSliceFills', user }, (json) =>
      readSlices(json, user),
    ),
    liquidation: await askLiquidation(questions, user, fills),
    oldest: await askOldest(questions, user, history),
    allowance: await questions.ask({ type: 'userRateLimit', user }, readAllowance),
    takerRate: (await questions.ask({ type: 'userFees', user }, decodeUserFees))?.takerRate ?? null,
  }
}

async function askClock(questions: Questions): Promise<Told['clock']> {
  const asked = systemClock.now()
  const venue = await questions.ask({ type: 'exchangeStatus' }, readTime)
  // Half of the way there and back.
  const own = Math.round((asked + systemClock.now()) / 2) as typeof asked
  return venue === null ? null : { venue, own }
}

/** State and orders twice, balances in between: what changed meanwhile is known. */
async function askAccount(
  questions: Questions,
  user: Address,
): Promise<Pick<Told, 'states' | 'spot' | 'orders'>> {
  const orders = (): Promise<readonly OpenOrder[] | null> =>
    questions.ask({ type: 'frontendOpenOrders', user }, decodeFrontendOpenOrders)
  const state = (): Promise<PerpSight | null> =>
    questions.ask({ type: 'clearinghouseState', user }, readPerp)
  const first = await orders()
  const before = await state()
  const spot = await questions.ask({ type: 'spotClearinghouseState', user }, readSpot)
  const after = await state()
  const last = await orders()
  return {
    states: before === null || after === null ? null : [before, after],
    spot,
    orders: JSON.stringify(first) === JSON.stringify(last) ? last : null,
  }
}

/** An address that nobody has: whatever it shows was never set. */
async function askNobody(
  questions: Questions,
  markets: Markets | null,
): Promise<Pick<Told, 'nobodysMode' | 'nobodysLeverages'>> {
  const user = `0x${randomBytes(20).toString('hex')}`
  const mode = await questions.ask({ type: 'userAbstraction', user }, (answer) => ok({ answer }))
  const open = tradable(markets).filter(({ onlyIsolated }) => !onlyIsolated)
  const high = open.find(({ maxLeverage }) => maxLeverage > 20)
  const low = open.find(({ maxLeverage }) => maxLeverage < 20)
  const leverages: ActiveAssetData[] = []
  for (const market of [high, low]) {
    if (market === undefined) continue
    const told = await questions.ask(
      { type: 'activeAssetData', user, coin: market.coin },
      decodeActiveAssetData,
    )
    if (told !== null) leverages.push(told)
  }
  return { nobodysMode: mode, nobodysLeverages: leverages }
}

/** Markets with entries and no position, whose leverage nothing else shows, and one more. */
async function askAssets(
  questions: Questions,
  user: Address,
  markets: Markets | null,
  { states, orders }: Pick<Told, 'states' | 'orders'>,
): Promise<Told['assets']> {
  const held = states?.[1].positions.map(({ coin }) => coin) ?? []
  const entries = (orders ?? []).filter((each) => !each.isReduceOnly).map(({ coin }) => coin)
  const flat = entries.filter((coin) => !held.includes(coin))
  const usual = tradable(markets).map(({ coin }) => coin)
  const coins = new Set<Coin>([...[...held, ...flat, ...usual].slice(0, 1), ...flat])
  const found = new Map<Coin, ActiveAssetData>()
  for (const coin of [...coins].slice(0, limits.examinedMarketsMax)) {
    const data = await questions.ask({ type: 'activeAssetData', user, coin }, decodeActiveAssetData)
    if (data !== null) found.set(coin, data)
  }
  return found
}

function tradable(markets: Markets | null): readonly Market[] {
  return [...(markets?.byAsset.values() ?? [])].filter(({ isDelisted }) => !isDelisted)
}

/** The ledger's row of the last liquidation that the fills show. */
async function askLiquidation(
  questions: Questions,
  user: Address,
  fills: readonly FillRow[] | null,
): Promise<LiquidationRow | null> {
  const own = (fills ?? []).filter(({ liquidation }) => liquidation !== null)
  if (own.length === 0) return null
  const at = Math.max(...own.map((fill) => fill.at))
  const around: Json = { startTime: at - aroundMs, endTime: at + aroundMs }
  const type = 'userNonFundingLedgerUpdates'
  return await questions.ask({ type, user, ...around }, readLiquidation)
}
const aroundMs = 60_000

async function askOldest(
  questions: Questions,
  user: Address,
  history: readonly OrderRow[] | null,
): Promise<Told['oldest']> {
  const oldest = [...(history ?? [])].sort((one, other) => one.at - other.at)[0]
  if (oldest === undefined) return null
  const { oid } = oldest.order
  const status = await questions.ask({ type: 'orderStatus', user, oid }, decodeOrderStatus)
  return status === null ? null : { oid, isKnown: status.kind === 'order' }
}
