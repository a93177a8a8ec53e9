import type { Alerts } from '../alerts.ts'
import type { Clock, HostView } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface HostWatchDeps {
  readonly clock: Clock
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly host: HostView | null
}

/** The venue documents ten followed users for one address; more were let through when it was tried. */
const followedUsers = 10
/** A ledger that comes and goes is told at most once a minute as an event. */
const tellEveryMs = 60_000

/** Says when this Guard cannot share with the others of its host, and when they are many. */
export class HostWatch {
  private readonly deps: HostWatchDeps
  private toldMs = -Infinity

  constructor(deps: HostWatchDeps) {
    this.deps = deps
  }

  tick(): void {
    const { alerts, clock, host } = this.deps
    if (host === null) return
    const { problem, sharers } = host
    if (problem === null) alerts.clear('host_ledger')
    else this.tell(problem)
    if (sharers <= followedUsers) alerts.clear('host_crowded')
    else {
      const text = `${sharers} Guards follow their accounts from this host: the venue documents ${followedUsers} followed users for one address`
      alerts.raise('host_crowded', text, clock.now())
    }
  }

  private tell(problem: string): void {
    const { alerts, clock, recorder } = this.deps
    const nowMs = clock.monotonicMs()
    if (!alerts.has('host_ledger') && nowMs - this.toldMs >= tellEveryMs) {
      this.toldMs = nowMs
      recorder.record({ kind: 'error', text: problem }, 'ride')
    }
    alerts.raise('host_ledger', problem, clock.now())
  }
}
