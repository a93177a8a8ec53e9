import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const xyz = { name: 'xyz', markets: [{ name: 'TSLA', szDecimals: 3, maxLeverage: 10, mid: '400' }] }
const tesla = 110_000
const status = () => world.guard.status()

/** By hand, at the venue: 5 TSLA, worth 2,000 USD, on cross margin. */
const start = async (more: WorldOptions): Promise<void> => {
  world = await World.start({
    ...{ dexes: [xyz], simulator: { options: { accountMs: 200 } } },
    ...more,
    rules: { markets: ['*', 'xyz:*'], margin: 'cross' },
  })
  await world.outside({ type: 'updateLeverage', asset: tesla, isCross: true, leverage: 10 })
  await world.outside(orders(order(tesla, true, '402', '5')))
  await world.until(() => status().positions[0]?.covered === true, 'covered')
}

test('a cross position on a builder dex leans on what the account has there, and on nothing else', async () => {
  await start({ account: { dex_equity: { xyz: '500' } } })
  await world.until(() => status().cross !== null, 'the pool')
  const { cross, cross_pools: pools } = status()
  expect(pools).toEqual([cross])
  const own = await world.askAbout('clearinghouseState', 'xyz')
  expect(cross).toMatchObject({ dex: 'xyz', value: '2000', maintenance: '100' })
  expect(Number(cross?.collateral)).toBe(Number(own.crossMarginSummary.accountValue))
  // 500 less the fee are behind it, and 100 are kept: a fifth more, and it is liquidated.
  expect(Number(cross?.distance)).toBeCloseTo((Number(cross?.collateral) - 100) / 1900, 5)

  // Something on the main dex leans on the main dex's money.
  expect((await world.ask(orders(order(1, true, '4010', '0.2')))).status).toBe('ok')
  const isHeld = () => status().cross_pools.some(({ dex, value }) => dex === '' && value === '800')
  await world.until(isHeld, 'both pools')
  const [, main] = status().cross_pools
  expect(Number(main?.collateral)).toBeGreaterThan(9_900)
  expect(Number(main?.collateral)).toBeLessThanOrEqual(10_000)
  expect(status().cross).toMatchObject({ dex: 'xyz' })
})

test('where all of an account is one balance, all of it stands behind it', async () => {
  await start({ account: { mode: 'unifiedAccount' } })
  await world.until(() => status().cross !== null, 'the pool')
  expect(status().cross).toMatchObject({ dex: null, value: '2000' })
  expect(Number(status().cross?.collateral)).toBeGreaterThan(9_900)
  expect(status().cross_pools).toHaveLength(1)
})
