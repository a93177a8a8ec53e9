import { describe, expect, test } from 'vitest'
import { fixtureNow, restingEntry, stopOrder } from '../../account/account.fixture.ts'
import { dexAccount } from '../../account/builders.fixture.ts'
import type { DexSpec } from '../../account/builders.fixture.ts'
import type { Json } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, orderAction } from '../judge.fixture.ts'

const [tesla, nvidia] = [110_001, 110_002]
const isolated = (value: number) => ({ type: 'isolated', value }) as const
const set = { 'xyz:TSLA': isolated(4), 'xyz:NVDA': isolated(4), ETH: isolated(4) } as const
/** Rules that bound nothing here but the risk of a trade. */
const wide: Partial<Rules> = {
  markets: ['*', 'xyz:*'],
  riskPerTrade: Decimal.of('0.9'),
  openRisk: Decimal.of('0.9'),
  maxLeverage: Decimal.of('10'),
  maxPosition: Decimal.of('10'),
}
const buy = (asset: number, size: string, price: string): Json =>
  limitOrder(asset, true, size, price)
/** The account has 8,000 USD in all, and 250 of that on the dex xyz. */
const parted = { equity: '8000', dexEquity: { xyz: '250' }, leverage: set }
const ask = (orders: readonly Json[], spec: DexSpec = {}, rules: Partial<Rules> = {}): Decision =>
  judged(orderAction([...orders]), {
    account: dexAccount({ ...parted, ...spec }),
    rules: { ...wide, ...rules },
  })
const sizes = ({ entries }: Decision): readonly string[] =>
  entries.map(({ code, size }) => (size.isZero() ? code : size.toString()))

const held = {
  positions: { 'xyz:TSLA': { size: '0.5', leverage: isolated(4) } },
  orders: [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '0.5', trigger: '392' })],
}
const resting = {
  orders: restingEntry({
    ...{ oid: 5, coin: 'xyz:NVDA', isBuy: true, price: '180', size: '2', stop: '176' },
  }),
}

describe('an entry on a dex that has a balance of its own', () => {
  // 250 USD at 4x are 1,000 USD of TSLA.
  test.each<[string, DexSpec, string]>([
    ['is cut to that', {}, '2.5'],
    ['of a mode that was set', { mode: 'disabled' }, '2.5'],
    ['without the margin of what is held', held, '2'],
    ['without what rests there takes when it fills', resting, '1.6'],
    ['with nothing on it', { dexEquity: { xyz: '0' } }, 'margin'],
    ['with too little for the least order', { dexEquity: { xyz: '2.49' } }, 'margin'],
    ['with less than nothing', { dexEquity: { xyz: '-1' } }, 'margin'],
    ['of which nothing was told', { dexEquity: {} }, 'margin'],
    ['of which only another was told', { dexEquity: { usdh: '5000' } }, 'margin'],
    ['of an account that is one balance is not', { mode: 'unifiedAccount' }, '10'],
  ])('%s', (_, spec, size) => {
    expect(sizes(ask([buy(tesla, '10', '400')], spec))).toEqual([size])
  })

  test('is cut to it also where the rules admit cross margin', () => {
    const decision = ask([buy(tesla, '10', '400')], {}, { margin: 'cross' })
    expect(sizes(decision)).toEqual(['2.5'])
  })

  test('says so, with the figures', () => {
    const cut = ask([buy(tesla, '10', '400')])
    const record = { field: 'size', from: '10', to: '2.5', rule: 'margin' }
    expect(cut.changeRecords).toContainEqual(record)
    expect(cut.changes.join()).toContain('250 USD of free collateral on xyz at leverage 4')
    const refused = ask([buy(tesla, '10', '400')], { dexEquity: {} })
    expect(refused).toMatchObject({ verdict: 'veto', code: 'margin' })
    expect(refused.text).toContain('the 0 USD of free collateral on xyz at leverage 4')
  })

  test('finds what the ones before it have left, in its request and on their way', () => {
    const two = [buy(tesla, '2', '400'), buy(nvidia, '9', '180')]
    expect(sizes(ask(two))).toEqual(['2', '1.111'])
    const account = dexAccount({ ...parted, leverage: {} })
    const first = judged(orderAction([buy(tesla, '2', '400')]), { account, rules: wide })
    expect(first.entries[0]?.leverage).toBe(4)
    for (const [place, items] of first.reservations.entries()) {
      account.reserve(`${place}`, items, fixtureNow)
    }
    // 200 of the 250 are on their way, and nobody knows what is set for either coin.
    const second = judged(orderAction([buy(nvidia, '9', '180')]), { account, rules: wide })
    expect(sizes(second)).toEqual(['1.111'])
  })

  test('is cut to what the venue has left, where that is less', () => {
    const account = dexAccount(parted)
    const available = { buy: Decimal.of('30'), sell: Decimal.of('10') }
    const told = { kind: 'leverage', leverage: isolated(4), available, at: fixtureNow } as const
    account.apply({ ...told, coin: coin('xyz:TSLA') })
    const decision = judged(orderAction([buy(tesla, '10', '400')]), { account, rules: wide })
    expect(sizes(decision)).toEqual(['0.3'])
  })
})

describe('an entry on the main dex', () => {
  const eth = [buy(1, '2', '2486')]
  test.each<[string, DexSpec, string]>([
    // 1,000 USD at 4x over the mid of 2486.35.
    ['is cut to what is left there', { dexEquity: { xyz: '7000' } }, '1.6087'],
    ['is refused where all is elsewhere', { dexEquity: { xyz: '8000' } }, 'margin'],
    ['is not where all is there', { dexEquity: { xyz: '0' } }, '2'],
    ['nor where no other dex was told', { dexEquity: {} }, '2'],
  ])('%s', (_, spec, size) => {
    expect(sizes(ask(eth, spec))).toEqual([size])
  })

  test('does not ask for what lies elsewhere', () => {
    const decision = ask(eth, { dexEquity: { xyz: '7000' } })
    expect(decision.changes.join()).toContain('1000 USD of free collateral at leverage 4')
  })
})
