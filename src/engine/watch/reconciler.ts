import type { Account } from '../../core/account/account.ts'
import type { Coin } from '../../core/values/coin.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import type { AccountReads } from './accountReads.ts'
import type { Alerts } from '../alerts.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import { Backoff } from '../backoff.ts'
import type { BuilderDexes } from './dexes/builderDexes.ts'
import { DexQuestions } from './dexes/dexQuestions.ts'
import { FirstReads } from './firstReads.ts'
import { MarginSettings } from './marginSettings.ts'
import { MissedEvents } from './missedEvents.ts'
import { pictureParts } from './picture.ts'
import type { Picture, PicturePart } from './picture.ts'
import type { Clock, Urgency, Log, Timers, WeightBudget } from '../ports.ts'
import { paced } from './readingPace.ts'
import { readPart } from './readPart.ts'
import { readWhole, wholeReadWeight } from './readWhole.ts'
import type { Recorder } from '../recorder.ts'
import { TwapWatch } from './twapWatch.ts'

interface ReconcilerDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly alerts: Alerts
  readonly account: Account
  readonly recorder: Recorder
  readonly budget: WeightBudget
  readonly reads: AccountReads
  readonly picture: Picture
  readonly rulesFor: RulesFor
  readonly dexes: BuilderDexes
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

/**
 * Reads the account in the background, and in the stream's place when that is silent. What the
 * reads find is delivered like any event; what events had missed is said.
 */
export class Reconciler {
  private readonly deps: ReconcilerDeps
  private reconciledAt: Millis | null = null
  /** By the monotonic clock: a clock that is set back must not delay the next one. */
  private reconciledMs = -Infinity
  /** When each part was last read, by the monotonic clock. */
  private readonly partMs = new Map<PicturePart, number>()
  /** What was last asked for in vain, and why. */
  private readonly failing = new Map<string, string>()
  /** When the round of reads began that is not complete yet; null when none is under way. */
  private roundMs: number | null = null
  private isStarted = false
  /** In the last round no read was answered. */
  private isDark = false
  /** Parts that are asked for because they are doubted. */
  private readonly asking = new Set<PicturePart>()
  private running: Promise<Result<null>> | null = null
  private refreshing: Promise<Result<null>> | null = null
  private pricing: Promise<Result<null>> | null = null
  private cancels: (() => void)[] = []
  private toldMs = -Infinity
  private doubtReadMs = -Infinity
  /** What fails is asked for ever later: else the weight is spent when the venue is back. */
  private readonly backoff: { readonly full: Backoff; readonly part: Backoff }
  private readonly settings: MarginSettings
  private readonly twaps: TwapWatch
  private readonly missed: MissedEvents
  readonly dexQuestions: DexQuestions

  constructor(deps: ReconcilerDeps) {
    this.deps = deps
    this.settings = new MarginSettings(deps)
    this.twaps = new TwapWatch(deps)
    this.missed = new MissedEvents(deps)
    this.dexQuestions = new DexQuestions(deps)
    this.backoff = { full: new Backoff(deps.clock, fullRetryMsMax), part: new Backoff(deps.clock) }
  }

  get lastReconcileAt(): Millis | null {
    return this.reconciledAt
  }

  /** Reads every part, each by itself; resolves when all of them have been told once. */
  async start(isStopped: () => boolean): Promise<void> {
    const { clock, timers, account, picture } = this.deps
    this.cancels = [
      timers.every(retryMs, () => {
        this.tick()
      }),
    ]
    await new FirstReads({
      ...{ clock, timers, picture, isStopped },
      read: (part, lane) => readPart(this.deps, part, lane),
      noted: (part, result) => {
        if (result.ok) this.partMs.set(part, clock.monotonicMs())
        this.tell([[part, result]])
      },
      areMarketsKnown: () => account.markets.byAsset.size > 0,
    }).run()
    if (isStopped()) return
    this.isStarted = true
    this.reconciledAt = clock.now()
    this.reconciledMs = clock.monotonicMs()
    // The account's mode is known by now: what it caps counts from the first entry on.
    this.tellAllowance()
    this.readAllowance('watch').catch(() => undefined)
  }

  stop(): void {
    for (const cancel of this.cancels) cancel()
    this.cancels = []
    this.deps.picture.end()
  }

  /** One read of all that is due at a time; who asks meanwhile gets the same one. */
  private reconcile(lane: Urgency): Promise<Result<null>> {
    this.running ??= tried(this.backoff.full, lane, this.readAll(lane)).finally(() => {
      this.running = null
    })
    return this.running
  }

