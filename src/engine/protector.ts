import type { Account } from '../core/account/account.ts'
import type { ProtectBody } from '../core/events/guardEvent.ts'
import { openRiskBudget } from '../core/judge/context.ts'
import type { RiskView } from '../core/judge/decision.ts'
import type { Action, Order } from '../core/protocol/action.ts'
import { refusalIn, statusOf } from '../core/protocol/actionReply.ts'
import { encodeAction } from '../core/protocol/encodeAction.ts'
import type { CloidMint } from '../core/protocol/guardCloid.ts'
import type { RulesFor } from '../core/rules/rules.ts'
import { closeOrder } from '../core/safety/closeOrder.ts'
import { planProtect } from '../core/safety/planProtect.ts'
import type { ProtectPlan, ProtectStep } from '../core/safety/planProtect.ts'
import type { Coin } from '../core/values/coin.ts'
import type { Decimal } from '../core/values/decimal.ts'
import type { Alerts } from './alerts.ts'
import { Backoff } from './backoff.ts'
import type { ActionResult } from './dispatcher.ts'
import type { Clock, Timers } from './ports.ts'
import type { Recorder } from './recorder.ts'
import type { SafetySender } from './safetySender.ts'

export interface ProtectorDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly account: Account
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly rulesFor: RulesFor
  readonly mint: CloidMint
  readonly risk: () => RiskView
  /** Null in paper mode. */
  readonly sender: SafetySender | null
  /** Only while the risk engine is active and nothing is latched. */
  readonly isWanted: () => boolean
}

/** Sees to it that every position is covered in full and every resting entry has its stop. */
export class Protector {
  private readonly deps: ProtectorDeps
  private readonly refused = new Set<Coin>()
  private readonly backoff: Backoff
  private lastSituation = ''

  constructor(deps: ProtectorDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock)
  }

  /** Looks at the account as it is now and acts in this tick. */
  kick(): void {
    if (!this.deps.isWanted()) {
      // What is said of a position must not outlive it, whoever closes it.
      this.deps.alerts.keepOnly('unprotected_position', this.uncovered())
      return
    }
    const plan = this.plan()
    this.showAlerts(plan)
    // What is told of the account may be wrong: no stop is taken away on its word.
    const isSure = this.deps.risk().doubt == null
    const steps = plan.steps.filter(
      (step) => this.backoff.mayTry(keyOf(step)) && (isSure || step.kind !== 'remove_stop'),
    )
    const isNew = plan.situation !== this.lastSituation
    this.lastSituation = plan.situation
    if (this.deps.sender === null) {
      if (isNew && plan.situation !== '') this.recordOnly(plan)
      return
    }
    if (steps.length > 0) this.send(steps, plan.problems)
    else if (isNew && plan.problems.length > 0) this.recordOnly({ ...plan, actions: [] })
  }

  /** An entry was accepted and its stop refused: what filled is closed, what rests is cancelled. */
  entryWithoutStop(coin: Coin, entry: Order, filled: Decimal | null, why: string): void {
    const { account, mint, sender } = this.deps
    const market = account.market(coin)
    if (sender === null || market === null) return
    const actions: Action[] = []
    const price = account.mid(coin)?.price ?? account.mark(coin) ?? entry.price
    if (filled !== null && filled.isPositive()) {
      const signed = entry.isBuy ? filled : filled.negated()
      const order = closeOrder(market, signed, price, mint)
      actions.push({ type: 'order', orders: [order], grouping: 'na', builder: null })
    }
    if (entry.cloid !== null && (filled === null || filled.lt(entry.size))) {
      const cancels = [{ asset: entry.asset, cloid: entry.cloid }]
      actions.push({ type: 'cancelByCloid', cancels })
    }
    const problems = [`${coin}: the venue refused the entry's stop: ${why}`]
    const run = sender.send(bodyOf([coin], actions, problems, true), actions)
    run.results.then(
      () => {
        this.kick()
      },
      () => undefined,
    )
  }

  private plan(): ProtectPlan {
    const { account, clock, mint, rulesFor } = this.deps
    for (const coin of this.refused) if (!account.positions.has(coin)) this.refused.delete(coin)
    return planProtect({
      account,
      now: clock.now(),
      stopDistance: (coin) => rulesFor(null, coin).stopDistance,
      recordedStops: known(account, (coin) => account.recordedStop(coin)),
      promises: known(account, (coin) => account.promise(coin)),
      refusedStops: this.refused,
      riskLeft: () => this.riskLeft(),
      mint,
    })
  }

  /** What the judge would find left of the open risk. */
  private riskLeft(): Decimal {
    const { account, risk, rulesFor } = this.deps
    const budget = openRiskBudget({ account, risk: risk() }, rulesFor(null, null))
    return budget.minus(account.exposure().openRisk)
  }

  private send(steps: readonly ProtectStep[], problems: readonly string[]): void {
    const actions = steps.map(({ action }) => action)
    const coins = [...new Set(steps.map(({ coin }) => coin))].sort()
    const run = this.deps.sender?.send(bodyOf(coins, actions, problems, true), actions)
    run?.results.then(
      (results) => {
        this.learn(steps, results)
      },
      () => {
        this.retryLater(steps)
      },
    )
  }

  private learn(steps: readonly ProtectStep[], results: readonly ActionResult[]): void {
    const failed: ProtectStep[] = []
    results.forEach((result, place) => {
      const step = steps[place]
      if (step === undefined) return
      const isRefused = refusalOf(result) !== null
      if (step.kind === 'stop' && isRefused) this.refused.add(step.coin)
      else if (isRefused || result.kind === 'not_sent') failed.push(step)
      else if (result.kind === 'answered') this.backoff.reset(keyOf(step))
      if (result.kind === 'unknown') this.kickAfter(result.settled)
    })
    this.retryLater(failed)
    this.kick()
  }

  private kickAfter(settled: Promise<boolean>): void {
    settled.then(
      () => {
        this.kick()
      },
      () => undefined,
    )
  }

  private retryLater(steps: readonly ProtectStep[]): void {
    for (const step of steps) {
      const waitMs = this.backoff.failed(keyOf(step))
      this.deps.timers.after(waitMs, () => {
        this.kick()
      })
    }
  }

  /** Paper mode, and what cannot be acted on: said once for each distinct situation. */
  private recordOnly(plan: ProtectPlan): void {
    this.deps.recorder.record(bodyOf(plan.coins, plan.actions, plan.problems, false), 'now')
  }

  private uncovered(): ReadonlySet<string> {
    const { account } = this.deps
    const coins = [...account.positions.keys()]
    return new Set(coins.filter((coin) => account.cover(coin)?.isFull === false))
  }

  private showAlerts(plan: ProtectPlan): void {
    const { alerts, clock } = this.deps
    const now = clock.now()
    const uncovered = this.uncovered()
    for (const coin of uncovered) {
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

function keyOf(step: ProtectStep): string {
  return `${step.kind}:${step.coin}`
}

function bodyOf(
  coins: readonly string[],
  actions: readonly Action[],
  problems: readonly string[],
  sent: boolean,
): ProtectBody {
  return { kind: 'protect', coins, actions: actions.map(encodeAction), problems, sent }
}

function refusalOf(result: ActionResult): string | null {
  return result.kind === 'answered' ? refusalIn(statusOf(result.reply, 0)) : null
}
