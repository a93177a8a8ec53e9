import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { demoUser, ethAsset, TestVenue } from '../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
beforeEach(() => venue.freeze())
afterAll(() => venue.close())

const twap = (more = {}, details = {}) => ({
  type: 'twapOrder',
  twap: { a: ethAsset, b: true, s: '1.1', r: false, m: 5, t: false, ...more },
  ...details,
})
const act = async (action: object) =>
  (await venue.control('act', { user: demoUser, action })).response.data.status
const held = async () =>
  (await venue.state()).clearinghouseState.assetPositions[0]?.position.szi ?? '0.0'
const states = async () =>
  (await venue.info({ type: 'webData2', user: demoUser })).twapStates as readonly any[]

test('n + 1 slices, one every 30 s, the first at once; then it is finished', async () => {
  const { running } = await act(twap())
  expect(await held()).toBe('0.1')
  expect(await states()).toMatchObject([
    [running.twapId, { coin: expect.any(String), sz: '1.1', executedSz: '0.1', side: 'B' }],
  ])
  await venue.control('clock', { advance_ms: 90_000 })
  expect(await held()).toBe('0.4')
  await venue.control('clock', { advance_ms: 300_000 })
  expect(await held()).toBe('1.1')
  expect(await states()).toEqual([])
  const rows = await venue.info({ type: 'twapHistory', user: demoUser })
  expect(rows.map(({ status }: any) => status.status)).toEqual(['finished', 'activated'])
})

test('its fills are in no other list, its orders in none', async () => {
  await act(twap())
  expect(await venue.info({ type: 'userFills', user: demoUser })).toEqual([])
  expect(await venue.info({ type: 'frontendOpenOrders', user: demoUser })).toEqual([])
  const [slice] = await venue.info({ type: 'userTwapSliceFills', user: demoUser })
  expect(slice).toMatchObject({ fill: { sz: '0.1', twapId: null }, twapId: expect.any(Number) })
})

test('a cancel ends it; a second one, or one by another market, finds nothing', async () => {
  const { running } = await act(twap())
  const cancel = { type: 'twapCancel', a: ethAsset, t: running.twapId }
  const missing = { error: 'TWAP was never placed, already canceled, or filled.' }
  expect(await act({ ...cancel, a: 0 })).toEqual(missing)
  expect(await act(cancel)).toBe('success')
  expect(await act(cancel)).toEqual(missing)
  await venue.control('clock', { advance_ms: 60_000 })
  expect(await held()).toBe('0.1')
})

test('one that waits for a price trades nothing before, and its stop price ends it', async () => {
  const { mids } = await venue.state()
  const name = Object.keys(mids)[ethAsset] as string
  const above = String(Math.round(Number(mids[name]) * 1.05))
  await act(twap({}, { details: { t: { p: above, a: true }, s: null } }))
  expect(await held()).toBe('0.0')
  await act(twap({}, { details: { t: null, s: above } }))
  expect(await held()).toBe('0.1')
  await venue.control('price', { coin: name, mid: above })
  await venue.control('clock', { advance_ms: 30_000 })
  expect(await states()).toHaveLength(1)
})

test.each([
  [{ m: 4 }, 'Invalid TWAP duration: 4 min(s)'],
  [{ s: '0.001' }, 'TWAP order value too small. Min is $100.'],
  [{ r: true }, 'Reduce-only TWAP order would increase position.'],
  [{ s: '1.00001' }, 'Order has invalid size.'],
  [{ s: '-1' }, 'Order has invalid size.'],
  [{ s: '0' }, 'Order has zero size.'],
])('%j is refused: %s', async (more, error) => {
  expect(await act(twap(more))).toEqual({ error })
})

test.each([
  { t: { p: '-5', a: true }, s: null },
  { t: { p: '0', a: false }, s: null },
  { t: null, s: '-5' },
])('a price that can never be is refused: %j', async (details) => {
  expect(await act(twap({}, { details }))).toEqual({ error: 'Order has invalid price.' })
})

const option = async (options: object) => await venue.control('options', options)
const price = async () => {
  const { mids } = await venue.state()
  const name = Object.keys(mids)[ethAsset] as string
  return { name, mid: Number(mids[name]) }
}

test('slices that would be small come less often, and are no smaller', async () => {
  const { mid } = await price()
  // 10 slices of 10 USD and a little more, over four days.
  const size = (110 / mid).toFixed(4)
  await act(twap({ s: size, m: 5_760 }))
  const first = Number(await held())
  expect(first * mid).toBeGreaterThanOrEqual(9.9)
  await venue.control('clock', { advance_ms: 3_600_000 })
  expect(Number(await held())).toBe(first)
})

test('one that was started by its price goes on wherever the price goes', async () => {
  const { name, mid } = await price()
  const above = String(Math.round(mid * 1.01))
  await act(twap({}, { details: { t: { p: above, a: true }, s: null } }))
  await venue.control('price', { coin: name, mid: above })
  await venue.control('clock', { advance_ms: 1_000 })
  expect(await held()).toBe('0.1')
  await venue.control('price', { coin: name, mid: String(mid) })
  await venue.control('clock', { advance_ms: 60_000 })
  expect(await held()).toBe('0.3')
})

test('sizes may vary by a fifth, and come to the same in the end', async () => {
  await act(twap({ t: true }))
  const first = Number(await held())
  expect(first).toBeGreaterThanOrEqual(0.08)
  expect(first).toBeLessThanOrEqual(0.12)
  await venue.control('clock', { advance_ms: 600_000 })
  expect(await held()).toBe('1.1')
})

test('by another reading one that waits is in the history alone', async () => {
  await option({ twap_waiting_listed: false })
  const { mid } = await price()
  const above = String(Math.round(mid * 1.05))
  await act(twap({}, { details: { t: { p: above, a: true }, s: null } }))
  expect(await states()).toEqual([])
  const rows = await venue.info({ type: 'twapHistory', user: demoUser })
  expect(rows[0].status.status).toBe('waitingForTrigger')
  await option({ twap_waiting_listed: true })
})

test.each([
  ['idle', 1],
  ['end', 0],
])('a reduce-only one with nothing left to reduce: %s', async (reading, left) => {
  await option({ twap_ro_flat: reading })
  await act(twap({ s: '2.2' }))
  const [[id]] = (await states()) as [[number]]
  await act({ type: 'twapCancel', a: ethAsset, t: id })
  await act(twap({ b: false, r: true }))
  await venue.control('clock', { advance_ms: 120_000 })
  expect(await held()).toBe('0.0')
  expect(await states()).toHaveLength(left)
  await option({ twap_ro_flat: 'idle' })
})

test('a minute may be shorter than it is', async () => {
  await option({ twapMinuteMs: 1_000 })
  await act(twap())
  await venue.control('clock', { advance_ms: 1_500 })
  expect(await held()).toBe('0.4')
  await option({ twapMinuteMs: 60_000 })
})

test('by another reading a slice slips from the mark', async () => {
  await option({ twap_ref: 'mark' })
  await act(twap())
  expect(await held()).toBe('0.1')
  await option({ twap_ref: 'mid' })
})
