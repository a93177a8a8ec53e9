import type { Account } from '../../core/account/account.ts'
import type { FlattenBody } from '../../core/events/guardEvent.ts'
import type { TwapCancelAction } from '../../core/protocol/action.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import type { CloidMint } from '../../core/protocol/guardCloid.ts'
import { flattenRetryMs, planFlatten } from '../../core/safety/planFlatten.ts'
import type { FlattenPlan, FlattenStep } from '../../core/safety/planFlatten.ts'
import type { RiskEngine } from '../../core/safety/riskEngine.ts'
import { RefusedTries } from '../../core/safety/refusedTries.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import {
  assetIn,
  isAboutTheAction,
  mayBeOfAnother,
  refusalKind,
} from '../../core/venueLimits/refusal.ts'
import type { Alerts } from '../alerts.ts'
import { Backoff, urgentPauseMs } from '../backoff.ts'
import type { ActionResult } from '../send/dispatcher.ts'
import { isClosedError } from '../send/doneAlready.ts'
import type { Timers, WeightBudget } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import { answeredBy, isDone } from '../send/itemOutcomes.ts'
import type { Answered, ItemOutcome } from '../send/itemOutcomes.ts'
import { ListedSince } from './dexes/listedSince.ts'
import type { ListedSinceDeps } from './dexes/listedSince.ts'
import { RefusalAlerts } from './refusalAlerts.ts'
import type { SafetySender } from '../send/safetySender.ts'
import { TwapCancels } from './twapCancels.ts'

interface FlattenerDeps extends ListedSinceDeps {
  readonly timers: Timers
  readonly account: Account
  readonly budget: Pick<WeightBudget, 'heldMs'>
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly mint: CloidMint
  /** Is told whether everything is closed. */
  readonly risk: Pick<RiskEngine, 'closed'>
  /** Null in paper mode. */
  readonly sender: SafetySender | null
  /** Asks the venue which TWAPs run: one was cancelled. */
  readonly listTwaps: () => void
  /** Asks the venue for TWAPs, or their numbers, that nobody has told yet. */
  readonly findTwaps: () => void
  /** A close was refused in words that may mean that its id is another perp's. */
  readonly doubtId: (coin: Coin) => void
  /** Whether closes may leave: Guard runs, and what is open has been seen since the start. */
  readonly mayClose: () => boolean
  /** Why everything is to be closed now; null when nothing is. */
  readonly reason: () => string | null
  /** Which dexes nobody can see, for people; null where all are seen. */
  readonly unseen: () => string | null
}

type CloseStep = FlattenStep & { readonly kind: 'close' }
/** The id that the order of each coin went out with. */
type Assets = ReadonlyMap<Coin, number>
type CancelStep = FlattenStep & { readonly kind: 'cancel' }

const wakeEveryMs = 50
/**
 * An order that the account still has for so long after the venue said it is gone is cancelled again,
 * and after `flattenRetryMs` where a list shows it that was taken after that answer.
 */
const goneTrustedMs = 15_000

/**
 * Closes everything for as long as there is a reason to, and says so once for each step it takes.
 * What the venue refuses changes the next try: each coin and each cancel waits for itself alone.
 */
export class Flattener {
  private readonly deps: FlattenerDeps
  private readonly backoff: Backoff
  private readonly tries = new RefusedTries()
  private readonly voice: RefusalAlerts
  private readonly twaps: TwapCancels
  private readonly listed: ListedSince
  /**
   * The numbers of orders that the venue says are gone while the account still has them, with the
   * monotonic time at which it said so.
   */
  private readonly cleared = new Map<number, number>()
  /** Orders whose last cancel had no answer, or one that did not end them and was not for the allowance. */
  private readonly lost = new Set<number>()
  /** A close was refused because of too many orders, and none has gone since. */
  private isRoomWanted = false
  /** Cancels without an answer, and when the last of them left by the monotonic clock. */
  private cancelling = { actions: 0, sinceMs: 0 }
  /**
   * The venue has taken no cancel since it refused one for its number or its weight: until it does
   * one action goes at a time, or the account's weight and allowance would be spent on refusals.
   */
  private areCancelsRefused = false
  private readonly wakes = new Set<number>()
  private announced: string | null = null
  /** The venue was asked for TWAPs since this run closes everything, whoever announced it. */
  private areTwapsAsked = false
  private lastSituation = ''

