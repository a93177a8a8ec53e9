import type { EventBody, Internal } from '../core/events/guardEvent.ts'
import type { Alerts } from './alerts.ts'
import type { Observer } from './observer.ts'
import type { Appended, Clock, Durable, Journal, Log, Timers } from './ports.ts'

export interface RecorderDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly journal: Journal
  readonly log: Log
  readonly observer: Observer
  readonly alerts: Alerts
}

/** What waits for the disk gives up on the journal after this and goes to the emergency file. */
export type Patience = { readonly waitMs: number }

/** Writes Guard's events. A broken journal is an answer here, never an exception. */
export class Recorder {
  private readonly deps: RecorderDeps

  constructor(deps: RecorderDeps) {
    this.deps = deps
  }

  /** Null when the journal takes nothing: nothing was numbered. */
  record(body: EventBody & Internal, flush: 'now' | 'ride'): Appended | null {
    try {
      const appended = this.deps.journal.append(body, flush)
      this.deps.observer.event(body.kind)
      // Whoever needs the proof awaits it; for everyone else a failure shows in `journal.error`.
      appended.durable.then(
        () => this.deps.alerts.clear('journal'),
        (error: unknown) => this.failed(error),
      )
      return appended
    } catch (error) {
      this.failed(error)
      return null
    }
  }

  /**
   * Proof for what lowers risk: the journal's within `waitMs`, else the emergency file's. Rejects
   * only when no disk takes it.
   */
  async proofFor(
    body: EventBody & Internal,
    appended: Appended | null,
    patience: Patience,
  ): Promise<Durable> {
    if (appended !== null) {
      const proof = await this.within(appended.durable, patience.waitMs)
      if (proof !== null) return proof
    }
    return await this.deps.journal.appendEmergency(body)
  }

  private within(durable: Promise<Durable>, waitMs: number): Promise<Durable | null> {
    return new Promise((resolve) => {
      const cancel = this.deps.timers.after(waitMs, () => {
        resolve(null)
      })
      durable.then(
        (proof) => {
          cancel()
          resolve(proof)
        },
        () => {
          cancel()
          resolve(null)
        },
      )
    })
  }

  private failed(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    this.deps.log.log('error', 'the journal failed', { error: text })
    const said = `${text}; nothing opens until it works again`
    this.deps.alerts.raise('journal', said, this.deps.clock.now())
  }
}
