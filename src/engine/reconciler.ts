import type { Account } from '../core/account/account.ts'
import type { Coin } from '../core/values/coin.ts'
import { limits } from '../core/values/limits.ts'
import { shifted } from '../core/values/millis.ts'
import type { Millis } from '../core/values/millis.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import type { AccountReads } from './accountReads.ts'
import type { Alerts } from './alerts.ts'
import { Backoff } from './backoff.ts'
import type { Clock, Lane, Log, Timers, WeightBudget } from './ports.ts'
import type { Recorder } from './recorder.ts'

export interface ReconcilerDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly alerts: Alerts
  readonly account: Account
  readonly recorder: Recorder
  readonly budget: WeightBudget
  readonly reads: AccountReads
}

const everyMs = 30_000
const marketsEveryMs = 600_000
const retryMs = 1_000
/** A read of everything costs as much as three of the account: where it fails it is asked rarely. */
const fullRetryMsMax = 15_000
/** An outage is one `error` event; one that comes and goes is at most one a minute. */
const tellEveryMs = 60_000
/** The stream may be this old before a timer reads in its place. */
const idleAgeMs = 2_500
/** Orders that nobody has listed for this long are read, where the stream is live and tells nothing. */
const ordersAgeMs = 4_000
/** Reads for the sake of an entry that may be gone are at least this far apart. */
const doubtEveryMs = 6_000
/** How far back the ledger is read again: an entry may come late. */
const ledgerBackMs = 600_000

/**
 * Reads the account in the background, and in the stream's place when that is silent. What the
 * reads find is delivered like any event; what events had missed is said.
 */
export class Reconciler {
  private readonly deps: ReconcilerDeps
  private reconciledAt: Millis | null = null
  /** By the monotonic clock: a clock that is set back must not delay the next one. */
  private reconciledMs = -Infinity
  private marketsMs = -Infinity
  private running: Promise<Result<null>> | null = null
  private refreshing: Promise<Result<null>> | null = null
  private pricing: Promise<Result<null>> | null = null
  private cancels: (() => void)[] = []
  private missedBefore: readonly string[] = []
  private toldMs = -Infinity
  private doubtReadMs = -Infinity
  /** What fails is asked for ever later: else the weight is spent when the venue is back. */
  private readonly backoff: { readonly full: Backoff; readonly part: Backoff }

  constructor(deps: ReconcilerDeps) {
    this.deps = deps
    const { clock } = deps
    this.backoff = { full: new Backoff(clock, fullRetryMsMax), part: new Backoff(clock) }
  }

  get lastReconcileAt(): Millis | null {
    return this.reconciledAt
  }

  /** The first read is of everything; resolves when it has succeeded once. */
  async start(isStopped: () => boolean): Promise<void> {
    while (!isStopped()) {
      const done = await this.reconcile('watch')
      if (done.ok) break
      // Sooner than later reads of everything: until this one nothing is protected.
      const waitMs = Math.max(retryMs, this.backoff.part.failed('start'))
      await new Promise<void>((resolve) => this.deps.timers.after(waitMs, resolve))
    }
    if (isStopped()) return
    this.cancels = [
      this.deps.timers.every(retryMs, () => {
        this.tick()
      }),
    ]
  }

  stop(): void {
    for (const cancel of this.cancels) cancel()
    this.cancels = []
  }

  /** One read of everything at a time; who asks meanwhile gets the same one. */
  reconcile(lane: Lane): Promise<Result<null>> {
    this.running ??= tried(this.backoff.full, lane, this.readAll(lane)).finally(() => {
      this.running = null
    })
    return this.running
  }

  /**
   * What an entry on these coins needs to be judged: fresh prices and a fresh account. Null when
   * both are there already, which is the rule; otherwise the read that brings them. Where reads fail
   * it is not asked for with every entry. Without a coin nothing is opened, and nothing is waited for.
   */
  freshen(coins: readonly Coin[]): Promise<void> | null {
    if (coins.length === 0) return null
    const now = this.deps.clock.now()
    const isAccountFresh = this.accountAge(now) <= limits.accountAgeMsMax
    const arePricesFresh = coins.every((coin) => this.priceAge(coin, now) <= limits.priceAgeMsMax)
    if (isAccountFresh && arePricesFresh) return null
    const account = isAccountFresh ? null : this.refreshAccount('entry')
    const prices = arePricesFresh ? null : this.refreshPrices('entry')
    if (account === null && prices === null) return null
    return Promise.all([account, prices]).then(() => undefined)
  }

  private tick(): void {
    const now = this.deps.clock.now()
    const isDue = this.deps.clock.monotonicMs() - this.reconciledMs >= everyMs
    if (isDue && this.backoff.full.mayTry('watch')) {
      this.reconcile('watch').catch(() => undefined)
    } else if (this.accountAge(now) > idleAgeMs || this.isInDoubt(now)) {
      this.refreshAccount('watch')?.catch(() => undefined)
    }
    const stale = [...this.deps.account.positions.keys()].some(
      (coin) => this.priceAge(coin, now) > idleAgeMs,
    )
    if (stale) this.refreshPrices('watch')?.catch(() => undefined)
  }

  /** Null where it has failed just now. */
  private refreshAccount(lane: Lane): Promise<Result<null>> | null {
    const key = `account:${lane}`
    if (this.refreshing === null && !this.backoff.part.mayTry(key)) return null
    this.refreshing ??= tried(this.backoff.part, key, this.readAccount(lane)).finally(() => {
      this.refreshing = null
    })
    return this.refreshing
  }

  /** Null where it has failed just now. */
  private refreshPrices(lane: Lane): Promise<Result<null>> | null {
    const key = `prices:${lane}`
    if (this.pricing === null && !this.backoff.part.mayTry(key)) return null
    this.pricing ??= tried(this.backoff.part, key, this.deps.reads.mids(lane)).finally(() => {
      this.pricing = null
    })
    return this.pricing
  }

