import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { coinKind, isMainPerp } from './coinKind.ts'

test.each([
  ['BTC', 'perp'],
  ['kPEPE', 'perp'],
  ['@107', 'spot'],
  ['PURR/USDC', 'spot'],
  ['xyz:TSLA', 'builder_dex'],
  ['#10', 'outcome'],
  ['+10', 'outcome'],
] as const)('%s is a market of the kind %s', (name, kind) => {
  expect(coinKind(coin(name))).toBe(kind)
  expect(isMainPerp(coin(name))).toBe(kind === 'perp')
})
