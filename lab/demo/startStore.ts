import { failed } from '../../src/cli/cliError.ts'
import type { FleetAdmin } from '../../src/fleet/fleetProgram.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'
import { startDemoPostgres } from './demoPostgres.ts'

/** The store of a fleet that ends with this program. */
interface OwnStore {
  readonly store: FleetAdmin
  /** How its owner connects. */
  readonly url: string
  stop(): Promise<void>
}

/** How long a fresh PostgreSQL may take until it lets somebody in. */
const startMs = 30_000
const tryEveryMs = 100

/** Starts a PostgreSQL in `folder`, with the schema of a fleet in it. */
export async function startStore(folder: string, settings: readonly string[]): Promise<OwnStore> {
  const { url, stop } = await startDemoPostgres(folder, settings)
  try {
    return { store: await readyStore(url), url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Once it lets its owner in, and has its schema. */
async function readyStore(url: string): Promise<FleetAdmin> {
  const { fleetAdmin } = await import('../../src/fleet/fleetProgram.ts')
  const store = fleetAdmin(url, systemTimers)
  if (!store.ok) throw failed(`the URL of this store ${store.error}`)
  const endMs = performance.now() + startMs
  for (;;) {
    try {
      await store.value.init()
      return store.value
    } catch (error) {
      if (performance.now() > endMs) {
        throw failed('PostgreSQL has not started', [String(error)])
      }
      await new Promise((resolve) => setTimeout(resolve, tryEveryMs))
    }
  }
}
