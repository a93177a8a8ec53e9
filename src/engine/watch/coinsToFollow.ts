import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import { allowsMarket } from '../../core/rules/marketNames.ts'
import type { Rules } from '../../core/rules/rules.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'

/**
 * The coins this event gives a reason to follow: those that are held, and where the rules admit only
 * a few, all of them, so that the first request already finds its price and leverage setting. None of
 * a dex that is not listed, though a late frame may still show a position there: the venue ends every
 * connection that asks for a coin which it does not have.
 */
export function coinsToFollow(
  event: AccountEvent,
  rules: Rules,
  isListed: (dex: string) => boolean,
): readonly Coin[] {
  if (event.kind === 'state') {
    return event.state.positions.flatMap(({ coin }) => (isListed(dexOf(coin)) ? [coin] : []))
  }
  if (event.kind !== 'markets') return []
  const coins = [...event.markets.byCoin.values()].flatMap(({ coin, isDelisted }) =>
    isDelisted || !allowsMarket(rules, coin) || !isListed(dexOf(coin)) ? [] : [coin],
  )
  return coins.length <= limits.followedFromStartMax ? coins : []
}
