import type { GuardConfigFile } from '../config/readConfig.ts'
import { millis } from '../core/values/millis.ts'
import type { StandbyEnd } from '../fleet/standby/standby.ts'
import type { TakenOver } from '../fleet/writerKeeper.ts'
import type { Home } from '../config/home.ts'
import { startGuard } from './assembly/startGuard.ts'
import type { StartedGuard } from './assembly/startGuard.ts'
import { holderOnHost } from '../system/hostClaim.ts'
import { accountName } from './claimAccount.ts'
import { refused } from './cliError.ts'
import { joinFleet, openStandby } from './joinFleet.ts'
import { hostMember, joinHost } from './joinHost.ts'

type StartOptions = Parameters<typeof startGuard>[0]
type Parts = Pick<StartOptions, 'config' | 'privateKey' | 'log' | 'alerts' | 'seams'>
type Host = ReturnType<typeof hostMember>

/** Why a process ends. */
export type End = { readonly reason: string; readonly isFailure: boolean }

/** A Guard of this process, be it one that acts or a standby, and how it is run. */
export interface StandbyRun {
  /** Of the Guard that acts once it has taken over. */
  readonly parts: Parts & { readonly claim: (host: Host) => Promise<() => void> }
  readonly home: Home
  /** Lets the machine find the Guard while the task lasts, then stops it. */
  readonly during: <T extends { readonly reason: string }>(
    started: StartedGuard,
    host: Host,
    until: Promise<T>,
  ) => Promise<T | End>
}

interface Acting {
  readonly started: StartedGuard
  readonly host: Host
}

/**
 * Stands by until it is time, then takes over: answers the Guard that acts, or why this process ends
 * before. Where another has come meanwhile it stands by again.
 */
export async function standBy(run: StandbyRun): Promise<Acting | End> {
  const { config, log } = run.parts
  // What cannot be is said before anything is started.
  await openStandby(config, run.home, log)
  await refuseSameHost(config)
  for (;;) {
    const follower = await follow(run)
    if (!('due' in follower)) return follower
    const acting = await takeOver(run, follower)
    if (acting !== null) return acting
    log.log('info', 'another Guard has come meanwhile: this one stands by again')
  }
}

/** Who stands in for a host that is gone has to be on another one. */
async function refuseSameHost(config: GuardConfigFile): Promise<void> {
  const holder = await holderOnHost(accountName(config))
  if (holder === null) return
  throw refused(`the Guard that trades for the account ${config.account} is on this machine`, [
    `it is process ${holder.pid}, with the home ${holder.home}`,
    'a standby runs on another host: it is there for the case that this one is gone',
  ])
}

const lookEveryMs = 1_000

/**
 * Resolves once no Guard of this machine trades for the account: one that was started here later may be
 * cut off from the store and live on. Until then this one stands by.
 */
async function freeOnHost(
  { config, log }: Parts,
  standby: StandbyEnd,
  isOver: () => boolean,
): Promise<StandbyEnd> {
  let isTold = false
  while (standby.kind === 'due' && !isOver()) {
    const holder = await holderOnHost(accountName(config))
    if (holder === null) break
    const text = 'a Guard of this machine trades for the account: this one goes on standing by'
    if (!isTold) log.log('warn', text, { ...holder })
    isTold = true
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs).unref())
  }
  return standby
}

interface Due {
  readonly due: Awaited<ReturnType<typeof openStandby>>
  /** The venue's time, as the follower knew it. */
  readonly nowMs: () => number
  /** The port that the standby served its page on: the Guard it becomes takes it over. */
  readonly port: number
}

/** As in paper mode nothing can be sent: there is neither a signer nor a way. */
async function follow(run: StandbyRun): Promise<Due | End> {
  const { config, log } = run.parts
  const standby = await openStandby(config, run.home, log)
  const paper: GuardConfigFile = { ...config, mode: 'paper' }
  const host = hostMember(paper, run.home.path)
  const claim = async (): Promise<() => void> => {
    await joinHost(host, paper)
    return () => undefined
  }
  const { parts } = run
  const started = await startGuard({
    ...{ ...parts, config: paper, claim, host, fleet: standby, standbyFor: config.mode },
  }).catch(async (error: unknown) => {
    await host.leave()
    throw error
  })
  started.recovered.catch((error: unknown) => {
    log.log('warn', 'the account cannot be followed yet', { error: String(error) })
  })
  log.log('info', `a standby listens at ${started.gateway.url}: it serves once it has taken over`, {
    url: started.gateway.url,
    account: config.account,
  })
  let isOver = false
  const due = standby.end.then((end) => freeOnHost(parts, end, () => isOver))
  const ended = await run.during(started, host, due.then(reasoned))
  isOver = true
  if (!('standby' in ended)) return ended
  if (ended.standby.kind === 'unlike') throw looser(ended.standby.why)
  const [atMs, sinceMs] = [started.guard.status().now_ms, performance.now()]
  return {
    due: standby,
    nowMs: () => Math.round(atMs + performance.now() - sinceMs),
    port: Number(new URL(started.gateway.url).port),
  }
}

function reasoned(standby: StandbyEnd): { readonly reason: string; readonly standby: StandbyEnd } {
  return { standby, reason: standby.kind === 'due' ? 'taking over' : 'not like the first' }
}

function looser(why: string): Error {
  return refused('this Guard cannot stand in for the one that acts for the account', [
    ...why.split('; '),
    'a standby has the rules of the first, or tighter ones, and an API wallet of its own',
  ])
}

/** Null where it was not free any more. */
async function takeOver(
  { parts, home }: StandbyRun,
  { due, nowMs, port }: Due,
): Promise<Acting | null> {
  const { log } = parts
  const config = { ...parts.config, listen: { ...parts.config.listen, port } }
  const host = hostMember(config, home.path)
  let taken: TakenOver | null = null
  const member = await joinFleet(config, home, log, () => taken)
  try {
    const started = await startGuard({
      ...{ ...parts, config, host, fleet: member, claim: () => parts.claim(host) },
      onOpened: async (opened) => {
        taken = await due.takeOver(opened, millis(nowMs()))
        if (taken === null) throw new NotFree()
      },
    })
    log.log('warn', 'this Guard has taken over: it acts for the account', {
      account: config.account,
      epoch: (taken as TakenOver | null)?.epoch ?? null,
    })
    return { started, host }
  } catch (error) {
    await host.leave()
    if (error instanceof NotFree) return null
    if (error instanceof Error && error.name === 'UnlikeError') throw looser(error.message)
    throw error
  }
}

class NotFree extends Error {}
