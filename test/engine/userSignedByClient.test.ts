import { afterEach, expect, test } from 'vitest'
import { World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test.each(['usdSend', 'withdraw3', 'approveAgent', 'multiSig'])(
  'a client that signs %s as it signs its orders is named, and the nonce is used up',
  async (type) => {
    world = await World.start()
    const request = world.sign({ type })
    expect(await world.post(request)).toMatchObject({ code: 'funds_or_permissions' })
    expect(await world.event('decision')).toMatchObject({
      ...{ client: world.client, nonce: request['nonce'], action: type, verdict: 'veto' },
      ...{ code: 'funds_or_permissions', forward: null },
    })
    const again = world.sign(
      { type: 'setReferrer', code: 'X' },
      { nonce: request['nonce'] as number },
    )
    expect(await world.post(again)).toMatchObject({ code: 'auth_replay' })
  },
)
