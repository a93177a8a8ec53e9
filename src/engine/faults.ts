import type { Alerts } from './alerts.ts'
import type { Clock, Log } from './ports.ts'
import type { Recorder } from './recorder.ts'

interface FaultsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly alerts: Alerts
  readonly recorder: Recorder
}

const tellEveryMs = 60_000

/**
 * A bug in one step must not take the others with it: what protects and flattens goes on. It is
 * logged each time, told as an `error` event at most once a minute, and stays an alert.
 */
export class Faults {
  private readonly deps: FaultsDeps
  /** By the monotonic clock. */
  private readonly toldMs = new Map<string, number>()

  constructor(deps: FaultsDeps) {
    this.deps = deps
  }

  guard(what: string, task: () => void): void {
    try {
      task()
    } catch (error) {
      this.note(what, error)
    }
  }

  note(what: string, error: unknown, request?: string): void {
    const { alerts, clock, log, recorder } = this.deps
    const why = error instanceof Error ? error.message : String(error)
    const stack = error instanceof Error ? (error.stack ?? null) : null
    const who = request === undefined ? {} : { request }
    log.log('error', `a fault inside Guard: ${what}`, { ...who, error: why, stack })
    const text = `a fault inside Guard while handling ${what}: ${why}`
    alerts.raise('internal', text, clock.now())
    const nowMs = clock.monotonicMs()
    if (nowMs - (this.toldMs.get(what) ?? -Infinity) < tellEveryMs) return
    this.toldMs.set(what, nowMs)
    recorder.record({ kind: 'error', text: `a fault inside Guard at ${what}: ${why}` }, 'ride')
  }
}
