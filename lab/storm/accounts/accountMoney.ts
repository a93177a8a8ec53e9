import type { Json } from '../../../src/core/protocol/action.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { keys, owner, user } from '../keys.ts'
import type { Dice } from '../step.ts'
import type { World } from '../world.ts'

/** Which way money leaves and comes back, and how much. */
interface Taken {
  readonly way: 'outside' | 'spot' | 'master'
  readonly amount: Decimal
}

/** Of what seems free: the venue may have kept something of it for itself. */
const parts = ['0.999', '0.97', '0.8', '0.5'] as const
/** What the other follower of a vault puts in. */
const followerUsd = 6_000
const half = Decimal.of('0.5')
/** A leader keeps a twentieth of its vault. */
const leaderMost = Decimal.of('0.94')
const microUsd = 1_000_000

/** The owner takes nearly all that is free out of the account; null where nothing is. */
export function takeAway(world: World, dice: number): Taken | null {
  const way = wayOf(world, dice)
  const free = freeOf(world)
  for (const part of parts) {
    const amount = free.times(Decimal.of(part)).rounded(2, 'down')
    if (!amount.isPositive()) return null
    if (pass(world, { way, amount: amount.negated() })) return { way, amount }
  }
  return null
}

export function bringBack(world: World, taken: Taken): void {
  pass(world, taken)
}

/** By an own way of the account: to its spot balance, to the account it belongs to, or out of the venue. */
function wayOf({ plan, sim }: World, dice: number): Taken['way'] {
  if (plan.isVault) return 'outside'
  if (plan.isOwned) return dice < 0.6 ? 'master' : 'outside'
  return dice < 0.5 && sim.venue.mode(user) === 'disabled' ? 'spot' : 'outside'
}

/** What may be withdrawn, as the venue says. */
function freeOf({ sim }: World): Decimal {
  const { venue } = sim
  if (venue.mode(user) === 'disabled') return venue.perpState(user).withdrawable
  const { usdcTotal, usdcHold } = venue.spotState(user)
  return usdcTotal.minus(usdcHold)
}

/** Money moves into the account, or out of it where the amount is negative; whether it did. */
function pass(world: World, { way, amount }: Taken): boolean {
  const isIn = amount.isPositive()
  const usdc = amount.abs()
  if (way === 'outside') return flow(world, amount)
  if (way === 'spot') {
    return act(world, user, {
      ...{ type: 'usdClassTransfer', hyperliquidChain: 'Testnet', signatureChainId: '0x66eee' },
      ...{ amount: usdc.toString(), toPerp: isIn, nonce: 1 },
    })
  }
  return act(world, owner, {
    ...{ type: 'subAccountTransfer', subAccountUser: user, isDeposit: isIn },
    usd: inMicroUsd(usdc),
  })
}

/**
 * Somebody leaves a vault: its leader, or a follower who came in before. Where its margin is short, the
 * venue cancels orders and closes parts of positions, or parts of them in any case.
 */
export function leaveVault(world: World, [, first, second, third]: Dice): void {
  const follower = world.crypto.secp256k1.addressOf(keys.market)
  const always = { allowDeposits: null, alwaysCloseOnWithdraw: third < 0.3 }
  act(world, owner, { type: 'vaultModify', vaultAddress: user, ...always })
  const vault = world.sim.venue.vault(user)
  const held = vault?.followers.find((each) => each.user === follower)?.equity ?? Decimal.zero
  if (first < 0.5 && !held.isPositive()) {
    transfer(world, follower, true, Decimal.whole(followerUsd))
    return
  }
  const part = Decimal.of((0.3 + 0.68 * second).toFixed(4))
  if (held.isPositive() && first < 0.6) {
    transfer(world, follower, false, held.times(part).rounded(2, 'down'))
    return
  }
  // Nearly all that is free, or more: what is short comes from orders and positions.
  const { withdrawable, margin } = world.sim.venue.perpState(user)
  const wanted = withdrawable.times(part.plus(half))
  const amount = Decimal.min(wanted, margin.accountValue.times(leaderMost)).rounded(2, 'down')
  if (amount.isPositive()) flow(world, amount.negated())
}

function transfer(world: World, who: Address, isDeposit: boolean, usdc: Decimal): void {
  act(world, who, {
    ...{ type: 'vaultTransfer', vaultAddress: user, isDeposit, usd: inMicroUsd(usdc) },
  })
}

function inMicroUsd(usdc: Decimal): number {
  return Number(usdc.times(Decimal.whole(microUsd)).rounded(0, 'down').toString())
}

function flow(world: World, amount: Decimal): boolean {
  world.trace.say(() => `flow of ${amount.toString()}`)
  let isDone = false
  world.venueSide.byHand(() => {
    isDone = world.control('flow', { user, amount: amount.toString() })
  })
  return isDone
}

function act(world: World, who: Address, action: Json): boolean {
  world.trace.say(() => `${who === user ? 'its owner' : who} ${JSON.stringify(action)}`)
  let isDone = false
  world.venueSide.byHand(() => {
    isDone = world.control('act', { user: who, action })
  })
  return isDone
}
