import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import type { Json, JsonObject } from './action.ts'
import {
  decodeAllPerpMetas,
  decodeDexContexts,
  decodePerpDexs,
  decodePerpsAtCap,
} from './decodeDexes.ts'
import { decodeFrame } from './decodeFrame.ts'
import { decodeMetaAndAssetCtxs } from './decodeMeta.ts'

const perp = (name: string, more: JsonObject = {}): JsonObject => ({
  ...{ szDecimals: 2, name, maxLeverage: 10, marginTableId: 10, ...more },
})
const meta = (collateralToken: number, ...universe: JsonObject[]): JsonObject => ({
  ...{ universe, marginTables: [], collateralToken },
})
const state = (accountValue: string): JsonObject => ({
  ...{ marginSummary: { accountValue }, crossMarginSummary: { accountValue }, withdrawable: '0.0' },
  ...{ assetPositions: [], time: 1_700_000_000_000 },
})
const user = `0x${'a'.repeat(40)}`

function valueOf<T>(result: { ok: true; value: T } | { ok: false; error: string }): T {
  if (!result.ok) throw new Error(result.error)
  return result.value
}

test('the dexes with their places, empty ones left out', () => {
  const told = decodePerpDexs([null, { name: 'xyz' }, null, { name: 'abc' }])
  expect(valueOf(told)).toEqual([
    { name: 'xyz', index: 1 },
    { name: 'abc', index: 3 },
  ])
  expect(decodePerpDexs([null, { name: 'xyz' }, { name: 'xyz' }]).ok).toBe(false)
  expect(decodePerpDexs({}).ok).toBe(false)
})

describe('the perps of all builder dexes', () => {
  const dexes = [
    { name: 'xyz', index: 1 },
    { name: 'abc', index: 3 },
  ]
  const markets = (...metas: Json[]) => valueOf(decodeAllPerpMetas(metas, dexes))

  test('get the ids of their dex, and its terms', () => {
    const [tesla, hood, gold, ...more] = markets(
      meta(0, perp('BTC')),
      meta(
        0,
        perp('xyz:TSLA', { growthMode: 'enabled', deployerFeeScale: '0.5' }),
        perp('xyz:HOOD'),
      ),
      meta(360, perp('abc:GOLD', { isDelisted: true })),
      meta(0, perp('new:COIN')),
      meta(0),
    )
    expect(more).toEqual([])
    expect(tesla).toMatchObject({ asset: 110_000, coin: 'xyz:TSLA', onlyIsolated: false })
    expect(tesla?.builder).toMatchObject({ dex: 'xyz', isPaidInUsdc: true, isGrowth: true })
    expect(tesla?.builder?.feeScale.toString()).toBe('0.5')
    expect(hood).toMatchObject({ asset: 110_001, builder: { isGrowth: false } })
    expect(hood?.builder?.feeScale.toString()).toBe('1')
    expect(gold).toMatchObject({
      asset: 130_000,
      isDelisted: true,
      builder: { isPaidInUsdc: false },
    })
  })

  test.each(['noCross', 'strictIsolated', 'whatever'])(
    '%s allows isolated margin alone',
    (mode) => {
      const [only] = markets(meta(0, perp('xyz:TSLA', { marginMode: mode })))
      expect(only?.onlyIsolated).toBe(true)
    },
  )

  test('a dex that cannot be read keeps no other one from being read', () => {
    const odd = markets(meta(0, { ...perp('xyz:TSLA'), szDecimals: 99 }), meta(0, perp('abc:GOLD')))
    expect(odd.map(({ coin: name }) => name)).toEqual(['abc:GOLD'])
    const mixed = markets(meta(0, perp('xyz:TSLA'), perp('abc:TSLA')), meta(0, perp('abc:GOLD')))
    expect(mixed.map(({ coin: name }) => name)).toEqual(['abc:GOLD'])
  })
})

test('the caps of a dex are those of its perps, with or without its name', () => {
  const dex = (caps: Json) =>
    valueOf(decodePerpDexs([null, { name: 'xyz', assetToStreamingOiCap: caps }]))
  const capOf = (caps: Json) => {
    const [tesla] = valueOf(decodeAllPerpMetas([meta(0, perp('xyz:TSLA'))], dex(caps)))
    return tesla?.builder?.openInterestCap?.toString()
  }
  expect(
    capOf([
      ['xyz:HOOD', '7.0'],
      ['xyz:TSLA', '2000.0'],
    ]),
  ).toBe('2000')
  expect(capOf([['TSLA', '2000.0']])).toBe('2000')
  expect(capOf([])).toBeUndefined()
  // One that cannot be read keeps nobody from knowing the dex.
  expect(dex([['TSLA', null]])).toEqual([{ name: 'xyz', index: 1 }])
})

