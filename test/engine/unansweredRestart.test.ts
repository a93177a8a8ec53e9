import { afterEach, expect, test } from 'vitest'
import type { VenueHttp } from '../../src/engine/ports.ts'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test.each(['a stop', 'a crash'] as const)(
  'an entry that was not answered is looked up after %s, before bots are served',
  async (ending) => {
    world = await World.stopped()
    let late: Parameters<VenueHttp['exchange']> | null = null
    await world.startGuard((venue) => ({
      info: venue.info,
      exchange: async (request, lane) => {
        if (request.action.type !== 'order') return await venue.exchange(request, lane)
        late = [request, lane]
        return { kind: 'unknown', error: 'no answer' }
      },
    }))
    const entry = orders(order(1, true, '4010', '0.1'))
    expect(await world.ask(entry)).toMatchObject({ code: 'venue_unreachable' })
    const sent = await world.event('sent', (each) => each.index === 1)
    expect(sent).toMatchObject({ ok: false, reply: { may_have_arrived: true } })
    if (ending === 'a stop') await world.stopGuard()
    else await world.crash()
    // It arrives by whatever way there is, once the next run looks for it.
    let arrive = async (): Promise<void> => {}
    await world.buildGuard((venue) => {
      arrive = async () => {
        if (late !== null) await venue.exchange(...late)
      }
      return venue
    })
    const started = world.guard.start()
    await world.until(() => world.guard.status().venue.stream === 'live', 'the stream')
    expect(await world.ask(entry)).toMatchObject({ verdict: 'veto', code: 'recovering' })
    await arrive()
    await started
    expect(world.events('recovered')).toEqual([
      expect.objectContaining({ of: sent.decision, index: 1, outcome: 'happened' }),
    ])
    expect(await world.positions()).toEqual({ ETH: '0.1' })
    expect(world.guard.ready()).toEqual({ ok: true })
  },
)
