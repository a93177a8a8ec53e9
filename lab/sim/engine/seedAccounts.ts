import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { addAgent, agentEnd } from './agents.ts'
import { newAccount } from './account.ts'
import { crossMargin, isolatedEquity, maintenanceOf, positionValue } from './accountMargin.ts'
import { cutPools } from './cutPools.ts'
import { dexNamed } from './dex/dexReads.ts'
import { initialMargin, shownScale } from './marginMath.ts'
import { applyOrders } from './orderAction.ts'
import { addCash, dexPool, mainPool, poolOf } from './pools.ts'
import { bookTrade } from './position.ts'
import { spotTokens, tokenNamed } from './spotPairs.ts'
import { atScale, unitsAt } from './scaled.ts'
import { seedTwap } from './seedTwaps.ts'
import { seedOwners } from './subAccounts.ts'
import { runTriggers } from './triggers.ts'
import type { AccountSpec, PositionSpec } from './venueConfig.ts'
import type { Account, Position, World } from './world.ts'

const cashScale = 6

/** Gives a fresh venue its accounts, with positions and orders. */
export function seedAccounts(world: World, specs: readonly AccountSpec[]): Result<void> {
  for (const spec of specs) {
    const made = seedAccount(world, spec)
    if (!made.ok) return err(`account ${spec.address}: ${made.error}`)
  }
  runTriggers(world)
  return seedOwners(world, specs)
}

function seedAccount(world: World, spec: AccountSpec): Result<void> {
  if (world.accounts.has(spec.address)) return err('is listed twice')
  const account = newAccount(spec.address, false)
  account.mode = spec.mode ?? 'disabled'
  account.isModeSet = spec.mode !== undefined
  cutPools(world, account)
  account.cash = spec.equity
  world.accounts.set(spec.address, account)
  world.deposited = world.deposited.plus(spec.equity)
  const debt = spec.borrowed === undefined ? null : giveDebt(world, account, spec.borrowed)
  if (debt !== null) return err(debt)
  for (const [name, equity] of spec.dexEquity ?? []) {
    const why = giveToDex(world, account, name, equity)
    if (why !== null) return err(why)
  }
  for (const { token, total } of spec.spot ?? []) {
    const why = giveToken(world, account, token, total)
    if (why !== null) return err(why)
  }
  for (const [coin, { type, value }] of spec.leverage ?? []) {
    const why = setLeverage(world, account, coin, type, value)
    if (why !== null) return err(why)
  }
  for (const [index, position] of (spec.positions ?? []).entries()) {
    const why = seedPosition(world, account, position) ?? marginProblem(account, position)
    if (why !== null) return err(`positions[${index}].${why}`)
  }
  const short = maintenanceProblem(account)
  if (short !== null) return err(short)
  for (const [index, agent] of (spec.agents ?? []).entries()) {
    const name = `agent${index + 1}`
    addAgent(world, account, { address: agent, name, validUntil: agentEnd(world.nowMs) })
  }
  for (const group of spec.orders ?? []) {
    const action = { type: 'order', builder: null, ...group } as const
    const why = errorIn(applyOrders(world, account, action, {}))
    if (why !== null) return err(`orders: ${why}`)
  }
  for (const [index, twap] of (spec.twaps ?? []).entries()) {
    const why = seedTwap(world, account, twap)
    if (why !== null) return err(`twaps[${index}].${why}`)
  }
  return ok(undefined)
}

/** What it owes lies in its balance, and its equity stays what it is. */
function giveDebt(world: World, account: Account, borrowed: Decimal): string | null {
  if (borrowed.isNegative()) return `borrowed: must not be negative, got ${borrowed.toString()}`
  if (account.mode !== 'portfolioMargin')
    return 'borrowed: must be that of a portfolioMargin account'
  account.borrowed = borrowed
  account.cash = account.cash.plus(borrowed)
  world.deposited = world.deposited.plus(borrowed)
  return null
}

/** Money on a builder dex: only a standard account has any of its own there. */
function giveToDex(world: World, account: Account, name: string, equity: Decimal): string | null {
  const dex = dexNamed(world, name)
  if (dex === null) return `dex_equity: there is no dex ${name}`
  if (account.mode !== 'disabled') return 'dex_equity: must be that of a standard account'
  addCash(account, dexPool(account, dex), equity)
  dex.netDeposit = dex.netDeposit.plus(equity)
  if (dex.collateral === 'USDC') world.deposited = world.deposited.plus(equity)
  return null
}

