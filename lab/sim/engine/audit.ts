import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { sum } from './scaled.ts'
import { spotTokens } from './spotPairs.ts'
import type { SpotToken } from './spotPairs.ts'
import type { Account, World } from './world.ts'

/** The sums that must never drift, whatever was traded. */
export interface Audit {
  /** Money that came in from outside and did not leave. */
  readonly deposited: Decimal
  /** Cash of all accounts, the venue's own included, with what isolated positions hold. */
  readonly held: Decimal
  readonly feesCollected: Decimal
  /** Per token other than USDC, what all have together, with the fees that were paid in it. */
  readonly tokens: ReadonlyMap<SpotToken, Decimal>
  /** Per market, the signed sizes of all positions added up: zero, always. */
  readonly netSizes: ReadonlyMap<Coin, Decimal>
}

export function auditWorld(world: World): Audit {
  const accounts = [world.maker, world.crowd, world.liquidator, ...world.accounts.values()]
  return {
    deposited: world.deposited,
    held: sum(accounts.map(cashOf)).plus(world.lentUsdc),
    feesCollected: world.feesCollected,
    tokens: new Map(spotTokens.slice(1).map((token) => [token, heldOf(world, accounts, token)])),
    netSizes: new Map(
      world.markets.map(({ coin }) => [
        coin,
        sum(accounts.map(({ positions }) => positions.get(coin)?.size ?? Decimal.zero)),
      ]),
    ),
  }
}

function heldOf(world: World, accounts: readonly Account[], token: SpotToken): Decimal {
  const fees = world.tokenFees.get(token) ?? Decimal.zero
  return sum(accounts.map(({ tokens }) => tokens.get(token) ?? Decimal.zero)).plus(fees)
}

function cashOf(account: Account): Decimal {
  const isolated = [...account.positions.values()].map(({ rawUsd }) => rawUsd)
  return account.cash.plus(account.spotCash).plus(sum(isolated))
}
