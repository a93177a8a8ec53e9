import type { MarginTier, Market, Markets } from '../protocol/market.ts'
import type {
  AccountMode,
  ClearinghouseState,
  Fill,
  Leverage,
  OpenOrder,
  OrderUpdate,
  VenuePosition,
} from '../protocol/venueState.ts'
import { cloid } from '../values/cloid.ts'
import type { Cloid } from '../values/cloid.ts'
import { coin } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import { Account } from './account.ts'
import type { AccountRecord } from './ownRecord.ts'
import type { ReservedOrder } from './reservation.ts'

/** The markets of the worked vectors. */
export const vectorMeta: readonly MarketSpec[] = [
  { coin: 'BTC', asset: 0, sizeDecimals: 5, maxLeverage: 40 },
  { coin: 'ETH', asset: 1, sizeDecimals: 4, maxLeverage: 25 },
  { coin: 'SOL', asset: 2, sizeDecimals: 2, maxLeverage: 20 },
  { coin: 'HYPE', asset: 3, sizeDecimals: 2, maxLeverage: 10 },
  { coin: 'DOGE', asset: 4, sizeDecimals: 0, maxLeverage: 10 },
  { coin: 'kPEPE', asset: 5, sizeDecimals: 0, maxLeverage: 10 },
]

export const vectorMids: { readonly [coin: string]: string } = {
  BTC: '84213.5',
  ETH: '2486.35',
  SOL: '137.42',
  HYPE: '41.873',
  DOGE: '0.17342',
  kPEPE: '0.0098215',
}

interface MarketSpec {
  readonly coin: string
  readonly asset: number
  readonly sizeDecimals: number
  readonly maxLeverage: number
  readonly isDelisted?: boolean
  readonly onlyIsolated?: boolean
  readonly tiers?: readonly MarginTier[]
}

export function market(spec: MarketSpec): Market {
  return {
    asset: spec.asset,
    coin: coin(spec.coin),
    sizeDecimals: spec.sizeDecimals,
    maxLeverage: spec.maxLeverage,
    tiers: spec.tiers ?? [{ lowerBound: Decimal.zero, maxLeverage: spec.maxLeverage }],
    isDelisted: spec.isDelisted ?? false,
    onlyIsolated: spec.onlyIsolated ?? false,
  }
}

export function markets(specs: readonly MarketSpec[] = vectorMeta): Markets {
  const list = specs.map(market)
  return {
    byAsset: new Map(list.map((each) => [each.asset, each])),
    byCoin: new Map(list.map((each) => [each.coin, each])),
  }
}

export interface PositionSpec {
  /** Signed: positive is long. */
  readonly size: string
  readonly entry?: string
  readonly leverage?: Leverage
  readonly liquidation?: string | null
  readonly unrealised?: string
}

function venuePosition(name: string, spec: PositionSpec, mid: string): VenuePosition {
  const size = Decimal.of(spec.size)
  const entryPrice = Decimal.of(spec.entry ?? mid)
  const price = Decimal.of(mid)
  const leverage = spec.leverage ?? { type: 'isolated', value: 4 }
  const value = size.abs().times(price)
  return {
    coin: coin(name),
    size,
    entryPrice,
    positionValue: value,
    unrealisedPnl:
      spec.unrealised === undefined
        ? size.times(price.minus(entryPrice))
        : Decimal.of(spec.unrealised),
    leverage,
    liquidationPrice:
      spec.liquidation === undefined || spec.liquidation === null
        ? null
        : Decimal.of(spec.liquidation),
    marginUsed: value.over(Decimal.whole(leverage.value), 6, 'half-even'),
    maxLeverage: 40,
  }
}

export interface OrderSpec {
  readonly coin: string
  readonly oid: number
  readonly isBuy: boolean
  readonly price: string
  readonly size: string
  readonly originalSize?: string
  readonly cloid?: string | null
  readonly isReduceOnly?: boolean
  readonly trigger?: { readonly price: string; readonly isMarket?: boolean; tpsl?: 'tp' | 'sl' }
  readonly isPositionTpsl?: boolean
  readonly children?: readonly number[]
  readonly at?: number
}

export function openOrder(spec: OrderSpec): OpenOrder {
  return {
    coin: coin(spec.coin),
    isBuy: spec.isBuy,
    price: Decimal.of(spec.price),
    size: Decimal.of(spec.size),
    originalSize: Decimal.of(spec.originalSize ?? spec.size),
    oid: spec.oid,
    cloid: spec.cloid === undefined || spec.cloid === null ? null : cloid(spec.cloid),
    at: millis(spec.at ?? 1),
    isReduceOnly: spec.isReduceOnly ?? false,
    trigger:
      spec.trigger === undefined
        ? null
        : {
            price: Decimal.of(spec.trigger.price),
            isMarket: spec.trigger.isMarket ?? true,
            tpsl: spec.trigger.tpsl ?? 'sl',
          },
    isPositionTpsl: spec.isPositionTpsl ?? false,
    children: spec.children ?? [],
  }
}

