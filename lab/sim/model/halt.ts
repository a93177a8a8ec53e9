import { moveQuotes } from './book.ts'
import { Exact } from './exact.ts'
import { endAll } from './life.ts'
import { forgiveDebt } from './liquidation.ts'
import { positionIn } from './margin.ts'
import { balanceIn, poolOf } from './pools.ts'
import type { ModelAccount, ModelMarket, ModelPosition, ModelState } from './state.ts'
import { bookTrade } from './trade.ts'
import { haltTwaps } from './twaps.ts'

/** The builder of a market halts it: no order stays, and positions end at the mark for nothing. */
export function halt(state: ModelState, market: ModelMarket): void {
  if (market.isDelisted) return
  const there = state.open.filter((order) => order.market === market)
  endAll(state, there, state.rules.haltEndsAs)
  haltTwaps(state, market)
  market.isDelisted = true
  market.quotes = []
  market.takenOver = Exact.zero
  for (const account of state.accounts) {
    const position = positionIn(account, market)
    if (position !== null) settle(state, account, position)
  }
}

/** It is traded again, around the price it had. */
export function resume(state: ModelState, market: ModelMarket): void {
  if (!market.isDelisted) return
  market.isDelisted = false
  moveQuotes(state, market, market.mid)
}

function settle(state: ModelState, account: ModelAccount, position: ModelPosition): void {
  const { market, size: start, isIsolated } = position
  const pool = poolOf(account, market)
  const before = balanceIn(account, pool)
  const [isBuy, size, price] = [start.sign() < 0, start.abs(), market.mark]
  const closedPnl = bookTrade(account, market, isBuy, size, price, Exact.zero)
  // What an isolated position lost beyond its margin is not the account's.
  if (isIsolated) account.balances.set(pool, Exact.most(balanceIn(account, pool), before))
  else forgiveDebt(account, pool)
  if (state.rules.haltEndsAs === 'internalCancel') return
  account.fills.push({
    ...{ coin: market.coin, price, size, isBuy, time: state.now, start, closedPnl },
    ...{ dir: 'Settlement', id: -1, crossed: true, fee: Exact.zero },
    ...{ cloid: null, builderFee: null, liquidation: null },
  })
}
