import { worstFill } from '../protocol/marketStop.ts'
import { assumptions } from '../values/assumptions.ts'
import { Decimal } from '../values/decimal.ts'
import type { RestingEntry } from './accountView.ts'
import type { Cover } from './stop.ts'

/** What an entry loses, in USD, from its price to where its stop fills at worst. */
interface EntryLoss {
  /** For the whole entry, filled at its limit. */
  readonly atLimit: Decimal
  /** For each USD of the price: what it loses is a share of what it is worth. */
  readonly perPrice: Decimal
}

/** Shares are rounded up after so many decimals: never less than what is lost. */
const shareDecimals = 24

type Priced = Pick<RestingEntry, 'isBuy' | 'price' | 'size' | 'stop'>

/** Kept for as long as the entry itself. */
const known = new WeakMap<Priced, EntryLoss>()

/** What an entry may lose; without a stop all that it is worth. */
export function entryLoss(entry: Priced): EntryLoss {
  const found = known.get(entry) ?? lossOf(entry)
  known.set(entry, found)
  return found
}

function lossOf({ isBuy, price, size, stop }: Priced): EntryLoss {
  if (stop === null) return { atLimit: size.times(price), perPrice: size }
  const fill = worstFill(stop, isBuy)
  const loss = isBuy ? price.minus(fill) : fill.minus(price)
  const atLimit = size.times(Decimal.max(loss, Decimal.zero))
  const perPrice = price.isPositive() ? atLimit.over(price, shareDecimals, 'ceil') : size
  return { atLimit, perPrice }
}

/** What an entry may lose where it counts at the higher of its limit and the mid. */
export function entryLossAt(entry: Priced, mid: Decimal | null): Decimal {
  const { atLimit, perPrice } = entryLoss(entry)
  return mid !== null && entry.price.lt(mid) ? perPrice.times(mid) : atLimit
}

/**
 * What a position loses from the mid to where its stops fill at worst; what is not covered may lose
 * all it is worth. A stop that the mid has passed fills a tenth beyond the mid at worst.
 */
export function positionLoss(size: Decimal, price: Decimal, cover: Cover | null): Decimal {
  const uncovered = cover?.uncovered ?? size.abs()
  const held = size.abs().minus(uncovered).times(price)
  const risk = cover?.risk ?? Decimal.zero
  // At its trigger the covered part is worth what it is worth now, less the risk (a short: more).
  const atTriggers = size.isPositive() ? held.minus(risk) : held.plus(risk)
  const slipped = atTriggers.times(assumptions.stopSlippage)
  return uncovered.times(price).plus(risk).plus(slipped)
}
