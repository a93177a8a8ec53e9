import { afterEach, expect, test } from 'vitest'
import { order, orders, reduceOnly, strangerKey, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const ask = async (request: string, action: unknown, key?: Uint8Array): Promise<void> => {
  const signed = world.sign(action as never, key === undefined ? {} : { key })
  const body = new TextEncoder().encode(JSON.stringify(signed))
  await world.guard.handleExchange(body, 'http', request)
}
const stepsOf = (request: string): string[] =>
  world.logged.filter((line) => line['request'] === request).map(({ message }) => message)

test('the log follows a request through judge, journal, send and settle by its id', async () => {
  world = await World.start()
  await ask('r-1', orders(order(1, true, '4010', '0.5')))
  const [decision] = world.events('decision')
  // The leverage goes first, then the entry: each is sent and settled by itself.
  const twice = ['sending', 'settled', 'sending', 'settled']
  expect(stepsOf('r-1')).toEqual(['judged', 'on disk', ...twice])
  const { client } = world
  expect(world.logged.find((line) => line['request'] === 'r-1')).toEqual({
    level: 'info',
    message: 'judged',
    request: 'r-1',
    seq: decision.seq,
    client,
    nonce: decision.nonce,
    action: 'order',
    verdict: 'resize',
    code: 'resized',
  })
  const settled = world.logged.filter(({ message }) => message === 'settled')
  await world.until(() => world.events('sent').length === 2, 'both to be on disk')
  expect(settled.map(({ of, index, nonce, ok }) => ({ decision: of, index, nonce, ok }))).toEqual(
    world.events('sent').map(({ decision, index, nonce, ok }) => ({ decision, index, nonce, ok })),
  )
})

test('a refusal, an unknown outcome and what Guard does by itself are told apart', async () => {
  world = await World.start()
  await ask('r-2', { type: 'withdraw3' }, strangerKey)
  expect(stepsOf('r-2')).toEqual(['refused'])
  await world.outside(orders(order(2, true, '201', '5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const own = world.logged.filter((line) => 'of' in line && !('request' in line))
  expect(own.map(({ message }) => message)).toEqual(['sending', 'settled'])
  expect(own[0]?.['of']).toBe(world.events('protect')[0].seq)
  await world.venue.fault({ where: 'exchange', kind: 'drop_reply', match: { type: 'order' } })
  await ask('r-3', orders(order(2, false, '190', '5', reduceOnly)))
  const asked = 'asked what became of an unanswered action'
  await world.until(() => stepsOf('r-3').at(-1) === asked, 'the venue to be asked')
  expect(stepsOf('r-3')).toEqual(['judged', 'on disk', 'sending', 'settled', asked])
})
