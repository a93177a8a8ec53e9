import { describe, expect, test } from 'vitest'
import { later } from '../account/account.fixture.ts'
import type { AccountEvent } from '../account/accountEvent.ts'
import type { AccountMode, Leverage, SpotState } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { SettingChanges } from './settingChanges.ts'

const eth = coin('ETH')
const on = (type: Leverage['type']): Leverage => ({ type, value: 5 })
const mode = (told: AccountMode): AccountEvent => ({ kind: 'mode', mode: told, at: later(0) })
const spot = (shape?: SpotState['shape'], source: 'stream' | 'read' = 'stream'): AccountEvent => ({
  ...{ kind: 'spot', source, at: later(0) },
  spot: {
    ...{ usdcTotal: Decimal.zero, usdcHold: Decimal.zero },
    ...(shape === undefined ? {} : { shape }),
  },
})
const setting = (type: Leverage['type'], at = 0): AccountEvent => ({
  ...{ kind: 'leverage', coin: eth, leverage: on(type), at: later(at) },
})
const state = (type: Leverage['type'], time = 0): AccountEvent => ({
  ...{ kind: 'state', source: 'read', at: later(10_000) },
  state: {
    ...{ accountValue: Decimal.zero, withdrawable: Decimal.zero, time: later(time) },
    positions: [
      {
        ...{ coin: eth, size: Decimal.one, entryPrice: Decimal.one, positionValue: Decimal.one },
        ...{ unrealisedPnl: Decimal.zero, leverage: on(type), liquidationPrice: null },
        ...{ marginUsed: Decimal.one, maxLeverage: 25 },
      },
    ],
  },
})

/** The account as far as its settings go: it takes what it is told. */
class Told {
  readonly changes = new SettingChanges()
  mode: AccountMode = 'unknown'
  venueTime: ReturnType<typeof later> | null = null
  onItsWay: readonly unknown[] = []
  set: { readonly leverage: Leverage; readonly at: ReturnType<typeof later> } | null = null

  leverage = () => (this.onItsWay.length > 0 ? null : this.set)
  leveragesInFlight = () => this.onItsWay

  tell(event: AccountEvent): readonly string[] {
    const found = this.changes.told(event, this)
    if (event.kind === 'mode') this.mode = event.mode
    if (event.kind === 'leverage') this.set = { leverage: event.leverage, at: event.at }
    return found
  }

  /** A change that went through Guard was accepted. */
  accepted(type: Leverage['type'], at: number): void {
    this.onItsWay = []
    this.set = { leverage: on(type), at: later(at) }
  }
}

describe('the mode of the account', () => {
  test('the first word is no change, another one is', () => {
    const told = new Told()
    expect(told.tell(mode('default'))).toEqual([])
    expect(told.tell(mode('default'))).toEqual([])
    expect(told.tell(mode('unifiedAccount'))).toEqual([
      "the account's mode was changed from default to unifiedAccount",
    ])
    expect(told.tell(mode('unknown'))).toHaveLength(1)
    expect(told.tell(mode('default'))).toHaveLength(1)
  })

  test('one that was changed while Guard was away is noticed by the form of the balance, and ends with it', () => {
    const told = new Told()
    told.mode = 'unifiedAccount'
    expect(told.tell(spot('standard'))).toEqual([
      "the account's balance is told in the form of another mode: that of unifiedAccount, now standard",
    ])
    expect(told.changes.isFormDoubted).toBe(true)
    expect(told.tell(mode('disabled'))).toEqual([
      "the account's mode was changed from unifiedAccount to disabled",
    ])
    expect(told.changes.isFormDoubted).toBe(false)
    expect(told.changes.formChanges).toBe(2)
  })

  test('one that is what an earlier run knew is none', () => {
    const told = new Told()
    told.mode = 'unifiedAccount'
    for (const event of [spot('pooled'), mode('unifiedAccount')]) {
      expect(told.tell(event)).toEqual([])
    }
    expect(told.changes.formChanges).toBe(0)
  })

  test('a balance in the form of another mode, from the same source', () => {
    const told = new Told()
    expect(told.tell(spot('standard'))).toEqual([])
    expect(told.tell(spot('pooled', 'read'))).toEqual([])
    expect(told.tell(spot())).toEqual([])
    expect(told.tell(spot('standard'))).toEqual([])
    expect(told.tell(spot('portfolio'))).toEqual([
      "the account's balance is told in the form of another mode: standard, now portfolio",
    ])
  })
})

