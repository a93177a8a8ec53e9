import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
const buyNow = {
  type: 'order',
  orders: [{ a: ethAsset, b: true, p: '2600', s: '0.1', r: false, t: { limit: { tif: 'Ioc' } } }],
  grouping: 'na',
}
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

test('one that runs keeps its pace where the length of a minute changes', async () => {
  await act(twap())
  await option({ twapMinuteMs: 60 })
  await venue.control('clock', { advance_ms: 60_000 })
  expect(await held()).toBe('0.3')
  await option({ twapMinuteMs: 60_000 })
})

test('a stop price that the mark reaches between two slices ends it', async () => {
  const { mid } = await price()
  const above = String(Math.round(mid * 1.05))
  await act(twap({}, { details: { t: null, s: above } }))
  await venue.control('price', { coin: 'ETH', mid: String(mid), mark: above })
  await venue.control('price', { coin: 'ETH', mid: String(mid) })
  expect((await history())[0].status).toBe('stopped')
  expect(await states()).toEqual([])
})

test('nothing trades after its last slice, whatever is missing', async () => {
  await option({ postOnlyPeriod: true })
  await act(twap())
  await venue.control('clock', { advance_ms: 290_000 })
  await option({ postOnlyPeriod: false })
  await venue.control('clock', { advance_ms: 300_000 })
  expect(await held()).toBe('0.3')
  expect((await history())[0].status).toBe('finished')
})

test('by another reading a slice slips from the mark', async () => {
  await option({ twap_ref: 'mark' })
  await act(twap())
  expect(await held()).toBe('0.1')
  await option({ twap_ref: 'mid' })
})

const history = async () =>
  (await venue.info({ type: 'twapHistory', user: demoUser })).map(({ status }: any) => status)

describe('what ends one', () => {
  const poor = async (options: object, more: object = {}) =>
    await venue.control('reset', {
      ...{ frozen: true, options },
      accounts: [{ address: demoUser, equity: '30', ...more }],
    })

  test.each([
    [['margin', 'delisting'], 'error'],
    [[], 'activated'],
  ])('a slice without margin, with errors on %j: %s', async (reading, status) => {
    await poor({ twap_error_on: reading })
    await act(twap({ s: '11' }))
    await venue.control('clock', { advance_ms: 30_000 })
    const [last] = await history()
    expect(last.status).toBe(status)
    expect(last.description).toBe(
      status === 'error' ? 'Insufficient margin to place order.' : undefined,
    )
    expect(await states()).toHaveLength(status === 'error' ? 0 : 1)
  })

  test.each([
    [['reduceOnly'], 'error'],
    [['margin'], 'activated'],
  ])('nothing left to reduce, with errors on %j: %s', async (reading, status) => {
    await option({ twap_error_on: reading })
    await venue.control('act', { user: demoUser, action: buyNow })
    await act(twap({ b: false, r: true, s: '1.1' }))
    await venue.control('clock', { advance_ms: 60_000 })
    expect(await held()).toBe('0.0')
    expect((await history())[0].status).toBe(status)
  })

  test.each([
    [['scheduleCancel'], 1],
    [['agentRemoval', 'liquidation'], 0],
  ])('a scheduled cancel, where it survives %j: %i left', async (reading, left) => {
    await option({ twap_survives: reading, scheduleCancelVolume: '0' })
    await act(twap({ s: '11' }))
    const { now_ms } = await venue.control('clock', { advance_ms: 1 })
    await venue.control('act', {
      user: demoUser,
      action: { type: 'scheduleCancel', time: now_ms + 6_000 },
    })
    await venue.control('clock', { advance_ms: 7_000 })
    expect(await states()).toHaveLength(left)
  })

  test.each([
    ['scheduleCancel,agentRemoval', 0],
    ['liquidation', 1],
  ])('a liquidation, where it survives %s: %i left', async (reading, left) => {
    const held = { coin: 'ETH', szi: '1', leverage: { type: 'cross', value: 20 } }
    await venue.freeze({ equity: '500', positions: [held] })
    await option({ twap_survives: reading })
    await act(twap({ s: '0.1', b: false }))
    const { mid } = await price()
    await venue.control('price', { coin: 'ETH', mid: String(Math.round(mid * 0.8)) })
    expect(await states()).toHaveLength(left)
  })
})

test('one on a market that is not traded is refused', async () => {
  const { universe } = await venue.info({ type: 'meta' })
  const asset = universe.findIndex(({ isDelisted }: any) => isDelisted === true)
  expect(await act(twap({ a: asset, s: '1000' }))).toEqual({ error: 'Trading is halted' })
})

describe('one of a reset', () => {
  const state = {
    ...{ coin: 'ETH', side: 'B', sz: '1.1', executedSz: '0.4', executedNtl: '1000.0' },
    ...{ minutes: 5, reduceOnly: false, randomize: false, trigger: null, stopPx: null },
  }
  const begin = async (more: object) =>
    await venue.send('POST', '/sim/reset', {
      frozen: true,
      accounts: [{ address: demoUser, equity: '10000', twaps: [more] }],
    })

  test('goes on from where it was', async () => {
    const twaps = [[4711, { ...state, user: demoUser, timestamp: Date.now() - 100_000 }]]
    const { json } = await begin(twaps[0] as object)
    expect(json.twaps).toEqual([{ user: demoUser, twapId: 4711, coin: 'ETH' }])
    expect(await states()).toMatchObject([[4711, state]])
    expect(await held()).toBe('0.0')
    await venue.control('clock', { advance_ms: 400_000 })
    expect(await held()).toBe('0.7')
    expect((await history())[0].status).toBe('finished')
  })

  test.each([
    [{ coin: 'NONE' }, /twaps\[0\]\.coin: there is no market NONE/],
    [{ sz: '0' }, /twaps\[0\]\.sz: must be above zero/],
    [{ executedSz: '1.1' }, /twaps\[0\]\.executedSz: must be from 0 to less than sz/],
    [{ minutes: 4 }, /twaps\[0\]\.minutes: must be from 5 to 10080, got 4/],
    [{ timestamp: 1 }, /twaps\[0\]\.timestamp: must be from \d+ to \d+, got 1/],
    [{ side: 'buy' }, /twaps\[0\]\.side must be one of B, A/],
    [{ user: `0x${'12'.repeat(20)}` }, /twaps\[0\]\.user must be 0x/],
    [{ twapId: 1 }, /twaps\[0\]\.twapId is not known/],
  ])('%j is refused by its field', async (more, reason) => {
    const { status, json } = await begin({ ...state, ...more })
    expect(status).toBe(400)
    expect(json.error).toMatch(reason)
  })
})
