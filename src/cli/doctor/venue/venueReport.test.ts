import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { optionTable } from '../../../../lab/sim/optionBoard.ts'
import { TestVenue } from '../../../../lab/sim/simulator.fixture.ts'
import { readConfig } from '../../../config/readConfig.ts'
import type { Json } from '../../../core/protocol/action.ts'
import { address } from '../../../core/values/address.ts'
import { limits } from '../../../core/values/limits.ts'
import { renderToml } from '../../setup/renderToml.ts'
import { points, venueReport } from './venueReport.ts'
import type { VenueReport } from './venueReport.ts'

const account = address(`0x${'a7'.repeat(20)}`)
const markets = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '100000' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2000' },
  { name: 'DOGE', szDecimals: 0, maxLeverage: 10, mid: '0.2' },
]

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(async () => {
  await venue.close()
})
beforeEach(async () => {
  await venue.send('DELETE', '/sim/fault')
})

type Fields = { readonly [key: string]: unknown }

async function reset(own: Fields, options: Fields = {}): Promise<void> {
  const accounts = [{ address: account, equity: '10000', ...own }]
  await venue.control('reset', { frozen: true, markets, accounts, options })
}

async function report(url = venue.url): Promise<VenueReport> {
  const toml = renderToml({
    ...{ mode: 'paper', account, listen: '127.0.0.1:0', venueUrl: url, apiWallet: null, via: null },
    client: { address: address(`0x${'b1'.repeat(20)}`), name: 'bot' },
    rules: [],
  })
  const config = readConfig(toml, '/nonexistent')
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  const read = await venueReport(config.value)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

const act = (action: Json): Promise<any> => venue.control('act', { user: account, action })
const price = (coin: string, mid: string): Promise<any> => venue.control('price', { coin, mid })
const order = (b: boolean, s: string, p: string, more: Fields = {}): Promise<any> =>
  act({
    type: 'order',
    orders: [{ a: 1, b, p, s, r: false, t: { limit: { tif: 'Gtc' } }, ...more } as Json],
    grouping: 'na',
  })
const fires = (triggerPx: string): Fields => ({
  t: { trigger: { isMarket: true, triggerPx, tpsl: 'sl' } },
})
const held = (szi: string, type = 'cross', value = 10, coin = 'ETH'): Fields => ({
  ...{ coin, szi, leverage: { type, value } },
})
const two = { positions: [held('1'), held('0.01', 'cross', 20, 'BTC')] }
const unified = { mode: 'unifiedAccount' }

interface Case {
  readonly point: string
  readonly own: Fields
  readonly steps?: () => Promise<unknown>
  /** The simulator's option and its other values, or an answer laid over the venue's own. */
  readonly otherwise:
    | { readonly option: string; readonly values: readonly Json[] }
    | { readonly type: string; readonly patch: Json | (() => Promise<Json>) }
}

const option = (name: string, ...values: Json[]): Case['otherwise'] => ({ option: name, values })
const lie = (type: string, patch: Json | (() => Promise<Json>)): Case['otherwise'] => ({
  type,
  patch,
})
const replaced = (path: string, value: Json): Json => [{ op: 'replace', path, value }]

/** Each point with an account that shows it. */
const cases: readonly Case[] = [
  { point: 'default-mode', own: {}, otherwise: option('neverSetMode', 'null') },
  { point: 'default-leverage', own: {}, otherwise: option('defaultLeverage', '1', 'max') },
  {
    point: 'margin-tables',
    own: {},
    otherwise: lie('metaAndAssetCtxs', replaced('/0/universe/0/marginTableId', 30)),
  },
  {
    point: 'request-allowance',
    own: {},
    otherwise: lie('userRateLimit', { nRequestsCap: 20_000 }),
  },
  { point: 'taker-fee', own: {}, otherwise: lie('userFees', { userCrossRate: '0.0009' }) },
  { point: 'clock', own: {}, otherwise: lie('exchangeStatus', { time: 1_700_000_000_000 }) },
  {
    point: 'cross-margin-used',
    own: { positions: [held('1')] },
    steps: () => act({ type: 'updateLeverage', asset: 1, isCross: true, leverage: 20 }),
    otherwise: option('crossRelever', false),
  },
  {
    point: 'maintenance',
    own: two,
    otherwise: lie('clearinghouseState', { crossMaintenanceMarginUsed: '77.0' }),
  },
  {
    point: 'cross-liquidation-price',
    own: { equity: '1000', positions: [held('1')] },
    otherwise: lie(
      'clearinghouseState',
      replaced('/assetPositions/0/position/liquidationPx', '1500.0'),
    ),
  },
  {
    point: 'isolated-liquidation-price',
    own: { positions: [held('1', 'isolated', 5)] },
    otherwise: lie(
      'clearinghouseState',
      replaced('/assetPositions/0/position/liquidationPx', '1500.0'),
    ),
  },
  {
    point: 'unified-total',
    own: { ...unified, positions: [held('1')] },
    steps: () => price('ETH', '2100'),
    otherwise: option('unified_total', 'cash'),
  },
  {
    point: 'available-to-trade',
    own: two,
    steps: () => order(true, '0.5', '1900'),
    otherwise: lie('activeAssetData', { availableToTrade: ['1.0', '1.0'] }),
  },
  {
    point: 'both-sides',
    own: {},
    steps: async () => {
      await order(true, '1', '1900')
      await order(false, '1', '2100')
    },
    otherwise: option('bothSides', 'max'),
  },
  {
    point: 'both-sides',
    own: unified,
    steps: async () => {
      await order(true, '1', '1900')
      await order(false, '1', '2100')
    },
    otherwise: option('bothSides', 'max'),
  },
  {
    point: 'opposite-excess',
    own: { positions: [held('1')] },
    steps: () => order(false, '3', '2500'),
    otherwise: option('oppositeExcess', 'ignore'),
  },
  {
    point: 'trigger-margin',
    own: {},
    steps: () => order(true, '1', '2200', fires('2100')),
    otherwise: option('trigger_reserve', 'limit'),
  },
  {
    point: 'withdrawable',
    own: two,
    otherwise: option('withdrawableExtra', 'term', 'zero'),
  },
  {
    point: 'hold',
    own: { ...unified, positions: [held('1')] },
    steps: () => order(true, '0.5', '1900'),
    otherwise: lie('spotClearinghouseState', replaced('/balances/0/hold', '1.0')),
  },
  {
    point: 'trigger-number',
    own: { positions: [held('1')] },
    steps: async () => {
      await order(false, '1', '1800', { r: true, ...fires('1950') })
      await price('ETH', '1949')
    },
    otherwise: option('trigger_new_oid', true),
  },
  {
    point: 'trigger-unmatched',
    own: { positions: [held('1')] },
    steps: async () => {
      await order(false, '1', '1949.9', { r: true, ...fires('1950') })
      await price('ETH', '1900')
    },
    otherwise: option('triggeredMarketWithoutMatch', 'rest'),
  },
  {
    point: 'trigger-without-margin',
    own: { equity: '100' },
    steps: async () => {
      await order(true, '2', '2200', fires('2100'))
      await price('ETH', '2100')
    },
    otherwise: option('trigger_no_margin', 'partial'),
  },
  {
    point: 'liquidation-fee',
    own: { equity: '1000', positions: [held('10', 'cross', 25)] },
    steps: () => price('ETH', '1938.7'),
    otherwise: option('liquidationFee', 'none'),
  },
  {
    point: 'backstop-price',
    own: { equity: '1000', positions: [held('10', 'cross', 25)] },
    steps: () => price('ETH', '1915'),
    otherwise: option('backstopPrice', 'bankruptcy'),
  },
  {
    point: 'liquidation-cancels',
    own: { equity: '1000', positions: [held('10', 'cross', 25)] },
    steps: async () => {
      await order(true, '0.001', '80000', { a: 0 })
      // The ledger has a row of what the liquidator takes over, and of nothing else.
      await price('ETH', '1915')
    },
    otherwise: option('liqCancels', 'coin'),
  },
  {
    point: 'twap-fills',
    own: {},
    steps: () =>
      act({
        type: 'twapOrder',
        twap: { a: 1, b: true, s: '1', r: false, m: 5, t: false },
      }),
    otherwise: lie('userFills', async () => {
      const [slice] = await venue.info({ type: 'userTwapSliceFills', user: account })
      return [{ op: 'add', path: '/-', value: slice.fill }]
    }),
  },
  {
    point: 'old-order',
    own: {},
    steps: () => order(true, '1', '1900'),
    otherwise: lie('orderStatus', { status: 'unknownOid' }),
  },
]

const about = async (point: string): Promise<VenueReport['points'][number] | undefined> =>
  (await report()).points.find(({ name }) => name === point)

describe('each point is confirmed by the usual reading and refuted by the other one', () => {
  test.each(cases)('$point', async ({ point, own, steps, otherwise }) => {
    await reset(own)
    await steps?.()
    expect(await about(point)).toMatchObject({ state: 'confirmed' })
    if ('option' in otherwise) {
      for (const value of otherwise.values) {
        await reset(own, { [otherwise.option]: value })
        await steps?.()
        expect(await about(point)).toMatchObject({ state: 'refuted', option: otherwise.option })
      }
      return
    }
    const { type } = otherwise
    const patch = typeof otherwise.patch === 'function' ? await otherwise.patch() : otherwise.patch
    await venue.fault({ where: 'info', kind: 'lie', match: { type }, patch, count: 0 })
    expect(await about(point)).toMatchObject({ state: 'refuted', option: null })
  })

  test('every point is in the table, and names an option that there is', () => {
    expect(new Set(cases.map(({ point }) => point))).toEqual(
      new Set(points.map(({ name }) => name)),
    )
    expect(points.length).toBeGreaterThanOrEqual(12)
    for (const { name, option: own } of points) {
      if (own !== null) expect(optionTable, name).toHaveProperty([own])
    }
  })
})

describe('the report', () => {
  test('shortens the account, says what it cost, and names nothing but what was read', async () => {
    await reset({ ...two, agents: [`0x${'c3'.repeat(20)}`] })
    const read = await report()
    expect(read).toMatchObject({ account: '0xa7a7…a7a7', network: 'paper', unanswered: [] })
    expect(read.venue).toBe(new URL(venue.url).host)
    expect(read.weight.most).toBe(limits.examinedWeightMax)
    expect(read.weight.used).toBeGreaterThan(100)
    expect(read.weight.used).toBeLessThanOrEqual(read.weight.most)
    expect(JSON.stringify(read)).not.toMatch(/0x[0-9a-f]{10}/i)
    // Nothing was sent to trade.
    expect(await venue.log()).toEqual([])
  })

  test('of an account with nothing in it says what was not seen', async () => {
    await reset({ equity: '0' })
    const { points: seen } = await report()
    expect(seen.filter(({ state }) => state === 'refuted')).toEqual([])
    expect(seen.filter(({ state }) => state === 'not seen').length).toBeGreaterThan(12)
  })

  test('goes on where one question fails, and says which', async () => {
    await reset({})
    await venue.fault({
      ...{ where: 'info', kind: 'http_500', match: { type: 'historicalOrders' }, count: 0 },
    })
    const read = await report()
    expect(read.unanswered).toEqual([{ question: 'historicalOrders', why: 'it answered HTTP 500' }])
    const trigger = read.points.find(({ name }) => name === 'trigger-number')
    expect(trigger).toMatchObject({ state: 'not seen' })
  })

  test('of a portfolio account has no figures that Guard works out', async () => {
    await reset({ ...two, mode: 'portfolioMargin', equity: '20000' })
    const { points: seen } = await report()
    for (const name of ['withdrawable', 'hold', 'available-to-trade', 'cross-liquidation-price']) {
      expect(seen.find((each) => each.name === name)).toMatchObject({ state: 'not seen' })
    }
  })

  test('is none where the venue cannot be reached, in words', async () => {
    await expect(report('http://127.0.0.1:9')).rejects.toThrow(/127\.0\.0\.1:9 cannot be reached/)
  })
})
