import type { Address } from '../values/address.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import { readActiveAssetData, readClearinghouseState, readSpotState } from './decodeInfoAccount.ts'
import type { ActiveAssetData } from './decodeInfoAccount.ts'
import { readFills, readFunding, readFundings, readLedger } from './decodeInfoHistory.ts'
import type { EquityPool } from './decodeInfoHistory.ts'
import { readMids, readOpenOrders, readOrderUpdates } from './decodeInfoOrders.ts'
import { readByDex } from './decodeDexes.ts'
import { readAssetContext, readAssetContexts } from './decodeMeta.ts'
import { readSliceFills, readTwapStates } from './decodeTwaps.ts'
import type { AssetContext } from './decodeMeta.ts'
import {
  addressOf,
  coinOf,
  decoding,
  eachOf,
  flagOf,
  isAbsent,
  objectOf,
  textOf,
  wholeOf,
} from './readJson.ts'
import type {
  ClearinghouseState,
  Fill,
  FundingPayment,
  LedgerEntry,
  OpenOrder,
  OrderUpdate,
  SpotState,
  Twap,
} from './venueState.ts'

/** A message of the venue's stream, as far as Guard uses it. */
export type VenueFrame =
  | { readonly channel: 'allMids'; readonly dex: string; readonly mids: ReadonlyMap<Coin, Decimal> }
  | {
      readonly channel: 'clearinghouseState'
      readonly user: Address
      readonly dex: string
      readonly state: ClearinghouseState
    }
  | {
      readonly channel: 'allDexsClearinghouseState'
      readonly user: Address
      /** By dex, the main one with an empty name; null where a builder dex's cannot be read. */
      readonly states: ReadonlyMap<string, ClearinghouseState | null>
    }
  | {
      readonly channel: 'assetCtxs'
      readonly dex: string
      /** In the order of the dex's perps. */
      readonly contexts: readonly AssetContext[]
    }
  | {
      readonly channel: 'openOrders'
      readonly user: Address
      readonly dex: string
      readonly orders: readonly OpenOrder[]
    }
  | { readonly channel: 'orderUpdates'; readonly updates: readonly OrderUpdate[] }
  | { readonly channel: 'user'; readonly event: UserEvent }
  | {
      readonly channel: 'userFills'
      readonly user: Address
      readonly fills: readonly Fill[]
      readonly isSnapshot: boolean
    }
  | {
      readonly channel: 'userFundings'
      readonly user: Address
      readonly payments: readonly FundingPayment[]
      readonly isSnapshot: boolean
    }
  | {
      readonly channel: 'userNonFundingLedgerUpdates'
      readonly user: Address
      readonly entries: readonly LedgerEntry[]
      readonly isSnapshot: boolean
    }
  | {
      readonly channel: 'twapStates'
      readonly user: Address
      readonly dex: string
      readonly twaps: readonly Twap[]
    }
  | {
      readonly channel: 'userTwapSliceFills'
      readonly user: Address
      readonly fills: readonly Fill[]
      readonly isSnapshot: boolean
    }
  | { readonly channel: 'spotState'; readonly user: Address; readonly spot: SpotState }
  | { readonly channel: 'activeAssetData'; readonly user: Address; readonly data: ActiveAssetData }
  | { readonly channel: 'activeAssetCtx'; readonly coin: Coin; readonly context: AssetContext }
  | { readonly channel: 'pong' }
  | {
      readonly channel: 'subscriptionResponse'
      readonly method: string
      readonly subscription: JsonObject
    }
  | { readonly channel: 'error'; readonly text: string }
  | {
      readonly channel: 'post'
      readonly id: number
      readonly type: string
      readonly payload: Json
    }
  /** A channel Guard does not read. */
  | { readonly channel: 'other'; readonly name: string }

/** What the channel `user` tells; kinds that Guard does not use are `other`. */
type UserEvent =
  | { readonly kind: 'fills'; readonly fills: readonly Fill[] }
  | { readonly kind: 'funding'; readonly payment: FundingPayment }
  | { readonly kind: 'liquidation'; readonly liquidatedUser: Address }
  | {
      readonly kind: 'nonUserCancel'
      readonly cancels: readonly { readonly coin: Coin; readonly oid: number }[]
    }
  | { readonly kind: 'other' }

/** Reads one message; `pool` says where the account's equity is counted, for ledger updates. */
export function decodeFrame(json: Json, pool: EquityPool = 'perp'): Result<VenueFrame> {
  return decoding('stream', () => readFrame(json, pool))
}

