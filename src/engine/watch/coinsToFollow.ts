import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { allowsMarket } from '../../core/rules/marketNames.ts'
import type { Rules } from '../../core/rules/rules.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'

/**
 * The coins this event gives a reason to follow: those that are held, and where the rules admit only
 * a few, all of them, so that the first request already finds its price and leverage setting.
 */
export function coinsToFollow(event: AccountEvent, rules: Rules): readonly Coin[] {
  if (event.kind === 'state') return event.state.positions.map(({ coin }) => coin)
  if (event.kind !== 'markets') return []
  const coins = [...event.markets.byCoin.values()].flatMap(({ coin, isDelisted }) =>
    isDelisted || !allowsMarket(rules, coin) ? [] : [coin],
  )
  return coins.length <= limits.followedFromStartMax ? coins : []
}
