import { dexOf, isMainPerp } from '../../../core/protocol/coinKind.ts'
import { allowsMarket } from '../../../core/rules/rules.ts'
import type { Rules } from '../../../core/rules/rules.ts'
import type { Coin } from '../../../core/values/coin.ts'

/** The builder dexes that `markets` names: `xyz:*` and `xyz:TSLA` both name xyz. */
export function namedDexes({ markets }: Pick<Rules, 'markets'>): ReadonlySet<string> {
  const names = markets.flatMap((market) => dexOf(market as Coin))
  return new Set(names.filter((name) => name !== ''))
}

/** Whether `markets` names a perp: `*` alone stays the main dex. */
export function isNamed(rules: Rules, coin: Coin): boolean {
  if (isMainPerp(coin)) return allowsMarket(rules, coin)
  return rules.markets.includes(coin) || rules.markets.includes(`${dexOf(coin)}:*`)
}
