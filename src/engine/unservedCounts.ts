import { limits } from '../core/values/limits.ts'
import type { Clock, Log } from './ports.ts'
import type { Recorder } from './recorder.ts'

/** What the port had no room for: connections that were ended, bodies that were not read. */
export type Unserved = 'connections' | 'bodies'

interface UnservedDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Log
  readonly recorder: Pick<Recorder, 'record'>
}

/** Tells of what was not served: the first at once, and what follows in one line a minute. */
export class UnservedCounts {
  private readonly deps: UnservedDeps
  private counts: Record<Unserved, number> = { connections: 0, bodies: 0 }
  private toldMs = -Infinity

  constructor(deps: UnservedDeps) {
    this.deps = deps
  }

  note(what: Unserved): void {
    this.counts[what] += 1
    this.report()
  }

  /** To be called now and then: what came after the last word is told once its minute is over. */
  report(): void {
    const { clock, log, recorder } = this.deps
    const { connections, bodies } = this.counts
    const nowMs = clock.monotonicMs()
    if (connections + bodies === 0 || nowMs - this.toldMs < limits.unservedToldEveryMs) return
    this.toldMs = nowMs
    this.counts = { connections: 0, bodies: 0 }
    const ended = `${connections} connections were ended: more than ${limits.httpConnectionsMax} at once, or not finishing what they asked while there are many`
    const unread = `${bodies} large requests were not read, for others took all the room there is (HTTP 503)`
    const text = [connections > 0 ? ended : null, bodies > 0 ? unread : null]
      .filter((each) => each !== null)
      .join('; ')
    log.log('warn', 'the port had no room', { connections, bodies })
    recorder.record({ kind: 'error', text }, 'ride')
  }
}
