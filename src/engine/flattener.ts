import type { Account } from '../core/account/account.ts'
import type { FlattenBody } from '../core/events/guardEvent.ts'
import { refusalIn } from '../core/protocol/actionReply.ts'
import { encodeAction } from '../core/protocol/encodeAction.ts'
import type { CloidMint } from '../core/protocol/guardCloid.ts'
import { planFlatten } from '../core/safety/planFlatten.ts'
import type { FlattenPlan } from '../core/safety/planFlatten.ts'
import type { Alerts } from './alerts.ts'
import { Backoff } from './backoff.ts'
import type { ActionResult } from './dispatcher.ts'
import { isGoneError } from './doneAlready.ts'
import type { Clock, Timers } from './ports.ts'
import type { Recorder } from './recorder.ts'
import type { SafetySender } from './safetySender.ts'

export interface FlattenerDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly account: Account
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly mint: CloidMint
  /** Null in paper mode. */
  readonly sender: SafetySender | null
  /** The account has been seen since the start: what is open is known. */
  readonly isSeen: () => boolean
  /** Why everything is to be closed now; null when nothing is. */
  readonly reason: () => string | null
}

/** Closes everything for as long as there is a reason to, and says so once for each step it takes. */
export class Flattener {
  private readonly deps: FlattenerDeps
  private readonly backoff: Backoff
  private announced: string | null = null
  private lastSituation = ''
  private lastRefusals = ''

  constructor(deps: FlattenerDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock)
  }

  /** A latch or halt of an earlier run has had its event. */
  restore(reason: string): void {
    this.announced = reason
  }

  /** Acts in this tick; the `seq` of the event it wrote, or null when there was nothing to say. */
  kick(): number | null {
    const reason = this.deps.reason()
    if (reason === null) {
      this.announced = null
      this.deps.alerts.clear('flattening')
      return null
    }
    if (!this.deps.isSeen()) return null
    const { account, clock, mint } = this.deps
    const plan = planFlatten({ account, now: clock.now(), mint })
    this.showAlert(plan, reason)
    const isFirst = this.announced !== reason
    this.announced = reason
    if (this.deps.sender === null) return this.onPaper(plan, reason, isFirst)
    // A coin that comes new is tried at once, whatever the others wait for.
    const key = `${reason}|${plan.coins.join(',')}`
    const isHeld = !this.backoff.mayTry(key)
    if (!isFirst && (isHeld || plan.actions.length === 0)) {
      return this.tellProblems(plan, reason)
    }
    this.lastSituation = plan.problems.join('; ')
    const run = this.deps.sender.send(bodyOf(plan, reason, true), plan.actions)
    run.results.then(
      (results) => {
        this.learn(results, key)
      },
      () => {
        this.retryLater(key)
      },
    )
    return run.seq
  }

  private learn(results: readonly ActionResult[], key: string): void {
    const hasFailed = results.some((result) => result.kind !== 'answered' || hasError(result))
    if (hasFailed) this.retryLater(key)
    else this.backoff.clear()
    this.tellRefusals(results)
  }

  /** What the venue refused is an error a person should see; it is tried again all the same. */
  private tellRefusals(results: readonly ActionResult[]): void {
    const texts = new Set<string>()
    for (const result of results) {
      if (result.kind !== 'answered' || result.reply.kind !== 'items') continue
      for (const status of result.reply.statuses) {
        const error = refusalIn(status)
        if (error !== null && !isGoneError(error)) texts.add(error)
      }
    }
    const told = [...texts].join('; ')
    const isNew = told !== this.lastRefusals
    this.lastRefusals = told
    for (const text of isNew ? texts : []) {
      this.deps.recorder.record({ kind: 'error', text: `a close was refused: ${text}` }, 'ride')
    }
  }

  private retryLater(key: string): void {
    const waitMs = this.backoff.failed(key)
    this.deps.timers.after(waitMs, () => {
      this.kick()
    })
  }

  /** One event for each distinct situation, nothing sent. */
  private onPaper(plan: FlattenPlan, reason: string, isFirst: boolean): number | null {
    const situation = `${plan.coins.join(',')};${this.sizes()};${plan.problems.join('; ')}`
    if (!isFirst && (situation === this.lastSituation || plan.isFlat)) return null
    this.lastSituation = situation
    return this.deps.recorder.record(bodyOf(plan, reason, false), 'now')?.seq ?? null
  }

  private sizes(): string {
    const { positions } = this.deps.account
    return [...positions.values()].map(({ coin, size }) => `${coin} ${size.toString()}`).join(',')
  }

  private tellProblems(plan: FlattenPlan, reason: string): number | null {
    const situation = plan.problems.join('; ')
    if (situation === '' || situation === this.lastSituation) return null
    this.lastSituation = situation
    const body = bodyOf({ ...plan, actions: [] }, reason, true)
    return this.deps.recorder.record(body, 'now')?.seq ?? null
  }

  private showAlert(plan: FlattenPlan, reason: string): void {
    const { alerts, account, clock } = this.deps
    if (plan.isFlat) {
      alerts.clear('flattening')
      return
    }
    const held = [...account.positions.keys()].join(', ')
    const text = `not flat yet (${reason}): ${held === '' ? 'orders are being cancelled' : held}`
    alerts.raise('flattening', text, clock.now())
  }
}

function bodyOf(plan: FlattenPlan, reason: string, sent: boolean): FlattenBody {
  const actions = plan.actions.map(encodeAction)
  return { kind: 'flatten', reason, actions, problems: plan.problems, sent }
}

/** Whether anything of it was refused, or nobody knows what became of it. */
function hasError({ reply }: ActionResult & { kind: 'answered' }): boolean {
  if (reply.kind === 'refused') return true
  return reply.statuses.some((status) => {
    const error = refusalIn(status)
    return status.kind === 'unknown' || (error !== null && !isGoneError(error))
  })
}
