import type { Cover } from '../../account/stop.ts'
import type { Order } from '../../protocol/action.ts'
import type { Coin } from '../../values/coin.ts'
import type { Decimal } from '../../values/decimal.ts'
import type { JudgeInput } from '../decision.ts'
import { isMarketStop } from '../fitStop.ts'
import { positionOf } from './sortOrders.ts'

/**
 * What the positions still lack of cover, stops on their way counted. Only as much as that is added
 * where there is no place for orders left: stops that are one tighter than the other would fill the
 * account until the venue takes no close.
 */
export class MissingCover {
  private readonly input: JudgeInput
  private readonly left = new Map<Coin, Decimal>()

  constructor(input: JudgeInput) {
    this.input = input
  }

  /** Whether an order is a stop that covers something that nothing else does; it then does. */
  takes(order: Order): boolean {
    const position = positionOf(this.input, order)
    if (position === null || !isMarketStop(order)) return false
    const { coin, liquidationPrice: end } = position
    const isLong = position.size.isPositive()
    const { triggerPrice } = order.type
    const isReached = end === null || (isLong ? triggerPrice.gt(end) : triggerPrice.lt(end))
    const missing = this.left.get(coin) ?? this.missing(coin, isLong)
    if (order.isBuy === isLong || !isReached || !missing.isPositive()) return false
    this.left.set(coin, missing.minus(order.size))
    return true
  }

  private missing(coin: Coin, isLong: boolean): Decimal {
    const { account } = this.input
    // A coin with a position has a cover, full or not.
    const { uncovered } = account.cover(coin) as Cover
    return account
      .stopsInFlight(coin)
      .filter(({ isBuy, owner }) => isBuy !== isLong && owner === 'bot')
      .reduce((left, stop) => left.minus(stop.size), uncovered)
  }
}
