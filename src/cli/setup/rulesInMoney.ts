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
    `markets: ${rules.markets.includes('*') ? 'every perp of the main dex' : rules.markets.join(', ')}`,
    cap === null ? 'no equity cap' : `sized from at most ${money(cap.toString())} of equity`,
  ]
}
