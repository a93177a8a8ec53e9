import { Exact } from './exact.ts'
import type { ModelAccount, ModelMarket, ModelState } from './state.ts'

/** The money that positions lean on together: of one dex by its name, or all of it, without one. */
export type ModelPool = string

/** Says whether a market is among those that are meant. */
export type Within = (market: ModelMarket) => boolean

export function poolOf({ sharesPools }: ModelAccount, { dex }: ModelMarket): ModelPool {
  return sharesPools ? '' : dex
}

export function inPool(account: ModelAccount, pool: ModelPool): Within {
  return (market) => poolOf(account, market) === pool
}

export function onDex(dex: string): Within {
  return (market) => market.dex === dex
}

export function balanceIn({ balances }: ModelAccount, pool: ModelPool): Exact {
  return balances.get(pool) ?? Exact.zero
}

/** Adds to a balance or, negative, takes from it. */
export function addTo(account: ModelAccount, pool: ModelPool, amount: Exact): void {
  account.balances.set(pool, balanceIn(account, pool).plus(amount))
}

export function marketOf(state: ModelState, asset: number): ModelMarket | undefined {
  return state.markets.find((market) => market.asset === asset)
}
