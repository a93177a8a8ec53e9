import type { Address } from '../../../src/core/values/address.ts'
import { address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { err, ok } from '../../../src/core/values/result.ts'
import type { Result } from '../../../src/core/values/result.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { newAccount } from './account.ts'
import { cutPools } from './cutPools.ts'
import { addLedger, freeToWithdraw } from './money.ts'
import { replyCreated, replyDefault, replyError, texts, volumeGateText } from './texts.ts'
import { applySpotSend } from './tokens.ts'
import type { SpotToken } from './spotPairs.ts'
import { Vault } from './vault.ts'
import type { AccountSpec } from './venueConfig.ts'
import type { Account, World } from './world.ts'

/** Accounts without a key: their master, or its agents, act for them by naming them. */

const volumeNeeded = Decimal.of('100000')
const nameUnitsMax = 16
const volumePerSub = Decimal.of('100000000')
const subsMost = 50
const addressChars = 42

export interface SubTransfer {
  readonly subAccount: Address
  /** True: from the master to the sub-account; false: back. */
  readonly isDeposit: boolean
}

/** The sub-accounts of an account, oldest first. */
export function subAccountsOf(world: World, master: Address): Account[] {
  return [...world.accounts.values()].filter(
    ({ owner }) => owner?.kind === 'sub' && owner.master === master,
  )
}

/** The account that `master` may act for under this address; null where it is none of its own. */
export function ownedBy(world: World, master: Address, who: Address): Account | null {
  const account = world.accounts.get(who)
  return account?.owner?.master === master ? account : null
}

/** Gives the accounts of a reset their owners, which may be listed after them. */
export function seedOwners(world: World, specs: readonly AccountSpec[]): Result<void> {
  for (const { address: who, equity, subOf, vaultOf } of specs) {
    const master = subOf ?? vaultOf ?? null
    const account = world.accounts.get(who)
    if (master === null || account === undefined) continue
    const why = ownerProblem(world, account, master, subOf !== undefined && vaultOf !== undefined)
    if (why !== null) return err(`account ${who}: ${why}`)
    account.owner =
      subOf === undefined
        ? { kind: 'vault', master, name: 'vault', vault: new Vault(master, equity, world.nowMs) }
        : { kind: 'sub', master, name: `sub${subAccountsOf(world, master).length + 1}` }
  }
  return ok(undefined)
}

function ownerProblem(
  world: World,
  account: Account,
  master: Address,
  isBoth: boolean,
): string | null {
  if (isBoth) return 'is a sub-account or a vault, not both'
  if (!world.accounts.has(master) || master === account.address) {
    return `its owner ${master} must be another account of this reset`
  }
  const owner = world.accounts.get(master)?.owner ?? null
  if (owner !== null) return `its owner ${master} has an owner itself`
  return account.agents.length > 0 ? 'has no agents of its own: they are its owner’s' : null
}

/** A random address for a new sub-account or vault; no account has it yet. */
export function newAddress(world: World): Address {
  return address(world.random.hash().slice(0, addressChars))
}

export function applyCreateSub(world: World, master: Account, name: string): Json {
  if (master.volume.lt(volumeNeeded)) {
    return replyError(volumeGateText('create sub-accounts', volumeNeeded, master.volume))
  }
  if (subAccountsOf(world, master.address).length >= subAccountsMax(world, master)) {
    return replyError(texts.tooManySubs)
  }
  if (name.length === 0 || name.length > nameUnitsMax) return replyError(texts.badSubName)
  const made = newAccount(newAddress(world), false)
  made.owner = { kind: 'sub', master: master.address, name }
  cutPools(world, made)
  world.accounts.set(made.address, made)
  return replyCreated('createSubAccount', made.address)
}

function subAccountsMax({ options }: World, { volume }: Account): number {
  if (!options.sub_max_grows) return options.sub_max
  const earned = Number(volume.over(volumePerSub, 0, 'down').units)
  return Math.max(options.sub_max, Math.min(options.sub_max + earned, subsMost))
}

export function applySubModify(world: World, master: Account, who: Address, name: string): Json {
  const sub = ownedBy(world, master.address, who)
  if (sub?.owner?.kind !== 'sub') {
    return replyError(`Sub-account ${who} is not registered to ${master.address}`)
  }
  if (name.length === 0 || name.length > nameUnitsMax) return replyError(texts.badSubName)
  sub.owner = { ...sub.owner, name }
  return replyDefault
}

/** USDC between the perp balances of an account and its sub-account. */
export function applySubTransfer(
  world: World,
  master: Account,
  { subAccount, isDeposit }: SubTransfer,
  usdc: Decimal,
): Json {
  const sub = ownedBy(world, master.address, subAccount)
  if (sub?.owner?.kind !== 'sub') return replyError(noTransferText(master, subAccount))
  const [from, to] = isDeposit ? [master, sub] : [sub, master]
  if (from.mode !== 'disabled' || to.mode !== 'disabled') return replyError(texts.unified)
  if (!usdc.isPositive()) return replyError(texts.invalidSend)
  if (freeToWithdraw(world, from).lt(usdc)) return replyError(texts.withdrawal)
  from.cash = from.cash.minus(usdc)
  to.cash = to.cash.plus(usdc)
  const delta = {
    ...{ type: 'subAccountTransfer' as const, usdc },
    ...{ user: from.address, destination: to.address },
  }
  for (const each of [from, to]) {
    addLedger(world, each, delta)
    world.events.push({ kind: 'account', user: each.address })
  }
  return replyDefault
}

/** Tokens between their spot balances; the ledger calls it a spot transfer. */
export function applySubSpotTransfer(
  world: World,
  master: Account,
  { subAccount, isDeposit }: SubTransfer,
  token: SpotToken,
  amount: Decimal,
): Json {
  const sub = ownedBy(world, master.address, subAccount)
  if (sub?.owner?.kind !== 'sub') return replyError(noTransferText(master, subAccount))
  const [from, to] = isDeposit ? [master, sub] : [sub, master]
  return applySpotSend(world, from, {
    ...{ destination: to.address, token, amount, nonce: world.nowMs },
  })
}

function noTransferText(master: Account, who: Address): string {
  return `Invalid sub-account transfer from ${master.address} to ${who}`
}
