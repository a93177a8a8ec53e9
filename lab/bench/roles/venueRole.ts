import type { Json } from '../../../src/core/protocol/action.ts'
import { startSimulator } from '../../sim/simulator.ts'
import { cpuMicros } from './processFigures.ts'
import type { Role } from './role.ts'

/** As it was seen on testnet; what an order's answer waits for must not be the news of it. */
export const streamLagMs = 3

/** The simulator without the limits that are not what is measured; `setup` is its weight limit. */
export async function startVenueRole(setup: Json): Promise<Role> {
  const simulator = await startSimulator({
    port: 0,
    control: true,
    weightLimit: typeof setup === 'number' ? setup : null,
    options: {
      streamLagMs,
      connectionsMax: 1_000,
      newConnectionsPerMinute: 100_000,
      messagesPerMinute: 10_000_000,
      pendingPostsMax: 1_000,
    },
  })
  return {
    url: simulator.url,
    ask: (question) => Promise.resolve(question === 'cpu' ? cpuMicros() : null),
    stop: () => simulator.close(),
  }
}
