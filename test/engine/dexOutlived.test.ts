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
const dex = async (body: object) => await world.venue.control('dex', { dex: 'xyz', coin, ...body })
const priceIs = async (mid: string): Promise<void> => {
  await world.venue.control('price', { coin, mid })
  await world.until(() => seen()?.mark_price === mid, `the mark ${mid}`)
}
const onVenue = async (): Promise<any[]> => await world.askAbout('frontendOpenOrders', 'xyz')
/** The orders that Guard decided on to protect. */
const decided = (): any[] =>
  world
    .events('protect')
    .flatMap(({ actions }) => actions.flatMap((each: any) => each.orders ?? []))

/** How many orders with that trigger the venue has answered. */
async function placed(trigger: string): Promise<number> {
  const answered = (await world.venue.log()).filter(({ reply }: any) => reply !== null)
  const orders = answered.flatMap(({ action }: any) => action.orders ?? [])
  return orders.filter(({ t }: any) => t.trigger?.triggerPx === trigger).length
}

/** The builder settles what is held, and somebody opens a new position there by hand, at once. */
async function settledAndReopened(size: string): Promise<void> {
  await dex({ halt: true })
  await dex({ halt: false })
  await world.outside(orders(order(tesla, true, '425', size)))
}

const told = (what: string) => world.events('error').some(({ text }) => text.includes(what))

async function started(haltStatus: 'delistedCanceled' | 'internalCancel'): Promise<void> {
  world = await World.start({
    ...{ dexes: [xyz], simulator: { options: { accountMs: 2_000, haltStatus } } },
    ...{ account: { dex_equity: { xyz: '3000' } }, rules: { markets: ['*', 'xyz:*'] } },
  })
  await world.until(() => status().risk.equity === '13000', 'the equity of both dexes')
}

async function held(haltStatus: 'delistedCanceled' | 'internalCancel'): Promise<void> {
  await started(haltStatus)
  await world.ask(orders(order(tesla, true, '402', '1')))
  await world.until(() => seen()?.covered === true, 'covered')
  expect(seen()).toMatchObject({ size: '1', stops: [{ price: '392' }] })
}

describe.each(['delistedCanceled', 'internalCancel'] as const)(
  'a position that a builder settles (%s), and that is opened by hand before Guard’s order for it arrives',
  (haltStatus) => {
    test.each(['1', '2'])('has no stop of before (%s)', async (size) => {
      await held(haltStatus)
      await world.venue.fault({
        ...{ where: 'exchange', kind: 'delay', ms: 3_000, count: 1, match: { type: 'order' } },
      })
      const [stop] = await onVenue()
      await world.outside({ type: 'cancel', cancels: [{ a: tesla, o: stop.oid }] })
      await world.until(() => decided().length > 0, 'the stop of before, on its way')
      expect(decided()[0].t.trigger.triggerPx).toBe('392')
      await priceIs('420')
      await settledAndReopened(size)
      await world.until(
        () => seen()?.size === size && Number(seen()?.entry_price) > 410,
        'the new one',
      )
      await world.until(async () => (await placed('392')) === 2, 'late')
      const isOwn = () => seen()?.stops.some(({ price }) => Number(price) > 410) === true
      await world.until(isOwn, 'a stop of its own')
      await world.until(async () => (await onVenue()).length === 1, 'no stop of before')
      world.machine.passedMs += 10_000
      await world.until(() => settled().length === 1, 'the settlement')
      expect(settled()[0]?.text).toContain('the position of 1 long was settled')
      await world.until(() => world.discrepancies().length === 1, 'made elsewhere')
      expect(seen()).toMatchObject({ size, covered: true, stops: [{ price: '411.6' }] })
    })

    test('and that Guard’s close meets, is told as what happened', async () => {
      await held(haltStatus)
      await world.venue.fault({
        ...{ where: 'exchange', kind: 'refuse_stop', text: 'Too many open orders', count: 0 },
      })
      const [stop] = await onVenue()
      await world.outside({ type: 'cancel', cancels: [{ a: tesla, o: stop.oid }] })
      await world.until(() => decided().length > 0, 'a stop that is refused')
      await world.venue.fault({
        ...{ where: 'exchange', kind: 'delay', ms: 3_000, count: 0, match: { type: 'order' } },
      })
      await priceIs('391')
      const isClose = ({ t }: any): boolean => t.trigger === undefined
      await world.until(() => decided().some(isClose), 'the close, on its way')
      await settledAndReopened('2')
      await world.venue.send('DELETE', '/sim/fault')
      await world.until(
        async () => (await world.positionsOn('xyz'))[coin] === '1.0',
        'half of it closed',
      )
      await world.until(() => told('has closed 1 of another one of 2 long'), 'told')
      await world.until(() => seen()?.size === '1' && seen()?.covered === true, 'the rest covered')
      world.machine.passedMs += 10_000
      await world.until(() => settled().length === 1, 'the settlement')
      expect(settled()[0]?.text).toContain('the position of 1 long was settled')
      expect(seen()?.stops).toMatchObject([{ price: '383.18' }])
    })
  },
)

test('a position that the venue leaves out for a while, without a fill, is never without a stop', async () => {
  await started('internalCancel')
  await world.outside(orders(order(tesla, true, '402', '1')))
  await world.until(() => seen()?.covered === true, 'covered')
  const lie = { where: 'info', kind: 'lie', match: { type: 'clearinghouseState', dex: 'xyz' } }
  await world.venue.fault({ ...lie, count: 0, patch: { assetPositions: [] } })
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  await world.until(() => {
    // Not more than a minute in all: after ten, a stop of what is gone may go.
    if (world.machine.passedMs < 60_000) world.machine.passedMs += 500
    return seen() === undefined
  }, 'the wrong read counts')
  const cancels = async () =>
    (await world.venue.log()).filter((each: any) => /cancel/.test(each.action.type))
  expect(await cancels()).toEqual([])
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => seen()?.covered === true, 'covered')
  expect(seen()).toMatchObject({ size: '1', stops: [{ price: '392' }] })
  // After more than ten seconds it is one opened anew, whose own stop comes before the old one goes.
  const [cancel] = await cancels()
  const before = (await world.venue.log()).filter(({ n }: any) => n < cancel?.n)
  expect(before.filter(({ action }: any) => action.type === 'order')).toHaveLength(cancel ? 2 : 0)
})
