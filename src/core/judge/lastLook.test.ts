import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  inFlight,
  later,
  orderUpdate,
  restingEntry,
  stopInFlight,
  stopOrder,
} from '../account/account.fixture.ts'
import type { AccountSpec } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { ReservedOrder } from '../account/reservation.ts'
import { defaultRules } from '../rules/rules.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { lastLook } from './lastLook.ts'
import type { LastLook } from './lastLook.ts'

type Entry = Extract<ReservedOrder, { kind: 'entry' }>

/** An ETH buy of 2 at 2498.7, stopped at 2436.7: 124 USD at risk, 4,997.40 worth. */
const flying = inFlight(
  entryInFlight({ price: '2498.7', stop: '2436.7', cloid: botCloid(1), stopCloid: botCloid(2) }),
)
const entry = flying[0] as Entry

/** The account with the entry on its way, as it is just before it leaves. */
function leaving(spec: AccountSpec = {}): Account {
  const account = accountWith(spec)
  account.reserve('e', flying, later(1))
  return account
}

function look(account: Account, more: Partial<LastLook> = {}): string | null {
  const refusal = lastLook({
    account,
    entry,
    rules: defaultRules,
    isShared: false,
    risk: { state: 'active', holding: false, lastEquity: null },
    latched: false,
    filledMeanwhile: Decimal.zero,
    isLeverageUnknown: false,
    ...more,
  })
  return refusal === null ? null : `${refusal.code}: ${refusal.text}`
}

test('what nothing has changed leaves as it was judged', () => {
  expect(look(leaving())).toBeNull()
})

describe('it is held back', () => {
  const active = { state: 'active', holding: false, lastEquity: null } as const
  test.each<[string, Account, Partial<LastLook>, RegExp]>([
    ['by a latch', leaving(), { latched: true }, /^kill_switch/],
    ['by a halt', leaving(), { risk: { ...active, state: 'stopped' } }, /^drawdown_halt/],
    [
      'while a drop is explained',
      leaving(),
      { risk: { ...active, holding: true } },
      /^account_stale: a drop/,
    ],
    [
      'while what is told of the account is doubted',
      leaving(),
      { risk: { ...active, doubt: 'an equity of 0' } },
      /^account_unknown: it was not sent: an equity of 0/,
    ],
    [
      'while a builder dex is not seen',
      leaving(),
      { risk: { ...active, unseen: 'last seen on xyz 7 s ago' } },
      /^account_stale: last seen on xyz 7 s ago, so it was not sent/,
    ],
    [
      'while a change of leverage is not answered',
      leaving(),
      { isLeverageUnknown: true },
      /^leverage: a change of the leverage of ETH is not answered yet/,
    ],
    ['without an equity', leaving({ mode: 'portfolioMargin' }), {}, /^account_stale: the equity/],
    [
      'beside a position without a stop',
      leaving({ positions: { SOL: { size: '1' } } }),
      {},
      /^unprotected_position: the SOL position/,
    ],
    ['by less equity', leaving({ equity: '6000' }), {}, /^open_risk: the trade would be/],
    [
      'by open risk',
      leaving({
        positions: { SOL: { size: '100' } },
        orders: [stopOrder({ coin: 'SOL', oid: 9, size: '100', trigger: '133' })],
      }),
      {},
      /^open_risk: open risk would be 566 USD/,
    ],
    [
      'by value in all',
      leaving({
        positions: { BTC: { size: '0.4' } },
        orders: [stopOrder({ coin: 'BTC', oid: 9, size: '0.4', trigger: '84000' })],
      }),
      {},
      /^leverage: what is held and resting would be/,
    ],
    [
      'by value on its side',
      leaving({
        positions: { ETH: { size: '4.5' } },
        orders: [stopOrder({ coin: 'ETH', oid: 9, size: '4.5', trigger: '2480' })],
      }),
      {},
      /^position_cap: ETH would be/,
    ],
  ])('%s', (_, account, more, expected) => {
    expect(look(account, more)).toMatch(expected)
  })
})

