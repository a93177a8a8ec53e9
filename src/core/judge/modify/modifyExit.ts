import type { Stop } from '../../account/accountView.ts'
import { stopOf } from '../../account/cover.ts'
import type { Grouping, Order } from '../../protocol/action.ts'
import { roundPrice } from '../../protocol/grid.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import type { Cloid } from '../../values/cloid.ts'
import type { Coin } from '../../values/coin.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import type { JudgeInput } from '../decision.ts'
import { stopLimit, worstFill } from '../entry/entryStop.ts'
import type { Ids } from '../ids.ts'
import { exitReservations } from '../orders/exitStep.ts'
import { step } from '../plan.ts'
import type { Step } from '../plan.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import type { ModifyItem } from './modifyItem.ts'

/** A reduce-only order that is changed: by the venue's modify, or as a new order before a cancel. */
export interface ExitModify {
  readonly item: ModifyItem
  readonly order: Order & { readonly cloid: Cloid }
  readonly isReplaced: boolean
  readonly changes: readonly Change[]
  /** The stop it leaves on the venue, if it is one that covers. */
  readonly added: { readonly coin: Coin; readonly stop: Stop } | null
}

/** What a modify of a reduce-only order becomes; whether it may is judged by its result. */
export function exitModify(
  input: JudgeInput,
  ids: Ids,
  item: ModifyItem,
): Result<ExitModify, Refusal> {
  const { old, market } = item
  if (input.account.isWaiting(old.oid)) {
    return refuse(
      'invalid',
      `order ${old.oid} waits for its ${market.coin} entry and cannot be modified on its own; cancel the entry and place it again with the new stop or take profit`,
    )
  }
  const { order, changes } = fitted(item)
  const cloid = ids.of(order.cloid ?? (order.type.kind === 'trigger' ? null : old.cloid))
  const sent = { ...order, cloid }
  const stop = stopOf(asOpen(item, sent))
  return ok({
    item,
    order: sent,
    isReplaced: sent.type.kind === 'trigger',
    changes,
    added: stop === null ? null : { coin: market.coin, stop },
  })
}

/** A market stop on the grid, its trigger toward the price, its limit with a tenth of room. */
function fitted(item: ModifyItem): { readonly order: Order; readonly changes: readonly Change[] } {
  const { order, market } = item
  const { type } = order
  if (type.kind !== 'trigger' || !type.isMarket || type.tpsl !== 'sl') return { order, changes: [] }
  const isLong = !order.isBuy
  const trigger = roundPrice(market, type.triggerPrice, isLong ? 'ceil' : 'floor')
  const outward = roundPrice(market, order.price, isLong ? 'floor' : 'ceil')
  const bound = worstFill(trigger, isLong)
  const isClose = isLong ? outward.gt(bound) : outward.lt(bound)
  const price = isClose ? stopLimit(market, trigger, isLong) : outward
  const changes: Change[] = []
  if (!trigger.eq(type.triggerPrice)) {
    const text = `the stop's trigger rounded from ${type.triggerPrice.toString()} to ${trigger.toString()}, toward the price`
    changes.push(change(text, 'stop.trigger', type.triggerPrice, trigger, 'grid'))
  }
  if (!price.eq(order.price)) {
    const why = isClose ? '10% beyond its trigger, so that it fills' : "outward to the venue's grid"
    const text = `the stop's limit moved from ${order.price.toString()} to ${price.toString()}, ${why}`
    changes.push(change(text, 'stop.price', order.price, price, isClose ? 'stop_room' : 'grid'))
  }
  return { order: { ...order, price, type: { ...type, triggerPrice: trigger } }, changes }
}

/** The order as it would be listed once it rests. */
function asOpen(item: ModifyItem, order: Order): Parameters<typeof stopOf>[0] {
  const { type } = order
  const trigger =
    type.kind === 'limit'
      ? null
      : { price: type.triggerPrice, isMarket: type.isMarket, tpsl: type.tpsl }
  return { ...item.old, price: order.price, size: order.size, cloid: order.cloid, trigger }
}

export interface ReplaceSteps {
  readonly place: Step
  readonly cancel: Step
  readonly grouping: Grouping
}

/** The new trigger first; the old one is cancelled once the venue has taken it. */
export function replaceSteps(input: JudgeInput, modify: ExitModify): ReplaceSteps {
  const { item, order } = modify
  const { old, market } = item
  const grouping: Grouping = old.isPositionTpsl ? 'positionTpsl' : 'na'
  const place = step(
    { type: 'order', orders: [order], grouping, builder: null },
    exitReservations(input, order),
  )
  const cancel = step(
    { type: 'cancel', cancels: [{ asset: market.asset, oid: old.oid }] },
    [{ kind: 'cancel', coin: market.coin, oid: old.oid, cloid: old.cloid }],
    [place],
  )
  return { place, cancel, grouping }
}
