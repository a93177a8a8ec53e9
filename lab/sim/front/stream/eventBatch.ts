import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import { unreachable } from '../../../../src/core/values/unreachable.ts'
import type { VenueEvent } from '../../engine/venueEvent.ts'
import type {
  FillView,
  FundingPaymentView,
  LedgerRow,
  SliceFillView,
  TradeView,
  TwapRow,
} from '../../engine/views.ts'
import { aggregateFills, renderFill, renderFunding, renderLedger } from '../render/renderAccount.ts'
import { renderTrade } from '../render/renderMarket.ts'
import { renderOrderRow, renderOrderUpdate } from '../render/renderOrder.ts'
import { renderSliceFill, renderTwapRow } from '../render/renderTwap.ts'
import { wireNumber } from '../render/wireNumber.ts'
import type { StreamType, Subscription } from './subscription.ts'

type OrderEvent = Extract<VenueEvent, { kind: 'order' }>

/** What one request or tick caused, sorted by whom it concerns. */
export class EventBatch {
  isReset = false
  readonly coinsWithBestChanged = new Set<Coin>()
  readonly accounts = new Set<Address>()
  readonly openOrders = new Set<Address>()
  readonly #orders = new Map<Address, OrderEvent[]>()
  readonly #fills = new Map<Address, FillView[]>()
  readonly #slices = new Map<Address, SliceFillView[]>()
  readonly #twaps = new Map<Address, TwapRow[]>()
  readonly #fundings = new Map<Address, FundingPaymentView[]>()
  readonly #ledgers = new Map<Address, LedgerRow[]>()
  readonly #userEvents = new Map<Address, Json[]>()
  readonly #cancels = new Map<Address, Json[]>()
  readonly #notifications = new Map<Address, string[]>()
  readonly #trades = new Map<Coin, TradeView[]>()

  constructor(events: readonly VenueEvent[]) {
    for (const event of events) this.#sort(event)
  }

