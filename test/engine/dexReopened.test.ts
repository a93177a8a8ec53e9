import { afterEach, describe, expect, test } from 'vitest'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const xyz = { name: 'xyz', markets: [{ name: 'TSLA', szDecimals: 3, maxLeverage: 10, mid: '400' }] }
const tesla = 110_000
const coin = 'xyz:TSLA'
const status = () => world.guard.status()
const seen = () => status().positions.find((each) => each.coin === coin)
const settled = () => status().alerts.filter(({ code }) => code === 'settled')
const alert = (code: string) => status().alerts.find((each) => each.code === code)
const dex = async (body: object) => await world.venue.control('dex', { dex: 'xyz', coin, ...body })

describe.each(['delistedCanceled', 'internalCancel'] as const)(
  'a position that a builder settles (%s), and that is opened by hand in the same size at once,',
  (haltStatus) => {
    test('is told as ended, and the new one is found, with a stop of its own', async () => {
      world = await World.start({
        ...{ dexes: [xyz], simulator: { options: { accountMs: 2_000, haltStatus } } },
        ...{ account: { dex_equity: { xyz: '3000' } }, rules: { markets: ['*', 'xyz:*'] } },
      })
      await world.until(() => status().risk.equity === '13000', 'the equity of both dexes')
      await world.ask(orders(order(tesla, true, '402', '1')))
      await world.until(() => seen()?.covered === true, 'covered')
      expect(seen()).toMatchObject({ size: '1', stops: [{ price: '392' }] })
      expect(world.discrepancies()).toEqual([])
      await world.venue.control('price', { coin, mid: '420' })
      await world.until(() => seen()?.mark_price === '420', 'the mark')
      // Nothing else is told meanwhile: the fill that opens the new one is the first word.
      for (const type of ['allDexsClearinghouseState', 'orderUpdates', 'openOrders']) {
        await world.venue.fault({ where: 'ws', kind: 'silence', match: { type }, count: 0 })
      }
      for (const type of ['clearinghouseState', 'frontendOpenOrders']) {
        await world.venue.fault({ where: 'info', kind: 'http_500', match: { type }, count: 0 })
      }
      await dex({ halt: true })
      await dex({ halt: false })
      await world.outside(orders(order(tesla, true, '422', '1')))
      await world.until(() => Number(seen()?.entry_price) > 410, 'the new one')
      await world.until(() => world.discrepancies().length > 0, 'the new position told')
      await world.venue.send('DELETE', '/sim/fault')
      const isOwn = () => seen()?.stops.some(({ price }) => Number(price) > 410) === true
      await world.until(isOwn, 'a stop of its own')
      world.machine.passedMs += 10_000
      await world.until(() => settled().length === 1, 'the settlement')
      const how = haltStatus === 'delistedCanceled' ? 'at the mark of 420' : 'and no fill tells at'
      expect(settled()[0]?.text).toContain('the position of 1 long was settled')
      expect(settled()[0]?.text).toContain(how)
      const text = settled()[0]?.text
      await world.until(() => world.events('error').some((each) => each.text === text), 'its event')
      await world.until(() => alert('discrepancy') !== undefined, 'a person is told of the new one')
      await world.until(() => seen()?.stops.length === 1, 'no stop of before')
      expect(seen()).toMatchObject({ size: '1', covered: true, stops: [{ price: '411.6' }] })
      expect(status().risk.state).toBe('active')
    })
  },
)
