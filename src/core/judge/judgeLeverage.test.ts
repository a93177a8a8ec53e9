import { describe, expect, test } from 'vitest'
import { accountWith, restingEntry, stopOrder } from '../account/account.fixture.ts'
import type { AccountSpec } from '../account/account.fixture.ts'
import { dexAccount } from '../account/builders.fixture.ts'
import type { DexSpec } from '../account/builders.fixture.ts'
import type { Rules } from '../rules/rules.ts'
import { Decimal } from '../values/decimal.ts'
import { judged } from './judge.fixture.ts'

const mids = { ETH: '2000', BTC: '50000', HYPE: '40' }
const update = (asset: number, leverage: number, isCross = false) => ({
  ...{ type: 'updateLeverage', asset, isCross, leverage },
})
const isolated = (value: number) => ({ type: 'isolated', value }) as const
/** A cross position that asks for 1,000 x 5% + 1.1 x 0.02 x (50,000 - 43,200) + 12.5 = 212.1. */
const bitcoin = { size: '0.02', leverage: { type: 'cross', value: 20 } } as const
const bitcoinStop = stopOrder({ coin: 'BTC', oid: 1, size: '0.02', trigger: '48000' })
const ethStop = (size: string) => stopOrder({ coin: 'ETH', oid: 2, size, trigger: '1900' })

describe('what isolated margin takes from cross positions', () => {
  const ask = (leverage: number, spec: AccountSpec, margin: Rules['margin'] = 'cross') =>
    judged(update(1, leverage), { account: accountWith({ mids, ...spec }), rules: { margin } })

  // The position holds 500 and needs 500 more at 2x; the entry beside it takes 500 when it fills.
  test.each([
    ['1712.1', 'allowed'],
    ['1712', 'liquidation_too_close'],
  ])('of a position and of what rests beside it: with %s USD %s', (equity, code) => {
    const resting = { coin: 'ETH', oid: 5, isBuy: true, price: '2000', size: '0.5', stop: '1900' }
    const decision = ask(2, {
      equity,
      positions: { BTC: bitcoin, ETH: { size: '1', leverage: isolated(4) } },
      orders: [bitcoinStop, ethStop('1'), ...restingEntry(resting)],
    })
    expect(decision.code, decision.text).toBe(code)
  })

  // 1,000 USD at 7x hold 142.857143. At 3x that is 333.333334 rounded up, less 142.857142 rounded down.
  test.each([
    ['545.433335', 'allowed'],
    ['545.4333349', 'liquidation_too_close'],
  ])('is counted to the last millionth: with %s USD %s', (equity, code) => {
    const decision = ask(3, {
      equity,
      positions: { BTC: bitcoin, ETH: { size: '0.5', leverage: isolated(7) } },
      orders: [bitcoinStop, ethStop('0.5')],
    })
    expect(decision.code, decision.text).toBe(code)
  })

  test('is not asked where the rules admit no cross margin', () => {
    const spec = {
      equity: '712',
      positions: { BTC: bitcoin, ETH: { size: '1', leverage: isolated(4) } },
      orders: [bitcoinStop, ethStop('1')],
    }
    expect(ask(3, spec).code).toBe('liquidation_too_close')
    expect(ask(3, spec, 'isolated').code).toBe('allowed')
  })
})

test('a coin that is set to cross margin leaves the others on theirs', () => {
  // 4,000 USD of HYPE stand on 4,000 of their own margin; 500 behind the rest would not bear them.
  const account = accountWith({
    ...{ mids, equity: '4500' },
    positions: { HYPE: { size: '100', leverage: isolated(1) } },
    orders: [stopOrder({ coin: 'HYPE', oid: 1, size: '100', trigger: '30' })],
  })
  const decision = judged(update(1, 20, true), { account, rules: { margin: 'cross' } })
  expect(decision.code, decision.text).toBe('allowed')
})

describe('on a builder dex, where all margin may be lost', () => {
  const ask = (leverage: number, spec: DexSpec, rules: Partial<Rules> = {}) =>
    judged(update(110_001, leverage), {
      account: dexAccount(spec),
      rules: { markets: ['xyz:*'], ...rules },
    })

  // Twice the risk of 87.2 is 174.4. Liquidated at 300 it holds 100 and 15, at 320 it holds 80 and 16. From
  // 3x to 2x a sixth of what it is worth is put in: 66.67 at 400, 80 at 480.
  test.each([
    ['300', '300', 'leverage'],
    ['300', '320', 'allowed'],
    ['480', '320', 'leverage'],
  ])('a position counts at its mid or its entry: opened at %s, ended at %s', (entry, end, code) => {
    const position = { size: '1', entry, leverage: isolated(3), liquidation: end }
    const orders = [stopOrder({ oid: 3, coin: 'xyz:TSLA', size: '1', trigger: '392' })]
    const decision = ask(2, { positions: { 'xyz:TSLA': position }, orders })
    expect(decision.code, decision.text).toBe(code)
  })

  const resting = (price: string, stop: string) =>
    restingEntry({ oid: 9, coin: 'xyz:TSLA', isBuy: true, price, size: '1', stop })

  test('an entry that bears no more than the rules allow is not told to take more', () => {
    const spec = { orders: resting('400', '396') }
    expect(ask(1, spec, { maxLeverage: Decimal.one }).code).toBe('allowed')
    expect(ask(1, spec).code).toBe('leverage')
  })

  test('exactly twice the risk of an entry is not too much', () => {
    // It fills at 306 at worst, and 36 beyond that: 90 of risk, and 180 of margin at 2x; it would bear 3x.
    const spec = { orders: resting('360', '340') }
    expect(ask(2, { ...spec, mids: { 'xyz:TSLA': '360' } }).code).toBe('allowed')
    expect(ask(2, { ...spec, mids: { 'xyz:TSLA': '361' } }).code).toBe('leverage')
  })
})
