import type { Json } from '../../../../src/core/protocol/action.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import { spotPairs } from '../../engine/spotPairs.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type { CandleInterval } from '../../engine/views.ts'
import { isObject } from '../exchange/schema.ts'
import { readGrouping, readInterval } from '../info/marketInfo.ts'
import type { BookGrouping } from '../render/groupBook.ts'

/** One stream as the venue understood it. */
export interface Subscription {
  readonly type: StreamType
  /** With defaults added and unknown keys dropped; the acknowledgement shows it. */
  readonly normalised: { readonly [key: string]: Json }
  /** Equal for equal streams. */
  readonly key: string
  readonly user: Address | null
  readonly coin: Coin | null
  readonly interval: CandleInterval | null
  readonly grouping: BookGrouping
  readonly isFast: boolean
  readonly isAggregated: boolean
}

type Field =
  | ('user' | 'coin' | 'bookCoin' | 'interval' | 'dex' | 'stateDex')
  | ('book' | 'aggregateByTime' | 'ignore')

const fieldsByType = {
  allMids: ['dex'],
  l2Book: ['bookCoin', 'book'],
  bbo: ['bookCoin'],
  trades: ['bookCoin'],
  candle: ['coin', 'interval'],
  activeAssetCtx: ['bookCoin'],
  activeAssetData: ['user', 'coin'],
  assetCtxs: ['dex'],
  allDexsAssetCtxs: [],
  spotAssetCtxs: [],
  fastAssetCtxs: [],
  outcomeMetaUpdates: [],
  clearinghouseState: ['stateDex', 'user'],
  allDexsClearinghouseState: ['user'],
  openOrders: ['stateDex', 'user'],
  orderUpdates: ['user'],
  userEvents: ['user'],
  userFills: ['user', 'aggregateByTime'],
  userFundings: ['user'],
  userNonFundingLedgerUpdates: ['user'],
  userHistoricalOrders: ['user'],
  userTwapHistory: ['user'],
  userTwapSliceFills: ['user'],
  twapStates: ['stateDex', 'user'],
  spotState: ['user', 'ignore'],
  notification: ['user'],
  webData2: ['user'],
  webData3: ['user'],
} as const satisfies { readonly [type: string]: readonly Field[] }

export type StreamType = keyof typeof fieldsByType

/** `invalid`: the text does not fit a request. `drop`: the venue ends the whole connection. */
type ReadSubscription = Subscription | 'invalid' | 'drop'

export function readSubscription(json: Json | undefined, venue: VenueReads): ReadSubscription {
  if (!isObject(json)) return 'invalid'
  const type = json['type']
  if (typeof type !== 'string' || !Object.hasOwn(fieldsByType, type)) return 'invalid'
  const built: { [key: string]: Json } = { type }
  let isDropped = false
  for (const field of fieldsByType[type as StreamType] as readonly Field[]) {
    const read = readers[field](json, built, venue)
    if (read === 'invalid') return 'invalid'
    if (read === 'drop') isDropped = true
  }
  return isDropped ? 'drop' : finish(type as StreamType, built)
}

function finish(type: StreamType, normalised: { readonly [key: string]: Json }): ReadSubscription {
  const grouping = readGrouping(normalised)
  if (grouping === null) return 'drop'
  return {
    type,
    normalised,
    key: JSON.stringify(normalised),
    user: (normalised['user'] as Address | undefined) ?? null,
    coin: (normalised['coin'] as Coin | undefined) ?? null,
    interval: readInterval(normalised['interval']),
    grouping,
    isFast: normalised['fast'] === true,
    isAggregated: normalised['aggregateByTime'] === true,
  }
}

type Given = { readonly [key: string]: Json }
type Built = { [key: string]: Json }
type Read = 'read' | 'invalid' | 'drop'

const readers: {
  readonly [Name in Field]: (given: Given, built: Built, venue: VenueReads) => Read
} = {
  user(given, built) {
    const user = parseAddress(given['user'])
    if (!user.ok) return 'invalid'
    built['user'] = user.value
    return 'read'
  },
  coin(given, built, venue) {
    const coin = given['coin']
    if (typeof coin !== 'string') return 'invalid'
    built['coin'] = coin
    return venue.market(coin as Coin) === null ? 'drop' : 'read'
  },
  /** A perp or a spot pair: whatever has a book. */
  bookCoin(given, built, venue) {
    const isSpot = spotPairs.some(({ name }) => name === given['coin'])
    if (!isSpot) return readers.coin(given, built, venue)
    built['coin'] = given['coin'] as string
    return 'read'
  },
  interval(given, built) {
    const interval = readInterval(given['interval'])
    if (interval === null) return 'invalid'
    built['interval'] = interval
    return 'read'
  },
  dex(given, built, venue) {
    if (!Object.hasOwn(given, 'dex')) return 'read'
    const dex = given['dex'] ?? null
    if (dex !== null && typeof dex !== 'string') return 'invalid'
    built['dex'] = dex
    return venue.hasDex(dex ?? '') ? 'read' : 'drop'
  },
  /**
   * What is told of an account names its dex, also where nobody has named one. On a dex that there is
   * not the account has nothing, and that is told.
   */
  stateDex(given, built, venue) {
    const read = readers.dex(given, built, venue)
    built['dex'] ??= ''
    return read === 'drop' ? 'read' : read
  },
  book(given, built) {
    for (const name of ['nSigFigs', 'mantissa']) {
      const value = given[name] ?? null
      if (value !== null && typeof value !== 'number') return 'invalid'
      built[name] = value
    }
    const fast = given['fast'] ?? false
    if (typeof fast !== 'boolean') return 'invalid'
    built['fast'] = fast
    return 'read'
  },
  aggregateByTime(given, built) {
    const joined = given['aggregateByTime'] ?? false
    if (typeof joined !== 'boolean') return 'invalid'
    built['aggregateByTime'] = joined
    return 'read'
  },
  /** The documents have another name for it; whichever came is taken, and one is always told. */
  ignore(given, built) {
    for (const name of ['ignorePortfolioMargin', 'isPortfolioMargin']) {
      const value = given[name] ?? null
      if (value !== null && typeof value !== 'boolean') return 'invalid'
      if (value !== null) built[name] = value
    }
    if (built['isPortfolioMargin'] === undefined) built['ignorePortfolioMargin'] ??= false
    return 'read'
  },
}
