import type { Log, Timers } from '../engine/ports.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import {
  addMember,
  clearKill,
  initFleet,
  membersUnder,
  raiseKill,
  retireMember,
} from './fleetAdmin.ts'
import type { MemberState, NewMember, RaisedKill } from './fleetAdmin.ts'
import { listBudgets, removeLimit, setLimit, whoKnowsCoin } from './budgets.ts'
import type { Budget, CoinKnown } from './budgets.ts'
import { FleetMember } from './fleetMember.ts'
import type { MemberIdentity } from './fleetMember.ts'
import type { Migrated } from './schema/migrate.ts'
import { openSession } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'
import { parseStoreUrl, placeOf } from './storeUrl.ts'
import { verifyFleet } from './verify/verifyFleet.ts'
import type { VerifiedChain, VerifyOptions } from './verify/verifyFleet.ts'
import { watchFleet } from './watch/watchFleet.ts'
import { examineStandbys } from './standby/examineStandbys.ts'
import { Standby } from './standby/standby.ts'
import type { TakenOver } from './writerKeeper.ts'
import type { WatchedFleet, WatchOptions } from './watch/watchFleet.ts'

type VerifyWishes = Omit<VerifyOptions, 'timers'>

/** A batch of records is read from disk, by a server that has other work as well. */
const verifyAnswerMs = 60_000

/** What a person does to a fleet, each over a connection of its own; rejects with a `StoreError`. */
export interface FleetAdmin {
  /** Where the store is, in words, without a password. */
  readonly place: string
  init(): Promise<Migrated>
  add(member: NewMember, keep: (url: string) => void): Promise<string>
  retire(name: string): Promise<{ readonly role: string; readonly writtenOff: string } | null>
  kill(scope: string, reason: string): Promise<RaisedKill>
  clear(scope: string): Promise<number | null>
  limit(scope: string, kind: string, usd: string): Promise<{ readonly leasedUsd: string }>
  /** Who lists the coin of a budget; null where it is of none, or that is not known. */
  coinKnown(scope: string, kind: string): Promise<CoinKnown | null>
  /** Null where there is no such budget. */
  unlimit(
    scope: string,
    kind: string,
  ): Promise<{ readonly leasedUsd: string; readonly holders: number } | null>
  budgets(): Promise<readonly Budget[]>
  members(scope: string, epoch: number): Promise<readonly MemberState[]>
  /** Every chain, or those of one member; told one by one. */
  verify(options: VerifyWishes, onChain: (chain: VerifiedChain) => void): Promise<void>
  /** Follows the fleet and serves its page; `operatorUrl`: whose rights raise a kill, where one may be. */
  watch(options: WatchOptions, operatorUrl: string | null): Promise<Result<WatchedFleet>>
}

/**
 * What only a Guard of a fleet, and the commands for one, load: `dist/fleet.mjs`. Errors that leave it
 * are known by their name: their class here is not the one that the rest of Guard has.
 */
export function fleetAdmin(url: string, timers: Timers): Result<FleetAdmin> {
  const parsed = parseStoreUrl(url)
  if (!parsed.ok) return parsed
  const address = parsed.value
  const open = (): Promise<StoreSession> => openSession(address, { timers })
  const over = async <T>(task: (session: StoreSession) => Promise<T>): Promise<T> => {
    const session = await open()
    try {
      return await task(session)
    } finally {
      session.close()
    }
  }
  return ok({
    place: placeOf(address),
    init: () => over(initFleet),
    add: (member, keep) => over((session) => addMember(session, address, member, keep)),
    retire: (name) => over((session) => retireMember(session, name)),
    kill: (scope, reason) => raiseKill(open, scope, reason),
    clear: (scope) => over((session) => clearKill(session, scope)),
    limit: (scope, kind, usd) => over((session) => setLimit(session, scope, kind, usd)),
    coinKnown: (scope, kind) => over((session) => whoKnowsCoin(session, scope, kind)),
    unlimit: (scope, kind) => over((session) => removeLimit(session, scope, kind)),
    budgets: () => over(listBudgets),
    members: (scope, epoch) => over((session) => membersUnder(session, scope, epoch)),
    verify: async (wishes, onChain) => {
      const session = await openSession(address, { timers, answerMs: verifyAnswerMs })
      try {
        const chains = verifyFleet(session, { ...wishes, timers })
        for await (const chain of chains) onChain(chain)
      } finally {
        session.close()
      }
    },
    watch: async (options, operatorUrl) => {
      const operator = operatorUrl === null ? null : parseStoreUrl(operatorUrl)
      if (operator?.ok === false) return operator
      return ok(await watchFleet(address, operator?.value ?? null, options))
    },
  })
}

/** A Guard as a member of the fleet that the URL names; it speaks to the store once it is attached. */
export function fleetMember(
  url: string,
  identity: MemberIdentity,
  timers: Timers,
  log: Log,
  taken: () => TakenOver | null = () => null,
): Result<FleetMember> {
  const parsed = parseStoreUrl(url)
  if (!parsed.ok) return parsed
  const common = { address: parsed.value, identity, open: openSession, timers, log }
  return ok(new FleetMember({ ...common, taken }))
}

/** A Guard that would take over from the one that acts for the account. */
export function fleetStandby(
  url: string,
  identity: MemberIdentity,
  timers: Timers,
  log: Log,
): Result<Standby> {
  const parsed = parseStoreUrl(url)
  if (!parsed.ok) return parsed
  return ok(new Standby({ address: parsed.value, identity, open: openSession, timers, log }))
}

interface Examined {
  readonly place: string
  readonly copied: number
  /** Each Guard that would take over, in words; `isWell` where it would as it should. */
  readonly standbys: readonly { readonly text: string; readonly isWell: boolean }[]
}

/** Whether the URL is this account's and its store lets it in; how many records it has of it. */
export async function examineMember(
  url: string,
  network: string,
  account: string,
  timers: Timers,
): Promise<Result<Examined>> {
  const parsed = parseStoreUrl(url)
  if (!parsed.ok) return err(`the URL ${parsed.error}`)
  const place = placeOf(parsed.value)
  try {
    const session = await openSession(parsed.value, { timers })
    try {
      const asked = 'select guard.copied_up_to($1, $2)::text as copied'
      const [row] = await session.query(asked, [network, account])
      const standbys = await examineStandbys(session)
      return ok({ place, copied: Number(row?.['copied']), standbys })
    } finally {
      session.close()
    }
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error))
  }
}
