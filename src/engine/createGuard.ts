import { Account } from '../core/account/account.ts'
import type { Refusal } from '../core/judge/refusal.ts'
import type { Json } from '../core/protocol/action.ts'
import type { Markets } from '../core/protocol/market.ts'
import { stopGap } from '../core/rules/stopGap.ts'
import type { Address } from '../core/values/address.ts'
import type { Millis } from '../core/values/millis.ts'
import { Alerts } from './alerts.ts'
import { Faults } from './faults.ts'
import type { Guard, GuardDeps, OrderNames, Readiness, Reply, Via } from './guard.ts'
import { Recorder } from './recorder.ts'
import { randomMint } from './request/judgement.ts'
import { stopping } from './request/refusalTexts.ts'
import type { Unserved } from './unservedCounts.ts'
import { Requests } from './request/requests.ts'
import { waitWhile } from './runningTasks.ts'
import { followClock } from './send/followClock.ts'
import type { TwapNewsEvent } from './send/lookup.ts'
import { createSending } from './send/sending.ts'
import type { Sending } from './send/sending.ts'
import { TimeKeeper } from './send/timeKeeper.ts'
import type { Shared } from './shared.ts'
import { MemoryKeeper } from './start/memoryKeeper.ts'
import { reasonToFlatten } from './start/reasonToFlatten.ts'
import { lookUpOpen, replayHistory } from './start/recovery.ts'
import type { Replayed } from './start/recovery.ts'
import { restoreRisk, tellUnreadRisk } from './start/restoreRisk.ts'
import { restoreState } from './start/restoreState.ts'
import type { StatusView } from './statusView.ts'
import { accountExposure, leaseOf } from './view/fleetShare.ts'
import { answerOwnRead } from './view/ownReads.ts'
import { preview } from './view/preview.ts'
import { readiness } from './view/readiness.ts'
import { statusView } from './view/status.ts'
import { noticeKillFile } from './watch/noticeKillFile.ts'
import { tellRestingEntries, tellWaitingTwaps } from './watch/tellRestingEntries.ts'
import { Watching } from './watch/watching.ts'

const tickMs = 500
const snapshotEveryMs = 5_000
const shedReportMs = 60_000

/** Puts Guard together from what earlier runs left on disk. */
export async function createGuard(deps: GuardDeps): Promise<Guard> {
  const replayed = await replayHistory(deps.history)
  return new RunningGuard(deps, replayed)
}

/** The rooms put together, and the one life they share: it recovers, serves, drains and has stopped. */
class RunningGuard implements Guard {
  private readonly deps: GuardDeps
  private readonly replayed: Replayed
  private readonly startedAt: Millis
  private readonly shared: Shared
  private readonly timeKeeper: TimeKeeper
  /** Null in paper mode. */
  private readonly sending: Sending | null
  private readonly watching: Watching
  private readonly requests: Requests
  private readonly memory: MemoryKeeper
  private readonly cancels: (() => void)[] = []
  private isRecovering = true
  private isStopping = false
  private isStopped = false

  constructor(deps: GuardDeps, replayed: Replayed) {
    deps.clock.recall(replayed.memory?.clock ?? null)
    this.deps = deps
    this.replayed = replayed
    this.startedAt = deps.clock.now()
    this.shared = makeShared(deps, replayed, () => this.isStopped)
    const { shared } = this
    this.timeKeeper = new TimeKeeper({ ...deps, ...shared })
    const { timeKeeper, heard } = this
    this.sending = createSending(deps, { ...shared, timeKeeper, heard })
    this.watching = new Watching(deps, shared, {
      sender: this.sending?.sender ?? null,
      mint: randomMint(deps.random),
      flattenReason: () => this.flattenReason(),
    })
    const { watching } = this
    const { flattener, latch } = watching
    const { dexes } = watching.readers
    const [outbox, dispatcher] = [this.sending?.outbox ?? null, this.sending?.dispatcher ?? null]
    const serves = (): ReturnType<RunningGuard['serves']> => this.serves()
    this.requests = new Requests(deps, shared, { dispatcher, watching, ...leaseOf(deps), serves })
    const { nonces } = this.requests
    this.memory = new MemoryKeeper(
      { ...deps, ...shared, dexes, dispatcher, latch, nonces },
      () => outbox?.highestNonce ?? replayed.lastNonce,
    )
    const now = this.startedAt
    restoreState(replayed, { ...deps, ...shared, latch, nonces, outbox, now, dexes })
    const reason = this.flattenReason()
    if (reason !== null) flattener.restore(reason)
  }

