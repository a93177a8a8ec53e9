import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import { newAccount } from './account.ts'
import { crossMargin, crossWithin, orderMargin } from './accountMargin.ts'
import { cutPools } from './cutPools.ts'
import { withdrawable } from './marginMath.ts'
import { inPool, mainPool } from './pools.ts'
import type { Pool, Within } from './pools.ts'
import { spotReserve } from './spot/spotHold.ts'
import { texts } from './texts.ts'
import type { LedgerDelta, LedgerRow } from './views.ts'
import type { Account, World } from './world.ts'

/** What may be held back besides of several cross positions, by one reading. */
const extraShare = Decimal.of('0.005')

/** The account of an address that receives money, made if it is new. */
export function accountFor(world: World, user: Address): Account {
  const known = world.accounts.get(user)
  if (known !== undefined) return known
  const made = newAccount(user, false)
  cutPools(world, made)
  world.accounts.set(user, made)
  return made
}

/** What may leave a pool of an account now. */
export function freeToWithdraw(world: World, account: Account, pool: Pool = mainPool): Decimal {
  const { value } = crossMargin(account, pool)
  return freeOf(world, account, value, inPool(account, pool), spotReserve(world, account, pool))
}

/** What may leave it, where this is the value that counts as the cross equity of these markets. */
export function freeOf(
  world: World,
  account: Account,
  value: Decimal,
  within: Within,
  reservedElse: Decimal,
): Decimal {
  const cross = crossWithin(account, within, Decimal.zero)
  const initial = cross.initial.plus(orderMargin(world, account, within)).plus(reservedElse)
  const free = withdrawable(value, initial, cross.notional)
  const { withdrawableExtra } = world.options
  const held = [...account.positions.values()].filter(
    ({ isIsolated, market }) => !isIsolated && within(market),
  )
  if (withdrawableExtra === 'none' || held.length < 2) return free
  const extra = withdrawableExtra === 'zero' ? free : cross.notional.times(extraShare)
  return Decimal.max(Decimal.zero, free.minus(extra))
}

/** Writes an entry of the ledger, at once or `delayMs` later. */
export function addLedger(world: World, account: Account, delta: LedgerDelta, delayMs = 0): void {
  const row: LedgerRow = { time: world.nowMs, hash: world.random.hash(), delta }
  if (delayMs > 0) {
    world.pendingLedger.push({ dueMs: world.nowMs + delayMs, account, row })
    return
  }
  publishLedger(world, account, row)
}

export function publishLedger(world: World, account: Account, row: LedgerRow): void {
  account.ledger.push(row)
  world.events.push({ kind: 'ledger', user: account.address, row })
}

/** A deposit, or a withdrawal when negative; the money moves at once. */
export function flow(world: World, user: Address, amount: Decimal, delayMs: number): Result<void> {
  if (amount.isZero()) return err('amount: must not be zero')
  const known = world.accounts.get(user)
  if (amount.isNegative()) {
    if (known === undefined) return err(`user: ${user} has no account to withdraw from`)
    const free = freeToWithdraw(world, known)
    if (free.lt(amount.abs())) {
      return err(
        `amount: ${texts.withdrawal}, ${free.toString()} is free, got ${amount.toString()}`,
      )
    }
  }
  const account = accountFor(world, user)
  account.cash = account.cash.plus(amount)
  world.deposited = world.deposited.plus(amount)
  const delta: LedgerDelta = amount.isPositive()
    ? { type: 'deposit', usdc: amount }
    : { type: 'withdraw', usdc: amount.abs(), nonce: world.nowMs, fee: Decimal.zero }
  addLedger(world, account, delta, delayMs)
  world.events.push({ kind: 'account', user })
  return ok(undefined)
}
