import { Account } from '../core/account/account.ts'
import type { RiskView as JudgedRisk } from '../core/judge/decision.ts'
import type { Refusal } from '../core/judge/refusal.ts'
import type { Json } from '../core/protocol/action.ts'
import type { Markets } from '../core/protocol/market.ts'
import { stopGap } from '../core/rules/stopGap.ts'
import type { RiskEngine } from '../core/safety/riskEngine.ts'
import type { Address } from '../core/values/address.ts'
import type { Millis } from '../core/values/millis.ts'
import { Alerts } from './alerts.ts'
import { learnFromAnswers } from './request/learnFromAnswers.ts'
import { attend } from './watch/attend.ts'
import { Authenticator } from './request/authenticate.ts'
import type { Dispatcher } from './send/dispatcher.ts'
import { EntryRate } from './request/entryRate.ts'
import { Faults } from './faults.ts'
import { followClock } from './send/followClock.ts'
import { accountExposure, leaseOf } from './view/fleetShare.ts'
import { Flattener } from './watch/flattener.ts'
import type { Guard, GuardDeps, Readiness, Reply, Via } from './guard.ts'
import { HostWatch } from './watch/hostWatch.ts'
import { takeIn } from './watch/intake.ts'
import { randomMint } from './request/judgement.ts'
import { handleKillRequest } from './request/killRequest.ts'
import { Latch } from './watch/latch.ts'
import { MemoryKeeper } from './start/memoryKeeper.ts'
import type { Outbox } from './send/outbox.ts'
import { noticeKillFile } from './watch/noticeKillFile.ts'
import { answerOwnRead } from './view/ownReads.ts'
import { Picture } from './watch/picture.ts'
import type { VenueNews } from './ports.ts'
import { preview } from './view/preview.ts'
import { Protector } from './watch/protector.ts'
import { readiness } from './view/readiness.ts'
import { reasonToFlatten } from './start/reasonToFlatten.ts'
import { Reconciler } from './watch/reconciler.ts'
import { createReaders } from './watch/readers.ts'
import type { Readers } from './watch/readers.ts'
import { Recorder } from './recorder.ts'
import { lookUpOpen, replayHistory } from './start/recovery.ts'
import type { Replayed } from './start/recovery.ts'
import { RefusalLimits } from './request/refusalLimits.ts'
import { vetoReply } from './request/replyToBot.ts'
import { stopping } from './request/refusalTexts.ts'
import { RequestLine } from './request/requestLine.ts'
import { restoreRisk, tellUnreadRisk } from './start/restoreRisk.ts'
import { RunningTasks, waitWhile } from './runningTasks.ts'
import { Spending } from './request/spending.ts'
import { createSending } from './send/sending.ts'
import { statusView } from './view/status.ts'
import type { StatusView } from './statusView.ts'
import { stepLogOf } from './send/stepLog.ts'
import type { StepLog } from './send/stepLog.ts'
import { restoreState } from './start/restoreState.ts'
import { tellRestingEntries } from './watch/tellRestingEntries.ts'
import { TimeKeeper } from './send/timeKeeper.ts'
import { UsedNonces } from './request/usedNonces.ts'
import { Watcher } from './watch/watcher.ts'

const tickMs = 500
const snapshotEveryMs = 5_000
const shedReportMs = 60_000

/** Puts Guard together from what earlier runs left on disk. */
export async function createGuard(deps: GuardDeps): Promise<Guard> {
  const replayed = await replayHistory(deps.history)
  return new RunningGuard(deps, replayed)
}

class RunningGuard implements Guard {
  private readonly deps: GuardDeps
  private readonly replayed: Replayed
  private readonly startedAt: Millis
  private readonly alerts = new Alerts()
  private readonly account = new Account()
  private readonly nonces = new UsedNonces()
  private readonly refusals = new RefusalLimits()
  private readonly entryRate = new EntryRate()
  private readonly picture = new Picture()
  private readonly risk: RiskEngine
  private readonly recorder: Recorder
  private readonly fault: Faults
  private readonly outbox: Outbox | null
  private readonly dispatcher: Dispatcher | null
  readonly latch: Latch
  private readonly flattener: Flattener
  private readonly protector: Protector
  private readonly watcher: Watcher
  private readonly reconciler: Reconciler
  private readonly readers: Readers
  private readonly hostWatch: HostWatch
  private readonly timeKeeper: TimeKeeper
  private readonly memory: MemoryKeeper
  private readonly authenticator: Authenticator
  private readonly line: RequestLine
  private readonly cancels: (() => void)[] = []
  private readonly requests = new RunningTasks()
  private clients: ReadonlySet<Address>
  private isRecovering = true
  private isStopping = false
  private isStopped = false

