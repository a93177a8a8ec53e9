import type { Timers } from '../engine/ports.ts'
import { openSession } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'
import { parseStoreUrl } from './storeUrl.ts'

/** What only a Guard of a fleet, and the commands for one, load: `dist/fleet.mjs`. */
export async function openStore(url: string, timers: Timers): Promise<StoreSession> {
  const address = parseStoreUrl(url)
  if (!address.ok) throw new TypeError(`the URL ${address.error}`)
  return await openSession(address.value, { timers })
}
