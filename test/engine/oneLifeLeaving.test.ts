import { afterEach, describe, expect, test } from 'vitest'
import { booksOf, gated, pending, settled } from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { accountAddress, order, orders, World } from './world.fixture.ts'

let world: World
let gate: Gate
let letGo = (): void => undefined
afterEach(async () => {
  letGo()
  gate.open()
  await world.close()
})

interface Way {
  /** The leverage that ETH is set to; the entry needs 5 at most. */
  readonly leverage: number
  readonly hold: () => () => void
  readonly isHeld: () => boolean
}

/** Each is a way for an entry to be judged, and not to have left yet. */
const ways: readonly [string, Way][] = [
  [
    'its record is being written',
    {
      leverage: 5,
      hold: () => world.disk.hold(),
      isHeld: () => world.guard.status().in_flight > 0,
    },
  ],
  [
    'the answer to the leverage it needs is on its way',
    {
      leverage: 20,
      hold: () => {
        gate.keep('answer', ({ type }) => type === 'updateLeverage')
        return () => {
          gate.open()
        }
      },
      isHeld: () => gate.waiting.length === 1,
    },
  ],
]

/** An entry of 2 ETH that leaves only after what happens meanwhile has been seen. */
async function leaving(way: Way, meanwhile: () => Promise<void>): Promise<any> {
  const leverage = { ETH: { type: 'isolated', value: way.leverage } }
  ;({ world, gate } = await gated({ account: { leverage } }))
  letGo = way.hold()
  const asked = pending(world.ask(orders(order(1, true, '4010', '2'))))
  await world.until(() => way.isHeld(), 'the entry to be judged')
  await meanwhile()
  letGo()
  const reply = await asked.reply
  await settled(world)
  return reply
}

/** Buys at the venue by hand, and returns once Guard has seen it. */
async function byHand(asset: number, price: string, size: string): Promise<void> {
  await world.outside(orders(order(asset, true, price, size)))
  const isSeen = (): boolean => world.guard.status().positions.some((each) => each.size === size)
  await world.until(isSeen, 'what was bought by hand')
}

/** What of the entry was bought is what the bot was told, and a refusal has its code. */
async function expectTold(reply: any, before = 0): Promise<void> {
  const bought = Number((await world.positions())['ETH'] ?? 0) - before
  const isRefused = reply.status !== 'ok'
  expect(bought).toBeCloseTo(isRefused ? 0 : Number(reply.size), 4)
  if (isRefused) expect(reply.response).toContain(`[${reply.code}]`)
  expect(reply.code).toEqual(expect.any(String))
}

describe.each(ways)('while %s', (_, way) => {
  test('money is taken out: it risks no more than a trade of what is left', async () => {
    const reply = await leaving(way, async () => {
      await world.venue.control('flow', { user: accountAddress, amount: '-5000' })
      await world.until(() => world.guard.status().risk.equity === '5000', 'what is left')
      await world.until(() => world.guard.status().risk.peak_equity === '5000', 'the flow')
    })
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(100)
    await expectTold(reply)
  })

  test('money is missing that nobody has explained yet: it does not leave', async () => {
    const reply = await leaving(way, async () => {
      const flow = { user: accountAddress, amount: '-3000', delay_ms: 3_600_000 }
      await world.venue.control('flow', flow)
      await world.until(() => world.guard.status().risk.equity === '7000', 'what is left')
    })
    expect(await world.positions()).toEqual({})
    // What is not explained for 10 s is a loss.
    expect(['account_stale', 'drawdown_halt']).toContain(reply.code)
  })

  test('somebody buys the same coin: it stays within its cap', async () => {
    const reply = await leaving(way, () => byHand(1, '4010', '3.75'))
    expect((await booksOf(world)).value).toBeLessThanOrEqual(20_000)
    await expectTold(reply, 3.75)
  })

  test('somebody uses up the open risk: nothing is added', async () => {
    const reply = await leaving(way, async () => {
      await byHand(0, '100400', '0.15')
      await byHand(2, '200.8', '75')
    })
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(600)
    await expectTold(reply)
  })

  test('the kill switch is pulled: it does not leave', async () => {
    const reply = await leaving(way, async () => {
      void world.guard.kill('enough')
      await world.until(() => world.guard.status().kill.latched, 'the latch')
    })
    expect(await world.positions()).toEqual({})
    expect(reply).toMatchObject({ verdict: 'veto', code: 'kill_switch' })
  })
})
