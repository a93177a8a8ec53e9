import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { roundSizeDown } from '../../src/core/protocol/grid.ts'
import type { Market } from '../../src/core/protocol/market.ts'
import type { Address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Venue } from '../sim/engine/venue.ts'
import type { OrderView, PositionView } from '../sim/engine/views.ts'
import type { BotKind } from './botKinds.ts'
import { pickAt } from './chance.ts'
import {
  builderMarkets,
  dexOf,
  everyMarket,
  everyOrder,
  everyPosition,
  midOf,
  perpOrders,
} from './wholeAccount.ts'
import type { Plan } from './plan.ts'
import type { Dice } from './step.ts'
import { limitOrder, orders, share, times, triggerOrder } from './wireOrders.ts'

/** How a request is to be wrong, beside what it asks for. */
export type Twist = 'none' | 'bad_signature' | 'stranger' | 'replay' | 'old_nonce' | 'malformed'

interface Asked {
  readonly actions: readonly Json[]
  readonly twist: Twist
}

/** What a bot of this kind asks for, looking at the venue as it is. */
export function botRequest(
  venue: Venue,
  user: Address,
  kind: BotKind,
  dice: Dice,
  margin: Plan['margin'] = 'isolated',
  onDex = false,
): Asked {
  const markets = onDex ? builderMarkets(venue) : []
  const desk = new Desk(venue, user, dice, margin, markets.length > 0 ? markets : venue.markets())
  const twist = twistOf(kind)
  const actions = desk.actions(kind)
  return { actions, twist }
}

function twistOf(kind: BotKind): Twist {
  switch (kind) {
    case 'bad_signature':
    case 'stranger':
    case 'replay':
    case 'old_nonce':
    case 'malformed':
      return kind
    default:
      return 'none'
  }
}

class Desk {
  readonly #venue: Venue
  readonly #user: Address
  readonly #dice: Dice
  readonly #market: Market
  readonly #mid: Decimal
  readonly #margin: Plan['margin']

  constructor(
    venue: Venue,
    user: Address,
    dice: Dice,
    margin: Plan['margin'],
    markets: readonly Market[],
  ) {
    this.#margin = margin
    this.#venue = venue
    this.#user = user
    this.#dice = dice
    this.#market = pickAt(markets, dice[0])
    this.#mid = midOf(venue, this.#market.coin) ?? Decimal.one
  }

