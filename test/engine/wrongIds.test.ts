import { afterEach, expect, test } from 'vitest'
import { accountInside } from './insideGuard.fixture.ts'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = { name: 'TSLA', szDecimals: 3, maxLeverage: 10, mid: '400' }
const dexes = [
  { name: 'xyz', markets: [market, { ...market, name: 'HOOD' }] },
  { name: 'abc', markets: [market] },
]
const tesla = 110_000
const status = () => world.guard.status()
const coins = () => status().positions.map(({ coin }) => coin)
const isCovered = () => status().positions.every(({ covered }) => covered)

async function started(): Promise<void> {
  const rules = { markets: ['*', 'xyz:*', 'abc:*'] }
  world = await World.start({ dexes, rules, account: { mode: 'unifiedAccount' } })
  await world.until(() => status().entries.pass, 'entries')
}

/** The next answers to one question are wrong in their places, and the connection is cut, so that it is asked. */
async function lied(type: 'perpDexs' | 'allPerpMetas', path: string, count: number): Promise<void> {
  const answer: any = await world.askAbout(type, '')
  const list = path === '' ? answer : answer[1].universe
  const value = path === '' ? [list[0], list[2], list[1]] : [list[1], list[0]]
  const patch = [{ op: 'replace', path, value }]
  await world.venue.fault({ where: 'info', kind: 'lie', match: { type }, count, patch })
  await world.venue.fault({ where: 'ws', kind: 'disconnect', count: 1 })
}

const isSaid = async (): Promise<boolean> =>
  !JSON.stringify(await world.venue.send('GET', '/sim/fault')).includes('"lie"')

test.each([
  ['perpDexs', ''],
  ['allPerpMetas', '/1/universe'],
] as const)('one wrong answer to %s moves no close and no stop', async (type, path) => {
  await started()
  await world.ask(orders(order(tesla, true, '402', '1')))
  await world.ask(orders(order(tesla + 1, false, '398', '2')))
  await world.ask(orders(order(120_000, false, '398', '0.5')))
  await world.until(() => coins().length === 3 && isCovered(), 'three positions')
  await lied(type, path, 1)
  await world.until(isSaid, 'the wrong answer')
  await world.until(() => status().venue.stream === 'live' && status().entries.pass, 'the stream')
  await world.outside(orders(order(tesla, true, '402', '1')))
  await world.until(() => status().positions.some(({ size }) => size === '2'), 'more, by hand')
  await world.until(isCovered, 'covered')
  await world.kill('test')
  await world.until(() => coins().length === 0, 'flat')
  const refused = (await world.venue.log()).filter(({ reply }: any) =>
    JSON.stringify(reply).includes('would increase position'),
  )
  expect(refused).toEqual([])
})

test('stops that are taken and cover nothing go ever later, and the lists are asked for', async () => {
  await started()
  await world.ask(orders(order(tesla, true, '402', '1')))
  await world.ask(orders(order(120_000, true, '402', '0.5')))
  await world.until(() => coins().length === 2 && isCovered(), 'two positions')
  await lied('perpDexs', '', 0)
  const lie: any = await world.askAbout('allPerpMetas', '')
  await world.venue.fault({
    ...{ where: 'info', kind: 'lie', match: { type: 'allPerpMetas' }, count: 0 },
    patch: [{ op: 'replace', path: '', value: [lie[0], lie[2], lie[1]] }],
  })
  const idOf = (): number | undefined =>
    accountInside(world.guard).market('xyz:TSLA' as never)?.asset
  await world.until(() => idOf() === 120_000, 'the wrong id')
  await world.outside(orders(order(tesla, true, '402', '1')))
  /** When each stop for it was decided on: they all go to the other dex's perp. */
  const sentAt = () =>
    world
      .events('protect')
      .filter(({ actions }) =>
        actions.some(({ orders: [first] = [] }: any) => first?.a === 120_000),
      )
      .map(({ at_ms }) => at_ms)
  await world.until(() => sentAt().length >= 5, 'five stops')
  const [, second = 0, ...later] = sentAt()
  const pauses = later.map((at, nth) => at - ([second, ...later][nth] ?? 0))
  for (const [nth, least] of [250, 500, 1_000].entries()) {
    expect(pauses[nth]).toBeGreaterThanOrEqual(least - 50)
  }
  await world.venue.send('DELETE', '/sim/fault')
  world.machine.passedMs += 15_000
  await world.until(() => idOf() === tesla, 'the right id')
  await world.until(isCovered, 'covered')
})
