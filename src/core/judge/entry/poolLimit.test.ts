import { describe, expect, test } from 'vitest'
import { accountWith, later, stopOrder } from '../../account/account.fixture.ts'
import type { AccountSpec } from '../../account/account.fixture.ts'
import { dexAccount } from '../../account/builders.fixture.ts'
import type { Json } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, orderAction } from '../judge.fixture.ts'

const mids = { ETH: '2000', BTC: '50000', HYPE: '40' }
const cross = (value: number) => ({ type: 'cross', value }) as const
const isolated = (value: number) => ({ type: 'isolated', value }) as const
/** Wide rules, so that nothing but what is free bounds. */
const wide: Partial<Rules> = {
  ...{ margin: 'cross', maxLeverage: Decimal.of('10'), maxPosition: Decimal.of('10') },
  ...{ riskPerTrade: Decimal.of('10'), openRisk: Decimal.of('10') },
}
const buys = (...sizes: readonly string[]): Json =>
  orderAction(sizes.map((size) => limitOrder(1, true, size, '2000')))
const ask = (spec: AccountSpec, action: Json, rules: Partial<Rules> = {}): Decision =>
  judged(action, { account: accountWith({ mids, ...spec }), rules: { ...wide, ...rules } })
const sizes = ({ entries }: Decision): readonly string[] =>
  entries.map(({ code, size }) => (size.isZero() ? code : size.toString()))

/** 600 USD of BTC on cross margin at 1x: nothing but its own initial margin keeps 600 of what is there. */
const held: AccountSpec = {
  equity: '1000',
  leverage: { ETH: cross(1) },
  positions: { BTC: { size: '0.012', leverage: cross(1) } },
  orders: [stopOrder({ coin: 'BTC', oid: 1, size: '0.012', trigger: '49000' })],
}
const pooled = (usdcHold: string): AccountSpec => ({
  ...{ equity: '1000', mode: 'unifiedAccount', usdcHold, leverage: { ETH: cross(1) } },
})

describe('what is free for an entry', () => {
  test.each<[string, AccountSpec, Json, readonly string[]]>([
    // 400 of 1,000 at 1x.
    ['less what is held takes', held, buys('1'), ['0.2']],
    ['of one balance, what nothing holds', pooled('700'), buys('1'), ['0.15']],
    ['less what came before it', pooled('700'), buys('0.1', '1'), ['0.1', '0.05']],
    ['just enough', pooled('980'), buys('0.01'), ['0.01']],
    // 9 USD are free, and 9 are asked for: the venue takes neither, and the collateral is not why.
    ['just enough for too little', pooled('991'), buys('0.0045'), ['below_minimum']],
    ['not enough', pooled('991'), buys('0.005'), ['margin']],
  ])('%s', (_, spec, action, want) => {
    expect(sizes(ask(spec, action))).toEqual(want)
  })

  test.each([
    [-6_000, '0.015'],
    [-6_001, '0.5'],
  ])('is what the venue said %i ms ago, while that is fresh', (at, size) => {
    const account = accountWith({ mids, equity: '1000' })
    const available = { buy: Decimal.of('30'), sell: Decimal.of('10') }
    const eth = { coin: coin('ETH'), leverage: cross(1) }
    account.apply({ kind: 'leverage', ...eth, available, at: later(at) })
    account.apply({ kind: 'leverage', ...eth, at: later(0) })
    expect(sizes(judged(buys('1'), { account, rules: wide }))).toEqual([size])
  })
})

test('where the rules admit no cross margin only what is free bounds an entry', () => {
  // 250 are on xyz. Of the 750 elsewhere 50 hold 1,000 USD of BTC at 20x, which need 212.1 to bear.
  const account = dexAccount({
    ...{ mids, equity: '1000', dexEquity: { xyz: '250' }, leverage: { ETH: isolated(1) } },
    positions: { BTC: { size: '0.02', leverage: cross(20) } },
    orders: [stopOrder({ coin: 'BTC', oid: 1, size: '0.02', trigger: '48000' })],
  })
  const bounded = (margin: Rules['margin']): readonly string[] =>
    sizes(judged(buys('1'), { account, rules: { ...wide, margin } }))
  expect(bounded('isolated')).toEqual(['0.35'])
  // (750 - 212.1) / 2,000.
  expect(bounded('cross')).toEqual(['0.2689'])
})