  private async readAccount(lane: Lane): Promise<Result<null>> {
    const { reads, account, clock } = this.deps
    const wanted = [reads.state(lane)]
    const isInDoubt = this.isInDoubt(clock.now())
    if (isInDoubt) this.doubtReadMs = clock.monotonicMs()
    if (account.stream !== 'live' || isInDoubt || this.areOrdersOld()) {
      wanted.push(reads.orders(lane))
    }
    if (account.mode === 'unifiedAccount') wanted.push(reads.spot(lane))
    return this.tell(await Promise.all(wanted))
  }

  private async readAll(lane: Lane): Promise<Result<null>> {
    const { reads, clock, account } = this.deps
    const begunMs = clock.monotonicMs()
    if (begunMs - this.marketsMs >= marketsEveryMs) {
      const markets = await reads.markets(lane)
      if (!markets.ok) return this.tell([markets])
      this.marketsMs = begunMs
    }
    const mode = await reads.mode(lane)
    if (!mode.ok) return this.tell([mode])
    const before = this.glance()
    const since = shifted(clock.now(), -ledgerBackMs)
    const results = await Promise.all([
      reads.mids(lane),
      reads.spot(lane),
      reads.ledger(since, mode.value, lane),
      reads.state(lane),
      reads.orders(lane),
    ])
    const told = this.tell(results)
    if (told.ok) {
      this.reconciledAt = clock.now()
      this.reconciledMs = clock.monotonicMs()
      this.compare(before, account.inFlight)
      await this.readAllowance(lane)
    }
    return told
  }

  /** Without it Guard plans by the request weight alone: worth having, and no reason to wait. */
  private async readAllowance(lane: Lane): Promise<void> {
    const allowance = await this.deps.reads.allowance(lane)
    if (!allowance.ok) return
    const { requestsCap, requestsUsed } = allowance.value
    this.deps.budget.setAllowance(requestsCap, requestsUsed)
  }

  /** A reading that fails once is a retry; one that keeps failing is an alert. */
  private tell(results: readonly Result<unknown>[]): Result<null> {
    const { alerts, clock, log } = this.deps
    const failed = results.find((result) => !result.ok)
    if (failed === undefined) {
      alerts.clear('venue_unreadable')
      return ok(null)
    }
    log.log('warn', 'a read of the account failed', { error: failed.error })
    const text = `the account could not be read: ${failed.error}`
    const nowMs = clock.monotonicMs()
    if (!alerts.has('venue_unreadable') && nowMs - this.toldMs >= tellEveryMs) {
      this.toldMs = nowMs
      this.deps.recorder.record({ kind: 'error', text }, 'ride')
    }
    alerts.raise('venue_unreadable', text, clock.now())
    return err(failed.error)
  }

  private glance(): ReadonlyMap<string, string> {
    const { account } = this.deps
    const seen = new Map<string, string>()
    for (const [coin, { size }] of account.positions) seen.set(`${coin} position`, size.toString())
    for (const coin of account.coinsWithOrders()) {
      for (const { oid } of account.ordersOf(coin)) seen.set(`${coin} order ${oid}`, 'open')
    }
    return seen
  }

  /** What changed by reading alone, twice in a row with nothing in flight, the stream had missed. */
  private compare(before: ReadonlyMap<string, string>, inFlight: number): void {
    const after = this.glance()
    const missed: string[] = []
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(name) !== after.get(name)) missed.push(name)
    }
    if (missed.length > 0) {
      this.deps.log.log('warn', 'a read showed what no event had', { missed: missed.slice(0, 20) })
    }
    const persists = inFlight === 0 && missed.length > 0 && this.missedBefore.length > 0
    if (persists) {
      const text = `reads keep finding what the stream did not show: ${missed.slice(0, 5).join(', ')}`
      this.deps.alerts.raise('events_missed', text, this.deps.clock.now())
    } else if (missed.length === 0) {
      this.deps.alerts.clear('events_missed')
    }
    this.missedBefore = missed
  }

  /**
   * A live stream sends every change of the orders, and reading them costs ten times as much as
   * reading the state. But this is asked where not even the state has come: a change may be lost.
   * An empty account has no orders to lose, unless something that was sent has not shown itself yet.
   */
  private areOrdersOld(): boolean {
    const { account, clock } = this.deps
    const isEmpty = account.positions.size === 0 && account.openOrderCount === 0
    if (isEmpty && account.inFlight === 0) return false
    const at = account.ordersAt
    return at === null || clock.now() - at > ordersAgeMs
  }

  /**
   * An entry that the stream's lists lack holds its room until a read says what became of it. A
   * read shows the orders as they were at most `accountAgeMsMax` ago: an earlier one says nothing.
   */
  private isInDoubt(now: Millis): boolean {
    const { account, clock } = this.deps
    const since = account.doubtfulSince
    if (since === null || now - since <= limits.accountAgeMsMax) return false
    return clock.monotonicMs() - this.doubtReadMs >= doubtEveryMs
  }

  private accountAge(now: Millis): number {
    const at = this.deps.account.confirmedAt
    return at === null ? Infinity : now - at
  }

  private priceAge(coin: Coin, now: Millis): number {
    const at = this.deps.account.mid(coin)?.at
    return at === undefined ? Infinity : now - at
  }
}

/** Each lane for itself: an entry that finds no weight delays nobody's look at the account. */
async function tried(
  backoff: Backoff,
  key: string,
  reading: Promise<Result<null>>,
): Promise<Result<null>> {
  const result = await reading
  if (result.ok) backoff.reset(key)
  else backoff.failed(key)
  return result
}
