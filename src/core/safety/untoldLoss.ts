import { Decimal } from '../values/decimal.ts'
import type { CashBook } from './cashBook.ts'

/** A unified balance and its positions come in two messages: less than this share of equity is noise. */
const noise = Decimal.of('0.002')

/**
 * What fills and funding up to a time of the venue lost, in USD above zero, and no balance that was told
 * has included; null where that is no more than noise.
 */
export function untoldLoss(book: CashBook, equity: Decimal, until: number): Decimal | null {
  const lost = book.movements
    .filter(({ at, isFlow }) => at > book.from && at <= until && isFlow !== true)
    .reduce((sum, { usdc }) => sum.minus(usdc), Decimal.zero)
  return lost.gt(equity.abs().times(noise)) ? lost : null
}
