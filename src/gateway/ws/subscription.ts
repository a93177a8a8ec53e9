import type { Json } from '../../core/protocol/action.ts'
import { parseAddress } from '../../core/values/address.ts'
import { parseCoin } from '../../core/values/coin.ts'

type Fields = { readonly [key: string]: Json }

/** What a late subscriber is told of the past, by the nature of the channel. */
type Memory =
  /** Every frame is the whole state: the last one. */
  | { readonly kind: 'state' }
  /** A snapshot, then what is new: both together, under this field, or as a bare list. */
  | { readonly kind: 'list'; readonly field: string | null; readonly max: number }
  /** Prices that the venue packs, and then what changed of them: all of them. */
  | { readonly kind: 'packed' }
  /** Changes of orders: those that are still open. */
  | { readonly kind: 'orders' }
  | { readonly kind: 'none' }

/** A subscription as Guard relays it. */
export interface Subscription {
  readonly type: string
  /** The fields that the bot sent, in its order and none beside them; addresses in lower case. */
  readonly wire: Fields
  /**
   * The same for all that ask for the same and are told the same: whether a dex was named is part of
   * it, because the venue's frames then name it too, and clients look for what they sent.
   */
  readonly key: string
  /** The same for every way to ask for it: the venue may acknowledge it in other words. */
  readonly meaning: string
  /** What a frame shows of its subscription; one socket carries each route once. */
  readonly route: string
  readonly user: string | null
  readonly coin: string | null
  readonly memory: Memory
}

interface Row {
  readonly needs: readonly ('coin' | 'user' | 'interval')[]
  /** Optional fields with what the venue takes when they are missing. */
  readonly defaults?: Fields
  /** The fields that can be told from a frame. */
  readonly shows: readonly string[]
  readonly memory: Memory
}

const state: Memory = { kind: 'state' }
const list = (field: string | null, max = 2_000): Memory => ({ kind: 'list', field, max })
const userList = (field: string, defaults: Fields = {}): Row => ({
  needs: ['user'],
  defaults,
  shows: ['user'],
  memory: list(field),
})
const userState = (defaults: Fields = {}): Row => ({
  needs: ['user'],
  defaults,
  shows: ['user', ...('dex' in defaults ? ['dex'] : [])],
  memory: state,
})

const rows: Readonly<Record<string, Row>> = {
  allMids: { needs: [], defaults: { dex: '' }, shows: ['dex'], memory: state },
  l2Book: {
    needs: ['coin'],
    defaults: { nSigFigs: null, mantissa: null, fast: false },
    shows: ['coin'],
    memory: state,
  },
  bbo: { needs: ['coin'], shows: ['coin'], memory: state },
  trades: { needs: ['coin'], shows: ['coin'], memory: list(null, 30) },
  candle: { needs: ['coin', 'interval'], shows: ['coin', 'interval'], memory: state },
  activeAssetCtx: { needs: ['coin'], shows: ['coin'], memory: state },
  assetCtxs: { needs: [], defaults: { dex: '' }, shows: [], memory: state },
  allDexsAssetCtxs: { needs: [], shows: [], memory: state },
  spotAssetCtxs: { needs: [], shows: [], memory: state },
  fastAssetCtxs: { needs: [], shows: [], memory: { kind: 'packed' } },
  outcomeMetaUpdates: { needs: [], shows: [], memory: { kind: 'none' } },
  activeAssetData: { needs: ['user', 'coin'], shows: ['user', 'coin'], memory: state },
  clearinghouseState: userState({ dex: '' }),
  allDexsClearinghouseState: userState(),
  openOrders: userState({ dex: '' }),
  twapStates: userState({ dex: '' }),
  spotState: { ...userState({ ignorePortfolioMargin: false }), shows: ['user'] },
  webData2: userState(),
  webData3: userState(),
  orderUpdates: { needs: ['user'], shows: [], memory: { kind: 'orders' } },
  userEvents: { needs: ['user'], shows: [], memory: { kind: 'none' } },
  notification: { needs: ['user'], shows: [], memory: { kind: 'none' } },
  userFills: userList('fills', { aggregateByTime: false }),
  userFundings: userList('fundings'),
  userNonFundingLedgerUpdates: userList('nonFundingLedgerUpdates'),
  userHistoricalOrders: userList('orderHistory'),
  userTwapHistory: userList('history'),
  userTwapSliceFills: userList('twapSliceFills'),
}

