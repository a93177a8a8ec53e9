import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const isolated: JsonObject = { type: 'isolated', value: 5 }
const position = { coin: 'ETH', szi: '1', leverage: isolated }
const alertCodes = (): string[] => world.guard.status().alerts.map(({ code }) => code)
const covered = (): boolean => world.guard.status().positions[0]?.covered === true
const flat = async (): Promise<boolean> => Object.keys(await world.positions()).length === 0

/** How many actions the venue has counted for the account. */
async function used(): Promise<number> {
  const { json } = await world.venue.send('POST', '/info', {
    ...{ type: 'userRateLimit', user: world.guard.status().account },
  })
  return json.nRequestsUsed
}

describe('of 10,000 actions in a lifetime', () => {
  const begin = async (count: number): Promise<void> => {
    world = await World.start({
      account: { positions: [position], allowance: { cap: 10_000, used: count } },
    })
    await world.until(covered, 'covered')
  }

  test('9,500 are used: nothing opens, exits and cancels go, and a kill closes all', async () => {
    await begin(9_400)
    await world.until(() => alertCodes().includes('actions'), 'an alert')
    const entry = orders(order(2, true, '190', '1', gtc))
    const refused = await world.ask(entry)
    expect(refused).toMatchObject({ code: 'rate_limited', verdict: 'veto' })
    expect(refused.response).toMatch(
      /the account has used 94\d\d of the 10000 actions that the venue allows it; from 85% on nothing is sent that opens, or that has nothing to reduce, and the rest is kept for what is more urgent; each USDC traded adds one/,
    )
    // Nor what has nothing to reduce: a bot could spend all that is left on such orders.
    const useless = orders(order(2, false, '190', '1', reduceOnly))
    expect(await world.ask(useless)).toMatchObject({ code: 'rate_limited', verdict: 'veto' })
    const profit = await world.ask(
      orders(order(1, false, '4200', '0.1', { ...gtc, ...reduceOnly })),
    )
    expect(profit.status).toBe('ok')
    const { oid } = profit.response.data.statuses[0].resting
    await world.until(() => world.guard.status().open_orders === 2, 'the take profit')
    expect(await world.ask({ type: 'cancel', cancels: [{ a: 1, o: oid }] })).toMatchObject({
      response: { data: { statuses: ['success'] } },
    })
    expect(await world.ask(orders(order(1, false, '3900', '0.5', reduceOnly)))).toMatchObject({
      response: { data: { statuses: [{ filled: { totalSz: '0.5' } }] } },
    })
    await world.kill('enough')
    await world.until(flat, 'flat')
  })

  test('all are used: a kill closes as soon as the venue lets it, and is told why not sooner', async () => {
    await begin(10_000)
    expect(await world.ask(orders(order(1, false, '3900', '0.01', reduceOnly)))).toMatchObject({
      response: expect.stringMatching(/^Too many cumulative requests sent/),
    })
    await world.kill('enough')
    await world.event('error', ({ text }) => /^a close was refused: Too many cum/.test(text))
    await world.until(() => alertCodes().includes('close_refused'), 'an alert')
    // The venue lets one pass every ten seconds; further ahead it would call every action expired.
    await world.venue.control('clock', { advance_ms: 8_000 })
    await world.until(flat, 'flat')
    await world.until(() => !alertCodes().includes('close_refused'), 'no alert')
  })
})

test('an allowance that ended behind Guard’s back is known from the first refusal', async () => {
  world = await World.start({ account: { positions: [position] } })
  await world.until(covered, 'covered')
  const user = world.guard.status().account
  await world.venue.control('allowance', { user, cap: 500, used: 900 })
  const piece = orders(order(1, false, '3900', '0.01', reduceOnly))
  // The venue takes one action in ten seconds now.
  expect((await world.ask(piece)).status).toBe('ok')
  expect((await world.ask(piece)).response).toMatch(/^Too many cumulative requests sent/)
  const entry = await world.ask(orders(order(2, true, '190', '1', gtc)))
  expect(entry).toMatchObject({ code: 'rate_limited', verdict: 'veto' })
  expect(entry.response).toMatch(/the account has used 9\d\d of the \d{3} actions/)
  // One more exit may try, and those behind it leave the venue's next turn to Guard's own closes.
  await world.ask(piece)
  expect(await world.ask(piece)).toMatchObject({ code: 'rate_limited', verdict: 'veto' })
})

