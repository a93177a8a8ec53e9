import { Decimal } from '../../../src/core/values/decimal.ts'
import { spotTokens } from './spotPairs.ts'
import type { SpotToken } from './spotPairs.ts'
import type { Account, MarketState, World } from './world.ts'

/**
 * The money that positions lean on together. A standard account has one pool for each dex, by its
 * name; an account that shares has one for each token, whatever the dex. USDC of the main dex, or
 * of everything, is the pool without a name.
 */
export type Pool = string

export const mainPool: Pool = ''

/** Says whether a market is among those that are meant. */
export type Within = (market: MarketState) => boolean

/** The pool that a position of this account in this market leans on. */
export function poolOf(account: Account, { builder }: Pick<MarketState, 'builder'>): Pool {
  if (builder === null) return mainPool
  return dexPool(account, builder.dex)
}

/** The pool of collateral that stands behind everything an account does on a dex. */
export function dexPool(
  { sharesPools }: Pick<Account, 'sharesPools'>,
  { name, collateral }: { readonly name: string; readonly collateral: SpotToken },
): Pool {
  if (!sharesPools) return name
  return collateral === 'USDC' ? mainPool : collateral
}

export function inPool(account: Account, pool: Pool): Within {
  return (market) => poolOf(account, market) === pool
}

export function onDex(name: string): Within {
  return (market) => (market.builder?.dex.name ?? '') === name
}

export function cashIn(account: Account, pool: Pool): Decimal {
  if (pool === mainPool) return account.cash
  const token = tokenNamed(pool)
  return (token === null ? account.dexCash.get(pool) : account.tokens.get(token)) ?? Decimal.zero
}

/** Adds to a pool or, negative, takes from it. */
export function addCash(account: Account, pool: Pool, amount: Decimal): void {
  if (pool === mainPool) {
    account.cash = account.cash.plus(amount)
    return
  }
  const token = tokenNamed(pool)
  const after = cashIn(account, pool).plus(amount)
  if (token === null) account.dexCash.set(pool, after)
  else account.tokens.set(token, after)
}

/** Dexes have small letters and tokens large ones, so a pool's name tells which it is. */
function tokenNamed(pool: Pool): SpotToken | null {
  return spotTokens.find((token) => token === pool) ?? null
}

/** The token that a market's profits, fees and margin are in. */
export function collateralOf({ builder }: Pick<MarketState, 'builder'>): SpotToken {
  return builder?.dex.collateral ?? 'USDC'
}

/** Counts what the venue took, or by rounding gave, in the token of a market. */
export function collect(world: World, token: SpotToken, amount: Decimal): void {
  if (token === 'USDC') world.feesCollected = world.feesCollected.plus(amount)
  else world.tokenFees.set(token, (world.tokenFees.get(token) ?? Decimal.zero).plus(amount))
}
