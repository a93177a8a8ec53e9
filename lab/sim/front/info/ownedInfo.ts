import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { FollowerView } from '../../engine/ownedViews.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { renderPerpState, renderSpotState } from '../render/renderAccount.ts'
import { wireNumber } from '../render/wireNumber.ts'
import { portfolio } from './portfolio.ts'

/** What is told of sub-accounts and vaults; null, not an empty list, where an account has none. */

export function subAccounts(venue: VenueReads, master: Address): Json {
  const rows = venue.subAccounts(master).map((sub) => ({
    ...{ name: sub.name, subAccountUser: sub.address, master },
    clearinghouseState: renderPerpState(venue.perpState(sub.address)),
    spotState: renderSpotState(venue.spotState(sub.address)),
  }))
  return rows.length === 0 ? null : rows
}

/** By dex, and only those on which there is something. */
export function subAccounts2(venue: VenueReads, master: Address): Json {
  const rows = venue.subAccounts(master).map((sub) => {
    const mode = venue.abstraction(sub.address)
    return {
      ...{ name: sub.name, subAccountUser: sub.address, master },
      dexToClearinghouseState: statesOf(venue, sub.address),
      spotState: renderSpotState(venue.spotState(sub.address)),
      ...(mode === null || mode === 'default' ? {} : { abstraction: mode }),
    }
  })
  return rows.length === 0 ? null : rows
}

function statesOf(venue: VenueReads, user: Address): Json[] {
  return venue.dexNames().flatMap((dex): Json[] => {
    const state = venue.perpState(user, dex)
    const isEmpty = state.margin.accountValue.isZero() && state.positions.length === 0
    return isEmpty ? [] : [[dex, renderPerpState(state)]]
  })
}

export function leadingVaults(venue: VenueReads, leader: Address): Json {
  return venue.leadingVaults(leader).map(({ address, name }) => ({ address, name }))
}

export function vaultEquities(venue: VenueReads, user: Address): Json {
  return venue.vaults().flatMap(({ address, followers }) =>
    followers
      .filter((each) => each.user === user && each.equity.isPositive())
      .map(({ equity, lockedUntilMs }) => ({
        ...{ vaultAddress: address, equity: wireNumber(equity.rounded(6, 'down')) },
        lockedUntilTimestamp: lockedUntilMs,
      })),
  )
}

/** The venue lists so many followers and no more. */
const followersMax = 100
const dayMs = 86_400_000

/** The answer to `vaultDetails`; null where the address is no vault. */
export function vaultDetails(venue: VenueReads, who: Address, user: Address | null): Json {
  const vault = venue.vault(who)
  if (vault === null) return null
  const own = vault.followers.find((each) => each.user === user)
  // What may be withdrawn ignores the time for which deposits are locked.
  const most = own === undefined ? Decimal.zero : Decimal.min(own.equity, vault.free)
  return {
    ...{ name: vault.name, vaultAddress: who, leader: vault.leader },
    ...{ description: vault.description, portfolio: portfolio(venue, who), apr: 0 },
    followerState: own === undefined ? null : { user, ...followerRow(venue, own) },
    ...{ leaderFraction: plainNumber(vault.leaderPart), leaderCommission: 0.1 },
    ...{ maxDistributable: plainNumber(vault.free), maxWithdrawable: plainNumber(most) },
    isClosed: false,
    followers: vault.followers.slice(0, followersMax).map((each) => ({
      user: each.user === vault.leader ? 'Leader' : each.user,
      ...followerRow(venue, each),
    })),
    relationship: { type: 'normal' },
    ...{ allowDeposits: vault.allowDeposits, alwaysCloseOnWithdraw: vault.alwaysCloseOnWithdraw },
  }
}

function followerRow(venue: VenueReads, each: FollowerView): { readonly [key: string]: Json } {
  return {
    vaultEquity: wireNumber(each.equity.rounded(6, 'down')),
    pnl: wireNumber(each.pnl.rounded(6, 'half-even')),
    allTimePnl: wireNumber(each.allTimePnl.rounded(6, 'half-even')),
    daysFollowing: Math.floor((venue.nowMs - each.enteredMs) / dayMs),
    ...{ vaultEntryTime: each.enteredMs, lockupUntil: each.lockedUntilMs },
  }
}

/** The venue tells these few as numbers, not as texts. */
function plainNumber(value: Decimal): number {
  return Number(Decimal.max(Decimal.zero, value).rounded(6, 'down').toString())
}
