import { afterEach, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

/** Ids of builder dexes that have become those of other perps: no stop and no close goes to the wrong one. */

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string) => ({ name, szDecimals: 3, maxLeverage: 10, mid })
const dex = (name: string, mid = '400') => ({
  ...{ name, collateral: 'USDC' },
  markets: [market('TSLA', mid), market('GOLD', '4000')],
})
const status = () => world.guard.status()
const isCovered = (...coins: string[]): boolean => {
  const held = status().positions
  return (
    held.length === coins.length &&
    held.every(({ coin, covered }) => covered && coins.includes(coin))
  )
}

async function start(dexes: readonly object[]): Promise<void> {
  const rules = { markets: ['*', 'xyz:*', 'abc:*', 'def:*'] }
  const simulator = { options: { accountMs: 200, dexRemoval: 'shift' as const } }
  world = await World.start({
    ...{ dexes: [...dexes] as any, rules, simulator },
    account: { mode: 'unifiedAccount' },
  })
  await world.until(() => status().entries.pass, 'entries')
}

/** The actions that came to the venue from the `from`-th on, with its answers. */
async function sentSince(from: number): Promise<string> {
  return JSON.stringify((await world.venue.log()).slice(from))
}
const logged = async (): Promise<number> => (await world.venue.log()).length
const closed = /"tif":"Ioc"/

test('a stop whose id is no market’s any more goes under the new one, and closes nothing', async () => {
  await start([dex('xyz'), dex('abc')])
  // Nothing tells Guard that xyz is gone.
  const type = 'allDexsClearinghouseState'
  const silence = { where: 'ws', kind: 'silence', match: { type }, count: 0 }
  await world.venue.fault(silence)
  const unread = { where: 'info', kind: 'http_500', count: 0, match: { type: 'perpDexs' } }
  await world.venue.fault(unread)
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  const from = await logged()
  await world.outside(orders(order(110_001, true, '4010', '0.1')))
  const isRefused = async () => (await sentSince(from)).includes('Invalid asset. asset=120001')
  await world.until(isRefused, 'the stop to be refused')
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => isCovered('abc:GOLD'), 'covered')
  const sent = await sentSince(from)
  expect(sent).not.toMatch(closed)
})

test('a dex that was added again has other perps: after a start none of their old ids is used', async () => {
  await start([dex('xyz'), dex('abc')])
  await world.ask(orders(order(120_000, true, '402', '1')))
  await world.until(() => isCovered('abc:TSLA'), 'covered')
  await world.crash()
  await world.venue.control('dex', { dex: 'abc', remove: true })
  await world.venue.control('dex', { add: dex('zzz') })
  const markets = [market('GOLD', '4000'), market('TSLA', '400')]
  await world.venue.control('dex', { add: { ...dex('abc'), markets } })
  await world.outside(orders(order(130_000, true, '4010', '0.1')))
  await world.outside(orders(order(130_001, false, '398', '1')))
  const match = { type: 'allPerpMetas' }
  await world.venue.fault({ where: 'info', kind: 'delay', match, ms: 300, count: 1 })
  const from = await logged()
  await world.startGuard()
  await world.until(() => isCovered('abc:GOLD', 'abc:TSLA'), 'covered')
  const sent = await sentSince(from)
  expect(sent).not.toContain('"err"')
  expect(sent).not.toMatch(closed)
})

test('the end of a dex is no reason for a stop: its id may be that of a healthy position', async () => {
  await start([dex('xyz', '500'), dex('abc', '460')])
  await world.ask(orders(order(110_000, true, '502', '2')))
  await world.ask(orders(order(120_000, true, '462', '2')))
  await world.until(() => isCovered('xyz:TSLA', 'abc:TSLA'), 'covered')
  const [from, held] = [await logged(), await world.positionsOn('abc')]
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  await world.until(() => isCovered('abc:TSLA'), 'the other one')
  await world.until(() => status().entries.pass, 'entries')
  expect(await sentSince(from)).not.toContain('"orders"')
  expect(await world.positionsOn('abc')).toEqual(held)
})
