import { Rational, rational } from '../safety/rational.fixture.ts'

/** An entry on a builder dex as it was let through, in plain text. */
export interface OracleEntry {
  readonly isBuy: boolean
  readonly size: string
  /** The worst that it may fill at. */
  readonly price: string
  readonly stop: string
  readonly mid: string
  readonly leverage: number
  /** The builder's terms. */
  readonly feeScale: string
  readonly isGrowth: boolean
  readonly maxLeverage: number
  readonly gap: string
}

const whole = (value: number): Rational => new Rational(BigInt(value), 1n)
const larger = (left: Rational, right: Rational): Rational => (left.lt(right) ? right : left)

/** One fee of the venue on a builder dex, by the table of its documentation. */
function feeRate({ feeScale, isGrowth }: OracleEntry): Rational {
  const scale = rational(feeScale)
  const times = scale.lt(rational('1')) ? rational('1').plus(scale) : scale.plus(scale)
  return rational('0.00045')
    .times(times)
    .times(rational(isGrowth ? '0.1' : '1'))
}

/**
 * Plays the trade: it is filled at its worst, its stop is triggered, filled a tenth beyond its trigger,
 * and beyond that by the gap of the entry's price; fees are paid both ways. What is gone in the end.
 */
export function lostInPlay(entry: OracleEntry): Rational {
  const size = rational(entry.size)
  const sign = rational(entry.isBuy ? '1' : '-1')
  const paid = size.times(rational(entry.price))
  const slipped = rational(entry.stop).times(rational(entry.isBuy ? '0.9' : '1.1'))
  const beyond = rational(entry.price).times(rational(entry.gap))
  const end = slipped.minus(sign.times(beyond))
  const back = size.times(end)
  const fees = paid.times(feeRate(entry)).times(rational('2'))
  return sign.times(paid.minus(back)).plus(fees)
}

/** What it loses beside fees: what counts in the open risk. */
export function riskOf(entry: OracleEntry): Rational {
  const fees = rational(entry.size).times(rational(entry.price)).times(feeRate(entry))
  return lostInPlay(entry).minus(fees.times(rational('2')))
}

/** The isolated margin that it takes at its leverage. */
export function marginOf(entry: OracleEntry): Rational {
  const worth = larger(rational(entry.price), rational(entry.mid))
  return rational(entry.size).times(worth).over(whole(entry.leverage))
}

/**
 * The margin that keeps the liquidation beyond the stop, at the highest whole leverage that does: the
 * equity left at the price where 1.1 times the fall to the worst fill and 5% are gone must be above
 * maintenance, half of the margin at the coin's highest leverage.
 */
export function neededMargin(entry: OracleEntry, cap: number, minDistance: string): Rational {
  const price = rational(entry.price)
  const fill = rational(entry.stop).times(rational(entry.isBuy ? '0.9' : '1.1'))
  const fall = (entry.isBuy ? price.minus(fill) : fill.minus(price)).over(price)
  const distance = larger(fall.times(rational('1.1')).plus(rational('0.05')), rational(minDistance))
  const end = entry.isBuy ? rational('1').minus(distance) : rational('1').plus(distance)
  const maintenance = end.over(whole(2 * entry.maxLeverage))
  for (let leverage = cap; leverage > 0; leverage -= 1) {
    const left = rational('1').over(whole(leverage)).minus(distance)
    if (!left.lt(maintenance)) return marginOf({ ...entry, leverage })
  }
  throw new Error('no leverage bears this entry')
}
