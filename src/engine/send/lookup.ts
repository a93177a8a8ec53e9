import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { isSameTwap } from '../../core/account/sameTwap.ts'
import type { Action, Json, Order, TwapOrderAction } from '../../core/protocol/action.ts'
import { decodeActiveAssetData } from '../../core/protocol/decodeInfoAccount.ts'
import { decodeOrderStatus } from '../../core/protocol/decodeInfoOrders.ts'
import type { OrderStatus } from '../../core/protocol/decodeInfoOrders.ts'
import { decodeRunningTwaps, decodeTwapHistory } from '../../core/protocol/decodeTwaps.ts'
import { isLiveStatus } from '../../core/protocol/liveStatus.ts'
import type { Markets } from '../../core/protocol/market.ts'
import type { Address } from '../../core/values/address.ts'
import type { Leverage } from '../../core/protocol/venueState.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Result } from '../../core/values/result.ts'
import type { Urgency, VenueHttp } from '../ports.ts'

/** What the venue says became of an action. `absent` is only final once it has expired. */
export type Found =
  | { readonly kind: 'happened'; readonly evidence: string }
  | { readonly kind: 'absent'; readonly evidence: string }
  /** The venue keeps nothing by which it could be told. */
  | { readonly kind: 'untold'; readonly evidence: string }
  | NoAnswer

/** No answer came, or one that reads as no answer to the question: it is asked again. */
type NoAnswer = {
  readonly kind: 'unreachable' | 'unreadable'
  readonly error: string
}

export interface LookupDeps {
  readonly venue: Pick<VenueHttp, 'info'>
  readonly account: Address
  readonly markets: () => Markets
  /** Takes in what was read on the way: the account may be waiting for it. */
  readonly heard: (event: TwapNewsEvent) => void
}

/** What the venue's lists of TWAPs say; when, whoever hears it knows. */
export type TwapNewsEvent = Undated<Extract<AccountEvent, { kind: 'twaps' | 'twap_history' }>>

type Undated<T> = T extends unknown ? Omit<T, 'at'> : never

type UpdateLeverage = Extract<Action, { type: 'updateLeverage' }>

/** Clocks differ: an order this much older than the intent may still be the intent's. */
const skewMs = 5_000

/** Whether an order with an intent's client id, placed at `orderAt`, may be the one of that intent. */
export function isOfIntent(orderAt: Millis, intentAt: Millis): boolean {
  return orderAt >= intentAt - skewMs
}

/** Asks the venue what became of an action that was written down at `at`. */
export async function lookUp(
  deps: LookupDeps,
  action: Action,
  at: Millis,
  lane: Urgency,
): Promise<Found> {
  const ask: Ask = (ref) => orderStatus(deps, ref, lane)
  switch (action.type) {
    case 'order':
      return await lookUpOrders(ask, action.orders, at)
    case 'modify':
      return await lookUpOrders(ask, [action.modify.order], at)
    case 'batchModify':
      return await lookUpOrders(
        ask,
        action.modifies.map((each) => each.order),
        at,
      )
    case 'cancel':
      return await lookUpCancels(
        ask,
        action.cancels.map((each) => each.oid),
      )
    case 'cancelByCloid':
      return await lookUpCancels(
        ask,
        action.cancels.map((each) => each.cloid),
      )
    case 'updateLeverage':
      return leverageFound(await readLeverage(deps, action.asset, lane), action)
    case 'twapOrder':
      return await lookUpTwap(deps, action, at, lane)
    case 'updateIsolatedMargin':
    case 'scheduleCancel':
    case 'twapCancel':
      return { kind: 'untold', evidence: `the venue keeps no record of a single ${action.type}` }
  }
}

/** The orders of an action arrive together: one that is known shows that all of them arrived. */
async function lookUpOrders(ask: Ask, orders: readonly Order[], at: Millis): Promise<Found> {
  const cloids = new Set(orders.flatMap((order) => (order.cloid === null ? [] : [order.cloid])))
  if (cloids.size === 0) return { kind: 'untold', evidence: 'its orders have no client id' }
  for (const cloid of cloids) {
    const status = await ask(cloid)
    if (status.kind !== 'told') return status
    if (status.value.kind === 'order' && isOfIntent(status.value.order.at, at)) {
      return { kind: 'happened', evidence: `order ${cloid} is ${status.value.status}` }
    }
  }
  return { kind: 'absent', evidence: `the venue knows no order ${[...cloids].join(', ')}` }
}