describe('a form of the balance that is not that of the known mode', () => {
  const rows: readonly [string, readonly AccountEvent[], boolean?][] = [
    ['the mode follows', [mode('disabled'), spot('standard'), spot('pooled')], true],
    ['and is told', [mode('disabled'), spot('standard'), spot('pooled'), mode('unifiedAccount')]],
    [
      'and another one is told',
      [mode('disabled'), spot('standard'), spot('pooled'), mode('portfolioMargin')],
      true,
    ],
    [
      'the mode came first',
      [mode('disabled'), spot('standard'), mode('portfolioMargin'), spot('portfolio')],
    ],
    [
      'of one source alone',
      [mode('disabled'), spot('standard'), spot('standard', 'read'), spot('pooled')],
      true,
    ],
    ['that goes back', [mode('disabled'), spot('standard'), spot('pooled'), spot('standard')]],
    ['of the first sight says nothing', [mode('disabled'), spot('pooled')]],
  ]
  test.each(rows)('%s', (_, events, isDoubted = false) => {
    const told = new Told()
    for (const event of events) told.tell(event)
    expect(told.changes.isFormDoubted).toBe(isDoubted)
  })

  test('that follows the word on the mode is no other change', () => {
    const told = new Told()
    for (const event of [mode('disabled'), spot('standard'), spot('standard', 'read')]) {
      told.tell(event)
    }
    expect(told.tell(mode('unifiedAccount'))).toHaveLength(1)
    for (const event of [spot('pooled'), spot('pooled', 'read')]) {
      expect(told.tell(event)).toEqual([])
    }
    expect([told.changes.formChanges, told.changes.isFormDoubted]).toEqual([1, false])
    // And back again, before anybody has asked for the mode.
    expect(told.tell(spot('standard'))).toHaveLength(1)
    expect(told.changes.isFormDoubted).toBe(true)
  })

  test('every change is counted', () => {
    const told = new Told()
    for (const event of [mode('disabled'), spot('standard'), spot('standard')]) told.tell(event)
    expect(told.changes.formChanges).toBe(0)
    for (const event of [spot('pooled'), mode('unifiedAccount')]) told.tell(event)
    expect(told.changes.formChanges).toBe(2)
  })
})

describe('the margin of a coin', () => {
  test('what somebody sets at the venue is a change, told once', () => {
    const told = new Told()
    expect(told.tell(setting('isolated'))).toEqual([])
    expect(told.tell(setting('isolated', 1))).toEqual([])
    expect(told.tell(setting('cross', 2))).toEqual([
      'ETH was set from isolated to cross margin at the venue',
    ])
    expect(told.tell(setting('cross', 3))).toEqual([])
    expect(told.tell(setting('isolated', 4))).toHaveLength(1)
  })

  test('a position tells of it too, but not one of an older snapshot', () => {
    const told = new Told()
    told.tell(setting('isolated'))
    told.venueTime = later(5)
    expect(told.tell(state('cross', 4))).toEqual([])
    expect(told.tell(state('cross', 5))).toHaveLength(1)
  })

  test('what goes through Guard is none, whichever word comes first', () => {
    const told = new Told()
    told.tell(setting('cross'))
    // The venue tells of it before it answers.
    told.onItsWay = ['change']
    expect(told.tell(setting('isolated', 1))).toEqual([])
    told.accepted('isolated', 2)
    expect(told.tell(setting('isolated', 3))).toEqual([])
    // It answers, and what was before is told once more.
    told.onItsWay = ['change']
    told.accepted('cross', 10_000)
    expect(told.tell(setting('isolated', 10_001))).toEqual([])
    expect(told.tell(setting('cross', 10_002))).toEqual([])
    // What is told long after it is what somebody has set.
    expect(told.tell(setting('isolated', 13_000))).toEqual([])
    expect(told.tell(setting('isolated', 13_001))).toHaveLength(1)
  })

  test('a coin that Guard has set before anybody told of it', () => {
    const told = new Told()
    told.accepted('isolated', 0)
    expect(told.tell(setting('cross', 1))).toEqual([])
    expect(told.tell(setting('isolated', 2))).toEqual([])
    expect(told.tell(setting('cross', 5_000))).toHaveLength(1)
  })

  test('other events tell nothing', () => {
    expect(new Told().tell({ kind: 'stream', state: 'live', at: later(0) })).toEqual([])
  })
})
