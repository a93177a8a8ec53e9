import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoUser, marketBuy, TestVenue } from '../../simulator.fixture.ts'

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())

const balances = async (): Promise<{ [coin: string]: string }> => {
  const { spotClearinghouseState } = await venue.state()
  const rows: { coin: string; total: string }[] = spotClearinghouseState.balances
  return Object.fromEntries(rows.map(({ coin, total }) => [coin, total]))
}

describe('spot balances of a reset', () => {
  test('of a standard account, beside its perps', async () => {
    const spot = [
      { coin: 'USDC', total: '50' },
      { coin: 'HYPE', total: '3.5' },
    ]
    await venue.freeze({ spot })
    expect(await balances()).toEqual({ USDC: '50.0', HYPE: '3.5' })
    const { clearinghouseState } = await venue.state()
    expect(clearinghouseState.marginSummary.accountValue).toBe('10000.0')
  })

  test('a token that nobody knows is refused with those there are', async () => {
    const accounts = [{ address: demoUser, equity: '1', spot: [{ coin: 'DOGE', total: '1' }] }]
    const { status, json } = await venue.send('POST', '/sim/reset', { accounts })
    expect(status).toBe(400)
    expect(json.error).toContain('USDC, PURR, HYPE')
  })
})

describe('/sim/mode', () => {
  test('cuts the pools anew with a position open; the total stays', async () => {
    await venue.freeze({ spot: [{ coin: 'USDC', total: '50' }] })
    await venue.exchange(marketBuy)
    const before = await venue.state()
    const value = Number(before.clearinghouseState.marginSummary.accountValue) + 50
    const told = await venue.control('mode', { user: demoUser, mode: 'unifiedAccount' })
    expect(told).toEqual({ user: demoUser, mode: 'unifiedAccount' })
    expect(await venue.info({ type: 'userAbstraction', user: demoUser })).toBe('unifiedAccount')
    expect(Number((await balances())['USDC'])).toBeCloseTo(value, 6)
    const after = await venue.state()
    expect(after.clearinghouseState.assetPositions).toHaveLength(1)
    await venue.control('mode', { user: demoUser, mode: 'disabled' })
    const back = await venue.state()
    expect(Number(back.clearinghouseState.marginSummary.accountValue)).toBeCloseTo(value, 6)
  })

  test('a stranger or another word is a 400', async () => {
    const stranger = { user: `0x${'12'.repeat(20)}`, mode: 'disabled' }
    expect((await venue.send('POST', '/sim/mode', stranger)).status).toBe(400)
    const word = { user: demoUser, mode: 'both' }
    expect((await venue.send('POST', '/sim/mode', word)).status).toBe(400)
  })
})

test('five spot pairs and more are listed, each with a price', async () => {
  const [meta, contexts] = await venue.info({ type: 'spotMetaAndAssetCtxs' })
  expect(meta.universe.length).toBeGreaterThanOrEqual(5)
  expect(contexts).toHaveLength(meta.universe.length)
  for (const { tokens } of meta.universe) {
    for (const token of tokens) expect(meta.tokens[token].index).toBe(token)
  }
  expect(new Set(contexts.map(({ markPx }: any) => Number(markPx) > 0))).toEqual(new Set([true]))
})