  /**
   * Reads what an entry on these coins needs to be judged and that is not fresh: prices, the account
   * and, with cross margin, the coins' settings. Null when all of it is fresh, as it nearly always is,
   * or when no coin is named: such a request opens nothing. After a read that failed the next entries
   * do not ask again at once.
   */
  freshen(coins: readonly Coin[]): Promise<void> | null {
    if (coins.length === 0) return null
    const now = this.deps.clock.now()
    const areDexesSeen = this.deps.dexes.unseen.length === 0 || !this.deps.dexes.isReadDue
    const isAccountFresh = areDexesSeen && this.accountAge(now) <= limits.accountAgeMsMax
    const arePricesFresh = coins.every((coin) => this.priceAge(coin, now) <= limits.priceAgeMsMax)
    const settings = bothOf(this.settings.freshen(coins), this.dexQuestions.freshen(coins, now))
    if (isAccountFresh && arePricesFresh) return settings?.then(() => undefined) ?? null
    const account = isAccountFresh ? null : this.refreshAccount('entry')
    const prices = arePricesFresh ? null : this.refreshPrices('entry')
    if (account === null && prices === null && settings === null) return null
    return Promise.all([account, prices, settings]).then(() => undefined)
  }

  /** Every part, whatever was read before: something happened to the account. Null without the weight for it. */
  readWhole(): Promise<Result<null>> | null {
    const { budget } = this.deps
    // Where the whole budget is small it goes with a quarter of it: better in parts than never.
    const weight = Math.min(wholeReadWeight, Math.floor(budget.limit / 4))
    return budget.roomInMs('watch', weight) > 0 ? null : readWhole(this.deps)
  }

  /** A TWAP was cancelled: they are listed again at once. */
  listTwaps(): void {
    this.twaps.listAgain()
  }

  /** One is to be cancelled, and nobody knows its number yet. */
  findTwaps(): void {
    this.twaps.find()
  }

  /** Asks for one part at once, where what was told of it is doubted. */
  askAgain(part: PicturePart): void {
    if (this.asking.has(part)) return
    this.asking.add(part)
    if (part === 'spot') this.deps.reads.missingFills().catch(() => undefined)
    readPart(this.deps, part, 'watch').then(
      (result) => {
        this.asking.delete(part)
        this.tell([[part, result]])
      },
      () => this.asking.delete(part),
    )
  }

  private tick(): void {
    const now = this.deps.clock.now()
    this.tellAllowance()
    const ageMs = this.deps.clock.monotonicMs() - this.reconciledMs
    const isDue = this.isStarted && ageMs >= paced(everyMs, this.deps.budget)
    if (isDue && this.backoff.full.mayTry('watch')) {
      this.reconcile('watch').catch(() => undefined)
    } else if (this.isAsked && this.isAccountDue(now)) {
      this.refreshAccount('watch')?.catch(() => undefined)
    }
    const stale = [...this.deps.account.positions.keys()].some(
      (coin) => this.priceAge(coin, now) > idleAgeMs,
    )
    if (stale) this.refreshPrices('watch')?.catch(() => undefined)
    this.twaps.tick(now)
    this.deps.dexes.tick()
    if (this.isAsked) this.dexQuestions.tick(now)
  }

  /** Some of it is old or doubted, or nobody knows what is on a builder dex. */
  private isAccountDue(now: Millis): boolean {
    return this.accountAge(now) > idleAgeMs || this.isInDoubt(now) || this.deps.dexes.isReadDue
  }

  /** Whether this timer asks for the account; until it was seen once the first reads ask for it. */
  private get isAsked(): boolean {
    return this.isStarted || this.deps.account.confirmedAt !== null
  }

  /** Null where it has failed just now. */
  private refreshAccount(lane: Urgency): Promise<Result<null>> | null {
    const key = `account:${lane}`
    if (this.refreshing === null && !this.backoff.part.mayTry(key)) return null
    this.refreshing ??= tried(this.backoff.part, key, this.readAccount(lane)).finally(() => {
      this.refreshing = null
    })
    return this.refreshing
  }

  /** Null where it has failed just now. */
  private refreshPrices(lane: Urgency): Promise<Result<null>> | null {
    const key = `prices:${lane}`
    if (this.pricing === null && !this.backoff.part.mayTry(key)) return null
    this.dexQuestions.mids(lane).catch(() => undefined)
    this.pricing ??= tried(this.backoff.part, key, this.deps.reads.mids(lane)).finally(() => {
      this.pricing = null
    })
    return this.pricing
  }

  private async readAccount(lane: Urgency): Promise<Result<null>> {
    const { account, clock } = this.deps
    const wanted: PicturePart[] = ['state']
    const isInDoubt = this.isInDoubt(clock.now())
    if (isInDoubt) this.doubtReadMs = clock.monotonicMs()
    if (account.stream !== 'live' || isInDoubt || this.areOrdersOld()) wanted.push('orders')
    if (account.mode === 'unifiedAccount') wanted.push('spot')
    return this.tell(await this.readParts(wanted, lane))
  }