  get latch(): Guard['latch'] {
    return this.watching.latch
  }

  async start(): Promise<void> {
    const { config, stream, log, crypto, timers, clock, killFile } = this.deps
    const { account, alerts, recorder, risk } = this.shared
    const { latch, deliver, reconciler } = this.watching
    const { version, mode, account: address, rulesCode: rules } = config
    log.log('info', 'Guard starts', { mode, account: address, curve: crypto.name })
    const clients = [...this.requests.clients]
    const started = recorder.record(
      { kind: 'started', schema: 1, version, mode, account: address, rules, clients },
      'now',
    )
    tellUnreadRisk(risk.view(), alerts, recorder, this.startedAt)
    latch.checkFile()
    this.cancels.push(
      killFile.watch(() => {
        noticeKillFile(killFile, latch, timers)
      }),
      timers.every(tickMs, () => {
        this.tick()
      }),
      timers.every(snapshotEveryMs, () => {
        this.memory.save().catch(() => undefined)
      }),
      timers.every(shedReportMs, () => {
        this.requests.refusals.report(recorder)
        this.requests.unserved.report()
      }),
    )
    stream.start(deliver)
    this.timeKeeper.ask().catch(() => undefined)
    await reconciler.start(() => this.isStopped)
    await started?.durable.catch(() => undefined)
    // Whether what was sent before has expired is told by the venue's time.
    await this.timeKeeper.learn(() => this.isStopped)
    await lookUpOpen(
      {
        ...{ ...this.deps, recorder, account: address },
        markets: () => account.markets,
        heard: this.heard,
        isStopped: () => this.isStopped,
        settle: (id, settlement) => account.settle(id, settlement, clock.now()),
      },
      this.replayed.open,
    )
    if (this.isStopped) return
    this.memory.hasRecovered = true
    this.isRecovering = this.isStopping
    this.memory.saveVenue().catch(() => undefined)
  }

  async stop(reason: string): Promise<void> {
    if (this.isStopping) return
    this.isStopping = true
    this.isRecovering = true
    const { config, journal, log, stream } = this.deps
    const { protector, reconciler } = this.watching
    const isBusy = (): boolean =>
      this.requests.count > 0 || (this.sending?.dispatcher.inFlight ?? 0) > 0
    await waitWhile(this.deps, isBusy, config.drainMs)
    const twapsLeft = await protector.cancelWaiting(config.drainMs)
    this.isStopped = true
    for (const cancel of this.cancels) cancel()
    reconciler.stop()
    stream.stop()
    const { account, recorder } = this.shared
    tellRestingEntries(account, log)
    tellWaitingTwaps(twapsLeft, log, recorder)
    await recorder.record({ kind: 'stopped', reason }, 'now')?.durable.catch(() => undefined)
    await this.memory.save().catch(() => undefined)
    await journal.close()
  }

  async handleExchange(body: Uint8Array, via: Via, request?: string): Promise<Reply> {
    return await this.requests.exchange(body, via, request)
  }

  async refuseOverlong(via: Via | 'kill', request?: string): Promise<Reply> {
    return await this.requests.overlong(via, request)
  }

  async handleKill(body: Uint8Array, request?: string): Promise<Reply> {
    return await this.requests.kill(body, request)
  }

  unserved(what: Unserved): void {
    this.requests.unserved.note(what)
  }

  async kill(reason: string): Promise<void> {
    await this.watching.latch.pull(reason)
    await this.watching.latch.kept()
  }