  constructor(deps: GuardDeps, replayed: Replayed) {
    const { clock, config, crypto, journal, killFile, log, observer, random, timers } = deps
    clock.recall(replayed.memory?.clock ?? null)
    this.deps = deps
    this.replayed = replayed
    this.startedAt = clock.now()
    this.clients = new Set(config.clients)
    const { account, alerts } = this
    this.recorder = new Recorder({ clock, timers, journal, log, observer, alerts })
    const { recorder } = this
    this.hostWatch = new HostWatch({ ...deps, alerts, recorder })
    this.fault = new Faults({ clock, log, alerts, recorder })
    this.risk = restoreRisk(replayed, config.rulesFor(null, null), log)
    followClock(clock, { account, risk: this.risk, log })
    const mint = randomMint(random)
    const isStopped = (): boolean => this.isStopped
    this.timeKeeper = new TimeKeeper({ clock, timers, log, alerts, recorder, venue: deps.venue })
    const { timeKeeper } = this
    const sending = createSending(deps, { account, alerts, recorder, isStopped, timeKeeper })
    this.outbox = sending?.outbox ?? null
    this.dispatcher = sending?.dispatcher ?? null
    const sender = sending?.sender ?? null
    const { rulesFor } = config
    account.countGaps((coin, highest) => stopGap(rulesFor, coin, highest))
    this.flattener = new Flattener({
      ...{ clock, timers, account, alerts, recorder, mint, sender, risk: this.risk },
      // After the stop nothing acts any more, whatever timer is still out.
      mayClose: () => !this.isStopped && this.watcher.arePositionsKnown,
      reason: () => this.flattenReason(),
      listTwaps: () => this.reconciler.listTwaps(),
    })
    this.protector = new Protector({
      ...{ clock, timers, account, alerts, recorder, rulesFor, mint, sender },
      mayProtect: () => !this.isStopped && this.watcher.isCoverKnown,
      sight: () => this.watcher,
      whileClosing: () => (this.flattenReason() === null ? null : this.flattener.refusedCoins()),
      risk: () => ({ ...this.judgedRisk(), doubt: this.watcher.sightDoubt }),
    })
    const { flattener, protector, risk } = this
    this.watcher = new Watcher({
      ...{ clock, log, alerts, account, risk, journal, recorder, rulesFor, protector, flattener },
      address: config.account,
      ...{ equityGap: () => this.readers.dexes.gap, dexDoubt: () => this.readers.dexes.doubt },
      askAgain: (part) => this.reconciler.askAgain(part),
      readWhole: () => this.reconciler.readWhole(),
    })
    const flatten = (): number | null => flattener.kick()
    this.latch = new Latch({ clock, timers, log, alerts, killFile, recorder, flatten })
    const { deliver } = this
    this.readers = createReaders({ ...deps, account, alerts, deliver, isStopped })
    const { reads, dexes } = this.readers
    this.reconciler = new Reconciler({
      ...{ clock, timers, log, alerts, account, recorder, reads, budget: deps.budget },
      ...{ picture: this.picture, rulesFor, dexes },
    })
    this.authenticator = new Authenticator({
      ...{ clock, crypto, nonces: this.nonces },
      clients: () => this.clients,
    })
    this.line = this.makeLine()
    const { dispatcher, latch, nonces, outbox, startedAt: now } = this
    this.memory = new MemoryKeeper(
      { ...deps, account, dexes, dispatcher, latch, nonces, risk },
      () => outbox?.highestNonce ?? replayed.lastNonce,
    )
    restoreState(replayed, { ...deps, account, latch, nonces, outbox, now, clock, dexes })
    const reason = this.flattenReason()
    if (reason !== null) flattener.restore(reason)
  }