test('cancels that are refused for their number are tried one action at a time', async () => {
  world = await World.start({})
  const text =
    'Too many cumulative requests sent (20120 > 20000) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.'
  await world.venue.fault({
    ...{ where: 'exchange', kind: 'refuse', match: { type: 'cancel' }, count: 0, text },
  })
  await world.kill('enough')
  const entry = (at: number): JsonObject => order(1, true, `${3_000 + at}`, '0.01', gtc)
  await world.outside(orders(...Array.from({ length: 60 }, (_, at) => entry(at))))
  await world.outside(orders(...Array.from({ length: 60 }, (_, at) => entry(60 + at))))
  const flattens = (): any[] =>
    world.events().filter(({ kind, actions }: any) => kind === 'flatten' && actions.length > 0)
  const refusedAt = (): number =>
    world.events().find(({ kind, ok }: any) => kind === 'sent' && ok === false)?.seq ?? Infinity
  const later = (): any[] => flattens().filter(({ seq }) => seq > refusedAt())
  await world.until(() => later().length >= 3, 'three more tries')
  for (const { actions } of later()) expect(actions).toHaveLength(1)
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => world.guard.status().open_orders === 0, 'no order')
})

test('an order that the venue has cancelled is not cancelled again while the stream is late', async () => {
  world = await World.start({})
  const entry = (at: number): JsonObject => order(1, true, `${3_900 + at}`, '0.01', gtc)
  const placed = await world.ask(orders(...[0, 1, 2, 3].map(entry)))
  expect(placed.status).toBe('ok')
  await world.until(() => world.guard.status().in_flight === 0, 'nothing in flight')
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  await world.venue.fault({ where: 'info', kind: 'http_500', count: 0 })
  await world.kill('enough')
  await world.event('sent', ({ reply }) => reply.response?.type === 'cancel')
  for (let round = 0; round < 3; round += 1) {
    world.machine.passedMs += 4_000
    world.fire(500)
    // Whatever has left is answered before this is.
    await world.positions()
    world.fire(500)
  }
  const cancelled = world
    .events()
    .flatMap(({ kind, actions }: any) => (kind === 'flatten' ? actions : []))
    .flatMap(({ cancels }: any) => cancels ?? [])
    .map(({ o }: any) => o)
  expect(cancelled).toHaveLength(4)
  expect(new Set(cancelled).size).toBe(4)
})

test('made-up cancels are answered in the venue’s words and cost nothing', async () => {
  world = await World.start({ account: { positions: [position] } })
  await world.until(covered, 'covered')
  const profit = await world.ask(orders(order(1, false, '4200', '0.1', { ...gtc, ...reduceOnly })))
  const { oid } = profit.response.data.statuses[0].resting
  await world.until(() => world.guard.status().open_orders === 2, 'the take profit')
  const before = await used()
  const words = 'Order was never placed, already canceled, or filled. asset=1'
  for (let round = 0; round < 20; round += 1) {
    const cancels = Array.from({ length: 40 }, (_, at) => ({ a: 1, o: 1_000_000 + at }))
    const reply = await world.ask({ type: 'cancel', cancels })
    expect(reply.response.data.statuses).toEqual(cancels.map(() => ({ error: words })))
  }
  const byCloid = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: `0x${'ab'.repeat(16)}` }] }
  expect(await world.ask(byCloid)).toMatchObject({
    ...{ status: 'ok', code: 'allowed', verdict: 'allow' },
    response: { type: 'cancel', data: { statuses: [{ error: words }] } },
  })
  expect(await used()).toBe(before)
  // One that is open goes, and only that one costs anything.
  const mixed = await world.ask({
    ...{
      type: 'cancel',
      cancels: [
        { a: 1, o: 1_000_000 },
        { a: 1, o: oid },
      ],
    },
  })
  expect(mixed.response.data.statuses).toEqual([{ error: words }, 'success'])
  expect(await used()).toBe(before + 1)
  const log = await world.venue.log(0)
  const cancelled = log.flatMap(({ action }) => action.cancels ?? [])
  expect(cancelled.map(({ o }: any) => o)).toEqual([oid])
  // Its end is known: a second cancel is answered by Guard too.
  await world.until(() => world.guard.status().open_orders === 1, 'the end of it')
  const again = await world.ask({ type: 'cancel', cancels: [{ a: 1, o: oid }] })
  expect(again.response.data.statuses).toEqual([{ error: words }])
  expect(await used()).toBe(before + 1)
})

test('beyond 85% of a day’s actions of a unified account nothing opens, and a kill closes all', async () => {
  world = await World.start({
    account: { mode: 'unifiedAccount', positions: [position] },
    simulator: { options: { 'dailyCap.n': 50_000 } },
  })
  await world.until(covered, 'covered')
  world.budget.actedBefore([42_500], 0)
  // How the account is counted is read once the rest of it is known.
  await world.until(() => alertCodes().includes('actions'), 'an alert')
  const refused = await world.ask(orders(order(2, true, '190', '1', gtc)))
  expect(refused).toMatchObject({ code: 'rate_limited' })
  expect(refused.response).toMatch(/of the 50000 actions that the venue allows it in a day/)
  await world.kill('enough')
  await world.until(flat, 'flat')
})