function giveToken(world: World, account: Account, name: string, total: Decimal): string | null {
  if (total.isNegative()) return `spot: ${name} must not be negative, got ${total.toString()}`
  const token = tokenNamed(name)
  if (token === null) return `spot: ${name} is no token; there are ${spotTokens.join(', ')}`
  if (token !== 'USDC') {
    account.tokens.set(token, total)
    return null
  }
  if (account.mode === 'disabled') account.spotCash = account.spotCash.plus(total)
  else account.cash = account.cash.plus(total)
  world.deposited = world.deposited.plus(total)
  return null
}

function setLeverage(
  world: World,
  account: Account,
  coin: PositionSpec['coin'],
  type: 'cross' | 'isolated',
  value: number,
): string | null {
  const market = world.byCoin.get(coin)
  if (market === undefined) return `there is no market ${coin}`
  const { maxLeverage, onlyIsolated } = market.market
  if (!Number.isSafeInteger(value) || value < 1 || value > maxLeverage) {
    return `leverage of ${coin}: must be a whole number from 1 to ${maxLeverage}, got ${value}`
  }
  if (onlyIsolated && type === 'cross') return `leverage of ${coin}: must be isolated, got cross`
  account.leverage.set(coin, { isCross: type === 'cross', value })
  return null
}

/** Why the equity that was given does not carry an isolated position; null where it does. */
function marginProblem(account: Account, { coin }: PositionSpec): string | null {
  const position = account.positions.get(coin)
  if (position?.isIsolated !== true) return null
  const { market } = position
  const left = crossMargin(account, poolOf(account, market)).value
  if (!left.isNegative()) return null
  const margin = isolatedEquity(position)
  return `leverage: the isolated margin of ${coin} must be at most the equity that is left, ${margin.plus(left).toString()}, got ${margin.toString()}`
}

/** Why an account would be liquidated as it begins; null where it would not. */
function maintenanceProblem(account: Account): string | null {
  for (const position of account.positions.values()) {
    const { market, isIsolated } = position
    const { coin } = market
    const pool = poolOf(account, market)
    const cross = crossMargin(account, pool)
    const value = isIsolated ? isolatedEquity(position) : cross.value
    const needed = isIsolated ? maintenanceOf(position) : cross.maintenance
    if (!value.lt(needed)) continue
    const field = market.builder !== null && pool !== mainPool ? `dex_equity.${pool}` : 'equity'
    return `${field}: must be at least the maintenance margin, ${needed.toString()}, got ${value.toString()}: the position in ${coin} would be liquidated at once`
  }
  return null
}

/** The makers take the other side at the mark, so that sizes and cash always add up. */
function seedPosition(world: World, account: Account, spec: PositionSpec): string | null {
  const market = world.byCoin.get(spec.coin)
  if (market === undefined) return `coin: there is no market ${spec.coin}`
  const why = setLeverage(world, account, spec.coin, spec.leverage.type, spec.leverage.value)
  if (why !== null) return why
  if (account.positions.has(spec.coin)) return `coin: ${spec.coin} is listed twice`
  if (spec.size.isZero() || unitsAt(spec.size, market.sizeDecimals) === null) {
    return `szi: must not be zero and have at most ${market.sizeDecimals} decimals, got ${spec.size.toString()}`
  }
  const entry = spec.entryPrice ?? market.mid
  if (!entry.isPositive()) return `entryPx: must be above zero, got ${entry.toString()}`
  const size = atScale(spec.size, market.sizeDecimals)
  const position: Position = {
    market,
    size,
    entryNotional: size.abs().times(entry),
    isIsolated: spec.leverage.type === 'isolated',
    rawUsd: Decimal.zero,
    opened: initialMargin(size.abs(), spec.leverage.value),
    fundingSinceOpen: Decimal.zero,
    fundingSinceChange: Decimal.zero,
  }
  const pool = poolOf(account, market)
  const signedValue = size.times(market.mark)
  if (position.isIsolated) {
    const margin = initialMargin(positionValue(position), spec.leverage.value)
    // What lies behind the digits that are shown is no millionth more.
    const rounded = margin.rounded(shownScale, 'half-even').rounded(cashScale, 'up')
    addCash(account, pool, rounded.negated())
    position.rawUsd = rounded.minus(signedValue)
  } else addCash(account, pool, signedValue.negated())
  account.positions.set(spec.coin, position)
  bookTrade(world.maker, market, !size.isPositive(), size.abs(), market.mark, Decimal.zero)
  return null
}

/** The first error in a reply, whatever carries it. */
function errorIn(reply: Json): string | null {
  const body = reply as { status: string; response: unknown }
  if (body.status !== 'ok') return String(body.response)
  const { data } = body.response as { data: { statuses: readonly unknown[] } }
  for (const status of data.statuses) {
    if (typeof status === 'object' && status !== null && 'error' in status) {
      return String(status.error)
    }
  }
  return null
}
