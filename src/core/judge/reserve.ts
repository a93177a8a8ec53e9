import type { ReservedOrder } from '../account/reservation.ts'
import type { Order } from '../protocol/action.ts'
import type { Cloid } from '../values/cloid.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import { isMarketStop } from './fitStop.ts'

type Reserved = Extract<ReservedOrder, { kind: 'stop' | 'reduce' }>

const resting: ReadonlySet<string> = new Set(['Gtc', 'Alo'])

/** Whether an order can stay open on the venue: a trigger, or a limit that is not immediate. */
export function mayRest({ type }: Order): boolean {
  return type.kind === 'trigger' || resting.has(type.tif)
}

/**
 * An order that only reduces, as it is held from the tick of its decision on. `index` is its place in
 * its action, `parent` the place of the order whose fill it waits for; `size` stands for its own
 * where that is none: a position's stop without a size covers the whole of it.
 */
export function reservedOrder(
  coin: Coin,
  order: Order & { readonly cloid: Cloid },
  index: number,
  parent: number | null,
  size: Decimal = order.size,
): Reserved {
  const { isBuy, price, cloid } = order
  const rests = mayRest(order)
  // Field by field: spreading an object here costs more than a check of the judge.
  if (isMarketStop(order)) {
    const trigger = order.type.triggerPrice
    return { index, coin, isBuy, size, price, cloid, parent, mayRest: rests, kind: 'stop', trigger }
  }
  const trigger = triggerOf(order)
  return { index, coin, isBuy, size, price, cloid, parent, mayRest: rests, kind: 'reduce', trigger }
}

function triggerOf({ type }: Order): Extract<Reserved, { kind: 'reduce' }>['trigger'] {
  if (type.kind === 'limit') return null
  return { price: type.triggerPrice, isMarket: type.isMarket, tpsl: type.tpsl }
}
