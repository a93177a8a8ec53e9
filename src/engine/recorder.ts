import type { DecisionBody, EventBody, Internal } from '../core/events/guardEvent.ts'
import { limits } from '../core/values/limits.ts'
import type { Alerts } from './alerts.ts'
import type { Observer } from './observer.ts'
import type { Appended, Clock, Durable, Journal, Log, Timers } from './ports.ts'
import { WaitingRecords } from './waitingRecords.ts'
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
  private readonly waiting = new WaitingRecords()

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
   * Records a refusal. One that a broken journal does not take is kept, and recorded when the journal
   * works again: a request that was answered leaves a trace.
   */
  recordRefusal(body: DecisionBody & Internal): Appended | null {
    const appended = this.record(body, 'now')
    if (appended === null) this.recordLater(body)
    else {
      appended.durable.catch(() => {
        this.recordLater(body)
      })
    }
    return appended
  }

  /** Keeps a refusal until the journal works again. */
  recordLater(body: DecisionBody & Internal): void {
    this.waiting.add(body)
  }

  /** What a broken journal did not take is recorded once it works. */
  private catchUp(): void {
    if (this.waiting.isEmpty || this.deps.journal.error !== null) return
    const { bodies, dropped } = this.waiting.takeAll()
    const text = `${bodies.length} refusals of the time while the journal did not work are recorded behind this`
    const more = dropped === 0 ? '' : `; ${dropped} more were too many to keep`
    this.record({ kind: 'error', text: `${text}${more}` }, 'ride')
    for (const body of bodies) this.recordRefusal(body)
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

  /** Waits until the record is on disk, for `vetoPatienceMs` at most; never rejects. */
  async waitBriefly(appended: Appended | null): Promise<void> {
    if (appended === null) return
    await within(this.deps.timers, appended.durable, limits.vetoPatienceMs)
  }

  /** Alerts while there are fewer places for records, or less room, than there should be. */
  watchPlaces(): void {
    this.catchUp()
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
