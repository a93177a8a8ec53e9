import { afterEach, expect, test } from 'vitest'
import { AgentWorld, call } from './world.fixture.ts'

let world: AgentWorld
afterEach(async () => {
  await world.close()
})

test('in paper mode an agent is told what would pass, and nothing is ever sent', async () => {
  world = await AgentWorld.open({ mode: 'paper' })
  const agent = await world.agent()
  expect((await call(agent, 'guard_status')).text).toMatch(/Paper mode: nothing is ever sent/)
  const buy = { coin: 'ETH', side: 'buy', size: '10', idempotency_key: 'paper' }
  const { isError, text, data } = await call(agent, 'place_order', buy)
  expect(isError).toBe(false)
  expect(data).toMatchObject({
    outcome: 'would',
    verdict: 'resize',
    order: { size: '3.0888', stop: '2436.7', state: 'not_sent' },
  })
  expect(text).toMatch(/^Paper mode: this would pass: buy 3\.0888 ETH.*Nothing was sent/)
  const again = await call(await world.agent(), 'place_order', buy)
  expect(again.data).toEqual({ ...data, repeated: true })
  const veto = await call(agent, 'place_order', { coin: 'ETH', side: 'buy', size: '0.001' })
  expect(veto.data).toMatchObject({ outcome: 'refused', verdict: 'veto', code: 'below_minimum' })
  expect((await call(agent, 'set_leverage', { coin: 'ETH', leverage: 2 })).data.outcome).toBe(
    'would',
  )
  expect((await call(agent, 'cancel_all')).data).toMatchObject({ outcome: 'done', cancelled: [] })
  expect(await world.venueActions()).toEqual([])
})
