import { startGateway } from '../../src/gateway/gateway.ts'
import type { Gateway } from '../../src/gateway/gatewayOptions.ts'
import { createMetrics } from '../../src/gateway/metrics/guardMetrics.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'
import { createHttpTransport } from '../../src/venue/httpTransport.ts'
import { openSocket } from '../../src/venue/socket.ts'
import { createVenueHttp } from '../../src/venue/venueHttp.ts'
import { SlidingWeightBudget } from '../../src/venue/weightBudget.ts'
import { accountAddress, World } from '../engine/world.fixture.ts'

/** A real Guard behind its port, before a real simulator. */
export interface Served {
  readonly world: World
  readonly gateway: Gateway
  /** What reads of bots may cost, apart from Guard's own. */
  readonly budget: SlidingWeightBudget
  /** Posts a text as it is, and anything else as JSON. */
  readonly post: (path: string, body: unknown) => Promise<Response>
  readonly close: () => Promise<void>
}

/** Starts all of it; reads of bots may cost this much a minute. */
export async function serve(weightOfReads: number): Promise<Served> {
  const world = await World.start()
  const transport = createHttpTransport(world.venue.url)
  const budget = new SlidingWeightBudget(weightOfReads, systemClock)
  const gateway = await startGateway({
    listen: { host: '127.0.0.1', port: 0, exposed: null },
    guard: world.guard,
    reader: world.opened.reader,
    venue: createVenueHttp(transport, budget, 2_000),
    upstreamUrl: world.venue.simulator.wsUrl,
    openSocket,
    account: accountAddress,
    assets: new Map(),
    clock: systemClock,
    timers: systemTimers,
    log: { log: () => undefined },
    metrics: createMetrics(),
    version: '0.0.0-test',
  })
  return {
    world,
    gateway,
    budget,
    post: async (path, body) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return await fetch(`${gateway.url}${path}`, { method: 'POST', body: text })
    },
    close: async () => {
      await gateway.close(0)
      transport.close()
      await world.close()
    },
  }
}