describe('beside a position whose stop is on its way', () => {
  function covering(trigger: string, isBuy = false): Account {
    const account = leaving({ positions: { SOL: { size: '100' } } })
    const stop: ReservedOrder = {
      ...{ kind: 'stop', index: 0, coin: coin('SOL'), isBuy, size: Decimal.of('100') },
      ...{ price: Decimal.of('1'), trigger: Decimal.of(trigger), cloid: botCloid(7) },
      ...{ parent: null, mayRest: true },
    }
    account.reserve('s', [stop], later(2))
    return account
  }

  test('it counts what that stop will let be lost', () => {
    // 137.42 - 135 and 137.42 - 133, times a hundred, beside 124.
    expect(look(covering('135'))).toBeNull()
    expect(look(covering('133'))).toMatch(/^open_risk: open risk would be 566 USD/)
  })

  test('of two it counts the one that lets more be lost', () => {
    const account = covering('135')
    const looser: ReservedOrder = {
      ...{ kind: 'stop', index: 0, coin: coin('SOL'), isBuy: false, size: Decimal.of('100') },
      ...{ price: Decimal.of('1'), trigger: Decimal.of('133'), cloid: botCloid(8) },
      ...{ parent: null, mayRest: true },
    }
    account.reserve('t', [looser], later(3))
    expect(look(account)).toMatch(/^open_risk: open risk would be 566 USD/)
  })

  test('one of the other side is none', () => {
    expect(look(covering('140', true))).toMatch(/^unprotected_position/)
  })

  test('without a mid the entry price counts', () => {
    const account = accountWith({
      positions: { SOL: { size: '100', entry: '137.42' } },
      mids: { ETH: '2486.35' },
    })
    account.reserve('e', flying, later(1))
    const [, child] = inFlight({
      ...{ coin: coin('SOL'), isBuy: true, size: Decimal.of('100'), price: Decimal.of('137') },
      ...{ stop: Decimal.of('133'), cloid: botCloid(8), stopCloid: botCloid(9), mayRest: false },
    })
    account.reserve('s', child === undefined ? [] : [child], later(2))
    expect(look(account)).toMatch(/^open_risk: open risk would be 566 USD/)
  })
})

describe('an entry that replaces another', () => {
  const resting = restingEntry({
    ...{ coin: 'ETH', oid: 50, isBuy: true, price: '2490', size: '2', stop: '2430' },
  })
  const replacing = (filled: string): Partial<LastLook> => ({
    filledMeanwhile: Decimal.of(filled),
  })

  test('counts beside the old one until the end of that is told', () => {
    const account = leaving({ orders: resting })
    const rules = { ...defaultRules, openRisk: Decimal.of('0.02') }
    expect(look(account, { rules, ...replacing('2') })).toMatch(/^open_risk/)
    const [old] = resting
    if (old === undefined) throw new Error('no order')
    const updates = [orderUpdate(old, 'canceled', later(3))]
    account.apply({ kind: 'order_updates', updates, at: later(3) })
    expect(look(account, { rules, ...replacing('0') })).toBeNull()
  })

  test('is one trade with what the old one has filled meanwhile', () => {
    const account = leaving({ orders: resting })
    expect(look(account, replacing('0.1'))).toBeNull()
    expect(look(account, replacing('0.5'))).toMatch(
      /^open_risk: with 0.5 that the order it replaces has filled meanwhile, or may have, the trade would be/,
    )
  })
})

describe('a budget may be passed by 1%, and not at all beside what the old one has filled', () => {
  // What is lost of one: 1000 - 900.1 and 0.11% of 1000 for the round trip, 101 in all.
  const [planned] = inFlight({
    ...{ coin: coin('ETH'), isBuy: true, size: Decimal.one, price: Decimal.of('1000') },
    ...{ stop: Decimal.of('900.1'), cloid: botCloid(1), stopCloid: null, mayRest: true },
  })
  const one = planned as Entry
  const rules = { ...defaultRules, riskPerTrade: Decimal.of('0.01') }
  test.each([
    { size: '1', filled: '0', equity: '10000', isSent: true },
    { size: '1', filled: '0', equity: '9999.99', isSent: false },
    { size: '0.5', filled: '0.5', equity: '10100', isSent: true },
    { size: '0.5', filled: '0.5', equity: '10099.99', isSent: false },
  ])('$size beside $filled of an equity of $equity: $isSent', (row) => {
    const entry = { ...one, size: Decimal.of(row.size) }
    const account = accountWith({ equity: row.equity, mids: { ETH: '1000' } })
    account.reserve('e', [entry], later(1))
    const filledMeanwhile = Decimal.of(row.filled)
    expect(look(account, { entry, rules, filledMeanwhile }) === null).toBe(row.isSent)
  })
})

