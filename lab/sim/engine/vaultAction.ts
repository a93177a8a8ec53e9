import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { newAccount } from './account.ts'
import { crossMargin, isolatedEquity, marginUsedBy } from './accountMargin.ts'
import { houseOrder } from './makers.ts'
import { match } from './matching.ts'
import { addLedger, flow, freeToWithdraw } from './money.ts'
import { endOrder, tellOrder } from './orderLife.ts'
import { atScale, sum } from './scaled.ts'
import { newAddress } from './subAccounts.ts'
import { replyCreated, replyDefault, replyError, texts } from './texts.ts'
import { Vault } from './vault.ts'
import type { FollowerView, VaultView } from './ownedViews.ts'
import type { AdminAction } from './venueAction.ts'
import type { LedgerDelta } from './views.ts'
import type { Account, LiveOrder, Position, World } from './world.ts'

/** What may be done with vaults, and what a withdrawal does to what a vault has open. */

const creationFee = Decimal.of('10000')
/** The leader's part of a follower's profit, and what it must keep of the vault itself. */
const commissionShare = Decimal.of('0.1')
const leaderShareMin = Decimal.of('0.05')
const fifth = Decimal.of('0.2')
/** More than it takes to close any position, down to its last lot. */
const closingRoundsMax = 200
const highestUnits = 10n ** 18n
const shareScale = 12
const cashScale = 6

function vaultValue(account: Account): Decimal {
  const isolated = [...account.positions.values()].filter(({ isIsolated }) => isIsolated)
  return crossMargin(account).value.plus(sum(isolated.map(isolatedEquity)))
}

/** The accounts of the vaults whose leader is `leader`. */
export function vaultsOf(world: World, leader: Address): Account[] {
  return [...world.accounts.values()].filter(
    ({ owner }) => owner?.kind === 'vault' && owner.master === leader,
  )
}

export function vaultView(world: World, account: Account): VaultView | null {
  const { owner, address } = account
  if (owner?.kind !== 'vault') return null
  const { vault, name, master } = owner
  const value = vaultValue(account)
  return {
    ...{ address, name, leader: master, allowDeposits: vault.allowDeposits },
    ...{ description: vault.description, alwaysCloseOnWithdraw: vault.alwaysCloseOnWithdraw },
    leaderPart: vault.partOf(master),
    free: freeToWithdraw(world, account),
    followers: vault.followers.flatMap((user) => followerView(vault, user, value) ?? []),
  }
}

function followerView(vault: Vault, user: Address, value: Decimal): FollowerView | null {
  const known = vault.of(user)
  if (known === null) return null
  const { basis, realised, enteredMs, lockedUntilMs } = known
  const equity = vault.equityOf(user, value)
  const pnl = equity.minus(basis)
  return { ...{ user, equity, pnl, allTimePnl: pnl.plus(realised), enteredMs, lockedUntilMs } }
}

export function applyCreateVault(
  world: World,
  account: Account,
  { name, usdc, description }: Extract<AdminAction, { readonly type: 'createVault' }>,
): Json {
  const cost = usdc.plus(creationFee)
  if (freeToWithdraw(world, account).lt(cost)) return replyError(texts.vaultBalance)
  const made = newAccount(newAddress(world), false)
  made.owner = {
    ...{ kind: 'vault', master: account.address, name },
    vault: new Vault(account.address, usdc, world.nowMs, description),
  }
  world.accounts.set(made.address, made)
  account.cash = account.cash.minus(cost)
  made.cash = usdc
  world.feesCollected = world.feesCollected.plus(creationFee)
  addLedger(world, account, { type: 'vaultCreate', vault: made.address, usdc, fee: creationFee })
  for (const each of [account, made]) world.events.push({ kind: 'account', user: each.address })
  return replyCreated('createVault', made.address)
}

export function applyVaultModify(
  world: World,
  leader: Account,
  who: Address,
  allowDeposits: boolean | null,
  alwaysCloseOnWithdraw: boolean | null,
): Json {
  const owner = world.accounts.get(who)?.owner
  if (owner?.kind !== 'vault') return noVault(who)
  if (owner.master !== leader.address) return replyError(texts.vaultLeader)
  if (allowDeposits !== null) owner.vault.allowDeposits = allowDeposits
  if (alwaysCloseOnWithdraw !== null) owner.vault.alwaysCloseOnWithdraw = alwaysCloseOnWithdraw
  return replyDefault
}

