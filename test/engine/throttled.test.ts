import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const id = `0x${'ab'.repeat(16)}`

/** Starts with 2 ETH held and covered; every second action that is answered with 429 is executed. */
async function holding(executes: 'random' | 'false'): Promise<void> {
  const options = executes === 'random' ? { http429_executes: executes } : {}
  world = await World.start({ simulator: { options } })
  await world.ask(orders(order(1, true, '4010', '2')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
}

async function throttled(type: string, action: JsonObject): Promise<any> {
  await world.venue.fault({ where: 'exchange', kind: 'http_429', match: { type } })
  return await world.ask(action)
}

const isSettled = (): boolean => world.guard.status().in_flight === 0

async function sizeHeld(): Promise<string | undefined> {
  return (await world.positions())['ETH']
}

describe('what the venue answers with HTTP 429', () => {
  test.each<[string, string, () => JsonObject]>([
    ['an exit', 'order', () => orders(order(1, false, '3900', '0.1', reduceOnly))],
    [
      'an exit that rests',
      'order',
      () => orders(order(1, false, '4300', '0.1', { ...reduceOnly, ...gtc })),
    ],
    [
      'a cancel',
      'cancelByCloid',
      () => ({ type: 'cancelByCloid', cancels: [{ asset: 1, cloid: id }] }),
    ],
  ])('%s may have been executed: reply and record say so', async (_, type, action) => {
    await holding('random')
    const rests = order(1, false, '4400', '0.1', { ...reduceOnly, ...gtc })
    await world.ask(orders({ ...rests, c: id }))
    await world.until(isSettled, 'all to be shown')
    const reply = await throttled(type, action())
    expect(reply).toMatchObject({ status: 'err', code: 'venue_unreachable' })
    expect(reply.response).toContain('it may have arrived')
    const sent = await world.event('sent', ({ ok }) => ok === false)
    expect(sent).toMatchObject({ reply: { may_have_arrived: true } })
  })

  test('exits that were executed are seen, and those that were not go when they are sent again', async () => {
    await holding('random')
    const sizes: (string | undefined)[] = []
    for (let nth = 0; nth < 4; nth += 1) {
      await throttled('order', orders(order(1, false, '3900', '0.1', reduceOnly)))
      sizes.push(await sizeHeld())
    }
    await world.until(isSettled, 'all outcomes to be found')
    expect(new Set(sizes).size).toBeGreaterThan(1)
    const told = world.guard.status().positions[0]?.size
    expect(told).toBe(await sizeHeld())
  })

  test('a close of all in doubt holds up and cuts none that follows', async () => {
    await holding('false')
    const all = (): JsonObject => orders(order(1, false, '3900', '2', reduceOnly))
    const rests = (): JsonObject => orders(order(1, false, '4300', '2', { ...reduceOnly, ...gtc }))
    await throttled('order', all())
    for (let nth = 0; nth < 3; nth += 1) await throttled('order', rests())
    expect(world.guard.status().in_flight).toBeGreaterThan(0)
    expect(await world.ask(rests())).toMatchObject({ status: 'ok', code: 'allowed', size: '2' })
    expect(await world.ask(all())).toMatchObject({ status: 'ok', code: 'allowed', size: '2' })
    await world.until(async () => (await sizeHeld()) === undefined, 'flat')
  })

  test("a close of Guard's own goes again at once, and its record says that it may have arrived", async () => {
    await holding('random')
    await world.venue.fault({
      where: 'exchange',
      kind: 'http_429',
      count: 2,
      match: { type: 'order' },
    })
    await world.kill('enough')
    await world.until(async () => (await sizeHeld()) === undefined, 'flat')
    const isRefused = ({ reply }: any): boolean => JSON.stringify(reply).includes('HTTP 429')
    expect(await world.event('sent', isRefused)).toMatchObject({
      reply: { may_have_arrived: true },
    })
  })
})
