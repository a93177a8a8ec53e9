import type { Settlement } from '../../core/account/reservation.ts'
import type { Action } from '../../core/protocol/action.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Alerts } from '../alerts.ts'
import { LeverageQuestions } from './leverageQuestions.ts'
import { isPlacing, ListQuestions } from './listQuestions.ts'
import { leverageFound, lookUp } from './lookup.ts'
import type { Found, LookupDeps } from './lookup.ts'
import type { Clock, Urgency, Timers } from '../ports.ts'
import type { StepLog } from './stepLog.ts'

/** An action that was sent, or a part of one, of which no answer says what became of it. */
interface Unknown {
  /** The id of its reservation in the account. */
  readonly id: string
  readonly action: Action
  /** The one order of the reservation that is in doubt; null when all of it is. */
  readonly place: number | null
  /** When it was written down. */
  readonly at: Millis
  /** By the monotonic clock: from then on the venue no longer takes it. */
  readonly expiresMonotonicMs: number
  /** Who sent it. */
  readonly lane: Urgency
  readonly steps: StepLog
}

interface UnknownOutcomesDeps extends LookupDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly alerts: Alerts
  readonly settle: (id: string, settlement: Settlement) => void
  readonly settleOrder: (id: string, index: number, settlement: Settlement) => void
  readonly isStopped: () => boolean
}

/** One of them, and since when it is followed up, by the monotonic clock. */
type Tracked = Unknown & { readonly sinceMs: number }

/** What is not found so long after its expiry will never happen; it covers a difference of the clocks. */
const expirySlackMs = 2_000
const firstAskMs = 250
const secondAskMs = 1_000
/** The venue's request weight is for getting out: the longer it takes, the rarer the question. */
const askEveryMsMax = 8_000

/** Follows up what was sent and not answered: the venue is asked, nothing is ever sent again. */
export class UnknownOutcomes {
  private readonly deps: UnknownOutcomesDeps
  private readonly open = new Set<string>()
  private readonly asking = new Map<string, Promise<Found>>()
  private readonly leverages: LeverageQuestions
  private readonly lists: ListQuestions

  constructor(deps: UnknownOutcomesDeps) {
    this.deps = deps
    this.leverages = new LeverageQuestions(deps)
    this.lists = new ListQuestions(deps)
  }

  /**
   * Resolves with true once the venue shows that the action happened, with false once it has expired
   * and the venue does not show it, or keeps no record of such actions.
   */
  track(unknown: Unknown): Promise<boolean> {
    const { id, place, action } = unknown
    const tracked = { ...unknown, sinceMs: this.deps.clock.monotonicMs() }
    const key = place === null ? id : `${id} ${place}`
    this.open.add(key)
    this.lists.wait(action)
    this.showAlert()
    return new Promise((resolve) => {
      const settle = (happened: boolean): void => {
        this.open.delete(key)
        this.lists.forget(action)
        this.showAlert()
        const settlement = { outcome: happened ? 'accepted' : 'refused' } as const
        if (place === null) this.deps.settle(id, settlement)
        else this.deps.settleOrder(id, place, settlement)
        resolve(happened)
      }
      this.deps.timers.after(firstAskMs, () => {
        this.ask(tracked, settle, secondAskMs)
      })
    })
  }

  private ask(unknown: Tracked, settle: (happened: boolean) => void, nextMs: number): void {
    const { clock, timers } = this.deps
    if (this.deps.isStopped()) return
    const leftMs = unknown.expiresMonotonicMs + expirySlackMs - clock.monotonicMs()
    const waitMs = this.waitMs(unknown, leftMs)
    if (waitMs > 0) {
      timers.after(waitMs, () => {
        this.ask(unknown, settle, nextMs)
      })
      return
    }
    this.shared(unknown, leftMs < 0)
      .then((found) => {
        if (found.kind === 'happened') settle(true)
        else if (leftMs < 0 && isAnswer(found)) settle(false)
        else {
          // The answer is final once it has expired: it is asked again then, and no later.
          const waitMs = leftMs > 0 ? Math.min(nextMs, leftMs + 1) : nextMs
          timers.after(waitMs, () => {
            this.ask(unknown, settle, Math.min(askEveryMsMax, nextMs * 2))
          })
        }
        const said = { id: unknown.id, found: found.kind }
        unknown.steps.say('asked what became of an unanswered action', said)
      })
      .catch(() => undefined)
  }

  /** A final answer is one that was asked for after the action had expired. */
  private waitMs({ action, lane, sinceMs }: Tracked, leftMs: number): number {
    const now = this.deps.clock.monotonicMs()
    const finalMs = leftMs < 0 ? now + leftMs : -Infinity
    if (action.type === 'updateLeverage') return this.leverages.waitMs(action.asset, finalMs, now)
    if (!this.lists.areListed(action) || (isPlacing(action) && leftMs < 0)) return 0
    // An order that was placed after the list was asked for may be open, and not in it.
    return this.lists.waitMs(laneOf(lane), Math.max(sinceMs, finalMs), now)
  }

  /** Actions that are the same but for their nonce are one question, and so is a coin's leverage. */
  private shared({ action, at, lane: sentBy }: Unknown, isExpired: boolean): Promise<Found> {
    const lane = isExpired && sentBy === 'safety' && isShort(action) ? 'safety' : laneOf(sentBy)
    const nowMs = this.deps.clock.monotonicMs()
    // That an order never came is told by the question about it alone, once it has expired.
    if (this.lists.areListed(action) && !(isPlacing(action) && isExpired)) {
      return this.lists.ask(action, at, nowMs, lane)
    }
    if (action.type === 'updateLeverage') {
      const asked = this.leverages.ask(action.asset, nowMs, lane)
      return asked.then((setting) => leverageFound(setting, action))
    }
    // What places orders is looked up from the moment it was sent: each sending is a question.
    const isOwn = isPlacing(action) || action.type === 'twapOrder'
    const key = JSON.stringify([encodeAction(action), isOwn ? at : null])
    const running = this.asking.get(key)
    if (running !== undefined) return running
    const asked = lookUp(this.deps, action, at, lane)
      .catch((error: unknown): Found => ({ kind: 'unreachable', error: String(error) }))
      .finally(() => {
        this.asking.delete(key)
      })
    this.asking.set(key, asked)
    return asked
  }

  private showAlert(): void {
    const count = this.open.size
    if (count === 0) this.deps.alerts.clear('unknown_outcome')
    else {
      const text = `${count} sent action(s) got no answer; the venue is being asked about them`
      this.deps.alerts.raise('unknown_outcome', text, this.deps.clock.now())
    }
  }
}

/**
 * A bot's actions are asked about with the weight for entries: until the answer only room for
 * entries is blocked, and the weight that exits need must not be spent on it.
 */
function laneOf(sentBy: Urgency): Urgency {
  return sentBy === 'safety' ? 'watch' : 'entry'
}

/**
 * The last question about a few orders costs hardly more than they did. About Guard's own it is asked
 * with the weight for stops and closes: nothing takes the place of a lost stop before its answer.
 */
function isShort(action: Action): boolean {
  return action.type === 'order' && action.orders.length <= 10
}

/** Without an answer that can be read nothing is settled, however long it takes. */
function isAnswer({ kind }: Found): boolean {
  return kind !== 'unreachable' && kind !== 'unreadable'
}
