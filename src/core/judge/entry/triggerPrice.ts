import type { Order, OrderType } from '../../protocol/action.ts'
import { roundPrice } from '../../protocol/grid.ts'
import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { sideName } from '../text.ts'
import { boundFrom, pulledIn, stopFromNow } from './worstPrice.ts'
import type { LimitBound, MarkedPrices, WorstPrice } from './worstPrice.ts'

type TriggerType = Extract<OrderType, { kind: 'trigger' }>

/** An order that waits for a trigger price. */
type TriggerOrder = Order & { readonly type: TriggerType }

export function waitsForTrigger(order: Order): order is TriggerOrder {
  return order.type.kind === 'trigger'
}

/**
 * The worst price of an entry that waits for a trigger: its limit, no further beyond the trigger than
 * the rules allow. One whose trigger is past, or no further than that from the mark, may fire at once:
 * it is judged as a market order, with a limit that still reaches its trigger.
 */
export function triggerPrice(
  market: Market,
  rules: Rules,
  order: TriggerOrder,
  { mid, mark, firing }: MarkedPrices,
): Result<WorstPrice, Refusal> {
  const { isBuy, type } = order
  const trigger = roundPrice(market, type.triggerPrice, isBuy ? 'floor' : 'ceil')
  if (!trigger.isPositive()) {
    return refuse(
      'invalid',
      `the trigger ${type.triggerPrice.toString()} is below the smallest price ${market.coin} can have`,
    )
  }
  const distance = mark.times(rules.maxDistanceFromMid)
  const isPast = firesAbove(order) ? trigger.lte(mark) : trigger.gte(mark)
  const isNear = isPast || trigger.minus(mark).abs().lte(distance)
  const bound = isNear
    ? reaching(boundFrom(rules, isBuy, mid, 'the mid'), order, isPast ? null : trigger)
    : boundFrom(rules, isBuy, trigger, 'the trigger')
  const limit = pulledIn(market, rules, order, bound)
  if (!limit.ok) return limit
  const { price } = limit.value
  return ok({
    price,
    changes: [...triggerChange(market, order, trigger), ...limit.value.changes],
    stopFrom: isNear ? stopFromNow(isBuy, price, firing) : { price, text: 'the limit' },
    worth: Decimal.max(price, trigger, mark, mid),
    trigger: { price: trigger, isMarket: type.isMarket, tpsl: type.tpsl },
    mayWait: true,
  })
}

/** A buy fires above as a stop and below as a take profit, a sell the other way round. */
function firesAbove({ isBuy, type }: TriggerOrder): boolean {
  return isBuy === (type.tpsl === 'sl')
}

/** The bound, moved out to the trigger where it would not reach it: the order could never fill. */
function reaching(bound: LimitBound, { isBuy }: TriggerOrder, trigger: Decimal | null): LimitBound {
  if (trigger === null) return bound
  const isShort = isBuy ? bound.bound.lt(trigger) : bound.bound.gt(trigger)
  return isShort ? { ...bound, bound: trigger } : bound
}

function triggerChange(market: Market, order: TriggerOrder, trigger: Decimal): readonly Change[] {
  const asked = order.type.triggerPrice
  if (trigger.eq(asked)) return []
  const text = `the trigger of the ${market.coin} ${sideName(order.isBuy)} rounded from ${asked.toString()} to ${trigger.toString()}, the next price on the venue's grid`
  return [change(text, 'trigger', asked, trigger, 'grid')]
}
