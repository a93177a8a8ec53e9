import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** A Guard that held a long ETH position with its stop, and has stopped; the venue's stream is down. */
async function stoppedWithPosition(): Promise<void> {
  world = await World.start({ simulator: { options: { accountMs: 200 } } })
  await world.ask(orders(order(1, true, '4010', '1')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.stopGuard('SIGTERM')
  await world.venue.fault({ where: 'ws', kind: 'disconnect', count: 0 })
}

const withoutPositions = {
  ...{ where: 'info', kind: 'lie', match: { type: 'clearinghouseState' } },
  patch: { assetPositions: [] },
}

test.each([1, 2])(
  'without a stream, %i reads after a start that leave a position out remove no stop and open nothing',
  async (count) => {
    await stoppedWithPosition()
    await world.venue.fault({ ...withoutPositions, count })
    await world.startGuard()
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    const wrong = await world.event('error', ({ text }) => text?.includes('less of ETH') === true)
    expect(wrong.text).toMatch(/^a read of the venue told .*: it counts for nothing$/)
    const sent = await world.venue.log()
    expect(sent.filter((each: any) => /cancel/.test(each.action.type))).toEqual([])
    expect(world.events('protect')).toEqual([])
  },
)

test('what nobody contradicts for the whole hold counts; the stop stays while no fill tells why', async () => {
  await stoppedWithPosition()
  await world.venue.fault({ ...withoutPositions, count: 0 })
  const started = world.startGuard()
  world.machine.passedMs += 10_000
  await started
  expect(world.guard.status().positions).toEqual([])
  world.machine.passedMs += 10_000
  const missing = await world.event('error', ({ text }) => text?.includes('no fill of it') === true)
  expect(missing.text).toMatch(/^ETH: the venue shows a position of none where 1 long was held/)
  expect(world.events('protect')).toEqual([])
})
