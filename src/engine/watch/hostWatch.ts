import type { Alerts } from '../alerts.ts'
import type { FleetView } from '../fleetView.ts'
import type { Clock, HostView, VenueHttp } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface HostWatchDeps {
  readonly clock: Clock
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly host: HostView | null
  readonly fleet: FleetView | null
  readonly venue: Pick<VenueHttp, 'doubt'>
}

/** The venue documents ten followed users for one address; more were let through when it was tried. */
const followedUsers = 10
/** What comes and goes is told at most once a minute as an event. */
const tellEveryMs = 60_000

/**
 * Says when it is in doubt whose account Guard trades, when it cannot share with the others of its host
 * or fleet, and when they are many.
 */
export class HostWatch {
  private readonly deps: HostWatchDeps
  private readonly toldMs = new Map<string, number>()

  constructor(deps: HostWatchDeps) {
    this.deps = deps
  }

  tick(): void {
    const { alerts, clock, fleet, host, venue } = this.deps
    this.tell('account_role', venue.doubt?.() ?? null)
    if (fleet !== null) {
      this.tell('fleet_store', fleet.problem)
      this.tell('fleet_fork', fleet.fork)
    }
    if (host === null) return
    const { problem, sharers } = host
    this.tell('host_ledger', problem)
    if (sharers <= followedUsers) alerts.clear('host_crowded')
    else {
      const text = `${sharers} Guards follow their accounts from this host: the venue documents ${followedUsers} followed users for one address`
      alerts.raise('host_crowded', text, clock.now())
    }
  }

  private tell(code: string, problem: string | null): void {
    const { alerts, clock, recorder } = this.deps
    if (problem === null) {
      alerts.clear(code)
      return
    }
    const nowMs = clock.monotonicMs()
    if (!alerts.has(code) && nowMs - (this.toldMs.get(code) ?? -Infinity) >= tellEveryMs) {
      this.toldMs.set(code, nowMs)
      recorder.record({ kind: 'error', text: problem }, 'ride')
    }
    alerts.raise(code, problem, clock.now())
  }
}