export interface StopSpec {
  readonly coin: string
  readonly oid: number
  readonly size: string
  readonly trigger: string
  /** Sells by default: the stop of a long position. */
  readonly isBuy?: boolean
  readonly cloid?: string
  /** Defaults to 10% beyond the trigger. */
  readonly price?: string
  readonly isMarket?: boolean
  readonly isPositionTpsl?: boolean
}

/** A reduce-only market stop with 10% of room. */
export function stopOrder(spec: StopSpec): OpenOrder {
  const isBuy = spec.isBuy ?? false
  const beyond = Decimal.of(spec.trigger).times(Decimal.of(isBuy ? '1.1' : '0.9'))
  return openOrder({
    coin: spec.coin,
    oid: spec.oid,
    isBuy,
    price: spec.price ?? beyond.toString(),
    size: spec.size,
    isReduceOnly: true,
    trigger: { price: spec.trigger, isMarket: spec.isMarket ?? true },
    isPositionTpsl: spec.isPositionTpsl ?? false,
    ...(spec.cloid === undefined ? {} : { cloid: spec.cloid }),
  })
}

export interface EntrySpec extends Omit<OrderSpec, 'children' | 'trigger'> {
  /** The trigger of its waiting child stop; none when left out. */
  readonly stop?: string
  readonly stopCloid?: string
}

/** A resting entry, and its child stop (oid + 1) when it has one. */
export function restingEntry(spec: EntrySpec): readonly OpenOrder[] {
  if (spec.stop === undefined) return [openOrder(spec)]
  const child = stopOrder({
    coin: spec.coin,
    oid: spec.oid + 1,
    size: spec.originalSize ?? spec.size,
    trigger: spec.stop,
    isBuy: !spec.isBuy,
    ...(spec.stopCloid === undefined ? {} : { cloid: spec.stopCloid }),
  })
  return [openOrder({ ...spec, children: [child.oid] }), child]
}

/** An entry that was decided on, and the stop that goes with it where it has an id. */
interface FlyingEntry {
  readonly coin: Coin
  readonly isBuy: boolean
  readonly size: Decimal
  readonly price: Decimal
  readonly stop: Decimal
  readonly cloid: string
  readonly stopCloid: string | null
  readonly mayRest: boolean
}

/** What is reserved for an entry: itself first, then its stop. */
export function inFlight(entry: FlyingEntry): readonly ReservedOrder[] {
  const { coin: name, isBuy, size, price, stop, cloid: id, stopCloid, mayRest } = entry
  const parent: ReservedOrder = {
    ...{ kind: 'entry', index: 0, coin: name, isBuy, size, price, stop, cloid: id, mayRest },
    parent: null,
  }
  if (stopCloid === null) return [parent]
  const limit = stop.times(Decimal.of(isBuy ? '0.9' : '1.1'))
  const child: ReservedOrder = {
    ...{ kind: 'stop', index: 1, coin: name, isBuy: !isBuy, size, price: limit, trigger: stop },
    ...{ cloid: stopCloid, parent: 0, mayRest: true },
  }
  return [parent, child]
}

/** A market stop of a long position in ETH that was decided on, unless told otherwise. */
export function stopInFlight(spec: {
  readonly size: string
  readonly trigger: string
  readonly cloid: string
  readonly isBuy?: boolean
  readonly index?: number
}): ReservedOrder {
  const { index = 0, isBuy = false, cloid: id } = spec
  const [size, trigger] = [Decimal.of(spec.size), Decimal.of(spec.trigger)]
  const price = trigger.times(Decimal.of(isBuy ? '1.1' : '0.9'))
  return {
    ...{ kind: 'stop', index, coin: coin('ETH'), isBuy, size, price, trigger, cloid: id },
    ...{ parent: null, mayRest: true },
  }
}

/** A reduction that was decided on: a sell at once, unless it may rest. */
export function reductionInFlight(name: string, size: string, id: string): ReservedOrder {
  return {
    ...{ kind: 'reduce', index: 0, coin: coin(name), isBuy: false, size: Decimal.of(size) },
    ...{ price: Decimal.one, cloid: id, parent: null, mayRest: false, trigger: null },
  }
}

/** An ETH buy of 2 in flight with its stop, unless other ids or prices are given. */
export function entryInFlight(spec: {
  readonly price: string
  readonly stop: string
  readonly cloid: Cloid
  readonly stopCloid: Cloid | null
}): FlyingEntry {
  const { cloid: id, stopCloid } = spec
  return {
    ...{ coin: coin('ETH'), isBuy: true, size: Decimal.of('2'), price: Decimal.of(spec.price) },
    ...{ stop: Decimal.of(spec.stop), cloid: id, stopCloid, mayRest: true },
  }
}

