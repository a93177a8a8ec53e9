import type { EventBody, Internal } from '../core/events/guardEvent.ts'
import { limits } from '../core/values/limits.ts'
import type { Alerts } from './alerts.ts'
import type { Observer } from './observer.ts'
import type { Appended, Clock, Durable, Journal, Log, Timers } from './ports.ts'
import { within } from './within.ts'

export interface RecorderDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly journal: Journal
  readonly log: Log
  readonly observer: Observer
  readonly alerts: Alerts
}

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
   * Proof for what lowers risk: the journal's, or soon the emergency file's, or one from memory.
   * No disk is waited for longer than `journalPatienceMs` and `emergencyPatienceMs` together.
   */
  async proofFor(body: EventBody & Internal, appended: Appended | null): Promise<Durable> {
    const { journal, timers } = this.deps
    if (appended === null) return await journal.appendEmergency(body, null)
    const written = await within(timers, appended.durable, limits.journalPatienceMs)
    if (written.kind === 'done') return written.value
    return await journal.appendEmergency(body, written.kind === 'late' ? appended : null)
  }

  /** Waits until a record that nothing depends on is on disk, and for a slow disk only so long. */
  async patiently(appended: Appended | null): Promise<void> {
    if (appended === null) return
    await within(this.deps.timers, appended.durable, limits.vetoPatienceMs)
  }

  /** Alerts while there are fewer places for records, or less room, than there should be. */
  watchPlaces(): void {
    const { alerts, clock, journal } = this.deps
    const told = { emergency_dir: journal.warning, disk: journal.shortOfSpace }
    for (const [code, text] of Object.entries(told)) {
      if (text === null) alerts.clear(code)
      else alerts.raise(code, text, clock.now())
    }
  }

  private failed(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    this.deps.log.log('error', 'the journal failed', { error: text })
    const said = `${text}; nothing opens until it works again`
    this.deps.alerts.raise('journal', said, this.deps.clock.now())
  }
}
