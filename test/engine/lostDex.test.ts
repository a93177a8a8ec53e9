import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { orders, order, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string): JsonObject => ({
  ...{ name, szDecimals: 3, maxLeverage: 10, mid },
})
const xyz = { name: 'xyz', markets: [market('TSLA', '400')] }
const hyn = { name: 'hyn', collateral: 'USDT0', markets: [market('TSLA', '400')] }
const rules = { markets: ['*', 'xyz:*'], drawdownHalt: Decimal.of('0.08') }
const status = () => world.guard.status()
const held = () => status().positions.map(({ coin }) => coin)
const isGone = (): boolean => !held().includes('hyn:TSLA')

async function start(): Promise<void> {
  const account = { mode: 'disabled', dex_equity: { xyz: '1500', hyn: '2200' } }
  const simulator = { options: { accountMs: 200 } }
  world = await World.stopped({ dexes: [xyz, hyn], rules, account, simulator })
  await world.startGuard()
  await world.outside(orders(order(120_000, true, '410', '1')))
  await world.until(() => held().includes('hyn:TSLA'), 'the position')
}

const remove = (dex: string) => world.venue.control('dex', { dex, remove: true })

/** What lay there is missing in the equity, and in what losses are measured from. */
async function leftWithoutLoss(): Promise<void> {
  const isLess = (): boolean => isGone() && Number(status().risk.equity ?? 99_999) < 11_600
  await world.until(isLess, 'less money')
  const { risk } = status()
  expect(risk).toMatchObject({ state: 'active' })
  expect(Number(risk.drawdown)).toBeLessThan(0.002)
  expect(Number(risk.peak_equity)).toBeLessThan(11_600)
}

test('money in another token leaves the equity with its dex, and is no loss', async () => {
  await start()
  await remove('hyn')
  await leftWithoutLoss()
})

test('nor is it where the dex vanished while Guard was down', async () => {
  await start()
  await world.stopGuard()
  await remove('hyn')
  await world.startGuard()
  await leftWithoutLoss()
})

test('the money of a dex in USDC is not lost while the main dex, where it goes, cannot be seen', async () => {
  await start()
  const { peak_equity: peak } = status().risk
  const about = { where: 'info', kind: 'http_500', match: { type: 'clearinghouseState' }, count: 0 }
  await world.venue.fault(about)
  await world.venue.fault({ where: 'ws', kind: 'stale', match: { dex: '' }, count: 0 })
  await remove('xyz')
  const isJudged = (): boolean => status().risk.state !== 'active'
  const isLosing = (): boolean => status().risk.daily_loss === null || isJudged()
  await world.until(isLosing, 'nobody to know the equity')
  expect(status().entries.reason).toContain('xyz is told of no more')
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => isJudged() || status().risk.equity !== null, 'the equity')
  expect(status().risk).toMatchObject({ state: 'active', peak_equity: peak })
  expect(Number(status().risk.drawdown)).toBeLessThan(0.002)
})
