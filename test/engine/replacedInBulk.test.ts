import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import type { VenueHttp } from '../../src/engine/ports.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** Counts what is asked of the venue, by type. */
function counting(): {
  readonly asked: Map<string, number>
  readonly wrap: (venue: VenueHttp) => VenueHttp
} {
  const asked = new Map<string, number>()
  const wrap = (venue: VenueHttp): VenueHttp => ({
    exchange: venue.exchange,
    info: (request, lane) => {
      const { type } = request as { readonly type: string }
      asked.set(type, (asked.get(type) ?? 0) + 1)
      return venue.info(request, lane)
    },
  })
  return { asked, wrap }
}

const ladderSize = 24
const priceOf = (nth: number): string => (3_998 - nth).toFixed(1)

test('a batch that replaces a whole ladder while the stream is silent asks about each order once, and exits pass', async () => {
  world = await World.stopped({ weightLimit: 1_200, simulator: { weightLimit: 1_200 } })
  const { asked, wrap } = counting()
  await world.startGuard(wrap)
  await world.ask(orders(order(2, true, '201', '5')))
  const rungs = (shift: number): JsonObject[] =>
    Array.from({ length: ladderSize }, (_, nth) =>
      order(1, true, String(Number(priceOf(nth)) - shift), '0.3', gtc),
    )
  const placed = await world.ask(orders(...rungs(0)))
  const oids: number[] = placed.response.data.statuses.flatMap((each: any) =>
    each.resting === undefined ? [] : [each.resting.oid],
  )
  expect(oids.length).toBeGreaterThan(15)
  await world.until(() => world.guard.status().in_flight === 0, 'the ladder to be shown')
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  asked.clear()
  const to = rungs(0.1)
  const modifies = oids.map((oid, at) => ({ oid, order: to[at] ?? null }))
  const reply = await world.ask({ type: 'batchModify', modifies })
  expect(reply.status).toBe('ok')
  expect(asked.get('orderStatus')).toBeGreaterThan(0)
  expect(asked.get('orderStatus')).toBeLessThanOrEqual(oids.length)
  expect(world.budget.used()).toBeLessThan(600)
  const exit = orders(order(2, false, '190', '0.5', reduceOnly))
  expect(await world.ask(exit)).toMatchObject({ status: 'ok', verdict: 'allow' })
})
