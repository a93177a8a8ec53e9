import type { Account } from '../../core/account/account.ts'
import type { TwapView } from '../../core/account/accountView.ts'
import type { ProtectBody } from '../../core/events/guardEvent.ts'
import { openRiskBudget } from '../../core/judge/context.ts'
import { leansOn } from '../../core/account/poolOf.ts'
import { poolRiskLeft, poolSums } from '../../core/judge/poolSums.ts'
import type { RiskView } from '../../core/judge/decision.ts'
import type { Action, Order } from '../../core/protocol/action.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import type { CloidMint } from '../../core/protocol/guardCloid.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import { closeOrders } from '../../core/safety/closeOrder.ts'
import { fitStep, roomForStops } from '../../core/safety/fitSteps.ts'
import { freshPrices } from '../../core/safety/freshPrice.ts'
import { closesInPlace, ownStops } from '../../core/safety/ownStops.ts'
import { planProtect } from '../../core/safety/planProtect.ts'
import type { ProtectPlan, ProtectStep } from '../../core/safety/planProtect.ts'
import { RefusedTries } from '../../core/safety/refusedTries.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { mayBeOfAnother, refusalKind } from '../../core/venueLimits/refusal.ts'
import type { Alerts } from '../alerts.ts'
import { Backoff, urgentPauseMs } from '../backoff.ts'
import type { ActionResult } from '../send/dispatcher.ts'
import type { CoverSight } from './coverSight.ts'
import type { Clock, Timers, WeightBudget } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import { ownStopJson } from '../stopRows.ts'
import { answeredBy, firstRefusal, isDone, isTakenWhole } from '../send/itemOutcomes.ts'
import type { Answered } from '../send/itemOutcomes.ts'
import { cancelWaiting } from './cancelWaiting.ts'
import type { LackingFill } from './changedPositions.ts'
import { RefusalAlerts } from './refusalAlerts.ts'
import { RefusedPrices } from './refusedPrices.ts'
import type { SafetySender } from '../send/safetySender.ts'
import { TwapCancels } from './twapCancels.ts'

interface ProtectorDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly account: Account
  readonly budget: Pick<WeightBudget, 'heldMs'>
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly rulesFor: RulesFor
  readonly mint: CloidMint
  readonly risk: () => RiskView
  /** Null in paper mode. */
  readonly sender: SafetySender | null
  /** Whether stops may leave: Guard runs, and has seen the positions and what covers them. */
  readonly mayProtect: () => boolean
  readonly cover: Pick<CoverSight, 'isKnownOf'>
  readonly sight: () => {
    /** Nothing has told why a coin's position is smaller or gone: none of its stops goes meanwhile. */
    lacksFill(coin: Coin): LackingFill | null
  }
  /**
   * While everything is being closed: the coins whose close the venue refused. They alone get a
   * stop again where theirs has gone, and nothing else is done. Null while nothing is being closed.
   */
  readonly whileClosing: () => ReadonlySet<Coin> | null
  readonly listTwaps: () => void
  readonly findTwaps: () => void
  /** A stop was refused, or was taken and covers nothing: its id may be another perp's. */
  readonly doubtId: (coin: Coin, isSure?: boolean) => void
  /** Whether what would go out for a coin waits a moment for the list that tells its id. */
  readonly isIdAwaited: (coin: Coin) => boolean
}

/** Sees to it that every position is covered in full and every resting entry has its stop. */
export class Protector {
  private readonly deps: ProtectorDeps
  private readonly refused = new RefusedPrices()
  private readonly stopTries = new RefusedTries()
  private readonly closeTries = new RefusedTries()
  private readonly stopVoice: RefusalAlerts
  private readonly closeVoice: RefusalAlerts
  private readonly exitVoice: RefusalAlerts
  private readonly backoff: Backoff
  private readonly twaps: TwapCancels
  /** The size of each position for which the venue took a stop last. */
  private readonly stopped = new Map<Coin, Decimal>()
  /** A stop was refused because of too many orders, and none has gone since. */
  private isRoomWanted = false
  private lastSituation = ''

