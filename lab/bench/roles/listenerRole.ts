import type { Json } from '../../../src/core/protocol/action.ts'
import { SocketLine } from '../socketLine.ts'
import type { Role } from './role.ts'

/** Whom a listener follows; it is sent between processes as JSON. */
export interface ListenerSetup {
  readonly venueUrl: string
  readonly users: readonly string[]
}

/**
 * Follows accounts on the venue's stream and passes over what it hears, so that the venue does the
 * same for accounts without Guard as for those that Guard follows.
 */
export async function startListenerRole(json: Json): Promise<Role> {
  const { venueUrl, users } = json as unknown as ListenerSetup
  const lines: SocketLine[] = []
  for (const user of users) {
    const line = await SocketLine.open(venueUrl)
    for (const type of followed) line.subscribe({ type, user })
    lines.push(line)
  }
  return {
    url: venueUrl,
    ask: () => Promise.resolve(null),
    stop: () => {
      for (const line of lines) line.close()
      return Promise.resolve()
    },
  }
}

/** What tells of every change of orders and positions. */
const followed = ['clearinghouseState', 'openOrders', 'orderUpdates', 'userFills']