  constructor(deps: FlattenerDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock, urgentPauseMs(deps.budget))
    this.voice = new RefusalAlerts(deps, 'close')
    this.twaps = new TwapCancels(deps.clock)
    this.listed = new ListedSince(deps)
  }

  /** A latch or halt of an earlier run has had its event. */
  restore(reason: string): void {
    this.announced = reason
  }

  /** The coins that are to be closed and whose close the venue has refused: they need a stop. */
  refusedCoins(): ReadonlySet<Coin> {
    return this.tries.refusedCoins()
  }

  /** Acts in this tick; the `seq` of the event it wrote, or null when there was nothing to say. */
  kick(): number | null {
    const reason = this.deps.reason()
    if (reason === null) {
      if (this.announced !== null) this.forget(() => false)
      this.announced = null
      this.listed.end()
      this.areTwapsAsked = false
      this.deps.alerts.clear('flattening')
      return null
    }
    if (!this.deps.mayClose()) return null
    this.forget((coin) => this.deps.account.positions.has(coin))
    const plan = this.plan()
    if (plan.isFlat) this.backoff.clear()
    // On paper nothing is sent, so that nothing is waited for.
    const unlisted = this.listed.missing
    this.deps.risk.closed(this.deps.sender === null || (plan.isFlat && unlisted.length === 0))
    this.showAlert(plan, unlisted, reason)
    const isFirst = this.announced !== reason
    this.announced = reason
    if (this.deps.sender === null) return this.onPaper(plan, reason, isFirst)
    // The stream may have told nothing of one, and its slices open again what is closed.
    if (isFirst || !this.areTwapsAsked || plan.unnumbered.length > 0) this.deps.findTwaps()
    this.areTwapsAsked = true
    if (!isFirst && plan.actions.length === 0) return this.tellProblems(plan, reason)
    this.lastSituation = plan.problems.join('; ')
    return this.send(this.deps.sender, plan, reason)
  }

  private plan(): FlattenPlan {
    const { account, clock, mint } = this.deps
    for (const [oid, saidMs] of this.cleared) {
      const isOld = clock.monotonicMs() - saidMs >= flattenRetryMs
      // An answered cancel is in flight until a list comes that was taken after its answer.
      const isListed = account.order({ oid }) !== null && account.cancellingSince(oid) === null
      if ((isOld && isListed) || !this.isThere(oid)) this.cleared.delete(oid)
    }
    for (const oid of this.lost) if (!this.isThere(oid)) this.lost.delete(oid)
    const { actions, sinceMs } = this.cancelling
    return planFlatten({
      ...{ account, now: clock.now(), mint, tries: this.tries },
      isHeld: (what) => this.isHeld(what),
      isCancelLost: (oid) => this.lost.has(oid),
      cancelsMax: this.areCancelsRefused ? limits.flattenBatchMax : Infinity,
      isTwapHeld: (id) => this.twaps.isHeld(id),
      room: {
        isWanted: this.isRoomWanted,
        isBeingMade: actions > 0 && clock.monotonicMs() - sinceMs < flattenRetryMs,
        cleared: [...this.cleared.keys()].filter((oid) => account.order({ oid }) !== null).length,
      },
    })
  }

  /** Whether the account still has an order: shown by the venue, or by its answer alone. */
  private isThere(oid: number): boolean {
    const { account } = this.deps
    if (account.order({ oid }) !== null) return true
    return Array.from(account.takenUnseen()).some((each) => each.oid === oid)
  }

  private isHeld(what: Coin | number): boolean {
    if (!this.backoff.mayTry(keyOf(what))) return true
    if (typeof what !== 'number') return false
    if (!this.backoff.mayTry(allCancels)) return true
    // The venue's word that an order is gone comes before a stream that may be late.
    const clearedMs = this.cleared.get(what)
    return clearedMs !== undefined && this.deps.clock.monotonicMs() - clearedMs < goneTrustedMs
  }

  private send(sender: SafetySender, plan: FlattenPlan, reason: string): number | null {
    const { steps } = plan
    const cancels = steps.filter(({ kind }) => kind === 'cancel').length
    const sinceMs = cancels > 0 ? this.deps.clock.monotonicMs() : this.cancelling.sinceMs
    this.cancelling = { actions: this.cancelling.actions + cancels, sinceMs }
    for (const { kind, action } of steps) {
      if (kind === 'twap') this.twaps.sent(action.twapId)
      if (kind === 'cancel') for (const { oid } of action.cancels) this.lost.delete(oid)
    }
    const body = bodyOf(plan, this.tries.textsOf(plan.coins), reason, true)
    const waiting = new Map(steps.entries())
    const run = sender.send(body, plan.actions, (place, result) => {
      const step = waiting.get(place)
      waiting.delete(place)
      if (step !== undefined) this.learn([step], result)
    })
    run.results.catch(() => {
      this.learn([...waiting.values()], undefined)
    })
    return run.seq
  }

  /** Each answer counts at once, however long the others take. */
  private learn(steps: Iterable<FlattenStep>, result: ActionResult | undefined): void {
    for (const step of steps) {
      if (step.kind === 'cancel') this.learnCancels(step, result)
      else if (step.kind === 'twap') this.learnTwap(step.action, result)
      else this.learnCloses(step, result)
    }
    this.kick()
  }

  private learnCancels({ action }: CancelStep, result: ActionResult | undefined): void {
    const { actions, sinceMs } = this.cancelling
    this.cancelling = { actions: Math.max(0, actions - 1), sinceMs }
    const answered = answeredBy(action, result)
    const isSpent = isOfAllowance(answered)
    if (isSpent || result?.kind === 'not_sent') this.holdCancels()
    action.cancels.forEach(({ oid }, place) => {
      if (!isDone(answered, place)) {
        if (!isSpent) this.lost.add(oid)
        this.retryLater(oid)
        return
      }
      this.backoff.reset(keyOf(oid))
      this.backoff.reset(allCancels)
      this.areCancelsRefused = false
      this.isRoomWanted = false
      if (!this.isThere(oid)) return
      this.cleared.set(oid, this.deps.clock.monotonicMs())
      this.wakeIn(flattenRetryMs)
      this.wakeIn(goneTrustedMs)
    })
  }

  /** Cancels that were on their way together and are all refused count as one refusal. */
  private holdCancels(): void {
    if (!this.backoff.mayTry(allCancels)) return
    this.areCancelsRefused = true
    this.wakeIn(this.backoff.failed(allCancels))
  }

  private learnTwap(action: TwapCancelAction, result: ActionResult | undefined): void {
    if (isDone(answeredBy(action, result), 0)) {
      this.twaps.gone(action.twapId)
      this.deps.listTwaps()
    } else this.wakeIn(this.twaps.failed(action.twapId))
  }

  private learnCloses({ action, coins }: CloseStep, result: ActionResult | undefined): void {
    const answered = answeredBy(action, result)
    const names = [...new Set(coins)]
    const assets = new Map(action.orders.map(({ asset }, place) => [coins[place] as Coin, asset]))
    if (answered.kind === 'lost') {
      if (names.length > 1) this.tries.unansweredTogether(names)
      for (const coin of names) this.retryLater(coin)
    } else if (answered.kind === 'whole') {
      this.refusedWhole(names, answered.text, assets)
    } else {
      for (const coin of names) {
        const isOf = (_: unknown, place: number): boolean => coins[place] === coin
        this.learnClose(coin, answered.outcomes.filter(isOf), assets)
      }
    }
  }

  private learnClose(coin: Coin, outcomes: readonly ItemOutcome[], assets: Assets): void {
    const texts = outcomes.flatMap((each) => (each.kind === 'refused' ? [each.text] : []))
    const text = texts.find((each) => !isClosedError(each))
    if (text !== undefined) this.refused(coin, text, assets)
    else if (outcomes.some(({ kind }) => kind === 'lost')) this.retryLater(coin)
    else this.taken(coin)
  }

  /** One of several is to blame: all others go again at once, each by itself. */
  private refusedWhole(coins: readonly Coin[], text: string, assets: Assets): void {
    if (coins.length === 1 || isAboutTheAction(refusalKind(text))) {
      for (const coin of coins) this.refused(coin, text, assets)
      return
    }
    if (refusalKind(text) === 'too_many_orders') this.isRoomWanted = true
    const asset = assetIn(text)
    const blamed = coins.filter((coin) => assets.get(coin) === asset)
    this.tries.refusedTogether(coins, text)
    for (const coin of blamed) this.refused(coin, text, assets)
    this.voice.refused(coins, text)
  }

  private refused(coin: Coin, text: string, assets: Assets): void {
    const size = this.deps.account.positions.get(coin)?.size ?? Decimal.zero
    this.tries.refused(coin, text, size, assets.get(coin) ?? null)
    if (mayBeOfAnother(text)) this.deps.doubtId(coin)
    this.voice.refused([coin], text)
    if (refusalKind(text) === 'too_many_orders') this.isRoomWanted = true
    if (this.tries.isAtEdge(coin, text)) this.wakeIn(this.backoff.failedOnce(keyOf(coin)))
    else this.retryLater(coin)
  }

  private taken(coin: Coin): void {
    this.tries.taken(coin)
    this.voice.taken(coin)
    this.backoff.reset(keyOf(coin))
  }

  /** Many may wait at once: what is due within the same moment is looked at together. */
  private retryLater(what: Coin | number): void {
    this.wakeIn(this.backoff.failed(keyOf(what)))
  }

  private wakeIn(waitMs: number): void {
    const nowMs = this.deps.clock.monotonicMs()
    const due = Math.ceil((nowMs + waitMs) / wakeEveryMs) * wakeEveryMs
    if (this.wakes.has(due)) return
    this.wakes.add(due)
    this.deps.timers.after(due - nowMs, () => {
      this.wakes.delete(due)
      this.kick()
    })
  }

  /** What was learned of a coin ends with its position. */
  private forget(isOpen: (coin: Coin) => boolean): void {
    this.tries.keepOnly(isOpen, (coin) => this.deps.account.market(coin)?.asset ?? null)
    this.voice.keepOnly(new Set([...this.deps.account.positions.keys()].filter(isOpen)))
  }

  /** One event for each distinct situation, nothing sent. */
  private onPaper(plan: FlattenPlan, reason: string, isFirst: boolean): number | null {
    const situation = `${plan.coins.join(',')};${this.sizes()};${plan.problems.join('; ')}`
    if (!isFirst && (situation === this.lastSituation || plan.isFlat)) return null
    this.lastSituation = situation
    return this.deps.recorder.record(bodyOf(plan, [], reason, false), 'now')?.seq ?? null
  }

  private sizes(): string {
    const { positions } = this.deps.account
    return [...positions.values()].map(({ coin, size }) => `${coin} ${size.toString()}`).join(',')
  }

  private tellProblems(plan: FlattenPlan, reason: string): number | null {
    const situation = plan.problems.join('; ')
    if (situation === '' || situation === this.lastSituation) return null
    this.lastSituation = situation
    const tries = this.tries.textsOf(this.deps.account.positions.keys())
    const body = bodyOf({ ...plan, actions: [] }, tries, reason, true)
    return this.deps.recorder.record(body, 'now')?.seq ?? null
  }

  private showAlert(plan: FlattenPlan, unlisted: readonly string[], reason: string): void {
    const { alerts, account, clock } = this.deps
    if (plan.isFlat && unlisted.length === 0) {
      alerts.clear('flattening')
      return
    }
    const unknown = plan.unnumbered.map(
      (coin) => `a TWAP on ${coin} whose number the venue has not told`,
    )
    const unread = unlisted.map((dex) => `orders on ${dex} that nobody has listed since`)
    const held = [...account.positions.keys(), ...unknown, ...unread].join(', ')
    const unseen = this.deps.unseen()
    const blind = unseen === null ? '' : `; ${unseen}: what is held there is as it was last told`
    const text = `not flat yet (${reason}): ${held === '' ? 'orders are being cancelled' : held}${blind}`
    alerts.raise('flattening', text, clock.now())
  }
}

/** Whether an action was refused for what all actions spend: apart from others they would spend more. */
function isOfAllowance(answered: Answered): boolean {
  return answered.kind === 'whole' && refusalKind(answered.text) === 'allowance'
}

/** The key of all cancels together. */
const allCancels = 'cancels'

/** A coin's close, or an order's cancel. */
function keyOf(what: Coin | number): string {
  return typeof what === 'number' ? `cancel:${what}` : `close:${what}`
}

function bodyOf(
  plan: FlattenPlan,
  tries: readonly string[],
  reason: string,
  sent: boolean,
): FlattenBody {
  const actions = plan.actions.map(encodeAction)
  return { kind: 'flatten', reason, actions, problems: plan.problems, tries, sent }
}
