import { assumptions } from '../values/assumptions.ts'
import { Decimal } from '../values/decimal.ts'

/**
 * What is lost between a price and a stop, counted as the risk of it: on the main dex what is lost at
 * the stop. On a builder dex it may fill at its worst, and the gap beyond that: books there are thin,
 * prices are the builder's, and markets halt. `worth` is size x price, `loss` what is lost at the stop.
 */
export function beyondStop(
  isLong: boolean,
  worth: Decimal,
  loss: Decimal,
  gap: Decimal | null,
): Decimal {
  if (gap === null) return loss
  const atStop = isLong ? worth.minus(loss) : worth.plus(loss)
  return loss.plus(atStop.times(assumptions.stopSlippage)).plus(worth.times(gap))
}

/** What a unit risks between a price and its stop; at the stop itself never less than nothing. */
export function lossPerUnit(
  isLong: boolean,
  price: Decimal,
  stop: Decimal,
  gap: Decimal | null,
): Decimal {
  const loss = isLong ? price.minus(stop) : stop.minus(price)
  return beyondStop(isLong, price, loss.isNegative() ? Decimal.zero : loss, gap)
}
