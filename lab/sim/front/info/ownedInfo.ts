import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
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
      .map(({ equity }) => ({
        ...{ vaultAddress: address, equity: wireNumber(equity.rounded(6, 'down')) },
        lockedUntilTimestamp: 0,
      })),
  )
}

/** The answer to `vaultDetails`; null where the address is no vault. */
export function vaultDetails(venue: VenueReads, who: Address): Json {
  const vault = venue.vault(who)
  if (vault === null) return null
  return {
    ...{ name: vault.name, vaultAddress: who, leader: vault.leader, description: '' },
    ...{ portfolio: portfolio(venue, who), apr: 0, followerState: null, leaderFraction: 1 },
    ...{ leaderCommission: 0.1, maxDistributable: 0, maxWithdrawable: 0, isClosed: false },
    followers: vault.followers.map(({ user, equity }) => ({
      ...{ user: user === vault.leader ? 'Leader' : user, pnl: '0.0', allTimePnl: '0.0' },
      vaultEquity: wireNumber(equity.rounded(6, 'down')),
      ...{ daysFollowing: 0, vaultEntryTime: 0, lockupUntil: 0 },
    })),
    relationship: { type: 'normal' },
    ...{ allowDeposits: vault.allowDeposits, alwaysCloseOnWithdraw: vault.alwaysCloseOnWithdraw },
  }
}
