import { expect, test } from 'vitest'
import { markets } from '../../core/account/account.fixture.ts'
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
  )

test.each([
  ['as many as are few', many(limits.followedFromStartMax), ['*'], limits.followedFromStartMax],
  ['one more than few', many(limits.followedFromStartMax + 1), ['*'], 0],
  ['the few that the rules admit of many', many(200), ['COIN7', 'COIN9', 'GONE'], 2],
  ['none that is delisted', [{ ...first, coin: 'OLD', isDelisted: true }], ['*'], 0],
])('of the markets: %s', (_what, specs, allowed, count) => {
  expect(followed(specs, allowed)).toHaveLength(count)
})