test('contexts of a dex, and coins at their cap', () => {
  const context = { markPx: '400.0', oraclePx: '401.0', midPx: null, openInterest: '12.5' }
  const told = valueOf(decodeDexContexts([meta(0, perp('xyz:TSLA')), [context]]))
  expect(told.coins).toEqual(['xyz:TSLA'])
  expect(told.contexts[0]).toMatchObject({ mid: null })
  expect(told.contexts[0]?.openInterest?.toString()).toBe('12.5')
  expect(valueOf(decodePerpsAtCap(['xyz:TSLA']))).toEqual([coin('xyz:TSLA')])
  expect(decodePerpsAtCap([1]).ok).toBe(false)
})

test('the states of all dexes: one that cannot be read is null, and the main one must be', () => {
  const frame = (...clearinghouseStates: Json[]) =>
    decodeFrame({
      channel: 'allDexsClearinghouseState',
      data: { user, clearinghouseStates },
    })
  const told = valueOf(frame(['', state('5.0')], ['abc', {}], ['xyz', state('7.0')]))
  if (told.channel !== 'allDexsClearinghouseState') throw new Error(told.channel)
  expect(told.states.get('')?.accountValue.toString()).toBe('5')
  expect(told.states.get('abc')).toBeNull()
  expect(told.states.get('xyz')?.accountValue.toString()).toBe('7')
  expect(frame(['', {}]).ok).toBe(false)
  expect(frame([1, state('5.0')]).ok).toBe(false)
})

test('contexts of one dex on the stream', () => {
  const context = { markPx: '400.0', oraclePx: '401.0', midPx: '400.5' }
  const told = valueOf(decodeFrame({ channel: 'assetCtxs', data: { dex: 'xyz', ctxs: [context] } }))
  expect(told).toMatchObject({ channel: 'assetCtxs', dex: 'xyz' })
})

/** Recordings that others made and that the project does not contain: read where they lie beside it. */
const folder = resolve(import.meta.dirname, '../../../../shared/vectors/dexes')

describe.skipIf(!existsSync(folder))('recordings of the live venue', () => {
  const read = (...path: string[]): any =>
    JSON.parse(readFileSync(join(folder, ...path), 'utf8')) as unknown
  const frame = (name: string): Json => JSON.parse(read('ws', 'mainnet.json').frames[name]) as Json

  test('every perp of every dex', () => {
    const dexes = valueOf(decodePerpDexs(read('hip3', 'perp_dexs_mainnet.json')))
    expect(dexes.map(({ name }) => name).join(' ')).toBe(
      'xyz flx vntl hyna km abcd cash para mkts io',
    )
    expect(dexes.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const metas = read('hip3', 'all_perp_metas_mainnet.json')
    const markets = valueOf(decodeAllPerpMetas(metas, dexes))
    const rows = metas
      .slice(1)
      .flatMap(({ universe, collateralToken }: any, dex: number) =>
        universe.map((row: any, place: number) => ({ row, dex, place, collateralToken })),
      )
    expect(markets).toHaveLength(rows.length)
    for (const [at, { row, dex, place, collateralToken }] of rows.entries()) {
      const { builder, asset, coin: name, onlyIsolated, isDelisted } = markets[at] ?? {}
      expect({ asset, name, onlyIsolated, isDelisted }).toEqual({
        asset: 110_000 + dex * 10_000 + place,
        name: row.name,
        onlyIsolated: row.onlyIsolated ?? false,
        isDelisted: row.isDelisted ?? false,
      })
      expect(builder?.isPaidInUsdc).toBe(collateralToken === 0)
      expect(builder?.isGrowth).toBe(row.growthMode === 'enabled')
      expect(`${builder?.feeScale}`).toBe(`${Number(row.deployerFeeScale ?? '1')}`)
    }
  })

  test('answers about one dex', () => {
    const para = read('hip3', 'meta_and_asset_ctxs_para_mainnet.json')
    const { coins, contexts } = valueOf(decodeDexContexts(para))
    expect(contexts).toHaveLength(coins.length)
    expect(decodeMetaAndAssetCtxs(para).ok).toBe(true)
    expect(decodePerpsAtCap(read('perps', 'perps_at_open_interest_cap_mainnet.json')).ok).toBe(true)
  })

  test('frames', () => {
    const states = valueOf(decodeFrame(frame('allDexsClearinghouseState')))
    if (states.channel !== 'allDexsClearinghouseState') throw new Error(states.channel)
    expect(states.states.size).toBe(11)
    expect([...states.states.values()]).not.toContain(null)
    expect(states.states.get('')?.positions).toHaveLength(1)
    expect(valueOf(decodeFrame(frame('assetCtxs')))).toMatchObject({ dex: 'xyz' })
  })
})
