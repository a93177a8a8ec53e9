import type { Order } from '../../../src/core/protocol/action.ts'
import { Exact } from './exact.ts'
import { touchOf } from './grid.ts'
import { wishOf } from './place.ts'
import type { Wish } from './place.ts'
import { aloText } from './texts.ts'

/** The life of an order on one spot pair, as the reference's section on spot tells it. */

const takerRate = Exact.of('0.0007')
const makerRate = Exact.of('0.0004')
/** Five figures, and eight decimals less those of a size: as a perp without decimals in its size has. */
const likeSizeDecimals = 0

/** Which reading is followed where there are several. */
interface SpotRules {
  readonly takesTriggers: boolean
  readonly holdsFee: boolean
  readonly ignoresReduceOnly: boolean
  readonly balanceWords: 'short' | 'long'
}

interface SpotModelOrder extends Wish {
  readonly id: number
  readonly owner: SpotModelAccount
  left: Exact
  where: 'arriving' | 'watching' | 'book' | 'gone'
  readonly time: number
  readonly story: string[]
}

interface SpotModelFill {
  readonly price: Exact
  readonly size: Exact
  readonly isBuy: boolean
  readonly start: Exact
  readonly id: number
  readonly crossed: boolean
  readonly fee: Exact
}

export interface SpotModelAccount {
  readonly address: string
  base: Exact
  quote: Exact
  readonly fills: SpotModelFill[]
}

export class SpotModel {
  readonly accounts: readonly SpotModelAccount[]
  readonly orders: SpotModelOrder[] = []
  /** The orders that rest, the oldest first. */
  open: SpotModelOrder[] = []
  price: Exact
  private readonly rules: SpotRules
  private readonly asset: number
  private readonly now: number

  constructor(
    rules: SpotRules,
    market: { readonly asset: number; readonly price: string; readonly now: number },
    accounts: readonly SpotModelAccount[],
  ) {
    this.rules = rules
    this.asset = market.asset
    this.price = Exact.of(market.price)
    this.now = market.now
    this.accounts = accounts
  }

  /** What resting orders hold of what they give. */
  holds(account: SpotModelAccount): { readonly base: Exact; readonly quote: Exact } {
    const resting = this.open.filter(({ owner, where }) => owner === account && where === 'book')
    const sum = (isBuy: boolean): Exact =>
      Exact.sum(resting.filter((each) => each.isBuy === isBuy).map((each) => this.needed(each)))
    return { base: sum(false), quote: sum(true) }
  }

  private needed({ isBuy, left, price }: SpotModelOrder): Exact {
    if (!isBuy) return left
    const value = left.times(price)
    return this.rules.holdsFee ? value.plus(value.times(takerRate)) : value
  }

  private isShort(order: SpotModelOrder): boolean {
    const { owner, isBuy } = order
    const holds = this.holds(owner)
    const free = isBuy ? owner.quote.minus(holds.quote) : owner.base.minus(holds.base)
    return free.isBelow(this.needed(order))
  }

  /** Each order of an action by itself; then what waits for the price is looked at. */
  place(account: SpotModelAccount, orders: readonly Order[]): unknown[] {
    const statuses = orders.map((order) => this.placeOne(account, wishOf(order)))
    this.fireReached()
    return statuses
  }

  private placeOne(owner: SpotModelAccount, wish: Wish): unknown {
    const order: SpotModelOrder = {
      ...wish,
      ...{ id: this.orders.length + 1, owner, left: wish.size, where: 'arriving' },
      ...{ time: this.now, story: [] },
    }
    this.orders.push(order)
    const fault = this.faultOf(order)
    if (fault !== null) {
      this.end(order, fault[1])
      return { error: `${fault[0]} asset=${this.asset}` }
    }
    this.open.push(order)
    if (order.trigger !== null) {
      order.where = 'watching'
      order.story.push('open')
      return this.resting(order)
    }
    return this.meetBook(order)
  }

  private faultOf(order: SpotModelOrder): readonly [string, string] | null {
    const { rules } = this
    if (order.isReduceOnly && !rules.ignoresReduceOnly) {
      return ['Reduce only order would increase position.', 'reduceOnlyRejected']
    }
    if (order.trigger !== null && !rules.takesTriggers) {
      return ['Invalid TP/SL price.', 'badTriggerPxRejected']
    }
    if (order.size.times(order.price).isBelow(Exact.of(10))) {
      return ['Order must have minimum value of 10 USDC.', 'minTradeNtlRejected']
    }
    if (order.trigger !== null || !this.isShort(order)) return null
    const isLong = rules.balanceWords === 'long'
    const words = isLong
      ? 'Order has insufficient spot balance to trade'
      : 'Insufficient spot balance'
    return [words, 'insufficientSpotBalanceRejected']
  }

  private resting({ id, cloid }: SpotModelOrder): unknown {
    return { resting: cloid === null ? { oid: id } : { oid: id, cloid } }
  }

  private end(order: SpotModelOrder, status: string): void {
    order.where = 'gone'
    order.story.push(status)
    this.open = this.open.filter((each) => each !== order)
  }

  private rest(order: SpotModelOrder): void {
    order.where = 'book'
    if (order.story.at(-1) !== 'open') order.story.push('open')
    // Among those of a price it is the last to come.
    this.open = [...this.open.filter((each) => each !== order), order]
  }

