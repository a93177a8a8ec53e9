import { afterEach, describe, expect, test } from 'vitest'
import { millis } from '../../../src/core/values/millis.ts'
import { demoUser, order, stopChild, TestVenue } from '../simulator.fixture.ts'
import type { SimulatorOptions } from '../simulatorOptions.ts'

const hourMs = 3_600_000

/** Noon: far from the end of a day. */
const startMs = Date.UTC(2026, 8, 7, 12)

let venue: TestVenue
let nowMs: number
let count: number
afterEach(() => venue.close())

async function start(
  account: object,
  options: SimulatorOptions['options'] = {},
  weightLimit: number | null = null,
): Promise<void> {
  nowMs = startMs
  count = 0
  venue = await TestVenue.start({ options, weightLimit, clock: { now: () => millis(nowMs) } })
  await venue.freeze({ ...account })
}

/** What the venue says to an action: `ok`, or its words. */
async function say(action: any, signing = {}): Promise<string> {
  count += 1
  const { json } = await venue.exchange(action, { nonce: nowMs + count, ...signing })
  return json.status === 'ok' ? 'ok' : json.response
}

const cancels = (size: number): any => ({
  type: 'cancel',
  cancels: Array.from({ length: size }, (_, at) => ({ a: 1, o: at })),
})
const entries = (size: number): any => {
  const { type, orders, grouping } = order({ p: '2400', s: '0.01' })
  return { type, orders: Array.from({ length: size }, () => orders[0] ?? null), grouping }
}
const used = async (): Promise<number> =>
  (await venue.info({ type: 'userRateLimit', user: demoUser })).nRequestsUsed

describe('requests of a lifetime', () => {
  test.each([
    ['other', /^Too many cumulative requests sent \(16 > 10\)/],
    ['cancel', /^ok$/],
  ] as const)('the cancel of a TWAP counts as %s', async (twapcancel_class, said) => {
    await start({ allowance: { cap: 10, used: 15 } }, { twapcancel_class })
    const cancel = { type: 'twapCancel', a: 1, t: 1 }
    // An address without requests left still gets one through in ten seconds.
    expect(await say(order({}))).toBe('ok')
    await venue.control('allowance', { user: demoUser, used: 15 })
    expect(await say(cancel)).toMatch(said)
  })

  const text = (after: number, cap: number): string =>
    `Too many cumulative requests sent (${after} > ${cap}) for cumulative volume traded $0. ` +
    'Place taker orders to free up 1 request per USDC traded.'

  test('a batch counts as many as it has entries, and what is refused whole counts nothing', async () => {
    await start({ allowance: { cap: 100, used: 95 } })
    expect(await venue.info({ type: 'userRateLimit', user: demoUser })).toMatchObject({
      nRequestsUsed: 95,
      nRequestsCap: 100,
    })
    expect(await say(entries(3))).toBe('ok')
    expect(await say({ ...order({ p: '1' }) })).toMatch(/^Order price cannot be/)
    expect(await used()).toBe(98)
  })

  test('beyond it one request passes, and then none for ten seconds', async () => {
    await start({ allowance: { cap: 100, used: 100 } })
    expect(await say(entries(1))).toBe('ok')
    expect(await say(entries(2))).toBe(text(103, 100))
    expect(await say({ ...order({ r: true, b: false, tif: 'Ioc' }) })).toBe(text(102, 100))
    nowMs += 10_000
    expect(await say(entries(1))).toBe('ok')
  })

  test('cancels have a cap of their own, twice as high', async () => {
    await start({ allowance: { cap: 100, used: 150 } })
    expect(await say(cancels(50))).toBe('ok')
    expect(await say(cancels(1))).toBe('ok')
    expect(await say(cancels(1))).toBe(text(202, 200))
  })

  test('trading adds to it', async () => {
    await start({ allowance: { cap: 100, used: 99 } })
    await venue.control('act', { user: demoUser, action: order({ p: '2600', tif: 'Ioc' }) })
    expect((await venue.info({ type: 'userRateLimit', user: demoUser })).nRequestsCap).toBe(348)
  })

  test('an action that came too late costs five', async () => {
    await start({ allowance: { cap: 100, used: 0 } })
    const expiresAfter = startMs - 1
    expect(await say(entries(1), { expiresAfter })).toBe('Action already expired')
    expect(await used()).toBe(5)
  })
})