  actions(kind: BotKind): readonly Json[] {
    const [, side, amount] = this.#dice
    const isBuy = side < 0.5
    switch (kind) {
      case 'entry_resting':
        return [orders(this.#order(isBuy, isBuy ? 0.985 : 1.015, this.#size(amount), 'Gtc'))]
      case 'entry_with_stop':
        return [this.#withStop(isBuy, amount)]
      case 'ladder':
        return [orders(...[0.99, 0.98, 0.97].map((at) => this.#rung(isBuy, at, amount)))]
      case 'burst':
        return Array.from({ length: 8 }, () => this.#market_(isBuy, amount))
      case 'unknown_market':
        return [orders({ ...this.#order(isBuy, 1, this.#size(amount), 'Gtc'), a: 4_711 })]
      case 'huge':
        return [
          orders(this.#order(isBuy, 1, this.#size(amount).times(Decimal.whole(5_000)), 'Ioc')),
        ]
      case 'withdraw':
        return [{ type: 'withdraw3', amount: '10', destination: this.#user, time: 1 }]
      case 'schedule_cancel':
        return [{ type: 'scheduleCancel', time: this.#venue.nowMs + 10_000 }]
      case 'leverage':
        return [this.#leverage()]
      case 'malformed':
        return [{ type: 'order', orders: [{ a: 0 }], grouping: 'na' }]
      case 'exit':
      case 'exit_resting':
      case 'close_plain':
      case 'flip':
      case 'own_stop':
      case 'take_profit':
      case 'add_margin':
      case 'remove_margin':
        return this.#onPosition(kind)
      case 'cancel_entries':
      case 'cancel_stops':
      case 'cancel_by_cloid':
      case 'modify_entry':
      case 'batch_modify':
      case 'tighten_stop':
      case 'loosen_stop':
        return this.#onOrders(kind)
      case 'repeat_cloid':
        return this.#repeatCloid(isBuy, amount)
      default:
        return [this.#market_(isBuy, amount)]
    }
  }

  #market_(isBuy: boolean, amount: number): Json {
    return orders(this.#order(isBuy, isBuy ? 1.004 : 0.996, this.#size(amount), 'Ioc'))
  }

  #rung(isBuy: boolean, at: number, amount: number): JsonObject {
    return this.#order(isBuy, isBuy ? at : 2 - at, this.#size(amount / 3), 'Gtc')
  }

  #repeatCloid(isBuy: boolean, amount: number): readonly Json[] {
    const c = '0x00000000000000000000000000000abc'
    return [orders({ ...this.#order(isBuy, isBuy ? 0.99 : 1.01, this.#size(amount), 'Gtc'), c })]
  }

  #withStop(isBuy: boolean, amount: number): Json {
    const size = this.#size(amount)
    const isResting = this.#dice[3] < 0.4
    const entry = this.#order(
      isBuy,
      isResting ? (isBuy ? 0.99 : 1.01) : isBuy ? 1.003 : 0.997,
      size,
      isResting ? 'Gtc' : 'Ioc',
    )
    // On a builder dex all margin may be lost, so that a wide stop beside a tight one is a trouble of its own.
    const widest = dexOf(this.#market.coin) === '' ? 0.03 : 0.2
    const distance = 0.005 + this.#dice[3] * widest
    const stop = this.#stop(!isBuy, isBuy ? 1 - distance : 1 + distance, size)
    return { type: 'order', orders: [entry, stop], grouping: 'normalTpsl' }
  }

  #leverage(): Json {
    const [, side, amount] = this.#dice
    const isCrossWorld = this.#margin !== 'isolated'
    const isCross = side < (isCrossWorld ? 0.6 : 0.2)
    const leverage = 1 + Math.floor(amount * (isCross && isCrossWorld ? 20 : 8))
    return { type: 'updateLeverage', asset: this.#market.asset, isCross, leverage }
  }

  /** What is done with an open position; an entry where there is none. */
  #onPosition(kind: BotKind): readonly Json[] {
    const held = everyPosition(this.#venue, this.#user)
    if (held.length === 0) return this.#onNothing(kind)
    const position = pickAt(held, this.#dice[0])
    const on = this.of(position)
    const isBuy = position.size.isNegative()
    const whole = position.size.abs()
    const part = roundSizeDown(on.#market, whole.times(share(0.2 + this.#dice[2])))
    const size = part.isPositive() ? part : whole
    const reduce = { r: true }
    switch (kind) {
      case 'exit':
        return [orders({ ...on.#order(isBuy, isBuy ? 1.02 : 0.98, size, 'Ioc'), ...reduce })]
      case 'exit_resting':
        return [orders({ ...on.#order(isBuy, isBuy ? 0.98 : 1.02, size, 'Gtc'), ...reduce })]
      case 'close_plain':
        return [
          orders(on.#order(isBuy, isBuy ? 1.004 : 0.996, size.gt(whole) ? whole : size, 'Ioc')),
        ]
      case 'flip':
        return [orders(on.#order(isBuy, 1, whole.times(Decimal.whole(2)), 'Ioc'))]
      case 'own_stop':
        return [orders(on.#stop(isBuy, isBuy ? 1.01 : 0.99, whole))]
      case 'take_profit':
        return [orders(on.#stop(isBuy, isBuy ? 0.97 : 1.03, whole, 'tp'))]
      default: {
        const ntli = Math.floor((kind === 'add_margin' ? 1 : -1) * 5_000_000 * this.#dice[3]) || 1
        return [{ type: 'updateIsolatedMargin', asset: on.#market.asset, isBuy: true, ntli }]
      }
    }
  }

  /** What a bot does that does not see that there is nothing any more; or it opens something. */
  #onNothing(kind: BotKind): readonly Json[] {
    const [, side, amount, other] = this.#dice
    const { asset } = this.#market
    if (amount >= 0.5) return [this.#market_(side < 0.5, amount)]
    const oid = 4_711
    const order = this.#order(side < 0.5, 1, this.#size(amount), 'Gtc')
    switch (kind) {
      case 'cancel_entries':
      case 'cancel_stops':
        return [{ type: 'cancel', cancels: [{ a: asset, o: oid }] }]
      case 'cancel_by_cloid':
        return [{ type: 'cancelByCloid', cancels: [{ asset, cloid: nobodysCloid }] }]
      case 'batch_modify':
        return [{ type: 'batchModify', modifies: [{ oid, order }] }]
      case 'modify_entry':
      case 'tighten_stop':
      case 'loosen_stop':
        return [{ type: 'modify', oid, order }]
      case 'add_margin':
      case 'remove_margin':
        return [{ type: 'updateIsolatedMargin', asset, isBuy: true, ntli: 1 + Math.floor(other) }]
      default:
        return [orders({ ...order, r: true })]
    }
  }

  of({ coin }: PositionView | OrderView): Desk {
    const markets = everyMarket(this.#venue).filter((market) => market.coin === coin)
    return new Desk(this.#venue, this.#user, this.#dice, this.#margin, markets)
  }

  #onOrders(kind: BotKind): readonly Json[] {
    const open = everyOrder(this.#venue, this.#user)
    // An order on a spot pair can be cancelled like any other; nothing can be made of it.
    const isCancel = kind === 'cancel_entries' || kind === 'cancel_by_cloid'
    const own = isCancel ? open : perpOrders(this.#venue, this.#user)
    const entries = own.filter((order) => !order.isReduceOnly)
    const stops = open.filter((order) => order.isReduceOnly && order.trigger !== null)
    const isStops = kind === 'cancel_stops' || kind === 'tighten_stop' || kind === 'loosen_stop'
    const list = isStops ? stops : entries
    if (list.length === 0) return this.#onNothing(kind)
    const one = pickAt(list, this.#dice[3])
    const some = list.slice(0, 1 + Math.floor(this.#dice[2] * list.length))
    if (kind === 'cancel_entries' || kind === 'cancel_stops') {
      return [{ type: 'cancel', cancels: some.map(({ asset, oid }) => ({ a: asset, o: oid })) }]
    }
    if (kind === 'cancel_by_cloid') {
      const named = list.filter(({ cloid }) => cloid !== null)
      if (named.length === 0) return this.#onNothing(kind)
      return [
        {
          type: 'cancelByCloid',
          cancels: named.map(({ asset, cloid }) => ({ asset, cloid })),
        },
      ]
    }
    const modify = (order: OrderView): JsonObject => ({
      oid: order.oid,
      order: isStops ? this.#movedStop(order, kind) : this.#moved(order),
    })
    if (kind === 'batch_modify') {
      return [{ type: 'batchModify', modifies: some.map(modify) }]
    }
    return [{ type: 'modify', ...modify(one) }]
  }

  #moved(order: OrderView): JsonObject {
    const desk = this.of(order)
    const price = times(desk.#market, order.limitPrice, 0.985 + this.#dice[2] * 0.03)
    return {
      ...desk.#order(order.isBuy, 1, order.size.isPositive() ? order.size : Decimal.one, 'Gtc'),
      p: price.toString(),
      ...(order.cloid === null ? {} : { c: order.cloid }),
    }
  }

  #movedStop(order: OrderView, kind: BotKind): JsonObject {
    const desk = this.of(order)
    const market = desk.#market
    const isTighter = kind === 'tighten_stop'
    const up = order.isBuy !== isTighter
    const at = times(market, order.trigger?.price ?? desk.#mid, up ? 1.004 : 0.996)
    const size = order.size.isPositive() ? order.size : Decimal.one
    return triggerOrder(market, order.isBuy, at, size)
  }

  #size(amount: number): Decimal {
    const value = Decimal.of((30 + amount * amount * 30_000).toFixed(2))
    const size = roundSizeDown(this.#market, value.over(this.#mid, 8, 'down'))
    return size.isPositive() ? size : new Decimal(1n, this.#market.sizeDecimals)
  }

  #order(isBuy: boolean, factor: number, size: Decimal, tif: 'Gtc' | 'Ioc'): JsonObject {
    return limitOrder(this.#market, isBuy, times(this.#market, this.#mid, factor), size, tif)
  }

  #stop(isBuy: boolean, factor: number, size: Decimal, tpsl: 'sl' | 'tp' = 'sl'): JsonObject {
    return triggerOrder(this.#market, isBuy, times(this.#market, this.#mid, factor), size, tpsl)
  }
}

const nobodysCloid = '0x00000000000000000000000000000def'
