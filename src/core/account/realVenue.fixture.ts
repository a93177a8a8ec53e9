import type { Fill, OpenOrder, OrderUpdate } from '../protocol/venueState.ts'
import { cloid as cloidOf } from '../values/cloid.ts'
import { coin as coinOf } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { fill, orderUpdate } from './account.fixture.ts'

/** The coins of the generated histories. */
export const tradedCoins = ['ETH', 'SOL'] as const
export type TradedCoin = (typeof tradedCoins)[number]

/** An order as somebody wants it; every price is given once, so that it names its order. */
export interface Wanted {
  readonly index: number
  readonly coin: TradedCoin
  readonly isBuy: boolean
  readonly size: number
  readonly price: number
  readonly kind: 'entry' | 'stop' | 'target' | 'exit'
  /** The trigger of a stop or a target; the stop that an entry is judged with. */
  readonly trigger: number
  readonly cloid: string
  /** The place of the order it waits for, in the same action. */
  readonly parent: number | null
  /** It may rest; otherwise it takes what it gets at once and ends. */
  readonly mayRest: boolean
}

/** One order as it truly is: on its way, never to arrive, open at the venue, or over. */
export interface RealOrder {
  readonly wanted: Wanted
  /** Null for an order that was made elsewhere. */
  readonly action: string | null
  readonly reservedAt: number
  place: 'flight' | 'working' | 'waiting' | 'over'
  oid: number | null
  left: number
  filled: number
  /** The venue's time of its end. */
  endedAt: number | null
}

export interface RealFill {
  readonly order: RealOrder
  readonly size: number
  readonly seq: number
  readonly told: Fill
}

/** What the venue tells of itself. */
type VenueTells =
  { readonly fill: RealFill } | { readonly update: OrderUpdate; readonly of: RealOrder }

/** What a look at the whole account shows. */
export interface Look {
  readonly seq: number
  readonly sizes: ReadonlyMap<TradedCoin, number>
  readonly orders: readonly OpenOrder[]
}

/**
 * The venue as it truly is, in whole numbers: orders, fills and positions of two coins. It knows
 * nothing of how Guard counts; the laws measure Guard's account against it.
 */
export class RealVenue {
  readonly orders: RealOrder[] = []
  readonly fills: RealFill[] = []
  readonly sizes = new Map<TradedCoin, number>(tradedCoins.map((each) => [each, 0]))
  readonly #told: (message: VenueTells) => void
  now = 0
  #oid = 100

  constructor(told: (message: VenueTells) => void) {
    this.#told = told
  }

  get open(): readonly RealOrder[] {
    return this.orders.filter(({ place }) => place === 'working' || place === 'waiting')
  }

  childrenOf(parent: RealOrder): readonly RealOrder[] {
    return this.orders.filter(
      (each) =>
        each.action === parent.action &&
        each.reservedAt === parent.reservedAt &&
        each.wanted.parent === parent.wanted.index,
    )
  }

  /** The venue takes an order that was on its way: to rest, to wait, or to fill what it can. */
  take(order: RealOrder, isParentFilled: boolean, filledAtOnce: number): void {
    order.oid = this.#oid++
    order.place = order.wanted.parent === null || isParentFilled ? 'working' : 'waiting'
    if (order.wanted.mayRest) this.tell(order, 'open')
    if (filledAtOnce > 0) this.fill(order, filledAtOnce)
    if (!order.wanted.mayRest && order.place === 'working') this.end(order, 'canceled')
  }

  /** Fills a part of an order that works; what only reduces takes no more than there is. */
  fill(order: RealOrder, asked: number): void {
    const { coin, isBuy, price, kind } = order.wanted
    const held = this.sizes.get(coin) ?? 0
    const room = kind === 'entry' ? Infinity : isBuy ? -held : held
    const size = Math.min(asked, order.left, room)
    if (size <= 0) return kind === 'entry' ? undefined : this.end(order, 'reduceOnlyCanceled')
    const seq = this.fills.length + 1
    const told = fill({
      ...{ coin, isBuy, price: `${price}`, size: `${size}`, start: `${held}` },
      ...{ oid: order.oid ?? 0, tid: seq, at: this.now, cloid: order.wanted.cloid },
    })
    order.left -= size
    order.filled += size
    this.sizes.set(coin, held + (isBuy ? size : -size))
    const real = { order, size, seq, told }
    this.fills.push(real)
    this.#told({ fill: real })
    if (order.left === 0) this.end(order, 'filled')
    else this.tell(order, 'open')
  }

  /** Ends an order; the children of a filled one work, those of any other go with it. */
  end(order: RealOrder, status: string): void {
    order.place = 'over'
    order.endedAt = this.now
    this.tell(order, status)
    for (const child of this.childrenOf(order)) {
      if (child.place !== 'waiting') continue
      if (status === 'filled') child.place = 'working'
      else this.end(child, 'canceled')
    }
  }

  tell(order: RealOrder, status: string): void {
    this.#told({ update: orderUpdate(this.shown(order), status, this.now), of: order })
  }

  shown(order: RealOrder): OpenOrder {
    const { coin, isBuy, size, price, kind, trigger, cloid } = order.wanted
    const isTrigger = kind === 'stop' || kind === 'target'
    const waiting = this.childrenOf(order).filter(({ place }) => place === 'waiting')
    return {
      coin: coinOf(coin),
      isBuy,
      price: Decimal.whole(price),
      size: Decimal.whole(order.left),
      originalSize: Decimal.whole(size),
      oid: order.oid ?? 0,
      cloid: cloidOf(cloid),
      at: millis(1),
      isReduceOnly: kind !== 'entry',
      trigger: isTrigger
        ? { price: Decimal.whole(trigger), isMarket: true, tpsl: kind === 'stop' ? 'sl' : 'tp' }
        : null,
      isPositionTpsl: false,
      children: waiting.map((child) => child.oid ?? 0),
    }
  }

  look(): Look {
    return {
      seq: this.fills.length,
      sizes: new Map(this.sizes),
      orders: this.open.map((order) => this.shown(order)),
    }
  }
}
