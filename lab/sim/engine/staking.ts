import { address } from '../../../src/core/values/address.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { addLedger } from './money.ts'
import { sum } from './scaled.ts'
import { replyDefault, replyError, texts } from './texts.ts'
import { addSpot, freeSpot } from './tokens.ts'
import type { StakingRow, StakingView } from './views.ts'
import type { Account, World } from './world.ts'

const dayMs = 86_400_000
const leavingMs = 7 * dayMs
const lockedMs = dayMs
const leavingMax = 5
/** How many decimals an amount of HYPE has on the wire, where it is a whole number. */
const weiScale = 8

/** Who can be delegated to: one validator of testnet, which stands for all. */
export const validator: Address = address('0xa012b9040d83c5cbad9e6ea73c525027b755f596')

/** HYPE from the spot balance into staking. */
export function applyStakeDeposit(world: World, account: Account, wei: number): Json {
  const amount = hype(wei)
  if (amount.isZero()) return replyError(texts.invalidSend)
  if (freeSpot(world, account, 'HYPE').lt(amount)) return replyError(texts.transfer)
  addSpot(account, 'HYPE', amount.negated())
  account.staking.free = account.staking.free.plus(amount)
  addLedger(world, account, { type: 'cStakingTransfer', amount, isDeposit: true })
  note(world, account, amount, { kind: 'deposit' })
  return replyDefault
}

/** Out of staking: it is a week on the way. */
export function applyStakeWithdraw(world: World, account: Account, wei: number): Json {
  const amount = hype(wei)
  const { staking } = account
  if (amount.isZero() || staking.free.lt(amount)) return replyError(texts.stakingBalance)
  if (staking.leaving.length >= leavingMax) return replyError(texts.tooManyUnstakes)
  staking.free = staking.free.minus(amount)
  staking.leaving.push({ dueMs: world.nowMs + leavingMs, amount })
  note(world, account, amount, { kind: 'withdrawal', isDone: false })
  return replyDefault
}

/** To a validator, or back from it after a day. */
export function applyDelegate(
  world: World,
  account: Account,
  to: Address,
  wei: number,
  isUndelegate: boolean,
): Json {
  if (to !== validator) return replyError(texts.unknownValidator)
  const amount = hype(wei)
  const { staking } = account
  const held = staking.delegated.get(to) ?? { amount: Decimal.zero, lockedUntil: 0 }
  if (isUndelegate && held.lockedUntil > world.nowMs) return replyError(texts.delegationLocked)
  if (amount.isZero() || (isUndelegate ? held.amount : staking.free).lt(amount)) {
    return replyError(texts.stakingBalance)
  }
  const moved = isUndelegate ? amount.negated() : amount
  staking.free = staking.free.minus(moved)
  const left = held.amount.plus(moved)
  const lockedUntil = isUndelegate ? held.lockedUntil : world.nowMs + lockedMs
  if (left.isZero()) staking.delegated.delete(to)
  else staking.delegated.set(to, { amount: left, lockedUntil })
  note(world, account, amount, { kind: 'delegate', validator: to, isUndelegate })
  return replyDefault
}

/** When something next arrives back from staking; null when nothing is on the way. */
export function nextUnstakeMs(account: Account): number | null {
  return account.staking.leaving[0]?.dueMs ?? null
}

/** Gives back what has been a week on the way. */
export function runUnstakes(world: World): void {
  for (const account of world.accounts.values()) {
    const { staking } = account
    while ((staking.leaving[0]?.dueMs ?? Infinity) <= world.nowMs) {
      const amount = staking.leaving.shift()?.amount ?? Decimal.zero
      addSpot(account, 'HYPE', amount)
      addLedger(world, account, { type: 'cStakingTransfer', amount, isDeposit: false })
      note(world, account, amount, { kind: 'withdrawal', isDone: true })
    }
  }
}

export function stakingOf({ staking }: Account): StakingView {
  return {
    free: staking.free,
    delegations: [...staking.delegated].map(([to, held]) => ({ validator: to, ...held })),
    leaving: staking.leaving.map(({ amount }) => amount),
    history: staking.history.newestFirst(),
  }
}

/** What all accounts have delegated. */
export function totalStake(world: World): Decimal {
  const all = [...world.accounts.values()].flatMap(({ staking }) => [...staking.delegated.values()])
  return sum(all.map(({ amount }) => amount))
}

function hype(wei: number): Decimal {
  return new Decimal(BigInt(wei), weiScale)
}

function note(world: World, account: Account, amount: Decimal, what: StakingRow['what']): void {
  account.staking.history.push({ time: world.nowMs, hash: world.random.hash(), amount, what })
  world.events.push({ kind: 'account', user: account.address })
}
