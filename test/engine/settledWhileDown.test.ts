import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { accountInside } from './insideGuard.fixture.ts'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string): JsonObject => ({
  ...{ name, szDecimals: 3, maxLeverage: 10, mid },
})
const xyz = { name: 'xyz', markets: [market('TSLA', '400'), market('GOLD', '400')] }
const [coin, tesla] = ['xyz:TSLA', 110_000]
const status = () => world.guard.status()
const isHeld = (): boolean => status().positions.some((each) => each.coin === coin && each.covered)
const told = (words: string) => world.events('error').filter(({ text }) => text.includes(words))

async function held(haltStatus: 'delistedCanceled' | 'internalCancel'): Promise<void> {
  world = await World.start({
    ...{ dexes: [xyz], simulator: { options: { accountMs: 200, haltStatus } } },
    ...{ account: { mode: 'unifiedAccount' }, rules: { markets: ['*', 'xyz:*'] } },
  })
  await world.ask(orders(order(tesla, true, '402', '1')))
  await world.until(isHeld, 'covered')
}

/** The dexes and the fills were told, and more than ten seconds have passed since. */
async function seenAgain(): Promise<void> {
  await world.startGuard()
  const account = accountInside(world.guard)
  await world.until(() => account.areFillsTold && account.funds.isTold('xyz'), 'fills and dexes')
  for (let second = 0; second < 15; second += 1) {
    world.machine.passedMs += 1_000
    world.fire(1_000)
    world.fire(500)
    // What is asked meanwhile is answered.
    await world.until(() => account.areFillsTold, 'the fills')
  }
}

describe('after a start', () => {
  test.each(['delistedCanceled', 'internalCancel'] as const)(
    'a position that was settled meanwhile is told of once (%s)',
    async (haltStatus) => {
      await held(haltStatus)
      await world.stopGuard()
      await world.venue.control('dex', { dex: 'xyz', coin, halt: true })
      await seenAgain()
      const words = 'the position of 1 long was settled'
      await world.until(() => told(words).length > 0, 'the settlement')
      expect(status().alerts.some(({ code }) => code === 'settled')).toBe(true)
      await world.stopGuard()
      await seenAgain()
      expect(told(words)).toHaveLength(1)
    },
  )

  test('nothing is said of a position that is still there, or that somebody has closed', async () => {
    await held('internalCancel')
    await world.stopGuard()
    await seenAgain()
    await world.until(isHeld, 'held still')
    await world.stopGuard()
    const close = order(tesla, false, '390', '1', { r: true })
    await world.outside(orders(close))
    await seenAgain()
    expect(status().positions).toEqual([])
    expect([told('settled'), told('has told no fill')]).toEqual([[], []])
  })
})
