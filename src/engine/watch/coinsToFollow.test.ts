import { expect, test } from 'vitest'
import { markets, venueState } from '../../core/account/account.fixture.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import { limits } from '../../core/values/limits.ts'
import { millis } from '../../core/values/millis.ts'
import { coinsToFollow } from './coinsToFollow.ts'

const first = { asset: 0, sizeDecimals: 2, maxLeverage: 10 }
const many = (count: number) =>
  Array.from({ length: count }, (_, asset) => ({ ...first, coin: `COIN${asset}`, asset }))
const followed = (specs: Parameters<typeof markets>[0], allowed: readonly string[]) =>
  coinsToFollow(
    { kind: 'markets', markets: markets(specs), at: millis(1) },
    { ...defaultRules, markets: allowed },
    () => true,
  )

test.each([
  ['as many as are few', many(limits.followedFromStartMax), ['*'], limits.followedFromStartMax],
  ['one more than few', many(limits.followedFromStartMax + 1), ['*'], 0],
  ['the few that the rules admit of many', many(200), ['COIN7', 'COIN9', 'GONE'], 2],
  ['none that is delisted', [{ ...first, coin: 'OLD', isDelisted: true }], ['*'], 0],
])('of the markets: %s', (_what, specs, allowed, count) => {
  expect(followed(specs, allowed)).toHaveLength(count)
})

test('of the markets: none of a dex that is not listed', () => {
  const specs = [first, { ...first, coin: 'xyz:TSLA', asset: 110_000 }].map((each, asset) => ({
    coin: 'ETH',
    ...each,
    asset: asset === 0 ? 0 : 110_000,
  }))
  const event = { kind: 'markets', markets: markets(specs), at: millis(1) } as const
  const rules = { ...defaultRules, markets: ['*', 'xyz:*'] }
  expect(coinsToFollow(event, rules, () => true)).toEqual(['ETH', 'xyz:TSLA'])
  expect(coinsToFollow(event, rules, (dex) => dex === '')).toEqual(['ETH'])
})

test('of the positions: all but those on a dex that is not listed', () => {
  const positions = {
    BTC: { size: '1', entryPrice: '60000' },
    'xyz:TSLA': { size: '1', entryPrice: '400' },
    'old:GOLD': { size: '-1', entryPrice: '50' },
  }
  const state = venueState({ positions }, 1)
  const event = { kind: 'state', state, source: 'stream', at: millis(1) } as const
  const coins = coinsToFollow(event, defaultRules, (dex) => dex !== 'old')
  expect(coins).toEqual(['BTC', 'xyz:TSLA'])
})
