import { Decimal } from '../../../src/core/values/decimal.ts'
import type { LevelView } from './views.ts'

/** What a book has to know of an order; which order it is matters to its owner. */
interface BookOrder {
  readonly isBuy: boolean
  /** The price in the market's smallest steps. */
  readonly units: bigint
  readonly price: Decimal
  /** How much of the order has not been filled yet. */
  readonly size: Decimal
}

interface Level<Order> {
  readonly units: bigint
  readonly price: Decimal
  size: Decimal
  /** First come, first served. */
  readonly orders: Order[]
}

/** One side of a book; the best price is at the end of the array, where changes are cheap. */
class Side<Order extends BookOrder> {
  readonly isBid: boolean
  readonly levels: Level<Order>[] = []

  constructor(isBid: boolean) {
    this.isBid = isBid
  }

  /** Where this price is, or where it would have to go. */
  private find(units: bigint): number {
    let low = 0
    let high = this.levels.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = (this.levels[middle] as Level<Order>).units
      if (this.isBid ? at < units : at > units) low = middle + 1
      else high = middle
    }
    return low
  }

  at(units: bigint): Level<Order> | undefined {
    const level = this.levels[this.find(units)]
    return level?.units === units ? level : undefined
  }

  add(order: Order): void {
    const index = this.find(order.units)
    const found = this.levels[index]
    if (found?.units === order.units) {
      found.orders.push(order)
      found.size = found.size.plus(order.size)
      return
    }
    const { units, price, size } = order
    this.levels.splice(index, 0, { units, price, size, orders: [order] })
  }

  remove(order: Order): void {
    const index = this.find(order.units)
    const level = this.levels[index]
    const place = level?.units === order.units ? level.orders.indexOf(order) : -1
    if (level === undefined || place < 0) return
    level.orders.splice(place, 1)
    level.size = level.size.minus(order.size)
    if (level.orders.length === 0) this.levels.splice(index, 1)
  }

  resize(order: Order, size: Decimal): void {
    const level = this.at(order.units)
    if (level !== undefined) level.size = level.size.minus(order.size).plus(size)
  }
}

/** The resting orders of one market, by price and then by time. */
export class Book<Order extends BookOrder> {
  private readonly bids = new Side<Order>(true)
  private readonly asks = new Side<Order>(false)

  private side(isBuy: boolean): Side<Order> {
    return isBuy ? this.bids : this.asks
  }

  add(order: Order): void {
    this.side(order.isBuy).add(order)
  }

  remove(order: Order): void {
    this.side(order.isBuy).remove(order)
  }

  /** Changes what is left of a resting order; it keeps its place. */
  resize(order: Order, size: Decimal): void {
    this.side(order.isBuy).resize(order, size)
  }

  /** The order that an incoming one of this side meets first. */
  firstAgainst(isBuy: boolean): Order | undefined {
    return this.side(!isBuy).levels.at(-1)?.orders[0]
  }

  bestUnits(isBuy: boolean): bigint | null {
    return this.side(isBuy).levels.at(-1)?.units ?? null
  }

  best(isBuy: boolean): LevelView | null {
    const level = this.side(isBuy).levels.at(-1)
    return level === undefined ? null : view(level)
  }

  /** Best first. */
  levels(isBuy: boolean, depth: number): LevelView[] {
    const { levels } = this.side(isBuy)
    const shown: LevelView[] = []
    for (let at = levels.length - 1; at >= 0 && shown.length < depth; at--) {
      shown.push(view(levels[at] as Level<Order>))
    }
    return shown
  }

  /** The average price at which this much value would trade at once; null when there is less. */
  impactPrice(isBuy: boolean, notional: Decimal): Decimal | null {
    let value = Decimal.zero
    let size = Decimal.zero
    const { levels } = this.side(!isBuy)
    for (let at = levels.length - 1; at >= 0; at--) {
      const level = levels[at] as Level<Order>
      const worth = level.price.times(level.size)
      const missing = notional.minus(value)
      if (worth.gte(missing)) {
        size = size.plus(missing.over(level.price, 16, 'half-even'))
        return notional.over(size, 10, 'half-even')
      }
      value = value.plus(worth)
      size = size.plus(level.size)
    }
    return null
  }
}

function view(level: Level<BookOrder>): LevelView {
  return { price: level.price, size: level.size, count: level.orders.length }
}
