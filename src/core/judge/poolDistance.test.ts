import { expect, test } from 'vitest'
import { defaultRules } from '../rules/rules.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { actionOf, judgeInput } from './judge.fixture.ts'
import { poolDistance } from './poolDistance.ts'
import { emptyRow } from './requestPool.ts'

const shares: { readonly [coin: string]: string } = { ETH: '0.2', BTC: '0.3' }

// The account's rule is 10%, that of ETH 20% and that of BTC 30%.
test.each<[string, readonly string[], readonly string[], string]>([
  ['nothing', [], [], '0.1'],
  ['one coin', ['ETH'], [], '0.2'],
  ['the largest of several', ['BTC', 'ETH'], [], '0.3'],
  ['a coin on isolated margin does not count', ['ETH'], ['BTC'], '0.2'],
])('of what is on cross margin: %s', (_, cross, isolated, distance) => {
  const rulesFor = (_client: unknown, name: string | null) => {
    const share = Decimal.of((name === null ? null : shares[name]) ?? '0.1')
    return { ...defaultRules, minLiquidationDistance: share }
  }
  const rows = [...cross, ...isolated].map((name) => ({
    ...emptyRow(coin(name)),
    isCross: cross.includes(name),
  }))
  const input = { ...judgeInput(actionOf({ type: 'scheduleCancel' })), rulesFor }
  expect(poolDistance(input, rows).toString()).toBe(distance)
})
