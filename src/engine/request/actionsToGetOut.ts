import type { Account } from '../../core/account/account.ts'
import { piecesOf } from '../../core/venueLimits/piecesOf.ts'
import type { Coin } from '../../core/values/coin.ts'

/** A stop and a close, each tried twice. */
const triesOfEach = 4
/** For what is not known yet: a position that is opened elsewhere, an order that must go first. */
const spare = 10

/** How many actions Guard may need to cover and to close all that is held or may be in a moment. */
export function actionsToGetOut(account: Account): number {
  const pieces = [...account.positions.keys()].map((coin) => piecesOfPosition(account, coin))
  const others = [...account.coinsWithOrders()].filter(
    (coin) => !account.positions.has(coin) && account.restingEntries(coin).length > 0,
  )
  const orders = pieces.reduce((sum, count) => sum + count, others.length)
  return spare + triesOfEach * orders
}

function piecesOfPosition(account: Account, coin: Coin): number {
  const position = account.positions.get(coin)
  const market = account.market(coin)
  if (position === undefined || market === null) return 1
  const price = account.mid(coin)?.price ?? position.entryPrice
  return Math.max(piecesOf(position.size.abs(), price, market).pieces.length, 1)
}
