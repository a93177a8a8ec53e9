import { afterEach, expect, test } from 'vitest'
import { gtc, order, orders, reduceOnly, strangerKey, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const entry = orders(order(1, true, '4010', '0.1'))
const bytesOf = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json))

test('the record of a refused request stays small, whoever sent it', async () => {
  world = await World.start()
  const nested = Array.from({ length: 5_000 }, () => ['x'.repeat(55)])
  for (const action of [
    { type: 'setReferrer', nested },
    { ...entry, nested },
    { type: 'usdSend', nested },
  ]) {
    expect(await world.ask(action)).toMatchObject({ verdict: 'veto' })
  }
  const stranger = { key: strangerKey }
  expect(await world.ask({ type: 'setReferrer', nested }, stranger)).toMatchObject({
    verdict: 'veto',
  })
  const events = world.events('decision')
  expect(events).toHaveLength(4)
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(20_000)
  expect(events[0]).toMatchObject({
    client: world.client,
    request: {
      bytes: 300_033,
      head: expect.stringMatching(/^\{"type":"setReferrer","nested":\[\["x+"\],/),
    },
  })
})

test('an expired request, sent again and again, is shed; what passes is not', async () => {
  world = await World.start()
  const now = Date.now()
  const expired = world.sign({ type: 'setReferrer' }, { nonce: now - 40_000 })
  const replies = await Promise.all(
    Array.from({ length: 600 }, () => world.guard.handleExchange(bytesOf(expired), 'http')),
  )
  const shed = replies.filter(({ status }) => status === 429).length
  expect(shed).toBeGreaterThan(300)
  expect(world.events('decision')).toHaveLength(600 - shed)
  // The same client still trades: an entry, a cancel and an exit.
  expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
  expect(await world.ask(orders(order(1, false, '3980', '0.1', reduceOnly)))).toMatchObject({
    status: 'ok',
  })
  world.fire(60_000)
  const told = await world.event('error')
  expect(told.text).toBe(
    `${shed} requests of client ${world.client} were shed in the last minute (HTTP 429)`,
  )
})

test('what the judge refuses is limited too, and its nonce may be used again', async () => {
  world = await World.start()
  const far = orders(order(0, true, '100', '1'))
  const requests = Array.from({ length: 400 }, () => world.sign(far))
  const replies = await Promise.all(
    requests.map((request) => world.guard.handleExchange(bytesOf(request), 'http')),
  )
  const firstShed = replies.findIndex(({ status }) => status === 429)
  expect(firstShed).toBeGreaterThanOrEqual(200)
  const { nonce } = requests[firstShed] as { nonce: number }
  expect(await world.ask(entry, { nonce })).toMatchObject({ status: 'ok' })
  expect((await world.ask(entry, { nonce }))?.code ?? 'auth_replay').toBe('auth_replay')
})

test('a refused exit is answered in words however many refusals there were', async () => {
  world = await World.start()
  const far = orders(order(0, true, '100', '1'))
  // An exit that is refused: the beginning of its cloid is kept for Guard's own orders.
  const c = `0x67756172${'01'.repeat(12)}`
  const exit = orders({ ...order(1, false, '3980', '0.1', reduceOnly), c })
  const flood = Array.from({ length: 400 }, () => bytesOf(world.sign(far)))
  const replies = await Promise.all(flood.map((each) => world.guard.handleExchange(each, 'http')))
  expect(replies.some(({ status }) => status === 429)).toBe(true)
  const exits = Array.from({ length: 300 }, () => bytesOf(world.sign(exit)))
  const answers = await Promise.all(exits.map((each) => world.guard.handleExchange(each, 'http')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(answers[0]?.body).toMatchObject({ verdict: 'veto', code: 'invalid' })
})

test('a replay that is shed does not free the nonce of the request it repeats', async () => {
  world = await World.start()
  const honest = world.sign(orders(order(1, true, '3990', '0.01', gtc)))
  expect(await world.post(honest)).toMatchObject({ status: 'ok' })
  const replies = await Promise.all(
    Array.from({ length: 500 }, () => world.guard.handleExchange(bytesOf(honest), 'http')),
  )
  expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThan(200)
  expect(
    replies.every(({ body }) => body === null || JSON.stringify(body).includes('replay')),
  ).toBe(true)
})

test('refused kill requests of a client are limited, and one that is in order is heard', async () => {
  world = await World.start()
  const wrong = Array.from({ length: 400 }, () => world.sign({ type: 'guardKill', reason: '' }))
  const replies = await Promise.all(wrong.map((each) => world.guard.handleKill(bytesOf(each))))
  expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThan(100)
  expect(await world.kill('enough')).toMatchObject({ status: 'ok' })
})
