import type { Settlement } from '../core/account/reservation.ts'
import type { Action } from '../core/protocol/action.ts'
import type { Millis } from '../core/values/millis.ts'
import type { Alerts } from './alerts.ts'
import { lookUp } from './lookup.ts'
import type { Found, LookupDeps } from './lookup.ts'
import type { Clock, Log, Timers } from './ports.ts'

/** An action that was sent and not answered. */
export interface Unknown {
  readonly id: string
  readonly action: Action
  /** When it was written down. */
  readonly at: Millis
  readonly expiresAt: Millis
}

export interface UnknownOutcomesDeps extends LookupDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly alerts: Alerts
  readonly settle: (id: string, settlement: Settlement) => void
  readonly isStopped: () => boolean
}

/** After it has expired at the venue, what is not there will never be; the slack is for its clock. */
const expirySlackMs = 2_000
const firstAskMs = 250
const askEveryMs = 1_000

/** Follows up what was sent and not answered: the venue is asked, nothing is ever sent again. */
export class UnknownOutcomes {
  private readonly deps: UnknownOutcomesDeps
  private readonly open = new Set<string>()

  constructor(deps: UnknownOutcomesDeps) {
    this.deps = deps
  }

  /** Resolves, once it is known, with whether the action happened. */
  track(unknown: Unknown): Promise<boolean> {
    this.open.add(unknown.id)
    this.showAlert()
    return new Promise((resolve) => {
      const settle = (happened: boolean): void => {
        this.open.delete(unknown.id)
        this.showAlert()
        this.deps.settle(unknown.id, { outcome: happened ? 'accepted' : 'refused' })
        resolve(happened)
      }
      this.deps.timers.after(firstAskMs, () => {
        this.ask(unknown, settle)
      })
    })
  }

  private ask(unknown: Unknown, settle: (happened: boolean) => void): void {
    if (this.deps.isStopped()) return
    const isOver = this.deps.clock.now() > unknown.expiresAt + expirySlackMs
    lookUp(this.deps, unknown.action, unknown.at)
      .catch((error: unknown): Found => ({ kind: 'unreachable', error: String(error) }))
      .then((found) => {
        if (found.kind === 'happened') settle(true)
        else if (isOver && found.kind !== 'unreachable') settle(false)
        else {
          this.deps.timers.after(askEveryMs, () => {
            this.ask(unknown, settle)
          })
        }
        this.deps.log.log('info', 'asked what became of an unanswered action', {
          id: unknown.id,
          found: found.kind,
        })
      })
      .catch(() => undefined)
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
