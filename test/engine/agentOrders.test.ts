import { afterEach, expect, test } from 'vitest'
import { agentCloidPrefix } from '../../src/core/protocol/guardCloid.ts'
import { order, orders, World } from './world.fixture.ts'

/** An order of `guard mcp` goes once, whatever nonce it comes with and whatever became of it. */

let world: World
afterEach(async () => {
  await world.close()
})

const agentId = (n: number) => `${agentCloidPrefix}${String(n).padStart(24, '0')}`
const botId = `0x${'b'.repeat(32)}`
const entry = (c: string, size = '0.1') => orders(order(1, true, '4010', size, { c }))

test('a second nonce lets no order of an agent through again, also over restarts', async () => {
  world = await World.start()
  const nonce = world.nonce()
  expect(await world.ask(entry(agentId(1)), { nonce })).toMatchObject({ status: 'ok' })
  const refused = {
    verdict: 'veto',
    code: 'auth_replay',
    response: expect.stringContaining(`let through before, with the nonce ${String(nonce)}`),
  }
  expect(await world.ask(entry(agentId(1)))).toMatchObject(refused)
  await world.crash()
  await world.startGuard()
  expect(await world.ask(entry(agentId(1)))).toMatchObject(refused)
  for (let n = 0; n < 2; n += 1) {
    await world.stopGuard()
    await world.startGuard()
    expect(await world.ask(entry(agentId(1)))).toMatchObject(refused)
  }
  expect(await world.positions()).toEqual({ ETH: '0.1' })
})

test('three at once: one passes', async () => {
  world = await World.start()
  const replies = await Promise.all([1, 2, 3].map(() => world.ask(entry(agentId(1)))))
  expect(replies.filter(({ code }) => code === 'auth_replay')).toHaveLength(2)
  expect(await world.positions()).toEqual({ ETH: '0.1' })
})

test('what no rule let through may come again, and the ids of bots are their own affair', async () => {
  world = await World.start()
  expect(await world.ask(entry(agentId(1), '0.0001'))).toMatchObject({ verdict: 'veto' })
  expect(await world.ask(entry(agentId(1)))).toMatchObject({ status: 'ok' })
  expect(await world.ask(entry(botId))).toMatchObject({ status: 'ok' })
  await world.until(() => world.guard.status().positions[0]?.size === '0.2', 'both fills')
  expect((await world.ask(entry(botId))).code).not.toBe('auth_replay')
})
