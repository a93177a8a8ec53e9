import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { accountWith, fill, fixtureNow, later, venueState } from './account.fixture.ts'
import { Account } from './account.ts'

const dec = (text: string): Decimal => Decimal.of(text)

describe('what a unified balance does not hold for positions and orders', () => {
  const spot = { usdcTotal: dec('1000'), usdcHold: dec('100') }

  test('is known in that mode alone, and only once the balance was told', () => {
    const split = accountWith()
    split.apply({ kind: 'spot', spot, source: 'read', at: later(1) })
    expect(split.crossPool().unheld).toBeNull()
    const untold = new Account()
    untold.apply({ kind: 'mode', mode: 'unifiedAccount', at: fixtureNow })
    untold.apply({ kind: 'state', state: venueState({}, fixtureNow), source: 'read', at: later(0) })
    expect(untold.crossPool()).toEqual({ dex: null, collateral: null, unheld: null, rows: [] })
    untold.apply({ kind: 'spot', spot, source: 'read', at: later(1) })
    expect(untold.crossPool().unheld?.toString()).toBe('900')
  })

  test('is less the fees of fills that it does not show yet', () => {
    const account = accountWith({ mode: 'unifiedAccount', equity: '1000', usdcHold: '100' })
    const spec = { coin: 'ETH', isBuy: true, price: '2400', size: '1', start: '0', oid: 7, tid: 1 }
    const fills = [fill({ ...spec, fee: '2.5', at: fixtureNow + 5 })]
    account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(5) })
    expect(account.crossPool().unheld?.toString()).toBe('897.5')
    account.apply({ kind: 'spot', spot, source: 'read', at: later(6) })
    expect(account.crossPool().unheld?.toString()).toBe('900')
  })
})

test('margin on its way to an isolated position is not behind the cross positions any more', () => {
  const account = accountWith({ mode: 'unifiedAccount', equity: '1000', usdcHold: '100' })
  const shared = (): readonly string[] => {
    const { collateral, unheld } = account.crossPool()
    return [`${collateral}`, `${unheld}`]
  }
  expect(shared()).toEqual(['1000', '900'])
  const margin = { kind: 'margin', coin: coin('ETH'), amount: dec('300') } as const
  account.reserve('a', [margin], later(1))
  expect(shared()).toEqual(['700', '600'])
  expect(account.marginInFlight(coin('ETH')).toString()).toBe('300')
  account.settle('a', { outcome: 'refused' }, later(2))
  expect(shared()).toEqual(['1000', '900'])
})

test('a unified account whose balance was never told is not confirmed, wherever the clock is set', () => {
  const account = new Account()
  account.clockStepped(-5)
  account.apply({ kind: 'mode', mode: 'unifiedAccount', at: fixtureNow })
  account.apply({ kind: 'state', state: venueState({}, fixtureNow), source: 'read', at: later(0) })
  account.apply({ kind: 'orders', orders: [], source: 'read', at: later(0) })
  expect(account.confirmedAt).toBeNull()
  expect(account.mid(coin('ETH'))).toBeNull()
})

describe('a balance that the stream repeats', () => {
  const tell = (account: Account, usdc: string, ms: number, askedMs?: number): void => {
    const spot = { usdcTotal: dec(usdc), usdcHold: dec('0') }
    const read = { source: 'read', askedAt: later(askedMs ?? 0) } as const
    const taken = askedMs === undefined ? ({ source: 'stream' } as const) : read
    account.apply({ kind: 'spot', spot, ...taken, at: later(ms) })
  }
  const unified = (): Account => {
    const account = accountWith({ mode: 'unifiedAccount', equity: '1000' })
    tell(account, '1000', 1)
    return account
  }
  const equity = (account: Account): string => String(account.equity)

  test('counts until a read that is certainly younger tells another, and again once it moves', () => {
    const account = unified()
    tell(account, '900', 2_000, 2_000)
    expect(equity(account)).toBe('900')
    // The read may have been answered from a moment before the stream told it first.
    tell(account, '1000', 2_001)
    expect(equity(account)).toBe('1000')
    tell(account, '900', 3_000, 2_002)
    tell(account, '1000', 3_001)
    expect([equity(account), account.confirmedAt]).toEqual(['900', later(0)])
    tell(account, '910', 3_002)
    expect(equity(account)).toBe('910')
    tell(account, '910', 3_003)
    expect(equity(account)).toBe('910')
  })

  test('is as old as before where the clock is set back meanwhile', () => {
    const account = unified()
    account.clockStepped(-10_000)
    tell(account, '900', -7_999, -7_999)
    tell(account, '1000', -7_998)
    expect(equity(account)).toBe('1000')
    tell(account, '900', -7_997, -7_998)
    account.clockStepped(-10_000)
    tell(account, '1000', -17_996)
    expect(equity(account)).toBe('900')
  })
})