  private meetBook(order: SpotModelOrder): unknown {
    if (order.tif === 'Alo') {
      const [bid, ask] = [this.best(true), this.best(false)]
      const isTaking = order.isBuy ? !order.price.isBelow(ask) : !order.price.isAbove(bid)
      if (isTaking) {
        this.end(order, 'badAloPxRejected')
        return { error: aloText(bid.toString(), ask.toString(), this.asset) }
      }
    }
    const taken = this.take(order)
    const mustTake = order.tif === 'Ioc' || order.tif === 'FrontendMarket'
    if (mustTake && taken.size.sign() === 0) {
      this.end(order, 'iocCancelRejected')
      const words = 'Order could not immediately match against any resting orders.'
      return { error: `${words} asset=${this.asset}` }
    }
    if (order.left.sign() === 0) this.end(order, 'filled')
    else if (mustTake) this.end(order, 'canceled')
    else {
      this.rest(order)
      return this.resting(order)
    }
    const { id, cloid } = order
    const average = taken.value.over(taken.size)
    const filled = { totalSz: taken.size.wire(), avgPx: average.wire(), oid: id }
    return { filled: cloid === null ? filled : { ...filled, cloid } }
  }

  /** The house stands at the two prices around the pair's own, with more than anybody takes. */
  private house(isBuy: boolean): Exact {
    const touch = touchOf(this.price, likeSizeDecimals)
    if (touch === null) throw new RangeError(`${this.price.toString()} is no mid`)
    return isBuy ? touch.bid : touch.ask
  }

  private bestOrder(isBuy: boolean): SpotModelOrder | undefined {
    const side = this.open.filter((each) => each.where === 'book' && each.isBuy === isBuy)
    const better = (one: SpotModelOrder, two: SpotModelOrder): number =>
      isBuy ? two.price.compare(one.price) : one.price.compare(two.price)
    return side.sort(better)[0]
  }

  private best(isBuy: boolean): Exact {
    const [house, first] = [this.house(isBuy), this.bestOrder(isBuy)]
    if (first === undefined) return house
    return isBuy ? Exact.most(house, first.price) : Exact.least(house, first.price)
  }

  private take(taker: SpotModelOrder): { readonly size: Exact; readonly value: Exact } {
    let [size, value] = [Exact.zero, Exact.zero]
    while (taker.left.sign() > 0) {
      const price = this.best(!taker.isBuy)
      const isReached = taker.isBuy ? !price.isAbove(taker.price) : !price.isBelow(taker.price)
      if (!isReached) break
      const first = this.bestOrder(!taker.isBuy)
      // Who rests at the house's price was there before it: it renews its quotes all the time.
      const maker = first?.price.is(price) === true ? first : null
      if (maker?.owner === taker.owner) {
        this.end(maker, 'selfTradeCanceled')
        continue
      }
      const part = maker === null ? taker.left : Exact.least(taker.left, maker.left)
      this.trade(taker, part, price, true)
      if (maker !== null) this.trade(maker, part, price, false)
      if (maker?.left.sign() === 0) this.end(maker, 'filled')
      size = size.plus(part)
      value = value.plus(part.times(price))
    }
    return { size, value }
  }

  /** Who buys pays its fee in what it buys, who sells in what it is paid with. */
  private trade(order: SpotModelOrder, size: Exact, price: Exact, crossed: boolean): void {
    const { owner, isBuy, id } = order
    const rate = crossed ? takerRate : makerRate
    const value = size.times(price)
    const fee = isBuy ? size.times(rate).cut(8) : value.times(rate).cut(6)
    owner.fills.push({ price, size, isBuy, start: owner.base, id, crossed, fee })
    order.left = order.left.minus(size)
    owner.base = isBuy ? owner.base.plus(size).minus(fee) : owner.base.minus(size)
    owner.quote = isBuy ? owner.quote.minus(value) : owner.quote.plus(value).minus(fee)
  }

  /** What the new price has passed is filled at its own price. */
  move(price: string): void {
    this.price = Exact.of(price)
    for (const isBuy of [true, false]) {
      for (;;) {
        const order = this.bestOrder(isBuy)
        const edge = this.house(!isBuy)
        const isPassed =
          order !== undefined && (isBuy ? !order.price.isBelow(edge) : !order.price.isAbove(edge))
        if (!isPassed) break
        this.trade(order, order.left, order.price, false)
        this.end(order, 'filled')
      }
    }
    this.fireReached()
  }

  cancel(account: SpotModelAccount, id: number): unknown {
    const found = this.open.find((each) => each.id === id && each.owner === account)
    if (found === undefined) {
      return { error: `Order was never placed, already canceled, or filled. asset=${this.asset}` }
    }
    this.end(found, 'canceled')
    return 'success'
  }

  private fireReached(): void {
    for (const order of this.open.filter(({ where }) => where === 'watching')) {
      if (isReached(order, this.price)) this.fire(order)
    }
  }

  private fire(order: SpotModelOrder): void {
    order.where = 'arriving'
    order.story.push('triggered')
    if (this.isShort(order)) {
      this.end(order, 'insufficientSpotBalanceRejected')
      return
    }
    const taken = this.take(order)
    if (order.left.sign() === 0) this.end(order, 'filled')
    else if (order.trigger?.isMarket === false) this.rest(order)
    else this.end(order, taken.size.sign() === 0 ? 'iocCancelRejected' : 'canceled')
  }
}

/** Stops sell below and buy above, profits are taken the other way round; the touch counts. */
function isReached({ isBuy, trigger }: SpotModelOrder, price: Exact): boolean {
  if (trigger === null) return false
  const side = price.compare(trigger.price)
  return side === 0 || side > 0 === (isBuy === (trigger.tpsl === 'sl'))
}
