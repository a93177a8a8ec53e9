import { afterEach, expect, test } from 'vitest'
import type { Json } from '../../src/core/protocol/action.ts'
import { infoWeight } from '../../src/core/protocol/requestWeight.ts'
import type { Urgency, VenueHttp } from '../../src/engine/ports.ts'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** What Guard and its bots asked the venue, oldest first. */
interface Asked {
  readonly type: string
  readonly lane: Urgency
  readonly weight: number
}

/** Starts to listen to what is asked; `asked` grows, and `venue` is what the last Guard asks through. */
function listening(): {
  readonly asked: Asked[]
  readonly wrap: (venue: VenueHttp) => VenueHttp
  readonly read: (type: string, lane?: Urgency) => ReturnType<VenueHttp['info']>
} {
  const asked: Asked[] = []
  let inner: VenueHttp | null = null
  const info: VenueHttp['info'] = async (request, lane) => {
    const answer = await inner?.info(request, lane)
    if (answer === undefined) throw new Error('Guard was not built')
    const isAsked = answer.ok || answer.error.kind !== 'no_weight'
    const { type } = request as { readonly type: string }
    if (isAsked) asked.push({ type, lane, weight: infoWeight(request) })
    return answer
  }
  const wrap = (venue: VenueHttp): VenueHttp => {
    inner = venue
    return { exchange: venue.exchange, info }
  }
  return { asked, wrap, read: (type, lane = 'read') => info({ type }, lane) }
}

const weightLimit = 1_200
const entry = orders(order(1, true, '4010', '0.1'))
const sumOf = (list: readonly number[]): number => list.reduce((sum, each) => sum + each, 0)

test('what another program on the address spends is counted once the venue has refused twice, and no more is asked', async () => {
  world = await World.stopped({ weightLimit, simulator: { weightLimit } })
  const { asked, wrap, read } = listening()
  await world.startGuard(wrap)
  await world.ask(orders(order(1, true, '4010', '0.2')))
  const spend = async (): Promise<number> =>
    (await world.venue.send('POST', '/info', { type: 'meta' })).status
  while ((await spend()) === 200) continue
  expect(world.budget.used()).toBeLessThan(weightLimit / 2)
  expect(await read('meta')).toMatchObject({ ok: true, value: { status: 429 } })
  expect(await read('meta')).toMatchObject({ ok: false, error: { kind: 'no_weight' } })
  expect(await read('meta', 'watch')).toMatchObject({ ok: true, value: { status: 429 } })
  const { venue } = world.guard.status()
  expect(venue.weight_used_1m).toBeGreaterThanOrEqual(weightLimit)
  const before = asked.length
  expect(await read('meta')).toMatchObject({ ok: false, error: { kind: 'no_weight' } })
  expect(await world.ask(entry)).toMatchObject({
    code: 'rate_limited',
    response: expect.stringContaining('refused a request for its weight (HTTP 429)'),
  })
  expect(asked.slice(before).filter(({ lane }) => lane !== 'safety')).toEqual([])
})

test('a kill while the venue refuses for the weight closes as soon as it takes something, and nothing else is asked', async () => {
  world = await World.stopped({ weightLimit })
  const { asked, wrap } = listening()
  await world.startGuard(wrap)
  await world.ask(orders(order(1, true, '4010', '0.2')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  for (const where of ['exchange', 'info']) {
    await world.venue.fault({ where, kind: 'http_429', count: 0 })
  }
  await world.kill('enough')
  const refused = (): readonly any[] =>
    world.events('sent').filter(({ reply }) => JSON.stringify(reply).includes('HTTP 429'))
  await world.until(() => refused().length > 0, 'a close to be refused')
  const before = asked.length
  await world.until(() => refused().length > 5, 'closes to be refused')
  expect(asked.slice(before).filter(({ lane }) => lane !== 'safety')).toEqual([])
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
})

test('several crashes within a minute count together', async () => {
  world = await World.stopped({ weightLimit })
  const { asked, wrap, read } = listening()
  const spent = (): number => sumOf(asked.map(({ weight }) => weight))
  const isKept = async (): Promise<boolean> => {
    const kept = await world.opened.loadSnapshot('risk')
    if (kept === null || kept === 'unreadable') return false
    const counts = (kept.state as { readonly [key: string]: Json })['spent'] as number[]
    return sumOf(counts) > spent() - 40
  }
  await world.startGuard(wrap)
  while ((await read('meta')).ok) continue
  await world.until(isKept, 'what was spent to be kept')
  await world.crash()
  await world.startGuard(wrap)
  await world.until(isKept, 'what was spent to be kept')
  await world.crash()
  expect(spent()).toBeGreaterThan(900)
  await world.buildGuard(wrap)
  expect(world.budget.used()).toBeGreaterThan(spent() - 40)
})
