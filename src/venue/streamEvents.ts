import type { Json } from '../core/protocol/action.ts'
import { dexOf } from '../core/protocol/coinKind.ts'
import type { AssetContext } from '../core/protocol/decodeMeta.ts'
import { decodeFrame } from '../core/protocol/decodeFrame.ts'
import type { VenueFrame } from '../core/protocol/decodeFrame.ts'
import type { EquityPool } from '../core/protocol/decodeInfoHistory.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { OrderListReader } from '../core/protocol/orderListReader.ts'
import type { Address } from '../core/values/address.ts'
import type { Coin } from '../core/values/coin.ts'
import type { Millis } from '../core/values/millis.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { unreachable } from '../core/values/unreachable.ts'
import type { SnapshotKind, VenueNews } from '../engine/ports.ts'

/** What one frame of the stream says of the account, and the state it tells whole, as written. */
export interface StreamNews {
  readonly events: readonly VenueNews[]
  readonly snapshot: Snapshot | null
}

/** Read when somebody asks for it. */
interface Snapshot {
  readonly kind: SnapshotKind
  readonly body: () => Json
}

const nothing: StreamNews = { events: [], snapshot: null }

/** Reads one frame; nothing for frames of other users, and of a builder dex only what is followed there. */
export function streamEvents(
  text: string,
  account: Address,
  pool: EquityPool,
  at: Millis,
  lists: OrderListReader,
): Result<StreamNews> {
  const orders = lists.read(text)
  if (orders !== null) {
    const body = (): Json => dataOf(JSON.parse(text) as Json, 'orders') ?? null
    return ok({
      events: [{ kind: 'orders', orders, source: 'stream', at }],
      snapshot: { kind: 'openOrders', body },
    })
  }
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch {
    // The venue greets some clients in plain text.
    return ok(nothing)
  }
  const frame = decodeFrame(json, pool)
  if (!frame.ok) return frame
  if (frame.value.channel === 'error') return err(`the venue says: ${frame.value.text}`)
  if ('user' in frame.value && frame.value.user !== account) return ok(nothing)
  if ('dex' in frame.value && frame.value.dex !== '') {
    return ok({ events: dexEventsOf(frame.value, frame.value.dex, at), snapshot: null })
  }
  return ok({ events: eventsOf(frame.value, at), snapshot: snapshotOf(frame.value.channel, json) })
}

/** Where in a frame's data the whole state stands; a read of it answers with just that. */
const snapshotKeys: ReadonlyMap<string, readonly [SnapshotKind, string]> = new Map([
  ['clearinghouseState', ['clearinghouseState', 'clearinghouseState']],
  ['openOrders', ['openOrders', 'orders']],
  ['spotState', ['spotState', 'spotState']],
])

function snapshotOf(channel: string, json: Json): StreamNews['snapshot'] {
  if (channel === 'allDexsClearinghouseState') return mainStateIn(json)
  const found = snapshotKeys.get(channel)
  if (found === undefined) return null
  const [kind, key] = found
  const body = dataOf(json, key)
  return body === undefined ? null : { kind, body: () => body }
}

/** The main dex's part of the states of all dexes. */
function mainStateIn(json: Json): StreamNews['snapshot'] {
  const rows = dataOf(json, 'clearinghouseStates')
  const main = Array.isArray(rows) ? (rows as Json[]).find(isMainRow) : undefined
  const body = main?.[1]
  return body === undefined ? null : { kind: 'clearinghouseState', body: () => body }
}

function isMainRow(row: Json): row is [string, Json] {
  return Array.isArray(row) && row[0] === ''
}

function dataOf(json: Json, key: string): Json | undefined {
  return isObject(json) && isObject(json['data']) ? json['data'][key] : undefined
}

/** What a frame of one builder dex tells. */
function dexEventsOf(frame: VenueFrame, dex: string, at: Millis): readonly VenueNews[] {
  switch (frame.channel) {
    case 'openOrders':
      return [{ kind: 'orders', orders: frame.orders, dex, source: 'stream', at }]
    case 'twapStates':
      return [{ kind: 'twaps', twaps: frame.twaps, dex, source: 'stream', at }]
    case 'assetCtxs':
      return [{ kind: 'dex_prices', dex, contexts: frame.contexts, at }]
    default:
      return []
  }
}

function eventsOf(frame: VenueFrame, at: Millis): readonly VenueNews[] {
  switch (frame.channel) {
    case 'allMids':
      return [{ kind: 'mids', mids: frame.mids, at }]
    case 'clearinghouseState':
      return [{ kind: 'state', state: frame.state, source: 'stream', at }]
    case 'allDexsClearinghouseState':
      return [{ kind: 'dex_states', states: frame.states, source: 'stream', at }]
    case 'openOrders':
      return [{ kind: 'orders', orders: frame.orders, source: 'stream', at }]
    case 'orderUpdates':
      return [{ kind: 'order_updates', updates: frame.updates, at }]
    case 'userFills':
      return [{ kind: 'fills', fills: frame.fills, isSnapshot: frame.isSnapshot, at }]
    case 'userTwapSliceFills':
      return [
        { kind: 'fills', fills: frame.fills, isSnapshot: frame.isSnapshot, areSlices: true, at },
      ]
    case 'twapStates':
      return [{ kind: 'twaps', twaps: frame.twaps, source: 'stream', at }]
    case 'userFundings':
      return [{ kind: 'funding', payments: frame.payments, isSnapshot: frame.isSnapshot, at }]
    case 'userNonFundingLedgerUpdates':
      return [{ kind: 'ledger', entries: frame.entries, isSnapshot: frame.isSnapshot, at }]
    case 'spotState':
      return [{ kind: 'spot', spot: frame.spot, source: 'stream', at }]
    case 'activeAssetData': {
      const { coin, leverage, available } = frame.data
      const told = available === null ? {} : { available }
      return [{ kind: 'leverage', coin, leverage, ...told, at }]
    }
    case 'activeAssetCtx':
      return pricesOf(frame.coin, frame.context, at)
    case 'assetCtxs':
    case 'user':
    case 'pong':
    case 'subscriptionResponse':
    case 'error':
    case 'post':
    case 'other':
      return []
    default:
      return unreachable(frame)
  }
}

function pricesOf(coin: Coin, context: AssetContext, at: Millis): readonly VenueNews[] {
  if (dexOf(coin) !== '') return [{ kind: 'contexts', contexts: new Map([[coin, context]]), at }]
  const { mark: price, oracle } = context
  const mark: VenueNews = { kind: 'mark', coin, mark: price, oracle, at }
  if (context.mid === null) return [mark]
  return [mark, { kind: 'mids', mids: new Map([[coin, context.mid]]), at }]
}