interface FillSpec {
  readonly coin: string
  readonly isBuy: boolean
  readonly price: string
  readonly size: string
  readonly start: string
  readonly oid: number
  readonly tid: number
  readonly at: number
  readonly cloid?: string | null
  readonly closedPnl?: string
  readonly fee?: string
}

export function fill(spec: FillSpec): Fill {
  return {
    coin: coin(spec.coin),
    isBuy: spec.isBuy,
    price: Decimal.of(spec.price),
    size: Decimal.of(spec.size),
    startPosition: Decimal.of(spec.start),
    closedPnl: Decimal.of(spec.closedPnl ?? '0'),
    fee: Decimal.of(spec.fee ?? '0'),
    oid: spec.oid,
    cloid: spec.cloid === undefined || spec.cloid === null ? null : cloid(spec.cloid),
    tid: spec.tid,
    at: millis(spec.at),
  }
}

export function orderUpdate(order: OpenOrder, status: string, at: number): OrderUpdate {
  const { coin: name, isBuy, price, size, originalSize, oid, isReduceOnly } = order
  const { cloid: id } = order
  return {
    coin: name,
    isBuy,
    price,
    size,
    originalSize,
    oid,
    cloid: id,
    isReduceOnly,
    status,
    at: millis(at),
  }
}

/** So much of a position was promised to be stopped out at this trigger or a tighter one. */
export interface PromisedSpec {
  readonly trigger: string
  readonly size: string
}

export interface AccountSpec {
  readonly equity?: string
  /** What a unified account's balance holds for positions and orders. */
  readonly usdcHold?: string
  readonly mode?: AccountMode
  readonly markets?: Markets
  readonly mids?: { readonly [coin: string]: string }
  readonly positions?: { readonly [coin: string]: PositionSpec }
  readonly orders?: readonly OpenOrder[]
  readonly leverage?: { readonly [coin: string]: Leverage }
  /** The stops that a position's entries were judged with, as an earlier run wrote them down. */
  readonly promised?: { readonly [coin: string]: readonly PromisedSpec[] }
  /** When the leverage was told, where that was before everything else. */
  readonly leverageAt?: number
  readonly at?: number
}

export const fixtureNow: Millis = millis(1_700_000_000_000)

/** So many milliseconds after it. */
export function later(ms: number): Millis {
  return millis(fixtureNow + ms)
}

export function venueState(spec: AccountSpec, time: number): ClearinghouseState {
  const mids = { ...vectorMids, ...spec.mids }
  const positions = Object.entries(spec.positions ?? {})
  const equity = Decimal.of(spec.equity ?? '7350.25')
  return {
    accountValue: equity,
    withdrawable: equity,
    positions: positions.map(([name, each]) => venuePosition(name, each, mids[name] ?? '1')),
    time: millis(time),
  }
}

/** An account that is live and confirmed at `at`: the vectors' markets and mids unless others. */
export function accountWith(spec: AccountSpec = {}): Account {
  const account = new Account()
  const at = millis(spec.at ?? fixtureNow)
  if (spec.promised !== undefined) account.restoreRecord(recordOf(spec))
  const mids = Object.entries(spec.mids ?? vectorMids)
  const mode = spec.mode ?? 'default'
  for (const [name, leverage] of Object.entries(spec.leverage ?? {})) {
    const toldAt = millis(spec.leverageAt ?? at)
    account.apply({ kind: 'leverage', coin: coin(name), leverage, at: toldAt })
  }
  account.apply({ kind: 'stream', state: 'live', at })
  account.apply({ kind: 'markets', markets: spec.markets ?? markets(), at })
  account.apply({ kind: 'mode', mode, at })
  account.apply({
    kind: 'mids',
    mids: new Map<Coin, Decimal>(mids.map(([name, mid]) => [coin(name), Decimal.of(mid)])),
    at,
  })
  account.apply({ kind: 'state', state: venueState(spec, at), source: 'read', askedAt: at, at })
  if (mode === 'unifiedAccount') {
    const usdcTotal = Decimal.of(spec.equity ?? '7350.25')
    const usdcHold = Decimal.of(spec.usdcHold ?? '0')
    account.apply({ kind: 'spot', spot: { usdcTotal, usdcHold }, source: 'read', at })
  }
  account.apply({ kind: 'orders', orders: spec.orders ?? [], source: 'read', at })
  account.apply({ kind: 'fills', fills: [], isSnapshot: true, at })
  return account
}

/** What an earlier run wrote down of the positions' promises. */
function recordOf({ promised, positions }: AccountSpec): AccountRecord {
  const kept = Object.entries(promised ?? {}).map(([name, stops]) => ({
    coin: name,
    isLong: positions?.[name]?.size.startsWith('-') === false,
    covers: [],
    lots: stops.map(({ trigger, size }) => [trigger, size, false] as const),
  }))
  return { sizes: {}, cloids: [], promises: { plans: [], positions: kept } }
}

/** A client order id from a small number, for fixtures. */
export function botCloid(value: number): Cloid {
  return cloid(`0x${value.toString(16).padStart(32, '0')}`)
}
