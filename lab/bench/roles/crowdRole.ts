import { join } from 'node:path'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { Guard } from '../../../src/engine/guard.ts'
import type { StatusView } from '../../../src/engine/statusView.ts'
import { failed } from '../../../src/cli/cliError.ts'
import type { FleetMember } from '../../../src/fleet/fleetMember.ts'
import type { OpenedJournal } from '../../../src/journal/opened.ts'
import { systemClock } from '../../../src/system/systemClock.ts'
import { systemTimers } from '../../../src/system/systemTimers.ts'
import { openReal, sample } from '../journalOnDisk.ts'
import { copyLags } from '../fleet/copyLags.ts'
import type { Role } from './role.ts'

/** Members of a fleet that trade nothing; it is sent between processes as JSON. */
export interface CrowdSetup {
  readonly home: string
  /** A Guard that runs: the members look like it. */
  readonly guardUrl: string
  readonly members: readonly { readonly url: string; readonly account: string }[]
}

interface CrowdMember {
  readonly member: FleetMember
  readonly opened: OpenedJournal
}

/**
 * The fleet's side of many Guards in one process: each with its own connections to the store and its
 * own journal, on which it keeps its latch before it says that it is latched.
 */
export async function startCrowdRole(json: Json): Promise<Role> {
  const { home, guardUrl, members } = json as unknown as CrowdSetup
  const answer = await fetch(new URL('/guard/status', guardUrl))
  const looks = (await answer.json()) as StatusView
  const crowd: CrowdMember[] = []
  for (const [at, each] of members.entries()) {
    crowd.push(await startMember(join(home, String(at)), each, looks))
  }
  const [first] = crowd
  if (first === undefined) throw failed('a crowd of nobody')
  const answers: Readonly<Record<string, (argument: Json) => Promise<Json> | Json>> = {
    /** How many may act for their accounts. */
    joined: () => crowd.filter(({ member }) => member.notWriter === null).length,
    /** Milliseconds that each record of the first one was on its disk before the store had it. */
    copy: async (seconds) => {
      const { journal, reader } = first.opened
      const copying = {
        append: (n: number): Promise<unknown> => journal.append(sample(n), 'now').durable,
        lastSeq: () => reader.lastSeq,
        lag: () => first.member.status().outbox_lag,
      }
      return await copyLags(copying, Number(seconds))
    },
  }
  return {
    url: guardUrl,
    ask: async (question, argument = null) => (await answers[question]?.(argument)) ?? null,
    stop: async () => {
      for (const { member, opened } of crowd) {
        await member.stop()
        await opened.journal.close()
      }
    },
  }
}

async function startMember(
  directory: string,
  { url, account }: CrowdSetup['members'][number],
  looks: StatusView,
): Promise<CrowdMember> {
  const opened = await openReal(directory, { account, network: 'testnet' })
  const log = { log: () => undefined }
  const identity = { network: 'testnet', account, version: 'bench', host: 'bench' } as const
  const none = { markets: {}, clients: {}, keys: null, builders: null }
  const setup = { wallet: null, rules: '', ...none }
  const own = { ...identity, configHash: 'bench', instance: account, setup }
  const { fleetMember } = await import('../../../src/fleet/fleetProgram.ts')
  const member = fleetMember(url, own, systemTimers, log)
  if (!member.ok) throw failed(`a member's URL ${member.error}`)
  const guard = latchedGuard(opened, looks)
  member.value.attach({ guard, clock: systemClock, journal: opened })
  return { member: member.value, opened }
}

/** It latches when it is told to, and is flat from then on. */
function latchedGuard(
  { journal }: OpenedJournal,
  looks: StatusView,
): Pick<Guard, 'latch' | 'status' | 'exposure' | 'handover' | 'kill'> {
  let obeyed: { readonly epoch: number; readonly at: number } | null = null
  const latch = {
    get obeyed() {
      return obeyed
    },
    obey: async (reason: string, epoch: number): Promise<void> => {
      obeyed = { epoch, at: systemClock.now() }
      await journal.append({ kind: 'kill', reason }, 'now').durable
    },
  }
  return {
    latch: latch as unknown as Guard['latch'],
    status: () => ({ ...looks, kill: { ...looks.kill, latched: obeyed !== null }, positions: [] }),
    exposure: () => null,
    kill: async (reason) => {
      await journal.append({ kind: 'kill', reason }, 'now').durable
    },
    // No standby waits to take over from it, so it leaves nothing for one.
    handover: { word: () => ({}), whole: () => null },
  }
}
