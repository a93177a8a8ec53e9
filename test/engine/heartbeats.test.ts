import { afterEach, expect, test } from 'vitest'
import { accountAddress, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const answer = {
  status: 'ok',
  response: { type: 'default' },
  code: 'heartbeat',
  verdict: 'allow',
}

test('a noop is a sign of life: answered, recorded, its nonce used up, and never forwarded', async () => {
  world = await World.start()
  const request = world.sign({ type: 'noop' })
  expect(await world.post(request)).toEqual(answer)
  expect(await world.event('decision')).toMatchObject({
    ...{ client: world.client, nonce: request['nonce'], action: 'noop', request: { type: 'noop' } },
    ...{ verdict: 'allow', code: 'heartbeat', forward: null, heartbeats: 1 },
  })
  expect(await world.post(request)).toMatchObject({ code: 'auth_replay' })
  expect(await world.ask({ type: 'noop', x: 1 })).toMatchObject({ code: 'malformed' })
  expect(await world.ask({ type: 'noop' }, { vault: accountAddress })).toMatchObject({
    code: 'vault',
  })
  await world.kill('x')
  expect(await world.ask({ type: 'noop' })).toEqual(answer)
  const log = await world.venue.log()
  expect(log.filter(({ action }: any) => action.type === 'noop')).toEqual([])
})
