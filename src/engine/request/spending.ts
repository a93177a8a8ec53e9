import type { Account } from '../../core/account/account.ts'
import { actionsOf } from '../../core/judge/decision.ts'
import type { Decision } from '../../core/judge/decision.ts'
import type { Refusal } from '../../core/judge/refusal.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock, Timers, WeightBudget } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import { costOf } from '../send/costOf.ts'
import { actionsToGetOut } from './actionsToGetOut.ts'
import { noRoomText } from './refusalTexts.ts'
import { spendingLane } from './spendingLane.ts'

interface SpendingDeps {
  readonly clock: Clock
  readonly timers: Pick<Timers, 'after'>
  readonly account: Account
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly budget: WeightBudget
}

/** How long the alert stands after the last exit that was held back. */
const lastsMs = 60_000

/** Takes what bots' requests cost at the venue, and tells a person when an exit finds no room. */
export class Spending {
  private readonly deps: SpendingDeps
  private cancel: (() => void) | null = null
  private heldAtMs = 0

  constructor(deps: SpendingDeps) {
    this.deps = deps
    deps.budget.keepActions(() => actionsToGetOut(deps.account))
  }

  /** Takes the venue's request weight for what goes out; a refusal when there is too little. */
  take(decision: Decision): Refusal | null {
    const actions = actionsOf(decision)
    if (actions.length === 0) return null
    const { budget, account, clock } = this.deps
    const cost = costOf(actions)
    const lane = spendingLane(decision, account, clock.now())
    if (budget.tryTake(lane, cost.weight, cost.actions)) return null
    const shortage = budget.actionShortage(lane, cost.actions)
    const text = shortage ?? noRoomText(budget, lane, cost.weight)
    if (decision.lane === 'exit') this.tell(text)
    return { code: 'rate_limited', text }
  }

  private tell(why: string): void {
    const { alerts, clock, recorder } = this.deps
    const text = `an exit of a bot was held back: ${why}`
    if (!alerts.has('exits_held')) recorder.record({ kind: 'error', text }, 'ride')
    alerts.raise('exits_held', text, clock.now())
    this.heldAtMs = clock.monotonicMs()
    if (this.cancel === null) this.clearIn(lastsMs)
  }

  /** One timer, however many are held back. */
  private clearIn(ms: number): void {
    const { alerts, clock, timers } = this.deps
    this.cancel = timers.after(ms, () => {
      this.cancel = null
      const leftMs = this.heldAtMs + lastsMs - clock.monotonicMs()
      if (leftMs > 0) this.clearIn(leftMs)
      else alerts.clear('exits_held')
    })
  }
}
