import type { ReservedOrder, WatchedTrigger } from '../../account/reservation.ts'
import type { Order } from '../../protocol/action.ts'
import type { Market } from '../../protocol/market.ts'
import type { Cloid } from '../../values/cloid.ts'
import type { Decimal } from '../../values/decimal.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import type { FittedStop } from '../fitStop.ts'
import type { OrderIds } from '../orderIds.ts'
import type { Refusal } from '../refusal.ts'
import { reservedOrder } from '../reserve.ts'
import { sideName } from '../text.ts'
import type { EntryGroup, Placed } from './entryGroup.ts'
import type { WorstPrice } from './worstPrice.ts'

interface Found {
  readonly market: Market
  readonly group: EntryGroup
  readonly worst: WorstPrice
  readonly trigger: NonNullable<WorstPrice['trigger']>
  readonly stop: FittedStop
  readonly size: Decimal
}

/** What goes out for an entry that waits for a trigger, and what stays with Guard. */
interface WatchedEntryParts {
  readonly orders: readonly (Order & { readonly cloid: Cloid })[]
  readonly leftOut: readonly { readonly at: number; readonly refusal: Refusal }[]
  readonly changes: readonly Change[]
  readonly reservations: readonly ReservedOrder[]
}

/**
 * The entry goes alone: the venue takes no stop together with a trigger that may open a position. Guard
 * keeps the stop and places it once the entry fills; a take profit is for the bot to send then.
 */
export function watchedEntry(ids: OrderIds, found: Found): WatchedEntryParts {
  const { market, group, worst, trigger, stop, size } = found
  const { at, order } = group.entry
  const { isMarket, tpsl } = trigger
  const sent = {
    ...order,
    ...{ price: worst.price, size, cloid: ids.of(order.cloid, `orders[${at}]`) },
    type: { kind: 'trigger', isMarket, triggerPrice: trigger.price, tpsl } as const,
  }
  const reserved = reservedOrder(market.coin, sent, 0, null)
  const watched = watchedTrigger(group, worst, trigger)
  return {
    orders: [sent],
    leftOut: group.children.flatMap((child) =>
      child === group.stop ? [] : [{ at: child.at, refusal: tooEarly(child) }],
    ),
    changes: [keptChange(found)],
    reservations: [{ ...reserved, kind: 'entry', stop: stop.trigger, watched }],
  }
}

/** What an entry that waits is held as. */
export function watchedTrigger(
  { stop, carriedStop }: EntryGroup,
  { worth }: WorstPrice,
  trigger: WatchedTrigger['trigger'],
): WatchedTrigger {
  return { trigger, stopBy: stop === null && carriedStop === null ? 'guard' : 'bot', worth }
}

function keptChange({ market, group, stop }: Found): Change {
  const { order } = group.entry
  const trigger = stop.trigger.toString()
  const text = `the stop at ${trigger} of the ${market.coin} ${sideName(order.isBuy)} is kept by Guard and placed once it fills: the venue takes none with an order that waits for a trigger`
  return change(text, 'stop', null, stop.trigger, 'trigger_entries')
}

function tooEarly({ at }: Placed): Refusal {
  return {
    code: 'invalid',
    text: `orders[${at}]: the venue takes no take profit with an entry that waits for a trigger; send it once the entry has filled`,
  }
}