  async start(): Promise<void> {
    const { config, stream, log, crypto, timers } = this.deps
    const { version, mode, account, rulesCode: rules } = config
    log.log('info', 'Guard starts', { mode, account, curve: crypto.name })
    const clients = [...this.clients]
    const started = this.recorder.record(
      { kind: 'started', schema: 1, version, mode, account, rules, clients },
      'now',
    )
    tellUnreadRisk(this.risk.view(), this.alerts, this.recorder, this.startedAt)
    this.latch.checkFile()
    this.cancels.push(
      this.deps.killFile.watch(() => {
        noticeKillFile(this.deps.killFile, this.latch, this.deps.timers)
      }),
      timers.every(tickMs, () => {
        this.tick()
      }),
      timers.every(snapshotEveryMs, () => {
        this.memory.save().catch(() => undefined)
      }),
      timers.every(shedReportMs, () => {
        this.refusals.report(this.recorder)
      }),
    )
    stream.start(this.deliver)
    this.timeKeeper.ask().catch(() => undefined)
    await this.reconciler.start(() => this.isStopped)
    await started?.durable.catch(() => undefined)
    // Whether what was sent before has expired is told by the venue's time.
    await this.timeKeeper.learn(() => this.isStopped)
    await lookUpOpen(
      {
        ...{ ...this.deps, recorder: this.recorder, account: config.account },
        markets: () => this.account.markets,
        isStopped: () => this.isStopped,
        settle: (id, settlement) => this.account.settle(id, settlement, this.deps.clock.now()),
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
    const isBusy = (): boolean => this.requests.count > 0 || (this.dispatcher?.inFlight ?? 0) > 0
    await waitWhile(this.deps, isBusy, this.deps.config.drainMs)
    await this.protector.cancelWaiting(this.deps.config.drainMs)
    this.isStopped = true
    for (const cancel of this.cancels) cancel()
    this.reconciler.stop()
    this.deps.stream.stop()
    tellRestingEntries(this.account, this.deps.log)
    await this.recorder.record({ kind: 'stopped', reason }, 'now')?.durable.catch(() => undefined)
    await this.memory.save().catch(() => undefined)
    await this.deps.journal.close()
  }

  async handleExchange(body: Uint8Array, via: Via, request?: string): Promise<Reply> {
    return await this.safely(request, (steps) => this.line.exchange(body, via, steps))
  }

  async refuseOverlong(via: Via, request?: string): Promise<Reply> {
    return await this.safely(request, (steps) => this.line.overlong(via, steps))
  }

  async handleKill(body: Uint8Array, request?: string): Promise<Reply> {
    const { clock } = this.deps
    const { authenticator, latch, recorder, refusals } = this
    const kill = { clock, authenticator, latch, recorder, refusals }
    return await this.safely(request, (steps) => handleKillRequest(kill, body, steps))
  }

  async kill(reason: string): Promise<void> {
    await this.latch.pull(reason)
    await this.latch.kept()
  }

  preview(body: Uint8Array): Reply | Promise<Reply> {
    const { clock, random, config, stream } = this.deps
    const { account, entryRate, reconciler } = this
    return preview(
      {
        ...{ clock, random, account, entryRate, rulesFor: config.rulesFor },
        risk: () => this.judgedRisk(),
        isLatched: () => this.latch.isLatched,
        builders: new Set(config.builders),
        ...leaseOf(this.deps),
        freshen: (action) => attend({ account, stream, reconciler, ...this.readers }, action),
      },
      body,
    )
  }

  status(): StatusView {
    const { clock, config, budget, host, fleet, journal, reader, stream } = this.deps
    return statusView({
      ...{ config, budget, host, fleet, journal, account: this.account },
      clients: [...this.clients],
      ...{ now: clock.now(), startedAt: this.startedAt },
      latched: this.latch.current,
      risk: this.risk.view(),
      isSeen: this.watcher.isSeen,
      alerts: this.alerts.list(),
      lastMessageAt: stream.lastMessageAt,
      lastReconcileAt: this.reconciler.lastReconcileAt,
      lastSeq: reader.lastSeq,
      ...{ ready: this.ready(), doubt: this.watcher.doubt },
    })
  }

  ready(): Readiness {
    const { isStopping, isRecovering } = this
    const isSeen = this.watcher.isSeen && this.watcher.isBelieved
    const isBlind = this.account.stream === 'down' && this.alerts.has('venue_unreadable')
    const { missing } = this.picture
    const [journalError, standby] = [this.deps.journal.error, this.deps.fleet?.standby ?? null]
    return readiness({ isStopping, standby, isRecovering, missing, isSeen, isBlind, journalError })
  }

  accountRead(request: Json): Json | null {
    const { clock, config, stream } = this.deps
    const { account, dispatcher } = this
    return answerOwnRead({ account, clock, dispatcher, stream, address: config.account }, request)
  }

  get markets(): Markets {
    return this.account.markets
  }

  get handover(): Guard['handover'] {
    return this.memory
  }

  exposure(): ReturnType<Guard['exposure']> {
    const isKnown = !this.isRecovering && this.watcher.isSeen
    return isKnown ? accountExposure(this.account, this.deps.config) : null
  }

  setClients(clients: readonly Address[]): void {
    this.clients = new Set(clients)
  }

  // ---------------------------------------------------------------------------------------- inside

  private async safely(
    request: string | undefined,
    task: (steps: StepLog) => Promise<Reply>,
  ): Promise<Reply> {
    const steps = stepLogOf(this.deps.log, request ?? null)
    try {
      return await this.requests.run(() => task(steps))
    } catch (error) {
      this.fault.note('a request', error, request)
      const text = 'Guard failed inside; whether it was sent is in its events'
      return { status: 200, body: vetoReply('invalid', text) }
    }
  }

  private readonly deliver = (news: VenueNews): void => {
    if (this.isStopped) return
    const { clock, stream, config } = this.deps
    const { picture, watcher } = this
    const told = { clock, stream, rulesFor: config.rulesFor, picture, watcher, ...this.readers }
    this.fault.guard(`a ${news.kind} event`, () => takeIn(told, news))
  }

  private makeLine(): RequestLine {
    const { clock, random, observer, config, stream } = this.deps
    const { account, authenticator, dispatcher, entryRate, latch, recorder, refusals } = this
    const { alerts, reconciler } = this
    return new RequestLine({
      ...{ clock, random, observer, recorder, authenticator, refusals, entryRate, latch, account },
      ...{ dispatcher, venueWaits: this.readers.venueWaits, rulesFor: config.rulesFor },
      spending: new Spending({ ...this.deps, account, alerts, recorder }),
      risk: () => this.judgedRisk(),
      ...leaseOf(this.deps),
      ...{ builders: new Set(config.builders), vault: config.via && config.account },
      serves: () => this.serves(),
      failed: (what, error) => {
        this.fault.note(what, error)
      },
      answered: (decision, results) => {
        learnFromAnswers(decision, results, account.markets, this.protector, (refused) => {
          this.deliver({ ...refused, at: clock.now() })
        })
      },
      attend: (action) => attend({ account, stream, reconciler, ...this.readers }, action),
    })
  }

  private serves(): 'all' | 'exits' | Refusal {
    const standby = this.deps.fleet?.standby
    if (standby !== undefined) return { code: 'fleet_unreachable', text: standby }
    if (this.isStopping) return stopping
    return this.isRecovering ? 'exits' : 'all'
  }

  private judgedRisk(): JudgedRisk {
    const { state, holding, equity, detail } = this.risk.view()
    return { state, holding, lastEquity: equity, detail, doubt: this.watcher.doubt }
  }

  private flattenReason(): string | null {
    return reasonToFlatten(this.latch.current, this.risk.view())
  }

  private tick(): void {
    this.fault.guard('the latch', () => {
      this.latch.checkFile()
      this.latch.retryUnwritten()
    })
    this.fault.guard('the clock', () => {
      this.timeKeeper.tick()
    })
    this.fault.guard('the watcher', () => {
      this.watcher.tick()
    })
    this.hostWatch.tick()
    this.readers.unreadFills.tick()
    this.memory.tick()
  }
}
