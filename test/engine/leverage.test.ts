import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test.each([
  { type: 'isolated', value: 3, pre: [] },
  { type: 'isolated', value: 20, pre: [5] },
  { type: 'cross', value: 3, pre: [5] },
])(
  'a coin that is $type at $value is known before the first request',
  async ({ pre, ...leverage }) => {
    world = await World.start({ account: { leverage: { ETH: leverage } } })
    const entry = orders(order(1, true, '4010', '0.1'))
    const body = new TextEncoder().encode(JSON.stringify({ action: entry }))
    const planned = async (): Promise<number[]> => {
      const { pre: actions } = (await world.guard.preview(body)).body as any
      return actions.map((each: { leverage: number }) => each.leverage)
    }
    await world.until(async () => (await planned()).join() === pre.join(), 'the setting')
    await world.ask(entry)
    const decision = await world.event('decision')
    expect(decision.pre.map((each: any) => each.leverage)).toEqual(pre)
  },
)
