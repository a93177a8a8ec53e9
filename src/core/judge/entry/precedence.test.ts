import { describe, expect, test } from 'vitest'
import {
  accountWith,
  fixtureNow,
  openOrder,
  restingEntry,
  vectorMids,
} from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import { defaultRules } from '../../rules/rules.ts'
import type { Rules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { millis } from '../../values/millis.ts'
import { judged, limitOrder, orderAction } from '../judge.fixture.ts'

/** What can be wrong with an entry, in the order in which it is said. */
const order = [
  'kill_switch',
  'daily_loss_stop',
  'market_not_allowed',
  'account_unknown',
  'no_price',
  'account_stale',
  'invalid',
  'stop_required',
  'unprotected_position',
  'unprotected_order',
  'open_risk',
  'leverage',
  'position_cap',
  'liquidation_too_close',
  'below_minimum',
  'order_rate',
  'too_many_orders',
] as const
type Wrong = (typeof order)[number]

const late = millis(fixtureNow + 6_001)

function accountOf(wrong: ReadonlySet<Wrong>): Account {
  const bare = restingEntry({ oid: 7, coin: 'SOL', isBuy: true, price: '130', size: '1' })
  const any = openOrder({
    oid: 9,
    coin: 'BTC',
    isBuy: true,
    price: '1',
    size: '1',
    isReduceOnly: true,
  })
  const account = accountWith({
    mids: wrong.has('no_price') ? { BTC: '84213.5' } : vectorMids,
    equity: wrong.has('account_unknown') ? '0' : '7350.25',
    positions: wrong.has('unprotected_position') ? { BTC: { size: '0.1' } } : {},
    orders: wrong.has('unprotected_order') ? [any, ...bare] : [any],
  })
  if (!wrong.has('account_stale')) return account
  account.apply({ kind: 'stream', state: 'down', at: late })
  if (wrong.has('no_price')) return account
  account.apply({ kind: 'mids', mids: new Map([[coin('ETH'), Decimal.of('2486.35')]]), at: late })
  return account
}

function rulesOf(wrong: ReadonlySet<Wrong>): Rules {
  return {
    ...defaultRules,
    ...(wrong.has('market_not_allowed') ? { markets: ['BTC'] } : {}),
    ...(wrong.has('stop_required') ? { stop: 'refuse' } : {}),
    ...(wrong.has('open_risk') ? { openRisk: Decimal.zero } : {}),
    ...(wrong.has('leverage') ? { maxLeverage: Decimal.zero } : {}),
    ...(wrong.has('position_cap') ? { maxPosition: Decimal.zero } : {}),
    ...(wrong.has('liquidation_too_close') ? { minLiquidationDistance: Decimal.of('1.1') } : {}),
    ...(wrong.has('too_many_orders') ? { maxOpenOrders: 1 } : {}),
  }
}

function codeWith(wrong: ReadonlySet<Wrong>): string {
  const size = wrong.has('below_minimum') ? '0.001' : '0.1'
  const price = wrong.has('invalid') ? '0.001' : '2486.4'
  return judged(orderAction([limitOrder(1, true, size, price)]), {
    account: accountOf(wrong),
    rules: rulesOf(wrong),
    latched: wrong.has('kill_switch'),
    now: wrong.has('account_stale') ? late : fixtureNow,
    entriesLastMinute: wrong.has('order_rate') ? 600 : 0,
    risk: {
      state: wrong.has('daily_loss_stop') ? 'halted_for_day' : 'active',
      holding: false,
      lastEquity: null,
    },
  }).code
}

describe('of all that is wrong with an entry the first is said', () => {
  test.each(order.map((code, at) => [code, order.slice(at)] as const))('%s', (code, wrong) => {
    expect(codeWith(new Set(wrong))).toBe(code)
    expect(codeWith(new Set([code]))).toBe(code)
  })

  test('and nothing is, if nothing is wrong', () => {
    expect(codeWith(new Set())).toBe('resized')
  })
})

describe('the market of an entry by its asset id', () => {
  test.each([
    [0, 'resized'],
    [6, 'unknown_market'],
    [9_999, 'unknown_market'],
    [10_000, 'unsupported_market'],
    [99_999, 'unsupported_market'],
    [100_000, 'unknown_market'],
    [109_999, 'unknown_market'],
    [110_000, 'dex_not_allowed'],
    [100_000_000, 'unsupported_market'],
    [4_294_967_295, 'unsupported_market'],
  ])('%i: %s', (asset, code) => {
    const json = orderAction([limitOrder(asset, true, '0.01', '84000')])
    expect(judged(json).code).toBe(code)
  })
})