/** A follower puts USDC into a vault, or takes its part of it out. */
export function applyVaultTransfer(
  world: World,
  follower: Account,
  who: Address,
  isDeposit: boolean,
  usdc: Decimal,
): Json {
  const account = world.accounts.get(who)
  const owner = account?.owner
  if (account === undefined || owner?.kind !== 'vault') return noVault(who)
  if (!usdc.isPositive()) return replyError(texts.invalidSend)
  const { vault } = owner
  const before = vaultValue(account)
  if (!isDeposit) {
    const why = withdrawalProblem(world, vault, owner.master, follower.address, usdc, before)
    if (why !== null) return replyError(why)
    const basis = vault.basisOf(follower.address, usdc, before)
    const commission = commissionOf(owner.master, follower.address, usdc, basis)
    const row = { requested: usdc, commission, basis, net: usdc.minus(commission) }
    const done = withdrawFromVault(world, account, follower.address, row)
    if (!done.ok) return replyError(done.error)
    follower.cash = follower.cash.plus(row.net)
    addLedger(world, follower, withdrawRow(account.address, follower.address, row))
    payCommission(world, owner.master, commission)
  } else {
    if (!vault.allowDeposits) return replyError(texts.vaultClosed)
    if (freeToWithdraw(world, follower).lt(usdc)) return replyError(texts.withdrawal)
    follower.cash = follower.cash.minus(usdc)
    depositIntoVault(world, account, follower.address, usdc, world.options.vaultLockMs)
    addLedger(world, follower, { type: 'vaultDeposit', vault: account.address, usdc })
  }
  world.events.push({ kind: 'account', user: follower.address })
  return replyDefault
}

/** Why a follower cannot take that much out now; null where it can. */
function withdrawalProblem(
  world: World,
  vault: Vault,
  leader: Address,
  follower: Address,
  usdc: Decimal,
  value: Decimal,
): string | null {
  const equity = vault.equityOf(follower, value)
  if (equity.lt(usdc)) return texts.withdrawal
  if ((vault.of(follower)?.lockedUntilMs ?? 0) > world.nowMs) return texts.vaultLocked
  const left = equity.minus(usdc)
  const isTooLittle = left.lt(value.minus(usdc).times(leaderShareMin))
  return follower === leader && isTooLittle ? texts.vaultLeaderShare : null
}

/** A tenth of what a follower gained on what it takes out; the leader pays itself nothing. */
function commissionOf(leader: Address, follower: Address, usdc: Decimal, basis: Decimal): Decimal {
  const gain = Decimal.max(Decimal.zero, usdc.minus(basis))
  return follower === leader ? Decimal.zero : gain.times(commissionShare).rounded(cashScale, 'down')
}

function payCommission(world: World, leader: Address, usdc: Decimal): void {
  const account = world.accounts.get(leader)
  if (!usdc.isPositive() || account === undefined) return
  account.cash = account.cash.plus(usdc)
  addLedger(world, account, { type: 'vaultLeaderCommission', user: leader, usdc })
  world.events.push({ kind: 'account', user: leader })
}

/** The leader gives USDC of a vault to its followers, to each its part. */
export function applyVaultDistribute(
  world: World,
  leader: Account,
  who: Address,
  usdc: Decimal,
): Json {
  const account = world.accounts.get(who)
  const owner = account?.owner
  if (account === undefined || owner?.kind !== 'vault') return noVault(who)
  if (owner.master !== leader.address) return replyError(texts.vaultLeader)
  if (!usdc.isPositive() || freeToWithdraw(world, account).lt(usdc)) {
    return replyError(texts.withdrawal)
  }
  const { vault } = owner
  let left = Decimal.zero
  for (const each of vault.followers) {
    const part = usdc.times(vault.partOf(each)).rounded(cashScale, 'down')
    const follower = world.accounts.get(each)
    if (follower === undefined || !part.isPositive()) continue
    follower.cash = follower.cash.plus(part)
    left = left.plus(part)
    vault.distributed(each, part)
    addLedger(world, follower, { type: 'vaultDistribution', vault: who, usdc: part })
    world.events.push({ kind: 'account', user: each })
  }
  account.cash = account.cash.minus(left)
  addLedger(world, account, { type: 'vaultDistribution', vault: who, usdc: left })
  world.events.push({ kind: 'account', user: who })
  return replyDefault
}

/**
 * A deposit into an account from outside, or a withdrawal when negative. A vault's are those of a
 * follower, and a withdrawal may take apart what the vault has open.
 */
