import type { Order, OrderType } from '../protocol/action.ts'
import { roundPrice } from '../protocol/grid.ts'
import { stopLimit, worstFill } from '../protocol/marketStop.ts'
import type { Market } from '../protocol/market.ts'
import type { Decimal } from '../values/decimal.ts'
import { change } from './changes.ts'
import type { Change } from './changes.ts'

/** An order that is a trigger. */
type TriggerOrder = Order & { readonly type: Extract<OrderType, { kind: 'trigger' }> }

/** A market stop as it goes out. */
export interface FittedStop {
  readonly trigger: Decimal
  /** The stop order's own limit, which caps its fill. */
  readonly limit: Decimal
  readonly changes: readonly Change[]
}

/** Puts a bot's market stop on the grid, its trigger toward the price, its limit with a tenth of room. */
export function fitStop(market: Market, order: TriggerOrder): FittedStop {
  const isLong = !order.isBuy
  const asked = order.type.triggerPrice
  const trigger = roundPrice(market, asked, isLong ? 'ceil' : 'floor')
  const changes: Change[] = []
  if (!trigger.eq(asked)) {
    const text = `the stop's trigger rounded from ${asked.toString()} to ${trigger.toString()}, toward the price`
    changes.push(change(text, 'stop.trigger', asked, trigger, 'grid'))
  }
  const outward = roundPrice(market, order.price, isLong ? 'floor' : 'ceil')
  const bound = worstFill(trigger, isLong)
  const isTooClose = isLong ? outward.gt(bound) : outward.lt(bound)
  const limit = isTooClose ? stopLimit(market, trigger, isLong) : outward
  if (!limit.eq(order.price)) {
    const why = isTooClose
      ? '10% beyond its trigger, so that it fills'
      : "outward to the venue's grid"
    const text = `the stop's limit moved from ${order.price.toString()} to ${limit.toString()}, ${why}`
    changes.push(change(text, 'stop.price', order.price, limit, isTooClose ? 'stop_room' : 'grid'))
  }
  return { trigger, limit, changes }
}

/** The same as an order: a market stop that goes out, and what was changed of it. */
export function fittedStop(
  market: Market,
  order: TriggerOrder,
): { readonly order: Order; readonly changes: readonly Change[] } {
  const { trigger, limit, changes } = fitStop(market, order)
  const type = { ...order.type, triggerPrice: trigger }
  return { order: { ...order, price: limit, type }, changes }
}

/** Whether an order is a market stop loss: the only kind that can cover a position. */
export function isMarketStop(order: Order): order is TriggerOrder {
  const { type } = order
  return type.kind === 'trigger' && type.isMarket && type.tpsl === 'sl'
}
