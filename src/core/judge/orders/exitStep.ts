import type { Reservation } from '../../account/reservation.ts'
import type { Builder, Grouping, Order } from '../../protocol/action.ts'
import type { Cloid } from '../../values/cloid.ts'
import type { Coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { isAccountFresh, marketOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import type { Ids } from '../ids.ts'
import { step } from '../plan.ts'
import type { Step } from '../plan.ts'
import { positionOf } from './sortOrders.ts'
import type { ExitOrder } from './sortOrders.ts'

export interface Exits {
  readonly step: Step
  readonly changes: readonly Change[]
}

/** What can only reduce goes as one action, as sent but for what keeps it from ever opening. */
export function exitStep(
  input: JudgeInput,
  exits: readonly ExitOrder[],
  grouping: Grouping,
  builder: Builder | null,
  ids: Ids,
): Exits {
  const changes: Change[] = []
  const orders: Order[] = []
  const reservations: Reservation[] = []
  for (const exit of exits) {
    const changed = changedExit(input, exit, grouping)
    if (changed !== null) changes.push(changed.change)
    const order = { ...(changed?.order ?? exit.order), cloid: ids.of(exit.order.cloid) }
    orders.push(order)
    reservations.push(...exitReservations(input, order))
  }
  return { step: step({ type: 'order', orders, grouping, builder }, reservations), changes }
}

function changedExit(
  input: JudgeInput,
  exit: ExitOrder,
  grouping: Grouping,
): { readonly order: Order; readonly change: Change } | null {
  const { order } = exit
  const name = `orders[${exit.at}]`
  if (exit.kind === 'closing') {
    const text = `${name} closes a position and goes as reduce-only, so that it can never open one`
    return {
      order: { ...order, isReduceOnly: true },
      change: change(text, 'reduce_only', 'false', 'true', 'closing'),
    }
  }
  if (grouping !== 'na' || order.type.kind === 'trigger' || !isAccountFresh(input)) return null
  const position = positionOf(input, order)
  if (position === null || position.size.isPositive() === order.isBuy) return null
  const held = position.size.abs()
  if (order.size.lte(held) || isGrowing(input, position.coin)) return null
  const text = `${name} cut from ${order.size.toString()} to ${held.toString()}, the size of the ${position.coin} position`
  return {
    order: { ...order, size: held },
    change: change(text, 'size', order.size, held, 'position_size'),
  }
}

/** An entry in flight may have enlarged the position already: the venue then knows better. */
function isGrowing(input: JudgeInput, coin: Coin): boolean {
  return input.account.hasEntryInFlight(coin)
}

/** What an order that can only reduce holds while in flight; nothing on a market Guard does not follow. */
export function exitReservations(
  input: JudgeInput,
  order: Order & { readonly cloid: Cloid },
): readonly Reservation[] {
  const market = marketOf(input, order.asset)
  if (market === null) return []
  const { coin } = market
  const { type, isBuy, cloid } = order
  if (type.kind === 'trigger' && type.isMarket && type.tpsl === 'sl') {
    const held = positionOf(input, order)?.size.abs() ?? Decimal.zero
    const size = order.size.isZero() ? held : order.size
    return [{ kind: 'stop', coin, isBuy, trigger: type.triggerPrice, size, cloid }]
  }
  return [{ kind: 'reduce', coin, size: order.size, cloid }]
}