export function flowOf(
  world: World,
  user: Address,
  amount: Decimal,
  delayMs: number,
): Result<void> {
  const account = world.accounts.get(user)
  if (account?.owner?.kind !== 'vault' || amount.isZero()) return flow(world, user, amount, delayMs)
  const { master, vault } = account.owner
  if (amount.isPositive()) depositIntoVault(world, account, master, amount, 0)
  else {
    const usdc = amount.abs()
    const value = vaultValue(account)
    const why = withdrawalProblem(world, vault, master, master, usdc, value)
    if (why !== null) return err(`amount: ${why}, got ${amount.toString()}`)
    const basis = vault.basisOf(master, usdc, value)
    const row = { requested: usdc, commission: Decimal.zero, basis, net: usdc }
    const done = withdrawFromVault(world, account, master, row, delayMs)
    if (!done.ok) return err(`amount: ${done.error}, got ${amount.toString()}`)
  }
  world.deposited = world.deposited.plus(amount)
  return ok(undefined)
}

/** Money of a follower comes in: the vault's own ledger says so too. */
function depositIntoVault(
  world: World,
  account: Account,
  follower: Address,
  usdc: Decimal,
  lockMs: number,
): void {
  if (account.owner?.kind === 'vault') {
    const { vault } = account.owner
    vault.deposited(follower, usdc, vaultValue(account), world.nowMs, lockMs)
  }
  account.cash = account.cash.plus(usdc)
  addLedger(world, account, { type: 'vaultDeposit', vault: account.address, usdc })
  world.events.push({ kind: 'account', user: account.address })
}

/**
 * Takes a follower's USDC out of a vault. Where it is not free, open orders end, those that use the
 * least margin first, and then a fifth of each position is closed, again and again.
 */
function withdrawFromVault(
  world: World,
  account: Account,
  follower: Address,
  row: WithdrawalRow,
  delayMs = 0,
): Result<void> {
  const { requested: usdc } = row
  const before = vaultValue(account)
  if (before.lt(usdc)) return err(texts.withdrawal)
  const vault = account.owner?.kind === 'vault' ? account.owner.vault : null
  if (vault?.alwaysCloseOnWithdraw === true) {
    closeShares(world, account, usdc.over(before, shareScale, 'up'))
  }
  freeByCancels(world, account, usdc)
  for (let round = 0; round < closingRoundsMax; round++) {
    if (freeToWithdraw(world, account).gte(usdc) || account.positions.size === 0) break
    closeShares(world, account, fifth)
  }
  if (freeToWithdraw(world, account).lt(usdc)) return err(texts.withdrawal)
  vault?.withdrew(follower, usdc, before)
  account.cash = account.cash.minus(usdc)
  addLedger(world, account, withdrawRow(account.address, follower, row), delayMs)
  world.events.push({ kind: 'account', user: account.address })
  return ok(undefined)
}

type WithdrawalRow = Pick<
  Extract<LedgerDelta, { readonly type: 'vaultWithdraw' }>,
  'requested' | 'commission' | 'basis' | 'net'
>

function withdrawRow(vault: Address, user: Address, row: WithdrawalRow): LedgerDelta {
  return { type: 'vaultWithdraw', vault, user, ...row }
}

function freeByCancels(world: World, account: Account, usdc: Decimal): void {
  const isAll = world.options.vaultWithdrawalCancels === 'all'
  const orders = [...account.orders.values()]
    .map((order) => ({ order, margin: marginUsedBy(world, account, order) }))
    .filter(({ margin }) => isAll || margin.isPositive())
    .sort((left, right) => left.margin.cmp(right.margin))
  for (const { order } of orders) {
    if (freeToWithdraw(world, account).gte(usdc)) return
    endOrder(world, order, 'vaultWithdrawalCanceled')
  }
}

function closeShares(world: World, account: Account, share: Decimal): void {
  for (const position of [...account.positions.values()])
    closeShare(world, account, position, share)
}

function closeShare(world: World, account: Account, position: Position, share: Decimal): void {
  const { market } = position
  const wanted = position.size.abs().times(share).rounded(market.sizeDecimals, 'up')
  const size = atScale(Decimal.min(position.size.abs(), wanted), market.sizeDecimals)
  const isBuy = position.size.isNegative()
  const order: LiveOrder = {
    ...houseOrder(world, account, market, isBuy, isBuy ? highestUnits : 1n, size),
    ...{ tif: 'Ioc', isReduceOnly: true, isVaultClose: true, price: market.mark },
  }
  match(world, order)
  order.phase = 'done'
  tellOrder(world, order, order.size.isZero() ? 'filled' : 'canceled')
}

function noVault(who: Address): Json {
  return replyError(`Vault not registered: ${who}`)
}