  constructor(deps: ProtectorDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock, urgentPauseMs(deps.budget))
    this.twaps = new TwapCancels(deps.clock)
    this.stopVoice = new RefusalAlerts(deps, 'stop')
    this.closeVoice = new RefusalAlerts(deps, 'close')
    this.exitVoice = new RefusalAlerts(deps, 'exit')
  }

  /** Looks at the account as it is now and acts in this tick. */
  kick(): void {
    if (!this.deps.mayProtect()) {
      // What is said of a position must not outlive it, whoever closes it.
      this.deps.alerts.keepOnly('unprotected_position', this.uncovered())
      return
    }
    this.forgetClosed()
    const plan = this.plan()
    const closing = this.deps.whileClosing()
    this.showAlerts(plan, closing)
    const wanted = closing === null ? plan.steps : stopsOn(plan.steps, closing)
    // What is told of the account may be wrong: no stop is taken away on its word.
    const isSure = this.deps.risk().doubt == null
    const room = isSure ? roomForStops(this.deps.account, wanted, this.isRoomWanted) : []
    const sight = this.deps.sight()
    const steps = [...room, ...wanted].filter(
      (step) =>
        this.backoff.mayTry(keyOf(step)) &&
        (!takesStopAway(step) || (isSure && sight.lacksFill(step.coin) === null)) &&
        this.deps.cover.isKnownOf(step.coin) &&
        !('order' in step && this.deps.isIdAwaited(step.coin)),
    )
    if (this.deps.sender === null && closing !== null) return
    const isNew = plan.situation !== this.lastSituation
    this.lastSituation = plan.situation
    if (this.deps.sender === null) {
      if (isNew && plan.situation !== '') this.recordOnly(plan)
      return
    }
    if (steps.length > 0) this.send(steps, plan.problems)
    else if (isNew && plan.problems.length > 0 && closing === null) {
      this.recordOnly({ ...plan, actions: [] })
    }
  }

  /** An entry was accepted and its stop refused: what filled is closed, what rests is cancelled. */
  entryWithoutStop(coin: Coin, entry: Order, filled: Decimal | null, why: string): void {
    const { account, mint, sender } = this.deps
    const market = account.market(coin)
    if (sender === null || market === null) return
    const actions: Action[] = []
    const price = freshPrices(account, coin).price ?? entry.price
    if (filled !== null && filled.isPositive()) {
      const signed = entry.isBuy ? filled : filled.negated()
      const prices = { price, mark: account.mark(coin), oracle: account.oracle(coin) }
      const manner = this.closeTries.mannerOf(coin)
      const { orders } = closeOrders(market, signed, prices, mint, manner)
      const stop = entry.cloid === null ? null : account.promises.notedOf(entry.cloid, true)
      for (const { cloid } of orders) if (cloid && stop) account.promises.closeFor(cloid, stop)
      actions.push({ type: 'order', orders, grouping: 'na', builder: null })
    }
    if (entry.cloid !== null && (filled === null || filled.lt(entry.size))) {
      const cancels = [{ asset: entry.asset, cloid: entry.cloid }]
      actions.push({ type: 'cancelByCloid', cancels })
    }
    const problems = [`${coin}: the venue refused the entry's stop: ${why}`]
    const run = sender.send(bodyOf([coin], actions, problems, [], true), actions)
    run.results.then(
      () => {
        this.kick()
      },
      () => undefined,
    )
  }

  /** Guard is about to stop: what waits for a trigger goes, within so many milliseconds. Returns the TWAPs left. */
  async cancelWaiting(mostMs: number): Promise<readonly TwapView[]> {
    return await cancelWaiting(this.deps, mostMs)
  }

  /** The venue refused a bot's exit as a whole: what the bot tries next is its own, a person is told. */
  exitRefused(coins: readonly Coin[], text: string): void {
    const held = coins.filter((coin) => this.deps.account.positions.has(coin))
    if (held.length > 0) this.exitVoice.refused(held, text)
  }

  exitTaken(coins: readonly Coin[]): void {
    for (const coin of coins) this.exitVoice.taken(coin)
  }

  private plan(): ProtectPlan {
    const { account, clock, mint, rulesFor } = this.deps
    return planProtect({
      account,
      now: clock.now(),
      stopDistance: (coin) => rulesFor(null, coin).stopDistance,
      recordedStops: known(account, (coin) => account.recordedStop(coin)),
      promises: known(account, (coin) => account.promise(coin)),
      refusedStops: this.refused.coins,
      mayWait: (coin) => rulesFor(null, coin).triggerEntries === 'watched',
      mayTwap: (coin) => rulesFor(null, coin).twap === 'watched',
      isTwapHeld: (id) => this.twaps.isHeld(id),
      isFillAwaited: (coin) => this.deps.sight().lacksFill(coin) === 'awaited',
      stopLostAt: (coin) => account.stopLostAt(coin),
      endedSince: (coin, isLong) => account.endedSince(coin, isLong),
      riskLeft: (coin) => this.riskLeft(coin),
      mint,
    })
  }

  /** What the judge would find left of the open risk, and of what a coin's cross position leans on. */
  private riskLeft(coin: Coin): Decimal {
    const { account, risk, rulesFor } = this.deps
    const budget = openRiskBudget({ account, risk: risk() }, rulesFor(null, null))
    const left = budget.minus(account.exposure().openRisk)
    const pools = account.crossPools().filter((pool) => leansOn(pool, coin))
    const each = pools.map((pool) => poolRiskLeft(pool, poolSums(pool.rows, account)) ?? left)
    return Decimal.min(left, ...each)
  }

  private send(planned: readonly ProtectStep[], problems: readonly string[]): void {
    const { account, mint } = this.deps
    const { stopTries, closeTries } = this
    const fitted = planned.map((step) => fitStep({ account, mint, stopTries, closeTries }, step))
    const steps = fitted.map(({ step }) => step)
    for (const step of steps) if (step.kind === 'cancel_twap') this.twaps.sent(step.twapId)
    const actions = steps.map(({ action }) => action)
    const coins = [...new Set(steps.map(({ coin }) => coin))].sort()
    const told = [...problems, ...fitted.flatMap(({ problem }) => problem ?? [])]
    const tries = [...stopTries.textsOf(coins), ...closeTries.textsOf(coins)]
    const waiting = new Map(steps.entries())
    const own = ownStops(account, steps)
    for (const stop of own) account.promises.promiseOwn(stop)
    for (const [cloid, trigger] of closesInPlace(steps)) account.promises.closeFor(cloid, trigger)
    const said = bodyOf(coins, actions, told, tries, true)
    const body = own.length === 0 ? said : { ...said, _: { own_stops: own.map(ownStopJson) } }
    const run = this.deps.sender?.send(body, actions, (place, result) => {
      const step = waiting.get(place)
      waiting.delete(place)
      if (step !== undefined) this.learn(step, result)
    })
    run?.results.catch(() => {
      this.retryLater([...waiting.values()])
    })
  }

  /** Each answer counts at once, however long the others take. */
  private learn(step: ProtectStep, result: ActionResult): void {
    const answered = answeredBy(step.action, result)
    const refusal = firstRefusal(answered)
    if (step.kind === 'cancel_twap') this.learnTwap(step.twapId, answered)
    else if (result.kind === 'unknown') this.kickAfter(result.settled)
    else if (refusal !== null) {
      if (this.learnRefusal(step, refusal) === 'retry') this.retryLater([step], refusal)
    } else if (isTakenWhole(answered)) this.taken(step)
    else this.retryLater([step])
    this.kick()
  }

  private learnTwap(id: number, answered: Answered): void {
    if (isDone(answered, 0)) this.twaps.gone(id)
    else {
      this.deps.timers.after(this.twaps.failed(id), () => {
        this.kick()
      })
    }
  }

  /**
   * A stop that is refused for its price cannot protect: its position is closed at once. One that met a limit of
   * the venue, or whose id is no market's, is placed in another way.
   */
  private learnRefusal(step: ProtectStep, text: string): 'retry' | 'done' {
    if (!('order' in step)) return 'retry'
    const { coin, kind } = step
    const { asset } = step.order
    const refusal = refusalKind(text)
    const size = this.deps.account.positions.get(coin)?.size ?? Decimal.zero
    if (refusal === 'too_many_orders') this.isRoomWanted = true
    if (kind === 'close') {
      this.closeTries.refused(coin, text, size, asset)
      if (mayBeOfAnother(text)) this.deps.doubtId(coin)
      if (refusal !== 'nothing_to_reduce') this.closeVoice.refused([coin], text)
      return 'retry'
    }
    this.stopTries.refused(coin, text, size, asset)
    if (refusal !== 'nothing_to_reduce') this.stopVoice.refused([coin], text)
    if (this.refused.refused(coin, text, asset)) return 'done'
    if (mayBeOfAnother(text)) this.deps.doubtId(coin, this.refused.isUnclear(coin))
    return 'retry'
  }

  private taken(step: ProtectStep): void {
    if (step.kind !== 'stop' || !this.isRepeated(step.coin)) this.backoff.reset(keyOf(step))
    else {
      // One after the other would go until no request weight is left.
      this.retryLater([step])
      this.deps.doubtId(step.coin)
    }
    if (step.kind === 'stop') {
      this.refused.taken(step.coin)
      this.stopTries.taken(step.coin)
      this.stopVoice.taken(step.coin)
    } else if (step.kind === 'close') {
      this.closeTries.taken(step.coin)
      this.closeVoice.taken(step.coin)
    } else this.isRoomWanted = false
  }

  /** Whether a stop was taken before for a position of this size: either it is gone, or it covers nothing. */
  private isRepeated(coin: Coin): boolean {
    const size = this.deps.account.positions.get(coin)?.size ?? Decimal.zero
    const before = this.stopped.get(coin)
    this.stopped.set(coin, size)
    return before?.eq(size) === true
  }

  /** What was learned of a coin, and what is said of it, ends with its position. */
  private forgetClosed(): void {
    const { account } = this.deps
    const { positions } = account
    const isOpen = (coin: Coin): boolean => positions.has(coin)
    const assetOf = (coin: Coin): number | null => account.market(coin)?.asset ?? null
    for (const coin of this.stopped.keys()) if (!isOpen(coin)) this.stopped.delete(coin)
    this.refused.keepOnly(isOpen, assetOf)
    this.stopTries.keepOnly(isOpen, assetOf)
    this.closeTries.keepOnly(isOpen, assetOf)
    this.stopVoice.keepOnly(new Set(positions.keys()))
    this.closeVoice.keepOnly(new Set(positions.keys()))
    this.exitVoice.keepOnly(new Set(positions.keys()))
  }

  private kickAfter(settled: Promise<boolean>): void {
    settled.then(
      () => {
        this.kick()
      },
      () => undefined,
    )
  }

  private retryLater(steps: readonly ProtectStep[], refusal = ''): void {
    for (const step of steps) {
      const tries = step.kind === 'stop' ? this.stopTries : this.closeTries
      const waitMs = tries.isAtEdge(step.coin, refusal)
        ? this.backoff.failedOnce(keyOf(step))
        : this.backoff.failed(keyOf(step))
      this.deps.timers.after(waitMs, () => {
        this.kick()
      })
    }
  }

  /** Paper mode, and what cannot be acted on: said once for each distinct situation. */
  private recordOnly(plan: ProtectPlan): void {
    this.deps.recorder.record(bodyOf(plan.coins, plan.actions, plan.problems, [], false), 'now')
  }

  private uncovered(): ReadonlySet<Coin> {
    const { account } = this.deps
    const coins = [...account.positions.keys()]
    return new Set(coins.filter((coin) => account.cover(coin)?.isFull === false))
  }

  /** While everything is being closed only what cannot be closed is new. */
  private showAlerts(plan: ProtectPlan, closing: ReadonlySet<string> | null): void {
    const { alerts, clock, cover } = this.deps
    const now = clock.now()
    const uncovered = new Set([...this.uncovered()].filter((coin) => cover.isKnownOf(coin)))
    for (const coin of uncovered) {
      if (closing !== null && !closing.has(coin)) continue
      const problem = plan.problems.find((each) => each.startsWith(`${coin}:`))
      const text = problem ?? `${coin}: the position is not covered in full by a market stop`
      alerts.raise('unprotected_position', text, now, coin)
    }
    alerts.keepOnly('unprotected_position', uncovered)
  }
}

/** What is known of each position. */
function known<T>(account: Account, of: (coin: Coin) => T | null): ReadonlyMap<Coin, T> {
  const found = new Map<Coin, T>()
  for (const coin of account.positions.keys()) {
    const value = of(coin)
    if (value !== null) found.set(coin, value)
  }
  return found
}

/** Whether a step takes away a stop that the venue has. */
function takesStopAway({ kind }: ProtectStep): boolean {
  return kind === 'remove_stop' || kind === 'remove_outlived'
}

function keyOf(step: ProtectStep): string {
  return `${step.kind}:${step.coin}`
}

/** The stops of a plan on these coins. */
function stopsOn(steps: readonly ProtectStep[], coins: ReadonlySet<Coin>): readonly ProtectStep[] {
  return steps.filter(({ kind, coin }) => kind === 'stop' && coins.has(coin))
}

function bodyOf(
  coins: readonly string[],
  actions: readonly Action[],
  problems: readonly string[],
  tries: readonly string[],
  sent: boolean,
): ProtectBody {
  return { kind: 'protect', coins, actions: actions.map(encodeAction), problems, tries, sent }
}
