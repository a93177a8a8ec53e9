import { worstFill } from '../protocol/marketStop.ts'
import { assumptions } from '../values/assumptions.ts'
import { Decimal } from '../values/decimal.ts'
import type { RestingEntry, WatchedEntry } from './accountView.ts'
import type { Cover } from './stop.ts'

/** What an entry loses, in USD, from its price to where its stop fills at worst. */
interface EntryLoss {
  /** For the whole entry, counted at the least that it is worth. */
  readonly atLeast: Decimal
  /** Its size times the share of its value that it loses: multiply by the price it counts at. */
  readonly perPrice: Decimal
}

/** USD that a unit of an entry is worth when it fills, at least: its limit, or more where it waits. */
export function leastWorth({ price, watched }: Pick<Priced, 'price' | 'watched'>): Decimal {
  return watched?.worth ?? price
}

/** Shares are rounded up after so many decimals: never less than what is lost. */
const shareDecimals = 24

type Priced = Pick<RestingEntry, 'isBuy' | 'price' | 'size' | 'stop'> & {
  readonly watched?: Pick<WatchedEntry, 'worth'> | null
}

/** Kept for as long as the entry itself. */
const known = new WeakMap<Priced, EntryLoss>()

/** What an entry may lose; without a stop all that it is worth. */
export function entryLoss(entry: Priced): EntryLoss {
  const found = known.get(entry) ?? lossOf(entry)
  known.set(entry, found)
  return found
}

function lossOf(entry: Priced): EntryLoss {
  const { isBuy, price, size, stop } = entry
  const least = leastWorth(entry)
  if (stop === null) return { atLeast: size.times(least), perPrice: size }
  const fill = worstFill(stop, isBuy)
  const loss = isBuy ? price.minus(fill) : fill.minus(price)
  const atLimit = size.times(Decimal.max(loss, Decimal.zero))
  const perPrice = price.isPositive() ? atLimit.over(price, shareDecimals, 'ceil') : size
  return { atLeast: least.eq(price) ? atLimit : perPrice.times(least), perPrice }
}

/** What an entry may lose where it counts at the higher of the least that it is worth and the mid. */
export function entryLossAt(entry: Priced, mid: Decimal | null): Decimal {
  const { atLeast, perPrice } = entryLoss(entry)
  return mid !== null && leastWorth(entry).lt(mid) ? perPrice.times(mid) : atLeast
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
