import { describe, expect, test } from 'vitest'
import { accountWith, restingEntry, stopOrder } from '../account/account.fixture.ts'
import type { AccountSpec, PositionSpec } from '../account/account.fixture.ts'
import { dexAccount } from '../account/builders.fixture.ts'
import { defaultRules } from '../rules/rules.ts'
import { Decimal } from '../values/decimal.ts'
import { marginFaults } from './marginFaults.ts'

const rules = { ...defaultRules, maxLeverage: Decimal.of('5') }
const found = (spec: AccountSpec) =>
  marginFaults(accountWith(spec), () => rules).map(({ code, coin, text }) => [code, coin, text])

const held = (position: PositionSpec): AccountSpec => {
  const isBuy = position.size.startsWith('-')
  const trigger = isBuy ? '2600' : '2400'
  const stop = stopOrder({ coin: 'ETH', oid: 11, size: '1', trigger, isBuy })
  return { positions: { ETH: position }, orders: [stop] }
}

describe('a position', () => {
  test('that keeps the rules has none', () => {
    expect(found(held({ size: '1', leverage: { type: 'isolated', value: 5 } }))).toEqual([])
    expect(found(held({ size: '1', liquidation: '2159.9' }))).toEqual([])
    expect(found(held({ size: '-1', liquidation: '2860.1' }))).toEqual([])
    expect(found({ positions: { ETH: { size: '1', liquidation: '2300' } } })).toEqual([])
  })

  test.each([
    ['isolated', 20, 'has leverage 20, set at the venue: max_leverage is 5'],
    ['cross', 3, 'is on cross margin (3x), set at the venue: the whole account stands behind it'],
  ] as const)('on %s at %d', (type, value, text) => {
    const faults = found(held({ size: '1', leverage: { type, value } }))
    expect(faults).toEqual([['margin', 'ETH', `ETH: the position of 1 ${text}`]])
  })

  test.each([
    ['1', '2160'],
    ['-1', '2860'],
  ])('of %s that is liquidated at %s, where its stop may still fill', (size, liquidation) => {
    const [fault] = found(held({ size, liquidation }))
    expect(fault).toMatchObject(['liquidation', 'ETH', expect.stringContaining(liquidation)])
  })
})

test('cross margin that the rules admit is none, and a liquidation before the stop still is', () => {
  const admitted = { ...rules, margin: 'cross' } as const
  const leverage = { type: 'cross', value: 20 } as const
  const faults = (liquidation: string) =>
    marginFaults(accountWith(held({ size: '1', leverage, liquidation })), () => admitted)
  expect(faults('2159.9')).toEqual([])
  expect(faults('2160').map(({ code }) => code)).toEqual(['liquidation'])
})

describe('cross margin on a builder dex', () => {
  const onDex = (mode: NonNullable<AccountSpec['mode']>) => {
    const leverage = { type: 'cross', value: 3 } as const
    const account = dexAccount({ mode, positions: { 'xyz:TSLA': { size: '1', leverage } } })
    return marginFaults(account, () => ({ ...rules, margin: 'cross' })).map(({ text }) => text)
  }

  test('leans on the token of its dex where that is another than USDC', () => {
    const texts = (mode: NonNullable<AccountSpec['mode']>) => {
      const leverage = { type: 'cross', value: 3 } as const
      const account = dexAccount({ mode, positions: { 'usdh:TSLA': { size: '1', leverage } } })
      return marginFaults(account, () => rules).map(({ text }) => text)
    }
    const token = 'what the account has of the token of the dex usdh stands behind it'
    expect(texts('unifiedAccount')).toEqual([expect.stringContaining(token)])
    const own = 'all that the account has on the dex usdh stands behind it'
    expect(texts('default')).toEqual([expect.stringContaining(own)])
  })

  test.each([
    ['default', 'all that the account has on the dex xyz stands behind it'],
    ['unifiedAccount', 'the whole account stands behind it'],
  ] as const)('is one whatever the rules say: %s', (mode, text) => {
    expect(onDex(mode)).toEqual([
      `xyz:TSLA: the position of 1 is on cross margin (3x), set at the venue: ${text}`,
    ])
  })
})

describe('entries that rest on a coin', () => {
  const entry = restingEntry({ coin: 'ETH', oid: 10, isBuy: true, price: '2400', size: '1' })
  const cross = { ETH: { type: 'cross', value: 20 } } as const

  test('would be filled at what is set for it', () => {
    const text = 'ETH: what its resting entries open is on cross margin (20x), set at the venue'
    const faults = found({ orders: entry, leverage: cross })
    expect(faults).toMatchObject([['margin', 'ETH', expect.stringContaining(text)]])
  })

  test('no entries, no setting, or one that keeps the rules: none', () => {
    const stop = stopOrder({ coin: 'ETH', oid: 11, size: '1', trigger: '2400' })
    expect(found({ orders: [stop], leverage: cross })).toEqual([])
    expect(found({ orders: entry })).toEqual([])
    expect(found({ orders: entry, leverage: { ETH: { type: 'isolated', value: 2 } } })).toEqual([])
  })
})