describe('cross margin', () => {
  const rules = { ...defaultRules, margin: 'cross' } as const
  const cross = { type: 'cross', value: 20 } as const
  // 4997.4 x 0.07 + 1.1 x 2 x (2498.7 - 2193.03) = 1022.29 for the entry, on top of SOL's:
  // 137.42 x (0.05 + 0.025) + 1.1 x (137.42 - 121.5) = 27.82. Isolated it asks for nothing.
  test.each([
    ['borne', '1050.2', '135', null],
    ['borne within 1% of drift', '1039.8', '135', null],
    ['not borne', '1039.6', '135', /^liquidation_too_close: what stands behind all cross/],
  ])('%s', (_, equity, trigger, want) => {
    const positions = { SOL: { size: '1', leverage: cross } }
    const orders = [stopOrder({ coin: 'SOL', oid: 9, size: '1', trigger })]
    const wide = { ...rules, maxLeverage: Decimal.of('10'), maxPosition: Decimal.of('10') }
    const loose = { ...wide, riskPerTrade: Decimal.one, openRisk: Decimal.one }
    const covered = leaving({ equity, positions, orders, leverage: { ETH: cross } })
    const said = look(covered, { rules: loose, isShared: true })
    if (want === null) expect(said).toBeNull()
    else expect(said).toMatch(want)
    // Covered by a stop that is still on its way it is the same.
    const bare = leaving({ equity, positions, leverage: { ETH: cross } })
    const sent = stopInFlight({ size: '1', trigger, cloid: botCloid(7) })
    bare.reserve('s', [{ ...sent, coin: coin('SOL') }], later(1))
    expect(look(bare, { rules: loose, isShared: true })).toBe(said)
  })

  // SOL's worst fill of 121.5 asks for 17.512, and 10.3065 for the rest; the entry for 349.818 + 672.474.
  test.each([
    ['1050.1105', true],
    ['1050.1104', false],
  ])('beside what the old one has filled it must be borne to the last: %s', (equity, isSent) => {
    const positions = { SOL: { size: '1', leverage: cross } }
    const orders = [stopOrder({ coin: 'SOL', oid: 9, size: '1', trigger: '135' })]
    const wide = { ...rules, maxLeverage: Decimal.of('10'), maxPosition: Decimal.of('10') }
    const loose = { ...wide, riskPerTrade: Decimal.one, openRisk: Decimal.one }
    const account = leaving({ equity, positions, orders, leverage: { ETH: cross } })
    const filledMeanwhile = Decimal.of('0.0001')
    const said = look(account, { rules: loose, isShared: true, filledMeanwhile })
    expect(said === null).toBe(isSent)
  })

  test('what another dex holds for itself takes nothing of it', () => {
    const positions = { SOL: { size: '1', leverage: cross } }
    const orders = [stopOrder({ coin: 'SOL', oid: 9, size: '1', trigger: '135' })]
    const account = leaving({ equity: '20', positions, orders, leverage: { ETH: cross } })
    const wide = { ...rules, maxLeverage: Decimal.of('1000'), maxPosition: Decimal.of('1000') }
    const loose = { ...wide, riskPerTrade: Decimal.of('1000'), openRisk: Decimal.of('100') }
    expect(look(account, { rules: loose, isShared: true })).toMatch(/^liquidation_too_close/)
    const elsewhere = { ...entry, coin: coin('xyz:TSLA') }
    expect(look(account, { rules: loose, isShared: true, entry: elsewhere })).toBeNull()
  })

  test('where nothing is on cross margin nothing is asked of it', () => {
    const isolated = { type: 'isolated', value: 2 } as const
    expect(look(leaving({ leverage: { ETH: isolated } }), { rules, isShared: true })).toBeNull()
  })
})
