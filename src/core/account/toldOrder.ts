import type { OpenOrder, OrderUpdate } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import type { Described } from './orderIndex.ts'
import type { OrderLife } from './orderLife.ts'
import type { ReservedOrder } from './reservation.ts'

/** What a list or an update tells of an order, by which it is found. */
export function describedBy(told: OpenOrder | OrderUpdate): Described {
  const { oid, cloid, coin, isBuy, originalSize, price } = told
  return { oid, cloid, coin, isBuy, size: originalSize, price }
}

/** What is left of an order: sizes only ever fall, whichever of fill and update came first. */
export function sizeLeft(order: OpenOrder, told: Decimal, played: Decimal): Decimal {
  const left = Decimal.min(order.size, told, order.originalSize.minus(played))
  return left.isNegative() ? Decimal.zero : left
}

/** An order that only an update has told of, with what Guard knows beside: it sent it. */
export function fromUpdate(update: OrderUpdate, { plan }: OrderLife, played: Decimal): OpenOrder {
  const { coin, isBuy, price, originalSize, oid, cloid, at } = update
  const isReduceOnly = update.isReduceOnly ?? (plan !== null && plan.kind !== 'entry')
  const trigger = plan === null ? null : triggerOf(plan)
  const order: OpenOrder = {
    ...{ coin, isBuy, price, size: update.size, originalSize, oid, cloid, at, isReduceOnly },
    ...{ trigger, isPositionTpsl: false, children: [] },
  }
  return { ...order, size: sizeLeft(order, update.size, played) }
}

function triggerOf(plan: ReservedOrder): OpenOrder['trigger'] {
  if (plan.kind === 'stop') return { price: plan.trigger, isMarket: true, tpsl: 'sl' }
  if (plan.kind === 'entry') return plan.watched?.trigger ?? null
  return plan.trigger
}

/** How much of an order was filled when it ended, as the update that tells its end has it. */
export function filledAtEnd(update: OrderUpdate, life: OrderLife | null, played: Decimal): Decimal {
  const left = update.status === 'filled' ? Decimal.zero : update.size
  return Decimal.max(wholeOf(update, life, played).minus(left), Decimal.zero)
}

/**
 * What an order that ended could have filled at most. The venue cuts an order that only reduces to
 * the position that is left: what was cut off is no fill, and none of it is on its way. Of an order
 * that no list has shown, and that was cancelled, only an entry of Guard's own is known to be none.
 */
function wholeOf(update: OrderUpdate, life: OrderLife | null, played: Decimal): Decimal {
  const shown = life?.shown ?? null
  if (shown !== null) return shown.isReduceOnly ? shown.size.plus(played) : shown.originalSize
  const isWhole = update.status === 'filled' || life?.plan?.kind === 'entry'
  return isWhole ? update.originalSize : update.size.plus(played)
}