  preview(body: Uint8Array): Reply | Promise<Reply> {
    const { clock, random, config } = this.deps
    const { watching } = this
    return preview(
      {
        ...{ clock, random, account: this.shared.account, rulesFor: config.rulesFor },
        entryRate: this.requests.entryRate,
        risk: () => watching.judgedRisk(),
        isLatched: () => watching.latch.isLatched,
        builders: new Set(config.builders),
        ...leaseOf(this.deps),
        freshen: (action) => watching.attend(action),
      },
      body,
    )
  }

  status(): StatusView {
    const { clock, config, budget, host, fleet, journal, reader, stream } = this.deps
    const { account, alerts, risk } = this.shared
    const { latch, watcher, reconciler } = this.watching
    return statusView({
      ...{ config, budget, host, fleet, journal, account },
      clients: [...this.requests.clients],
      ...{ now: clock.now(), startedAt: this.startedAt },
      latched: latch.current,
      risk: risk.view(),
      isSeen: watcher.isSeen,
      alerts: alerts.list(),
      lastMessageAt: stream.lastMessageAt,
      lastReconcileAt: reconciler.lastReconcileAt,
      lastSeq: reader.lastSeq,
      ...{ ready: this.ready(), doubt: watcher.doubt, unseen: this.watching.unseen },
    })
  }

  ready(): Readiness {
    const { isStopping, isRecovering } = this
    const { account, alerts } = this.shared
    const { picture, watcher } = this.watching
    const isSeen = watcher.isSeen && watcher.isBelieved
    const isBlind = account.stream === 'down' && alerts.has('venue_unreadable')
    const { missing } = picture
    const [journalError, standby] = [this.deps.journal.error, this.deps.fleet?.standby ?? null]
    return readiness({ isStopping, standby, isRecovering, missing, isSeen, isBlind, journalError })
  }

  accountRead(request: Json): Json | null {
    const { clock, config, stream } = this.deps
    const [{ account }, dispatcher] = [this.shared, this.sending?.dispatcher ?? null]
    return answerOwnRead({ account, clock, dispatcher, stream, address: config.account }, request)
  }

  get names(): OrderNames {
    return this.shared.account
  }

  get markets(): Markets {
    return this.shared.account.markets
  }

  get handover(): Guard['handover'] {
    return this.memory
  }

  exposure(): ReturnType<Guard['exposure']> {
    const { watcher, readers } = this.watching
    const isKnown = !this.isRecovering && watcher.isSeen && readers.dexes.unlisted.length === 0
    return isKnown ? accountExposure(this.shared.account, this.deps.config) : null
  }

  setClients(clients: readonly Address[]): void {
    this.requests.clients = new Set(clients)
  }

  // ---------------------------------------------------------------------------------------- inside

  private serves(): 'all' | 'exits' | Refusal {
    const standby = this.deps.fleet?.standby
    if (standby !== undefined) return { code: 'fleet_unreachable', text: standby }
    if (this.isStopping) return stopping
    return this.isRecovering ? 'exits' : 'all'
  }

  /** What a look-up has read on its way counts like any other read. */
  private readonly heard = (event: TwapNewsEvent): void => {
    this.watching.deliver({ ...event, at: this.deps.clock.now() })
  }

  private flattenReason(): string | null {
    return reasonToFlatten(this.watching.latch.current, this.shared.risk.view())
  }

  private tick(): void {
    this.watching.lookAtLatch()
    this.shared.fault.guard('the clock', () => {
      this.timeKeeper.tick()
    })
    this.watching.tick()
    this.memory.tick()
  }
}

/** What every room works with; the risk engine goes on where the last run left it. */
function makeShared(deps: GuardDeps, replayed: Replayed, isStopped: () => boolean): Shared {
  const { clock, config, log } = deps
  const [account, alerts] = [new Account(), new Alerts()]
  const recorder = new Recorder({ ...deps, alerts })
  const fault = new Faults({ clock, log, alerts, recorder })
  const risk = restoreRisk(replayed, config.rulesFor(null, null), log)
  followClock(clock, { account, risk, log })
  account.countGaps((coin, highest) => stopGap(config.rulesFor, coin, highest))
  return { account, alerts, recorder, fault, risk, isStopped }
}