  #sort(event: VenueEvent): void {
    switch (event.kind) {
      case 'reset':
        this.isReset = true
        return
      case 'order':
        return put(this.#orders, event.user, event)
      case 'fill':
        return put(this.#fills, event.user, event.fill)
      case 'sliceFill':
        return put(this.#slices, event.user, event.slice)
      case 'twap':
        return put(this.#twaps, event.user, event.row)
      case 'trade':
        return put(this.#trades, event.trade.coin, event.trade)
      case 'bbo':
        this.coinsWithBestChanged.add(event.coin)
        return
      case 'account':
        this.accounts.add(event.user)
        return
      case 'leverage':
        this.accounts.add(event.user)
        return
      case 'openOrders':
        this.openOrders.add(event.user)
        return
      case 'funding':
        put(this.#userEvents, event.user, { funding: renderFunding(event.payment) })
        return put(this.#fundings, event.user, event.payment)
      case 'ledger':
        return put(this.#ledgers, event.user, event.row)
      case 'liquidation':
        return put(this.#userEvents, event.user, renderLiquidation(event))
      case 'nonUserCancel':
        return put(this.#cancels, event.user, { coin: event.coin, oid: event.oid })
      case 'notification':
        return put(this.#notifications, event.user, event.text)
      case 'book':
      case 'price':
        return
      default:
        return unreachable(event)
    }
  }

  /** The frames' contents for one event stream, in order. */
  dataFor(subscription: Subscription, laterIsSnapshot: 'omitted' | 'false'): readonly Json[] {
    const build = builders[subscription.type]
    if (build === undefined) return []
    const later = laterIsSnapshot === 'false' ? { isSnapshot: false } : {}
    return build(this, subscription, later)
  }

  trades(subscription: Subscription): readonly Json[] {
    const trades = this.#trades.get(subscription.coin as Coin)
    return trades === undefined ? [] : [trades.map(renderTrade)]
  }

  orderUpdates(user: Address): readonly Json[] {
    const orders = this.#orders.get(user)
    if (orders === undefined) return []
    return [orders.map(({ order, status, at }) => renderOrderUpdate(order, status, at))]
  }

  orderHistory(user: Address): Json[] {
    return (this.#orders.get(user) ?? []).map(({ order, status, at }) =>
      renderOrderRow({ order, status, statusTimestamp: at }),
    )
  }

  fills(user: Address, isAggregated: boolean): Json[] {
    const fills = this.#fills.get(user) ?? []
    return (isAggregated ? aggregateFills(fills) : fills).map(renderFill)
  }

  twapHistory(user: Address): Json[] {
    return (this.#twaps.get(user) ?? []).map(renderTwapRow)
  }

  sliceFills(user: Address): Json[] {
    return (this.#slices.get(user) ?? []).map(renderSliceFill)
  }

  userEvents(user: Address): readonly Json[] {
    const fills = this.fills(user, false)
    const cancels = this.#cancels.get(user) ?? []
    return [
      ...(fills.length === 0 ? [] : [{ fills }]),
      ...framed(this.twapHistory(user), (twapHistory) => ({ twapHistory })),
      ...framed(this.sliceFills(user), (twapSliceFills) => ({ twapSliceFills })),
      ...(this.#userEvents.get(user) ?? []),
      ...(cancels.length === 0 ? [] : [{ nonUserCancel: cancels }]),
    ]
  }

  fundings(user: Address): Json[] {
    return (this.#fundings.get(user) ?? []).map(renderFunding)
  }

  ledgers(user: Address): Json[] {
    return (this.#ledgers.get(user) ?? []).map(renderLedger)
  }

  notifications(user: Address): readonly Json[] {
    return (this.#notifications.get(user) ?? []).map((notification) => ({ notification }))
  }
}

function put<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

function renderLiquidation(event: Extract<VenueEvent, { kind: 'liquidation' }>): Json {
  return {
    liquidation: {
      lid: event.lid,
      liquidator: event.liquidator,
      liquidated_user: event.user,
      liquidated_ntl_pos: wireNumber(event.liquidatedNotional),
      liquidated_account_value: wireNumber(event.accountValue),
    },
  }
}

type Later = { readonly isSnapshot?: boolean }
type Builder = (batch: EventBatch, subscription: Subscription, later: Later) => readonly Json[]

const userOf = (subscription: Subscription): Address => subscription.user as Address

/** A frame only when there are rows. */
function framed(rows: Json[], build: (rows: Json[]) => Json): readonly Json[] {
  return rows.length === 0 ? [] : [build(rows)]
}

const builders: { readonly [Type in StreamType]?: Builder } = {
  trades: (batch, subscription) => batch.trades(subscription),
  orderUpdates: (batch, subscription) => batch.orderUpdates(userOf(subscription)),
  userEvents: (batch, subscription) => batch.userEvents(userOf(subscription)),
  userFills: (batch, subscription, later) =>
    framed(batch.fills(userOf(subscription), subscription.isAggregated), (fills) => ({
      user: subscription.user,
      fills,
      ...later,
    })),
  userFundings: (batch, subscription, later) =>
    framed(batch.fundings(userOf(subscription)), (fundings) => ({
      user: subscription.user,
      ...later,
      fundings,
    })),
  userNonFundingLedgerUpdates: (batch, subscription, later) =>
    framed(batch.ledgers(userOf(subscription)), (nonFundingLedgerUpdates) => ({
      user: subscription.user,
      ...later,
      nonFundingLedgerUpdates,
    })),
  userHistoricalOrders: (batch, subscription, later) =>
    framed(batch.orderHistory(userOf(subscription)), (orderHistory) => ({
      user: subscription.user,
      ...later,
      orderHistory,
    })),
  userTwapHistory: (batch, subscription, later) =>
    framed(batch.twapHistory(userOf(subscription)), (history) => ({
      user: subscription.user,
      ...later,
      history,
    })),
  userTwapSliceFills: (batch, subscription, later) =>
    framed(batch.sliceFills(userOf(subscription)), (twapSliceFills) => ({
      user: subscription.user,
      ...later,
      twapSliceFills,
    })),
  notification: (batch, subscription) => batch.notifications(userOf(subscription)),
}
