import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { BookView, LevelView } from '../../engine/views.ts'

export const bookDepth = 20
export const fastBookDepth = 5

export interface BookGrouping {
  /** 2 to 5; null is every price. */
  readonly significantFigures: number | null
  /** 1, 2 or 5, only with 5 figures. */
  readonly mantissa: number | null
}

/** Cuts a book to its depth, prices joined to the figures asked for: bids down, asks up. */
export function groupBook(book: BookView, grouping: BookGrouping, depth: number): BookView {
  if (grouping.significantFigures === null) {
    return { ...book, bids: book.bids.slice(0, depth), asks: book.asks.slice(0, depth) }
  }
  const step = (price: Decimal): Decimal => stepAt(price, grouping)
  return {
    ...book,
    bids: joinLevels(book.bids, (price) => price.toStep(step(price), 'floor'), depth),
    asks: joinLevels(book.asks, (price) => price.toStep(step(price), 'ceil'), depth),
  }
}

/** The distance of two neighbouring prices with so many significant figures. */
function stepAt(price: Decimal, grouping: BookGrouping): Decimal {
  const { units, scale } = price.normalised()
  const digits = units.toString().length
  const exponent = digits - scale - (grouping.significantFigures ?? digits)
  const mantissa = BigInt(grouping.mantissa ?? 1)
  return exponent >= 0
    ? new Decimal(mantissa * 10n ** BigInt(exponent), 0)
    : new Decimal(mantissa, -exponent)
}

function joinLevels(
  levels: readonly LevelView[],
  group: (price: Decimal) => Decimal,
  depth: number,
): LevelView[] {
  const joined: LevelView[] = []
  for (const level of levels) {
    const price = group(level.price)
    const last = joined.at(-1)
    if (last?.price.eq(price) === true) {
      joined[joined.length - 1] = {
        price,
        size: last.size.plus(level.size),
        count: last.count + level.count,
      }
    } else if (joined.length === depth) {
      break
    } else {
      joined.push({ ...level, price })
    }
  }
  return joined
}
