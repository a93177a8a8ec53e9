import type { GuardConfigFile } from '../config/readConfig.ts'
import type { StatusView } from '../engine/statusView.ts'
import { HostLedger } from '../host/hostLedger.ts'
import { HostMember } from '../host/hostMember.ts'
import type { HostFacts } from '../host/hostMember.ts'
import { hostMs, ownSight } from '../host/hostProcess.ts'
import { noteGuard } from '../host/knownHomes.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { venuePlace } from './claimAccount.ts'
import { refused } from './cliError.ts'
import { placeOf } from './hostAccounts.ts'
import { version } from './version.ts'

/** As long as it takes at most until every other Guard has renewed its share. */
const floorWaitMs = 3_000

/** This Guard among those of its host; it has not joined them yet. */
export function hostMember(config: GuardConfigFile, home: string): HostMember {
  const { account, mode, stateDir, venue } = config
  return new HostMember(
    {
      ...{ home, account, mode, version, network: venue.network, venue: venuePlace(config) },
      ...{ api_wallet: venue.apiWallet, weight_limit: venue.weightPerMinute },
      ...{ state_dir: stateDir, state_place: placeOf(stateDir) },
    },
    {
      ...{ directory: config.hostDir, sight: ownSight(), timers: systemTimers, hostMs },
      wallMs: () => Date.now(),
      openLedger: (directory) => HostLedger.open(directory),
      note: noteGuard,
    },
  )
}

/** Joins, or refuses to run beside a Guard that has the same account or API wallet. */
export async function joinHost(member: HostMember, { account }: GuardConfigFile): Promise<void> {
  const holder = await member.join()
  if (holder === null) {
    await untilFloor(member)
    return
  }
  const what =
    holder.account === account
      ? `trades for the account ${account}`
      : `has the API wallet ${holder.api_wallet ?? ''}`
  throw refused(`another Guard on this host ${what}`, [
    `it is process ${holder.pid}, with the home ${holder.home}`,
    'stop it first: two Guards do not know of each other’s orders',
  ])
}

/** The others let go of a floor when they next renew: a start without any weight reads nothing. */
async function untilFloor(member: HostMember): Promise<void> {
  const lookMs = 100
  for (let waitedMs = 0; waitedMs < floorWaitMs; waitedMs += lookMs) {
    if (member.limit() >= member.status().floor) return
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** What the other Guards and `guard accounts` are told of this one. */
export function hostFacts({ risk, positions, kill }: StatusView, url: string): HostFacts {
  return {
    url,
    state: risk.state,
    equity: risk.equity,
    positions: positions.length,
    kill: kill.latched ? (kill.reason ?? 'no reason known') : null,
  }
}