  /** Only what is due: what was read stays, and one that failed is asked again by itself. */
  private async readAll(lane: Urgency): Promise<Result<null>> {
    const { clock } = this.deps
    this.roundMs ??= clock.monotonicMs()
    const before = this.missed.glance()
    // After a round without one answer a single cheap question tells whether the venue is back.
    const isBack = !this.isDark || (await readPart(this.deps, 'mids', lane)).ok
    if (!isBack) return err('the venue still answers no read')
    const due = pictureParts.filter((part) => this.isPartDue(part))
    const results = await this.readParts(due, lane)
    this.isDark = results.every(([, result]) => !result.ok)
    const read = new Set(results.flatMap(([part, result]) => (result.ok ? [part] : [])))
    for (const part of read) this.partMs.set(part, clock.monotonicMs())
    if (read.has('state') && read.has('orders')) this.missed.compare(before)
    const told = this.tell(results)
    if (told.ok) {
      this.roundMs = null
      this.reconciledAt = clock.now()
      this.reconciledMs = clock.monotonicMs()
      await this.readAllowance(lane)
    }
    return told
  }

  private async readParts(
    parts: readonly PicturePart[],
    lane: Urgency,
  ): Promise<readonly (readonly [PicturePart, Result<unknown>])[]> {
    const answers = new Map<PicturePart, Promise<Result<unknown>>>()
    for (const part of parts) {
      // What a transfer means depends on the mode: where both are read, the mode comes first.
      const mode = part === 'ledger' ? answers.get('mode') : undefined
      const ask = (): Promise<Result<unknown>> => readPart(this.deps, part, lane)
      answers.set(part, mode === undefined ? ask() : mode.then(ask))
    }
    return await Promise.all(
      [...answers].map(async ([part, answer]) => [part, await answer] as const),
    )
  }

  private isPartDue(part: PicturePart): boolean {
    const readMs = this.partMs.get(part) ?? -Infinity
    const ageMs = this.deps.clock.monotonicMs() - readMs
    if (part === 'markets') return ageMs >= marketsEveryMs
    return ageMs >= paced(everyMs, this.deps.budget) || readMs < (this.roundMs ?? Infinity)
  }

  /** Without it Guard plans by the request weight alone: worth having, and no reason to wait. */
  private async readAllowance(lane: Urgency): Promise<void> {
    const allowance = await this.deps.reads.allowance(lane)
    if (!allowance.ok) return
    const { requestsCap, requestsUsed } = allowance.value
    this.deps.budget.setAllowance(requestsCap, requestsUsed)
    this.tellAllowance()
  }

  /** A person is told for as long as so much is used that nothing opens. */
  private tellAllowance(): void {
    const { account, alerts, budget, clock } = this.deps
    budget.setCappedByDay(account.mode === 'unifiedAccount' || account.mode === 'portfolioMargin')
    const shortage = budget.actionShortage('entry', 1)
    if (shortage === null) alerts.clear('actions')
    else alerts.raise('actions', shortage, clock.now())
  }

  /** A reading that fails once is a retry; one that keeps failing is an alert. */
  private tell(results: readonly (readonly [string, Result<unknown>])[]): Result<null> {
    const { alerts, clock, log } = this.deps
    let failed: string | null = null
    for (const [part, result] of results) {
      if (result.ok) {
        this.failing.delete(part)
        continue
      }
      failed ??= result.error
      this.failing.set(part, result.error)
      log.log('warn', 'a read of the account failed', { part, error: result.error })
    }
    const [why] = this.failing.values()
    if (why === undefined) alerts.clear('venue_unreadable')
    else {
      const text = `the account could not be read: ${why}`
      const nowMs = clock.monotonicMs()
      if (!alerts.has('venue_unreadable') && nowMs - this.toldMs >= tellEveryMs) {
        this.toldMs = nowMs
        this.deps.recorder.record({ kind: 'error', text }, 'ride')
      }
      alerts.raise('venue_unreadable', text, clock.now())
    }
    return failed === null ? ok(null) : err(failed)
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
    const { account } = this.deps
    // Where the book of a builder's market is empty, its mark is told all the same.
    const at = Math.max(account.mid(coin)?.at ?? 0, account.builderMarket(coin)?.seenAt ?? 0)
    return at === 0 ? Infinity : now - at
  }
}

/** Null when neither has to be waited for. */
function bothOf(
  one: Promise<unknown> | null,
  other: Promise<unknown> | null,
): Promise<unknown> | null {
  return one === null || other === null ? (one ?? other) : Promise.all([one, other])
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
