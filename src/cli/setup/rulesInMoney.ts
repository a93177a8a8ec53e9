import { dexesNamed, dexOf } from '../../core/rules/marketNames.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { money, percent } from '../figures.ts'

/** The rules as sentences, with what each limit is worth for an account of this equity. */
export function rulesInMoney(rules: Rules, equity: Decimal | null): string[] {
  const base =
    equity === null || rules.equityCap === null ? equity : Decimal.min(equity, rules.equityCap)
  const amount = (ratio: Decimal): string => {
    const share = percent(ratio.toString())
    return base === null ? share : `${share} (${money(base.times(ratio).toString())})`
  }
  const cap = rules.equityCap
  return [
    `one trade loses at most ${amount(rules.riskPerTrade)} at its stop, fees included`,
    `all open trades together at most ${amount(rules.openRisk)}`,
    `a day that loses ${amount(rules.dailyLossStop)} closes everything until 00:00 UTC`,
    `a fall of ${amount(rules.drawdownHalt)} from the peak closes everything until a review`,
    `positions are worth at most ${rules.maxLeverage.toString()} times the equity in all, ${amount(rules.maxPosition)} in one coin`,
    `an entry without a stop ${rules.stop === 'attach' ? `gets one ${percent(rules.stopDistance.toString())} away` : 'is refused'}`,
    `markets: ${rules.markets.map(marketText).join(', ')}`,
    ...(dexesNamed(rules).length === 0 ? [] : dexLines(rules, amount)),
    cap === null ? 'no equity cap' : `sized from at most ${money(cap.toString())} of equity`,
  ]
}

function marketText(name: string): string {
  if (name === '*') return 'every perp of the main dex'
  return name.endsWith(':*') ? `every perp of the builder dex ${dexOf(name) ?? ''}` : name
}

/** What is different where a builder sets the prices: a stop there may fill far beyond its price. */
function dexLines(rules: Rules, amount: (ratio: Decimal) => string): string[] {
  const { dexStopGap: gap, maxBookShare, riskPerTrade, stopDistance } = rules
  const beyond =
    gap === null ? '1/max leverage of the market (10% where that is 10x)' : percent(gap.toString())
  const counted = stopDistance.plus(slipped(stopDistance)).plus(gap ?? tenth)
  const value = riskPerTrade.over(counted, 4, 'floor')
  const lines = [
    `on a builder dex a trade counts ${beyond} beyond the worst fill of its stop (dex_stop_gap): with the stop ${percent(stopDistance.toString())} away one entry is worth at most ${amount(value)}${gap === null ? ' on a 10x market' : ''}`,
  ]
  if (maxBookShare === null) return lines
  return [
    ...lines,
    `there it is at most ${percent(maxBookShare.toString())} of what the book shows`,
  ]
}

const tenth = Decimal.of('0.1')

/** A stop may fill a tenth beyond its trigger. */
function slipped(distance: Decimal): Decimal {
  return Decimal.one.minus(distance).times(tenth)
}
