import { describe, expect, test } from 'vitest'
import { markets } from '../../core/account/account.fixture.ts'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { readVenueMemory, writeVenueMemory } from './venueMemory.ts'
import type { VenueMemory } from './venueMemory.ts'

const memory: VenueMemory = {
  markets: markets(),
  mode: 'unifiedAccount',
  positions: new Map([
    [coin('ETH'), Decimal.of('-0.5')],
    [coin('BTC'), Decimal.of('1.25')],
  ]),
  dexes: ['xyz'],
}
const written = JSON.parse(JSON.stringify(writeVenueMemory(memory))) as JsonObject

test('what was written is read again, to the last field', () => {
  expect(readVenueMemory(written)).toEqual(memory)
})

test('a perp of a builder dex keeps the terms of its dex', () => {
  const [first] = memory.markets.byAsset.values()
  if (first === undefined) throw new Error('no market')
  const builder = { dex: 'xyz', isPaidInUsdc: true, feeScale: Decimal.of('0.5'), isGrowth: true }
  const tesla = { ...first, asset: 110_000, coin: coin('xyz:TSLA'), builder }
  const known = { byAsset: new Map([[tesla.asset, tesla]]), byCoin: new Map([[tesla.coin, tesla]]) }
  const kept = JSON.parse(JSON.stringify(writeVenueMemory({ ...memory, markets: known }))) as Json
  expect(readVenueMemory(kept)?.markets).toEqual(known)
})

test('one that an earlier version wrote names no dexes', () => {
  const { dexes: _, ...earlier } = written
  expect(readVenueMemory(earlier)).toEqual({ ...memory, dexes: [] })
})

test('a mode that this version does not know is unknown', () => {
  expect(readVenueMemory({ ...written, mode: 'someNewMode' })?.mode).toBe('unknown')
})

describe('nothing is taken from one of which a part cannot be read', () => {
  const [first, ...rest] = written['markets'] as readonly JsonObject[]
  const withMarket = (change: JsonObject): Json => ({
    ...written,
    markets: [{ ...first, ...change }, ...rest],
  })
  test.each<[string, Json]>([
    ['no object', null],
    ['another version', { ...written, version: 2 }],
    ['a market that is none', { ...written, markets: [7] }],
    ['a market without a name', withMarket({ coin: 5 })],
    ['an asset that is no number', withMarket({ asset: '1' })],
    ['decimals below zero', withMarket({ size_decimals: -1 })],
    ['a leverage of zero', withMarket({ max_leverage: 0 })],
    ['a tier without a bound', withMarket({ tiers: [['x', 3]] })],
    ['a tier without a leverage', withMarket({ tiers: [['0', 0]] })],
    ['a dex without a name', withMarket({ builder: { fee_scale: '1' } })],
    ['a dex without its fees', withMarket({ builder: { dex: 'xyz', fee_scale: 'much' } })],
    ['a position without a size', { ...written, positions: [['ETH', 'much']] }],
  ])('%s', (_, json) => {
    expect(readVenueMemory(json)).toBe(null)
  })
})
