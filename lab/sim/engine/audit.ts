import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { dexNamed } from './dex/dexReads.ts'
import { collateralOf } from './pools.ts'
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
    held: sum(accounts.map((each) => cashOf(world, each))).plus(world.lentUsdc),
    feesCollected: world.feesCollected,
    tokens: new Map(spotTokens.slice(1).map((token) => [token, heldOf(world, accounts, token)])),
    netSizes: new Map(
      world.everyMarket.map(({ coin }) => [
        coin,
        sum(accounts.map(({ positions }) => positions.get(coin)?.size ?? Decimal.zero)),
      ]),
    ),
  }
}

function heldOf(world: World, accounts: readonly Account[], token: SpotToken): Decimal {
  const fees = world.tokenFees.get(token) ?? Decimal.zero
  const held = accounts.map((account) =>
    (account.tokens.get(token) ?? Decimal.zero).plus(onDexes(world, account, token)),
  )
  return sum(held).plus(fees)
}

function cashOf(world: World, account: Account): Decimal {
  return account.cash.plus(account.spotCash).plus(onDexes(world, account, 'USDC'))
}

/** What an account has of a token on builder dexes, and in isolated positions anywhere. */
function onDexes(world: World, account: Account, token: SpotToken): Decimal {
  const isolated = [...account.positions.values()].map(({ rawUsd, market }) =>
    collateralOf(market) === token ? rawUsd : Decimal.zero,
  )
  const cash = [...account.dexCash].map(([name, amount]) =>
    dexNamed(world, name)?.collateral === token ? amount : Decimal.zero,
  )
  return sum(isolated).plus(sum(cash))
}
