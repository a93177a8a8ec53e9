import { limits } from '../../core/values/limits.ts'
import { Backoff } from '../../engine/backoff.ts'
import type { Clock, Timers } from '../../engine/ports.ts'
import type { FleetDecision, FleetState } from '../../monitor/fleetState.ts'
import type { StoreSession } from '../storeSession.ts'
import { FleetAlerts } from './fleetAlerts.ts'
import type { AlertChange } from './fleetAlerts.ts'
import { totalsOf } from './fleetTotals.ts'
import { lossesDue } from './lossStop.ts'
import type { LossStop } from './lossStop.ts'
import { readDecisions, readPicture } from './readFleet.ts'
import type { DecisionCursors, Picture } from './readFleet.ts'

interface WatcherDeps {
  readonly open: () => Promise<StoreSession>
  readonly place: string
  readonly version: string
  readonly clock: Clock
  readonly timers: Timers
  readonly onAlert: (change: AlertChange) => void
  readonly lossStops: readonly LossStop[]
  /** A kill was raised for a loss of the day. */
  readonly onRaised: (raised: RaisedStop) => void
  /** Raises a kill, with an operator's rights; null where it has none. */
  readonly raise: ((scope: string, reason: string) => Promise<number>) | null
}

/** A kill that the watcher has raised by itself. */
export interface RaisedStop {
  readonly scope: string
  readonly epoch: number
  readonly reason: string
}

const lookEveryMs = 2_000
const looking = 'look'

/** Looks at the fleet every two seconds; keeps the last picture, and says how old it is. */
export class FleetWatcher {
  readonly #deps: WatcherDeps
  readonly #alerts = new FleetAlerts()
  readonly #backoff: Backoff
  readonly #cursors: DecisionCursors = new Map()
  #session: StoreSession | null = null
  #picture: Picture | null = null
  #heardMs: number | null = null
  #decisions: readonly FleetDecision[] = []
  #isUp = false
  #sinceMs: number
  #error: string | null = 'it has not answered yet'
  #lossError: string | null = null
  #isBusy = false
  #isStopped = false
  #cancel: () => void = () => undefined

  constructor(deps: WatcherDeps) {
    this.#deps = deps
    this.#sinceMs = deps.clock.now()
    this.#backoff = new Backoff(deps.clock)
  }

  /** Resolves after the first look, whatever came of it. */
  async start(): Promise<void> {
    this.#cancel = this.#deps.timers.every(lookEveryMs, () => {
      void this.look()
    })
    await this.look()
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel()
    this.#session?.close()
    this.#session = null
  }

  state(): FleetState {
    const picture = this.#picture
    const { place, version, clock } = this.#deps
    return {
      ...{ schema: 1, version, now_ms: clock.now() },
      store: {
        ...{ place, state: this.#isUp ? 'up' : 'down', since_ms: this.#sinceMs },
        error: this.#error,
      },
      ...{ at_ms: picture?.atMs ?? null, heard_ms: this.#heardMs },
      totals: totalsOf(picture?.members ?? []),
      ...{ members: picture?.members ?? [], members_more: picture?.membersMore ?? 0 },
      ...{ kills: picture?.kills ?? [], budgets: picture?.budgets ?? [] },
      ...{ decisions: this.#decisions, alerts: this.#alerts.all },
    }
  }

  /** Never rejects. */
  async look(): Promise<void> {
    if (this.#isBusy || this.#isStopped) return
    this.#isBusy = true
    try {
      if (this.#backoff.mayTry(looking)) await this.#read()
    } catch (error) {
      this.#lost(error)
    } finally {
      this.#isBusy = false
      this.#tell()
    }
  }

  async #read(): Promise<void> {
    const session = await this.#opened()
    const picture = await readPicture(session)
    const fresh = await readDecisions(session, this.#cursors)
    this.#picture = picture
    this.#heardMs = this.#deps.clock.now()
    this.#decisions = [...fresh, ...this.#decisions]
      .sort((a, b) => b.at_ms - a.at_ms || b.seq - a.seq)
      .slice(0, limits.fleetWatchDecisionsMax)
    if (!this.#isUp) this.#sinceMs = this.#heardMs
    this.#isUp = true
    this.#error = null
    this.#backoff.reset(looking)
    await this.#stopLosses(picture)
  }

  async #opened(): Promise<StoreSession> {
    if (this.#session?.isOpen === true) return this.#session
    this.#session = await this.#deps.open()
    if (this.#isStopped) this.#session.close()
    return this.#session
  }

  #lost(error: unknown): void {
    this.#session?.close()
    this.#session = null
    this.#error = error instanceof Error ? error.message : String(error)
    if (this.#isUp) this.#sinceMs = this.#deps.clock.now()
    this.#isUp = false
    this.#backoff.failed(looking)
  }

  /** What could not be raised is tried again at the next look. */
  async #stopLosses(picture: Picture): Promise<void> {
    const { raise, lossStops } = this.#deps
    this.#lossError = null
    if (raise === null) return
    for (const { scope, reason } of lossesDue(picture, lossStops)) {
      try {
        const epoch = await raise(scope, reason)
        this.#deps.onRaised({ scope, epoch, reason })
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        this.#lossError = `${reason}, and the kill could not be raised (${why}): guard fleet kill --scope ${scope}`
      }
    }
  }

  #tell(): void {
    if (this.#isStopped) return
    const state = this.#isUp ? ('up' as const) : ('down' as const)
    const store = { state, sinceMs: this.#sinceMs, error: this.#error }
    const text = this.#lossError
    const more = text === null ? [] : [{ code: 'loss_stop', member: null, text } as const]
    for (const change of this.#alerts.look(this.#picture, store, this.#deps.clock.now(), more)) {
      this.#deps.onAlert(change)
    }
  }
}
