import { afterEach, beforeEach, expect, test } from 'vitest'
import { Decimal } from '../../src/core/values/decimal.ts'
import { err } from '../../src/core/values/result.ts'
import type { VenueHttp } from '../../src/engine/ports.ts'
import { accountAddress, order, orders, World } from './world.fixture.ts'

/** Guard crashes right after a fill, and the account is set up anew before it starts again. */

let world: World
afterEach(async () => {
  await world.close()
})

const status = () => world.guard.status()
const entry = (size: string) => world.ask(orders(order(2, true, '201', size)))

/** The whole account can never be read: one of its parts always fails. */
const neverWhole = (venue: VenueHttp): VenueHttp => ({
  exchange: venue.exchange,
  info: async (request, lane) => {
    const { type } = request as { readonly type: string }
    if (type === 'userFills') return err({ kind: 'failed', text: 'HTTP 500' } as never)
    return await venue.info(request, lane)
  },
})

beforeEach(async () => {
  world = await World.stopped({
    ...{ weightLimit: 1_200, account: { equity: '20000' } },
    rules: { margin: 'cross', dailyLossStop: Decimal.of('0.005') },
    simulator: { options: { accountMs: 200 } },
  })
  await world.startGuard()
  expect((await entry('30')).status).toBe('ok')
  await world.until(() => status().positions[0]?.covered === true, 'covered')
  await world.crash()
})

const setTo = (mode: string) => world.venue.control('mode', { user: accountAddress, mode })

/** As much time passes, and the venue tells the account anew meanwhile. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    const before = world.spotAt()
    await world.until(() => world.spotAt() !== before, 'another look')
    world.machine.passedMs += 1_000
    const guard = world.guard as unknown as { tick(): void }
    guard.tick()
  }
}

test.each<[string, (venue: VenueHttp) => VenueHttp]>([
  ['there is no request weight to read all of the account', (venue) => venue],
  ['a part of the account can never be read', neverWhole],
])(
  'its equity counts once it has stood for the hold, and a loss halts, though %s',
  async (_, to) => {
    await setTo('unifiedAccount')
    await world.startGuard(to)
    expect(status().risk.daily_loss).toBeNull()
    await pass(13_000)
    await world.until(() => status().risk.daily_loss !== null, 'the equity')
    expect(status().alerts.filter(({ code }) => code === 'equity_unknown')).toEqual([])
    expect(status().risk.state).toBe('active')
    await world.venue.control('price', { coin: 'SOL', mid: '196.4' })
    await world.until(() => status().risk.state === 'halted_for_day', 'the halt')
    await world.until(() => status().positions.length === 0, 'flat')
  },
)

test('what positions lose from the start on halts where nobody can tell its equity', async () => {
  await setTo('portfolioMargin')
  await world.startGuard()
  expect(status().risk).toMatchObject({ state: 'active', equity: null, daily_loss: null })
  await world.venue.control('price', { coin: 'SOL', mid: '196.4' })
  await pass(14_000)
  await world.until(() => status().risk.state === 'halted_for_day', 'the halt')
  await world.until(() => status().positions.length === 0, 'flat')
})
