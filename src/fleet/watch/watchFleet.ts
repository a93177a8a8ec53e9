import type { Clock, Timers } from '../../engine/ports.ts'
import type { Registry } from '../../gateway/metrics/registry.ts'
import { fleetAssets } from '../../monitor/monitorAssets.ts'
import { raiseKill } from '../fleetAdmin.ts'
import { openSession } from '../storeSession.ts'
import { placeOf } from '../storeUrl.ts'
import type { StoreAddress } from '../storeUrl.ts'
import type { AlertChange } from './fleetAlerts.ts'
import { fleetMetrics } from './fleetMetrics.ts'
import { FleetWatcher } from './fleetWatcher.ts'
import type { RaisedStop } from './fleetWatcher.ts'
import type { LossStop } from './lossStop.ts'
import { openWatchServer } from './watchServer.ts'
import type { WatchDoor } from './watchServer.ts'

export interface WatchOptions {
  readonly host: string
  readonly port: number
  readonly door: WatchDoor
  readonly registry: Pick<Registry, 'gauge' | 'text' | 'list'>
  /** Where the built page is. */
  readonly pageDirectory: string
  readonly version: string
  readonly clock: Clock
  readonly timers: Timers
  readonly lossStops: readonly LossStop[]
  readonly onAlert: (change: AlertChange) => void
  readonly onRaised: (raised: RaisedStop) => void
}

export interface WatchedFleet {
  readonly url: string
  close(): Promise<void>
}

const answerMs = 10_000

/** Follows a fleet and serves its page; `operator` is whose rights raise a kill, where one may be. */
export async function watchFleet(
  address: StoreAddress,
  operator: StoreAddress | null,
  options: WatchOptions,
): Promise<WatchedFleet> {
  const { timers, lossStops, version, clock, onAlert, onRaised } = options
  const watcher = new FleetWatcher({
    ...{ version, clock, timers, onAlert, onRaised, lossStops, place: placeOf(address) },
    open: () => openSession(address, { timers, answerMs }),
    raise:
      operator === null
        ? null
        : async (scope, reason) => {
            const raised = await raiseKill(() => openSession(operator, { timers }), scope, reason)
            return raised.epoch
          },
  })
  const server = await openWatchServer({
    ...{ host: options.host, port: options.port, door: options.door },
    assets: fleetAssets(options.pageDirectory),
    state: () => watcher.state(),
    metrics: fleetMetrics(options.registry),
  })
  await watcher.start()
  return {
    url: server.url,
    close: async () => {
      watcher.stop()
      await server.close()
    },
  }
}
