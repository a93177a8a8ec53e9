import { describe, expect, test } from 'vitest'
import { fixtureNow } from '../../account/account.fixture.ts'
import { dexAccount } from '../../account/builders.fixture.ts'
import type { DexSpec } from '../../account/builders.fixture.ts'
import { defaultRules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { AccountWithRequest } from '../accountWithRequest.ts'
import { judged, limitOrder, orderAction } from '../judge.fixture.ts'
import { checkBookShare } from './checkMarketState.ts'

const tesla = coin('xyz:TSLA')
const rulesOf = (share: string | null) => ({
  ...{ markets: ['xyz:*'], maxDistanceFromMid: Decimal.of('0.005') },
  maxBookShare: share === null ? null : Decimal.of(share),
})
const bought = (spec: DexSpec, share: string | null = null) =>
  judged(orderAction([limitOrder(110_001, true, '10', '400')]), {
    account: dexAccount(spec),
    rules: rulesOf(share),
  })

describe('the mark and the oracle price', () => {
  test.each([
    // They may be 0.5% of 400 USD apart, which is 2 USD.
    ['as far apart as they may be', '402', '400', 'resized'],
    ['further', '402.01', '400', 'market_state'],
    ['further, below', '397.99', '400', 'market_state'],
  ])('%s', (_, mark, oracle, code) => {
    const spec = { marks: { 'xyz:TSLA': mark }, oracles: { 'xyz:TSLA': oracle } }
    expect(bought(spec).code).toBe(code)
  })

  test('are told apart by a share that is rounded up', () => {
    // 10 USD of 390 are 2.564102...%.
    expect(bought({ oracles: { 'xyz:TSLA': '390' } }).text).toContain('is 10 (2.5642%) from')
  })
})

describe('the share of the book', () => {
  const book = { bids: [['399.9', '8']], asks: [['400.1', '20']] } as const

  test.each([
    [2_000, 'resized'],
    [2_001, 'market_state'],
  ])('of a book that is %i ms old', (age, code) => {
    expect(bought({ book: { ...book, at: fixtureNow - age } }, '0.1').code).toBe(code)
  })

  test('is rounded down to the lot', () => {
    // 8 x 12.34% = 0.9872.
    expect(bought({ book }, '0.1234').entries[0]?.size.toString()).toBe('0.987')
  })

  test.each([
    ['0.8', null],
    ['0.801', 'market_state'],
  ])('just before it leaves: %s of the 0.8 that may be held', (size, code) => {
    const account = dexAccount({ book, positions: { 'xyz:TSLA': { size } } })
    const rules = { ...defaultRules, ...rulesOf('0.1') }
    const refusal = checkBookShare(new AccountWithRequest(account), rules, {
      ...{ coin: tesla, isBuy: true },
    })
    expect(refusal?.code ?? null).toBe(code)
  })
})