describe('actions of a day', () => {
  const refused = 'Too many user actions'
  const unified = { mode: 'unifiedAccount', daily_actions: 49_998 }

  test('a unified account has 50,000; a batch counts its entries, and cancels count', async () => {
    await start(unified)
    expect(await say(entries(3))).toBe(refused)
    expect(await say(entries(1))).toBe('ok')
    expect(await say(cancels(1))).toBe('ok')
    expect(await say(cancels(1))).toBe(refused)
    expect(await say(order({ r: true, b: false, tif: 'Ioc' }))).toBe(refused)
  })

  test('so has a portfolio account, and a standard one has no such cap', async () => {
    await start({ mode: 'portfolioMargin', daily_actions: 50_000 })
    expect(await say(entries(1))).toBe(refused)
    await venue.freeze({ daily_actions: 50_000 })
    expect(await say(entries(1))).toBe('ok')
  })

  test('softly read a batch counts once, cancels are spared and one action passes in ten seconds', async () => {
    await start(unified, {
      'dailyCap.countBatch': false,
      'dailyCap.includeCancels': false,
      'dailyCap.beyond': 'trickle',
    })
    for (let at = 0; at < 2; at++) expect(await say(entries(3))).toBe('ok')
    expect(await say(entries(1))).toBe('ok')
    expect(await say(entries(1))).toBe(refused)
    expect(await say(cancels(5))).toBe('ok')
    nowMs += 10_000
    expect(await say(entries(1))).toBe('ok')
  })

  test('a new day begins at midnight UTC, or 24 hours later by the other reading', async () => {
    for (const [window, atMidnight] of [
      ['utc-day', 'ok'],
      ['rolling', refused],
    ] as const) {
      await start({ mode: 'unifiedAccount' }, { 'dailyCap.n': 2, 'dailyCap.window': window })
      expect(await say(entries(2))).toBe('ok')
      expect(await say(entries(1))).toBe(refused)
      nowMs += 12 * hourMs
      expect(await say(entries(1))).toBe(atMidnight)
      nowMs += 24 * hourMs
      expect(await say(entries(1))).toBe('ok')
      if (window === 'utc-day') await venue.close()
    }
  })

  test('without a cap nothing is refused', async () => {
    await start(unified, { 'dailyCap.n': null })
    expect(await say(entries(100))).toBe('ok')
  })
})

describe('request weight', () => {
  test('forty entries weigh one more; over the socket they are free, or count by the other reading', async () => {
    for (const [postWeight, status] of [
      ['free', 200],
      ['counted', 429],
    ] as const) {
      await start({}, { postWeight }, 4)
      expect(await say(entries(40))).toBe('ok')
      const socket = await venue.open()
      const request = { type: 'info', payload: { type: 'l2Book', coin: 'ETH' } }
      socket.send({ method: 'post', id: 1, request })
      await socket.onChannel('post')
      const answer = await venue.exchange(order({}, stopChild), { nonce: nowMs })
      expect(answer.status).toBe(status)
      await venue.closeSockets()
      if (postWeight === 'free') await venue.close()
    }
  })
})

test('control sets what is used while the venue runs, and takes it back', async () => {
  await start({ mode: 'unifiedAccount' })
  const set = (more: object): Promise<any> =>
    venue.control('allowance', { user: demoUser, ...more })
  await set({ cap: 10, used: 10 })
  expect(await say(entries(1))).toBe('ok')
  expect(await say(entries(1))).toMatch(/^Too many cumulative requests sent \(12 > 10\)/)
  await set({ used: 0 })
  expect(await say(entries(1))).toBe('ok')
  await set({ daily_actions: 50_000 })
  expect(await say(entries(1))).toBe('Too many user actions')
  await set({ daily_actions: 0 })
  expect(await say(entries(1))).toBe('ok')
})
