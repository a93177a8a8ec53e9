import { assumptions } from '../values/assumptions.ts'
import type { Cloid } from '../values/cloid.ts'
import { Decimal } from '../values/decimal.ts'
import type { Order } from './action.ts'
import { priceStep, roundPrice } from './grid.ts'
import type { Market } from './market.ts'

/** Where a market stop may fill at worst, as a share of its trigger. */
const fillBelow = Decimal.one.minus(assumptions.stopSlippage)
const fillAbove = Decimal.one.plus(assumptions.stopSlippage)
/** A stop with less room than this between its trigger and its limit may trigger and not fill. */
const roomBelow = Decimal.of('0.95')
const roomAbove = Decimal.of('1.05')

/** The worst price at which a market stop of a long or short position fills. */
export function worstFill(trigger: Decimal, isLong: boolean): Decimal {
  return trigger.times(isLong ? fillBelow : fillAbove)
}

/** Whether the limit of a stop leaves it room to fill: at least 5% beyond the trigger. */
export function hasRoom(trigger: Decimal, limit: Decimal, isLong: boolean): boolean {
  return isLong ? limit.lte(trigger.times(roomBelow)) : limit.gte(trigger.times(roomAbove))
}

/** Rounds away from the price that would be liked, so that an exit never rests; never to zero. */
export function roundOutward(market: Market, price: Decimal, isBuy: boolean): Decimal {
  const rounded = roundPrice(market, price, isBuy ? 'ceil' : 'floor')
  return rounded.isPositive() ? rounded : priceStep(market, price)
}

/** The limit of a market stop with this trigger: a tenth beyond it, rounded outward. */
export function stopLimit(market: Market, trigger: Decimal, isLong: boolean): Decimal {
  return roundOutward(market, worstFill(trigger, isLong), !isLong)
}

interface MarketStop {
  readonly isLong: boolean
  readonly size: Decimal
  readonly trigger: Decimal
  readonly limit: Decimal
  readonly cloid: Cloid
}

/** A reduce-only market stop of a long or short position. */
export function marketStop(market: Market, stop: MarketStop): Order & { readonly cloid: Cloid } {
  const { isLong, size, trigger, limit, cloid } = stop
  return {
    asset: market.asset,
    isBuy: !isLong,
    price: limit,
    size,
    isReduceOnly: true,
    type: { kind: 'trigger', isMarket: true, triggerPrice: trigger, tpsl: 'sl' },
    cloid,
  }
}