const intervals = [
  '1m',
  '3m',
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '4h',
  '8h',
  '12h',
  '1d',
  '3d',
  '1w',
  '1M',
]

/**
 * A subscription the venue would take, or how it would refuse: `unreadable` when it is no request
 * at all, `invalid` where the venue would drop the whole connection.
 */
export function parseSubscription(fields: Fields): Subscription | 'unreadable' | 'invalid' {
  const { type } = fields
  const row = typeof type === 'string' && Object.hasOwn(rows, type) ? rows[type] : undefined
  if (row === undefined || typeof type !== 'string') return 'unreadable'
  const full: { [key: string]: Json } = { type }
  for (const name of row.needs) {
    const value = checked(name, fields[name])
    if (value === null) return name === 'coin' ? 'invalid' : 'unreadable'
    full[name] = value
  }
  for (const [name, missing] of Object.entries(row.defaults ?? {})) {
    const value = fields[name] ?? missing
    if (!fits(name, value)) return 'unreadable'
    full[name] = value
  }
  if (type === 'l2Book' && !isBookDepth(full)) return 'invalid'
  const { user = null, coin = null } = full
  const meaning = JSON.stringify(full)
  return {
    type,
    wire: asSent(fields, full),
    key: 'dex' in full && typeof fields['dex'] !== 'string' ? `${meaning} without dex` : meaning,
    meaning,
    route: routeText(
      type,
      row.shows.map((name) => full[name] ?? ''),
    ),
    user: user as string | null,
    coin: coin as string | null,
    memory: row.memory,
  }
}

/** What the bot sent, in its order and nulls too, without what the venue does not know. */
function asSent(fields: Fields, full: Fields): Fields {
  const known = Object.entries(fields).filter(([name]) => Object.hasOwn(full, name))
  return { ...Object.fromEntries(known), ...('user' in full ? { user: full['user'] } : {}) }
}

/** The route of a frame from the venue; null for a channel Guard does not relay. */
export function routeOfFrame(channel: string, data: Json): string | null {
  const type =
    channel === 'user'
      ? 'userEvents'
      : channel === 'activeSpotAssetCtx'
        ? 'activeAssetCtx'
        : channel
  const row = Object.hasOwn(rows, type) ? rows[type] : undefined
  if (row === undefined) return null
  const shown = Array.isArray(data) ? (data as readonly Json[])[0] : data
  const fields = (shown !== null && typeof shown === 'object' ? shown : {}) as Fields
  return routeText(
    type,
    row.shows.map((name) => shownField(type, name, fields)),
  )
}

function shownField(type: string, name: string, data: Fields): Json {
  if (type === 'candle') return data[name === 'coin' ? 's' : 'i'] ?? ''
  if (name === 'user') {
    const holder = type === 'webData3' ? (data['userState'] as Fields | undefined) : data
    const user = holder?.['user']
    return typeof user === 'string' ? user.toLowerCase() : ''
  }
  return data[name] ?? ''
}

const routeText = (type: string, shown: readonly Json[]): string => JSON.stringify([type, ...shown])

function checked(name: 'coin' | 'user' | 'interval', value: Json | undefined): string | null {
  if (name === 'interval') {
    return typeof value === 'string' && intervals.includes(value) ? value : null
  }
  const parsed = name === 'coin' ? parseCoin(value) : parseAddress(value)
  return parsed.ok ? parsed.value : null
}

function fits(name: string, value: Json): boolean {
  if (name === 'dex') return typeof value === 'string'
  if (name === 'nSigFigs' || name === 'mantissa') return value === null || typeof value === 'number'
  return typeof value === 'boolean'
}

/** The venue drops the connection on any other depth. */
function isBookDepth({ nSigFigs, mantissa }: Fields): boolean {
  const figures = nSigFigs as number | null
  if (figures !== null && ![2, 3, 4, 5].includes(figures)) return false
  return mantissa === null || (figures === 5 && [1, 2, 5].includes(mantissa as number))
}
