import type { JsonObject } from '../../../src/core/protocol/action.ts'
import type { Market } from '../../../src/core/protocol/market.ts'
import type { Rules } from '../../../src/core/rules/rules.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Venue } from '../../sim/engine/venue.ts'

/** An entry on a builder dex as it may end at its worst. */
export interface Counted {
  /** What a unit of it loses where its stop fills at its worst, and by the gap beyond. */
  readonly perUnit: Decimal
  /** The highest leverage that keeps its liquidation beyond its stop; 0 for none. */
  readonly leverage: number
}

interface Way {
  readonly isBuy: boolean
  readonly price: Decimal
  /** Where its stop fills at the worst: a tenth beyond its trigger. */
  readonly end: Decimal
}

const scale = 18
const tenth = Decimal.of('0.1')
const [slack, room] = [Decimal.of('1.1'), Decimal.of('0.05')]

/**
 * Written from the contract: filled at its worst price W, stopped out a tenth beyond the trigger, and a
 * gap of W beyond that. The loosest of several stops counts; null where there is none.
 */
export function countedLoss(
  venue: Venue,
  rules: Rules,
  coin: Coin,
  { b, p }: JsonObject,
  stops: readonly Decimal[],
): Counted | null {
  const market = venue.market(coin)
  const isBuy = b === true
  const [first, ...others] = stops.map((trigger) => {
    const beyond = trigger.times(tenth)
    return isBuy ? trigger.minus(beyond) : trigger.plus(beyond)
  })
  if (market === null || first === undefined) return null
  const price = Decimal.of(String(p))
  const end = others.reduce(
    (worst, each) => (isBuy ? Decimal.min : Decimal.max)(worst, each),
    first,
  )
  const gap = rules.dexStopGap ?? Decimal.one.over(Decimal.whole(market.maxLeverage), scale, 'ceil')
  const fall = isBuy ? price.minus(end) : end.minus(price)
  const leverage = neededLeverage(market, rules, { isBuy, price, end })
  return { perUnit: fall.plus(price.times(gap)), leverage }
}

/**
 * The highest whole leverage at which an entry is liquidated beyond the end of its stop by a tenth of
 * the way and 5%, and as far away as the rules want it; 0 for none.
 */
function neededLeverage({ maxLeverage }: Market, rules: Rules, { isBuy, price, end }: Way): number {
  const way = (isBuy ? price.minus(end) : end.minus(price)).over(price, scale, 'ceil')
  const wanted = Decimal.max(way.times(slack).plus(room), rules.minLiquidationDistance)
  // Maintenance is half of the margin at the highest leverage, of what it is worth at its end.
  const worth = isBuy ? Decimal.one.minus(wanted) : Decimal.one.plus(wanted)
  const kept = worth.over(Decimal.whole(2 * maxLeverage), scale, 'ceil')
  const margin = wanted.plus(kept)
  const cap = Math.min(Number(rules.maxLeverage.rounded(0, 'floor').toString()), maxLeverage)
  let leverage = Math.max(1, cap)
  while (leverage > 0 && margin.times(Decimal.whole(leverage)).gt(Decimal.one)) leverage -= 1
  return leverage
}