function readFrame(json: Json, pool: EquityPool): VenueFrame {
  const frame = objectOf(json, 'the message')
  const channel = textOf(frame, 'channel')
  const data = frame['data']
  switch (channel) {
    case 'pong':
      return { channel }
    case 'orderUpdates':
      return { channel, updates: readOrderUpdates(data) }
    case 'error':
      return { channel, text: typeof data === 'string' ? data : JSON.stringify(data ?? null) }
    case 'allMids':
    case 'clearinghouseState':
    case 'allDexsClearinghouseState':
    case 'assetCtxs':
    case 'openOrders':
    case 'spotState':
    case 'twapStates':
    case 'activeAssetData':
    case 'activeAssetCtx':
      return readStateFrame(channel, objectOf(data, 'data'))
    case 'user':
      return { channel, event: readUserEvent(objectOf(data, 'data')) }
    case 'userFills':
    case 'userFundings':
    case 'userNonFundingLedgerUpdates':
    case 'userTwapSliceFills':
      return readHistoryFrame(channel, objectOf(data, 'data'), pool)
    case 'subscriptionResponse':
    case 'post':
      return readControlFrame(channel, objectOf(data, 'data'))
    default:
      return { channel: 'other', name: channel }
  }
}

type StateChannel =
  | 'allMids'
  | 'clearinghouseState'
  | 'allDexsClearinghouseState'
  | 'assetCtxs'
  | 'openOrders'
  | 'spotState'
  | 'twapStates'
  | 'activeAssetData'
  | 'activeAssetCtx'

function readStateFrame(channel: StateChannel, data: JsonObject): VenueFrame {
  switch (channel) {
    case 'allMids':
      return { channel, dex: dexOf(data), mids: readMids(data['mids']) }
    case 'clearinghouseState': {
      const state = readClearinghouseState(data['clearinghouseState'])
      return { channel, user: addressOf(data, 'user'), dex: dexOf(data), state }
    }
    case 'allDexsClearinghouseState': {
      const states = readByDex(
        data['clearinghouseStates'],
        'clearinghouseStates',
        readClearinghouseState,
      )
      return { channel, user: addressOf(data, 'user'), states }
    }
    case 'assetCtxs':
      return { channel, dex: dexOf(data), contexts: readAssetContexts(data['ctxs']) }
    case 'openOrders': {
      const orders = readOpenOrders(data['orders'])
      return { channel, user: addressOf(data, 'user'), dex: dexOf(data), orders }
    }
    case 'twapStates': {
      const twaps = readTwapStates(data['states'])
      return { channel, user: addressOf(data, 'user'), dex: dexOf(data), twaps }
    }
    case 'spotState':
      return { channel, user: addressOf(data, 'user'), spot: readSpotState(data['spotState']) }
    case 'activeAssetData':
      return { channel, user: addressOf(data, 'user'), data: readActiveAssetData(data) }
    case 'activeAssetCtx': {
      const context = readAssetContext(objectOf(data['ctx'], 'ctx'))
      return { channel, coin: coinOf(data, 'coin'), context }
    }
  }
}

type HistoryChannel =
  'userFills' | 'userFundings' | 'userNonFundingLedgerUpdates' | 'userTwapSliceFills'

function readHistoryFrame(channel: HistoryChannel, data: JsonObject, pool: EquityPool): VenueFrame {
  const user = addressOf(data, 'user')
  // The first frame says it is a snapshot; later ones leave the flag out.
  const isSnapshot = flagOf(data, 'isSnapshot')
  switch (channel) {
    case 'userFills':
      return { channel, user, isSnapshot, fills: readFills(data['fills']) }
    case 'userTwapSliceFills':
      return { channel, user, isSnapshot, fills: readSliceFills(data['twapSliceFills']) }
    case 'userFundings':
      return { channel, user, isSnapshot, payments: readFundings(data['fundings']) }
    case 'userNonFundingLedgerUpdates': {
      const entries = readLedger(data['nonFundingLedgerUpdates'], user, pool)
      return { channel, user, isSnapshot, entries }
    }
  }
}

function readControlFrame(channel: 'subscriptionResponse' | 'post', data: JsonObject): VenueFrame {
  if (channel === 'subscriptionResponse') {
    const subscription = objectOf(data['subscription'], 'subscription')
    return { channel, method: textOf(data, 'method'), subscription }
  }
  const response = objectOf(data['response'], 'response')
  const payload = response['payload'] ?? null
  return { channel, id: wholeOf(data, 'id'), type: textOf(response, 'type'), payload }
}

function readUserEvent(data: JsonObject): UserEvent {
  if (!isAbsent(data['fills'])) return { kind: 'fills', fills: readFills(data['fills']) }
  if (!isAbsent(data['funding'])) {
    return { kind: 'funding', payment: readFunding(objectOf(data['funding'], 'funding')) }
  }
  if (!isAbsent(data['liquidation'])) {
    const from = objectOf(data['liquidation'], 'liquidation')
    return { kind: 'liquidation', liquidatedUser: addressOf(from, 'liquidated_user') }
  }
  if (!isAbsent(data['nonUserCancel'])) {
    const cancels = eachOf(data['nonUserCancel'], 'nonUserCancel', (each) => {
      const from = objectOf(each, 'cancel')
      return { coin: coinOf(from, 'coin'), oid: wholeOf(from, 'oid') }
    })
    return { kind: 'nonUserCancel', cancels }
  }
  return { kind: 'other' }
}

function dexOf(data: JsonObject): string {
  return isAbsent(data['dex']) ? '' : textOf(data, 'dex')
}
