import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { decodeSpotMeta } from './decodeSpotMeta.ts'

const token = (index: number, name: string) => ({ index, name, szDecimals: 2, weiDecimals: 8 })
const tokens = [token(0, 'USDC'), token(150, 'HYPE'), token(268, 'USDT0')]

test('tells the token that each pair is paid in, by the numbers of the tokens', () => {
  const universe = [
    { name: '@107', index: 107, tokens: [150, 0], isCanonical: false },
    { name: '@207', index: 207, tokens: [150, 268], isCanonical: false },
  ]
  const read = decodeSpotMeta({ tokens, universe })
  expect(read).toEqual({
    ok: true,
    value: new Map([
      [coin('@107'), 'USDC'],
      [coin('@207'), 'USDT0'],
    ]),
  })
})

test.each([[{ name: '@1', tokens: [150, 7] }], [{ name: '@1', tokens: [150] }], [{ name: '@1' }]])(
  'a pair of unknown tokens is no answer: %j',
  (pair) => {
    expect(decodeSpotMeta({ tokens, universe: [pair] }).ok).toBe(false)
  },
)
