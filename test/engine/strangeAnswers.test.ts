import { afterEach, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { order, orders, reduceOnly, World } from './world.fixture.ts'

/** Answers that the venue's reference does not have: neither taken for a yes nor for a no. */

let world: World
/** The types of the questions that Guard has asked the venue. */
let asked: string[] = []
afterEach(async () => {
  await world.close()
})

const entry = orders(order(1, true, '4010', '0.1'))
const ok = (response: Json): Json => ({ status: 'ok', response })
const statuses = (type: string, ...list: readonly Json[]): Json =>
  ok({ type, data: { statuses: list } })

async function start(): Promise<void> {
  world = await World.stopped()
  asked = []
  await world.startGuard((venue) => ({
    exchange: venue.exchange,
    info: (request, lane) => {
      asked.push((request as { readonly type: string }).type)
      return venue.info(request, lane)
    },
  }))
}

/** Waits for Guard to ask the venue what became of something. */
async function lookedUp(type: string): Promise<void> {
  await world.until(() => asked.includes(type), `a question of type ${type}`)
}

/** Arms the answer to the next action of a type; `executed` when the action is done all the same. */
async function answerWith(type: string, fault: JsonObject): Promise<void> {
  await world.venue.fault({ where: 'exchange', match: { type }, ...fault })
}
const replying = (json: Json, executed: boolean): JsonObject => ({
  kind: 'reply',
  text: JSON.stringify(json),
  executed,
})

const isInDoubt = (): boolean =>
  world.guard.status().alerts.some(({ code }) => code === 'unknown_outcome')

/** Actions of a type that reached the venue. */
async function sent(type: string): Promise<any[]> {
  return (await world.venue.log()).filter(({ action }) => action.type === type)
}

describe('a leverage change that nobody has accepted', () => {
  const strange: readonly (readonly [string, JsonObject])[] = [
    ['null', replying(null, false)],
    ['an unknown status', replying({ status: 'accepted', response: { type: 'default' } }, false)],
    ['a reply of an unknown type', replying(ok({ type: 'leverageUpdated' }), false)],
    [
      'an unknown type with an address',
      replying(ok({ type: 'new', data: `0x${'1'.repeat(40)}` }), false),
    ],
    ['no response', replying({ status: 'ok', response: null }, false)],
    ['a status that is null', replying(statuses('default', null), false)],
    ['the answer to an order', replying(statuses('order', { resting: { oid: 1 } }), false)],
    ['the answer to a cancel', replying(statuses('cancel', 'success'), false)],
    ['HTTP 408', { kind: 'http_408' }],
    ['an answer that breaks off', { kind: 'garbage' }],
  ]

  test.each(strange)(
    '%s: the entry behind it is not sent, and it is looked up',
    async (_, fault) => {
      await start()
      await answerWith('updateLeverage', fault)
      const reply = await world.ask(entry)
      expect(reply).toMatchObject({ status: 'err', code: 'venue_unreachable' })
      expect(reply.response).toContain('the leverage the entry needs is not confirmed')
      expect(await sent('order')).toEqual([])
      expect(await world.positions()).toEqual({})
      expect(await world.event('sent', ({ index }) => index === 0)).toMatchObject({ ok: false })
      await lookedUp('activeAssetData')
    },
  )
})

describe('an order whose answer nobody knows', () => {
  const strange: readonly (readonly [string, JsonObject])[] = [
    ['a reply of an unknown type', replying(statuses('placed', { resting: { oid: 1 } }), true)],
    ['a default', replying(ok({ type: 'default' }), true)],
    ['an unknown status', replying({ status: 'queued', response: 'soon' }, true)],
    ['null', replying(null, true)],
    ['a status that is unknown', { kind: 'status', text: '{"queued":{"oid":1}}' }],
    ['a status that is null', { kind: 'status', text: 'null' }],
    ['a status that is no number', { kind: 'status', text: '{"resting":{"oid":"1"}}' }],
    ['the status of a cancel', { kind: 'status', text: '"success"' }],
    ['no statuses', replying(statuses('order'), true)],
    [
      'too many statuses',
      replying(statuses('order', ...Array(3).fill({ resting: { oid: 1 } })), true),
    ],
    ['HTTP 408', { kind: 'http_408' }],
    ['no JSON', { kind: 'garbage', text: '<html>busy</html>' }],
  ]

  test.each(strange)('%s: told as unknown, never as a success, and found', async (_, fault) => {
    await start()
    await answerWith('order', fault)
    const reply = await world.ask(entry)
    expect(reply).toMatchObject({ status: 'err', code: 'venue_unreachable' })
    expect(reply.response).toContain('it may have arrived')
    expect(await world.event('sent', ({ index }) => index === 1)).toMatchObject({ ok: false })
    await lookedUp('orderStatus')
    await world.until(() => !isInDoubt(), 'the outcome to be found')
    await world.until(() => world.guard.status().in_flight === 0, 'nothing in flight')
    expect(await sent('order')).toHaveLength(1)
    expect(await world.positions()).toEqual({ ETH: '0.1' })
    expect(world.guard.status().positions[0]).toMatchObject({ coin: 'ETH', covered: true })
  })

  test('what was not done is held at its worst until it can no longer happen', async () => {
    await start()
    await answerWith('order', replying(statuses('placed', { resting: { oid: 1 } }), false))
    expect(await world.ask(entry)).toMatchObject({ code: 'venue_unreachable' })
    expect(isInDoubt()).toBe(true)
    expect(world.guard.status().in_flight).toBeGreaterThan(0)
    await world.until(() => !isInDoubt(), 'the outcome to be found')
    expect(world.guard.status().in_flight).toBe(0)
    expect(await world.positions()).toEqual({})
  })
})

test('of an answer with too few statuses, what names its order counts and the rest is unknown', async () => {
  await start()
  const [first, second] = [`0x${'1'.repeat(32)}`, `0x${'2'.repeat(32)}`]
  await world.ask(entry)
  const shown = { resting: { oid: 77, cloid: second } }
  await answerWith('order', replying(statuses('order', shown), false))
  const exits = orders(
    order(1, false, '4500', '0.05', { ...reduceOnly, t: { limit: { tif: 'Gtc' } }, c: first }),
    order(1, false, '4600', '0.05', { ...reduceOnly, t: { limit: { tif: 'Gtc' } }, c: second }),
  )
  const reply = await world.ask(exits)
  expect(reply.status).toBe('ok')
  const [unknown, known] = reply.response.data.statuses
  expect(unknown.error).toMatch(/^Guard \[venue_unreachable\]: .*it may have arrived$/)
  expect(known).toEqual(shown)
  expect(isInDoubt()).toBe(true)
  await lookedUp('orderStatus')
})

test('a close with an answer that nobody knows is looked up, and everything is closed in the end', async () => {
  await start()
  await world.ask(entry)
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await answerWith('order', replying(ok({ type: 'closed' }), false))
  await world.kill('enough')
  const flatten = await world.event('flatten')
  const answered = await world.event('sent', ({ decision }) => decision === flatten.seq)
  expect(answered).toMatchObject({ ok: false, reply: ok({ type: 'closed' }) })
  await lookedUp('orderStatus')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
})
