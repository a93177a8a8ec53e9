import { expect, test } from 'vitest'
import { accountWith, later, openOrder } from '../../../core/account/account.fixture.ts'
import { dexAccount } from '../../../core/account/builders.fixture.ts'
import { allowsMarket, dexesNamed } from '../../../core/rules/marketNames.ts'
import { defaultRules } from '../../../core/rules/rules.ts'
import { coin } from '../../../core/values/coin.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import { strangeDexes } from './strangeDexes.ts'

const rulesOf = (...markets: string[]) => ({ ...defaultRules, markets })

test.each([
  [['*'], [], ['ETH']],
  [['*', 'xyz:*'], ['xyz'], ['ETH', 'xyz:TSLA', 'xyz:HOOD']],
  [
    ['ETH', 'xyz:TSLA', 'abc:*'],
    ['xyz', 'abc'],
    ['ETH', 'xyz:TSLA', 'abc:OIL'],
  ],
])('%j names %j', (markets, dexes, coins) => {
  const rules = rulesOf(...markets)
  expect(dexesNamed(rules)).toEqual(dexes)
  const all = ['ETH', 'xyz:TSLA', 'xyz:HOOD', 'abc:OIL']
  expect(all.filter((name) => allowsMarket(rules, coin(name)))).toEqual(coins)
})

test('what is held, rests or runs on a dex that is not named is told by its coin', () => {
  const account = accountWith({ positions: { ETH: { size: '1' }, 'xyz:TSLA': { size: '-2' } } })
  const order = (name: string, oid: number) =>
    openOrder({ coin: name, oid, isBuy: true, price: '90', size: '1' })
  const orders = [order('xyz:TSLA', 1), order('xyz:HOOD', 2), order('xyz:HOOD', 3)]
  account.apply({ kind: 'orders', orders, dex: 'xyz', source: 'read', at: later(1) })
  const twap = {
    ...{ id: 7, coin: coin('abc:OIL'), isBuy: true, size: Decimal.one, minutes: 30 },
    ...{ executedSize: Decimal.zero, isReduceOnly: false, isRandomized: false, at: later(0) },
    ...{ triggerPrice: null, endPrice: null },
  }
  account.apply({ kind: 'twaps', twaps: [twap], dex: 'abc', source: 'read', at: later(1) })
  const told = strangeDexes(account, rulesOf('*'))
  expect(told).toEqual([
    'xyz:TSLA: a position of 2 short, an order on the dex xyz, which `markets` does not name',
    'xyz:HOOD: 2 orders on the dex xyz, which `markets` does not name',
    'abc:OIL: TWAP 7 on the dex abc, which `markets` does not name',
  ])
  expect(strangeDexes(account, rulesOf('*', 'xyz:*', 'abc:OIL'))).toEqual([])
})

test.each([
  [
    'unifiedAccount',
    'does not name; its profit and loss are in another token than USDC, and in no ',
  ],
  ['default', 'does not name'],
] as const)('whose money counts nowhere is told so: %s', (mode, text) => {
  const account = dexAccount({ mode, positions: { 'usdh:TSLA': { size: '1' } } })
  const [told = ''] = strangeDexes(account, rulesOf('*'))
  expect(told.slice(told.indexOf('does not'), told.indexOf('does not') + text.length)).toBe(text)
  expect(told.includes('no equity')).toBe(mode === 'unifiedAccount')
})
