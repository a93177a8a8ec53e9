import { beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { givenCloidPrefix, guardCloidPrefix } from '../../src/core/protocol/guardCloid.ts'
import { accountAddress, gtc, order, orders } from '../engine/world.fixture.ts'
import { serve } from './served.fixture.ts'
import type { Served } from './served.fixture.ts'

/** Orders that a bot sent without an id come back without one, wherever it looks. */

let served: Served
beforeEach(async () => {
  served = await serve(1_000_000)
  return served.close
})

const own = '0x000000000000000000000000000000ab'
const user = accountAddress
const reads = [
  { type: 'openOrders', user },
  { type: 'frontendOpenOrders', user },
  { type: 'historicalOrders', user },
  { type: 'userFills', user },
  { type: 'userFillsByTime', user, startTime: 0 },
  { type: 'webData2', user },
  { type: 'openOrders', user, dex: '' },
  { type: 'userFills', user: user.toUpperCase().replace('X', 'x') },
]
const channels = [
  'orderUpdates',
  'userEvents',
  'userFills',
  'openOrders',
  'webData2',
  'webData3',
  'userHistoricalOrders',
]

/** A bot's socket that follows all of the account; everything it is told. */
async function follower(): Promise<{ readonly heard: string[]; end(): void }> {
  const socket = new WebSocket(`${served.gateway.url.replace('http', 'ws')}/ws`)
  const heard: string[] = []
  socket.on('message', (raw) => heard.push(String(raw)))
  await new Promise((resolve) => socket.once('open', resolve))
  for (const type of channels) {
    socket.send(JSON.stringify({ method: 'subscribe', subscription: { type, user } }))
  }
  await served.world.until(
    () => heard.filter((text) => text.includes('subscriptionResponse')).length === channels.length,
    'the subscriptions',
  )
  return { heard, end: () => socket.terminate() }
}

const atVenue = async (request: object): Promise<string> =>
  await (
    await fetch(`${served.world.venue.url}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Sim-Observer': '1' },
      body: JSON.stringify(request),
    })
  ).text()
const throughGuard = async (request: object): Promise<string> =>
  await (await served.post('/info', request)).text()

/** One that fills, one that rests, and one with an id of the bot's own; all have Guard's stops. */
async function trade(): Promise<void> {
  const { world } = served
  await world.ask(orders(order(1, true, '4010', '0.1')))
  await world.ask(orders(order(1, true, '3900', '0.1', gtc)))
  await world.ask(orders({ ...order(2, true, '190', '1', gtc), c: own }))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'cover')
  await world.until(() => world.guard.status().in_flight === 0, 'rest')
}

test('reads show no id that Guard gave, and all else as the venue says it', async () => {
  await trade()
  for (const request of reads) {
    const there = await atVenue(request)
    const here = await throughGuard(request)
    expect(there, JSON.stringify(request)).toContain(givenCloidPrefix)
    expect(here, JSON.stringify(request)).not.toContain(givenCloidPrefix)
    // Guard's own stops keep theirs, and so does what the bot named itself.
    if (request.type.includes('rders')) {
      expect(here).toContain(`${guardCloidPrefix}01`)
      expect(here).toContain(own)
    }
    if (request.type === 'historicalOrders' || request.type.startsWith('userFills')) {
      const strip = (text: string): string =>
        request.type === 'historicalOrders'
          ? text.replaceAll(new RegExp(`"${givenCloidPrefix}\\w{22}"`, 'g'), 'null')
          : text.replaceAll(new RegExp(`,"cloid":"${givenCloidPrefix}\\w{22}"`, 'g'), '')
      expect(here).toBe(strip(there))
    }
  }
  const [{ oid }] = JSON.parse(await atVenue({ type: 'userFills', user })) as [{ oid: number }]
  const status = await throughGuard({ type: 'orderStatus', user, oid })
  expect(JSON.parse(status)).toMatchObject({ order: { order: { oid, cloid: null } } })
})

test('streams show none, neither as it happens nor to one who joins late', async () => {
  const early = await follower()
  await trade()
  const channelOf = (text: string): string => (JSON.parse(text) as { channel: string }).channel
  await served.world.until(
    () =>
      early.heard.some((text) => channelOf(text) === 'userFills' && text.includes('"px"')) &&
      early.heard.some((text) => channelOf(text) === 'orderUpdates' && text.includes(own)) &&
      early.heard.some((text) => channelOf(text) === 'openOrders' && text.includes(own)),
    'the frames',
  )
  const late = await follower()
  await served.world.until(
    () => late.heard.some((text) => channelOf(text) === 'orderUpdates'),
    'what came before',
  )
  for (const { heard, end } of [early, late]) {
    end()
    const told = heard.filter((text) => !text.includes('subscriptionResponse'))
    expect(told.filter((text) => text.includes(givenCloidPrefix))).toEqual([])
    expect(told.some((text) => text.includes(`${guardCloidPrefix}01`))).toBe(true)
    expect(told.some((text) => text.includes(own))).toBe(true)
  }
})

test("another account's answers are not touched, and market data is byte for byte the venue's", async () => {
  await trade()
  for (const request of [
    { type: 'meta' },
    { type: 'allMids' },
    { type: 'spotMeta' },
    { type: 'perpDexs' },
    { type: 'userFees', user: '0x00000000000000000000000000000000000000bb' },
  ]) {
    expect(await throughGuard(request)).toBe(await atVenue(request))
  }
})