async function lookUpCancels(ask: Ask, refs: readonly (number | string)[]): Promise<Found> {
  for (const ref of refs) {
    const status = await ask(ref)
    if (status.kind !== 'told') return status
    if (status.value.kind === 'order' && isLiveStatus(status.value.status)) {
      return { kind: 'absent', evidence: `order ${ref} is still ${status.value.status}` }
    }
  }
  return { kind: 'happened', evidence: `no order of ${refs.join(', ')} is open` }
}

/**
 * A TWAP has no id: it is known by what was asked for. One that waits for its price may be in the
 * venue's history alone.
 */
async function lookUpTwap(
  deps: LookupDeps,
  action: TwapOrderAction,
  at: Millis,
  lane: Urgency,
): Promise<Found> {
  const coin = deps.markets().byAsset.get(action.asset)?.coin
  if (coin === undefined) return { kind: 'untold', evidence: `asset ${action.asset} is not listed` }
  const { trigger = null, endPrice = null } = action.details ?? {}
  const asked = { ...action, coin, triggerPrice: trigger?.price ?? null, endPrice }
  const user = deps.account
  const running = await askVenue(deps, { type: 'webData2', user }, lane, decodeRunningTwaps)
  if (running.kind !== 'told') return running
  // Its number is in these lists, and without it nobody can cancel it.
  deps.heard({ kind: 'twaps', twaps: running.value, source: 'read' })
  const found = running.value.find((twap) => isSameTwap(asked, at, twap))
  if (found !== undefined) return { kind: 'happened', evidence: `TWAP ${found.id} runs` }
  const history = await askVenue(deps, { type: 'twapHistory', user }, lane, decodeTwapHistory)
  if (history.kind !== 'told') return history
  deps.heard({ kind: 'twap_history', news: history.value })
  const isPast = history.value.some(({ twap }) => isSameTwap(asked, at, twap))
  if (isPast) return { kind: 'happened', evidence: "the venue's history has such a TWAP" }
  return { kind: 'absent', evidence: 'the venue knows no such TWAP' }
}

/** What is set for an asset, or why that cannot be told. */
export type LeverageSetting =
  | { readonly kind: 'set'; readonly coin: string; readonly leverage: Leverage }
  | Exclude<Found, { kind: 'happened' | 'absent' }>

/** Asks what leverage is set for an asset. */
export async function readLeverage(
  deps: LookupDeps,
  asset: number,
  lane: Urgency,
): Promise<LeverageSetting> {
  const coin = deps.markets().byAsset.get(asset)?.coin
  if (coin === undefined) return { kind: 'untold', evidence: `asset ${asset} is not listed` }
  const request = { type: 'activeAssetData', user: deps.account, coin }
  const answer = await askVenue(deps, request, lane, decodeActiveAssetData)
  if (answer.kind !== 'told') return answer
  const said = answer.value
  if (said.coin !== coin) {
    return { kind: 'unreadable', error: `asked about ${coin}, answered about ${said.coin}` }
  }
  return { kind: 'set', coin, leverage: said.leverage }
}

/** What a setting says of an action that was to make it. */
export function leverageFound(setting: LeverageSetting, action: UpdateLeverage): Found {
  if (setting.kind !== 'set') return setting
  const { type, value } = setting.leverage
  const isSame = type === (action.isCross ? 'cross' : 'isolated') && value === action.leverage
  return { kind: isSame ? 'happened' : 'absent', evidence: `${setting.coin} is ${type} ${value}` }
}

export type Told<T> = { readonly kind: 'told'; readonly value: T } | NoAnswer

type Ask = (ref: number | string) => Promise<Told<OrderStatus>>

async function orderStatus(
  deps: LookupDeps,
  ref: number | string,
  lane: Urgency,
): Promise<Told<OrderStatus>> {
  const request = { type: 'orderStatus', user: deps.account, oid: ref }
  return await askVenue(deps, request, lane, decodeOrderStatus)
}

/** An answer counts only when it came whole, as an answer, and reads as one to this question. */
export async function askVenue<T>(
  { venue }: Pick<LookupDeps, 'venue'>,
  request: Json,
  lane: Urgency,
  decode: (json: Json) => Result<T>,
): Promise<Told<T>> {
  const answer = await venue.info(request, lane)
  if (!answer.ok) return { kind: 'unreachable', error: answer.error.text }
  const { status, body } = answer.value
  if (status !== 200) {
    return { kind: 'unreachable', error: `the venue answered a read with HTTP ${status}` }
  }
  const decoded = decode(body)
  if (!decoded.ok) return { kind: 'unreadable', error: decoded.error }
  return { kind: 'told', value: decoded.value }
}
