import { describe, expect, test } from 'vitest'
import {
  accountWith,
  markets,
  openOrder,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../account/account.fixture.ts'
import { Account } from '../account/account.ts'
import type { Json } from '../protocol/action.ts'
import { dexAccount } from '../account/builders.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { codes } from './codes.ts'
import { codesMarkdown } from './codesMarkdown.fixture.ts'
import { actionsOf } from './decision.ts'
import {
  actionOf,
  judged,
  judgeInput,
  limitOrder,
  orderAction,
  triggerOrder,
} from './judge.fixture.ts'
import type { JudgeSpec } from './judge.fixture.ts'
import { judge } from './judge.ts'

const guardStop = '0x67756172010000000000000000000001'
const buy = orderAction([limitOrder(1, true, '0.5', '2486.4', 'Ioc')])
const covered = accountWith({
  positions: { ETH: { size: '1' } },
  orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440' })],
})
const lev = (asset: number, leverage: number, isCross = false): Json => ({
  type: 'updateLeverage',
  asset,
  isCross,
  leverage,
})
const risk = (state: 'active' | 'halted_for_day' | 'stopped'): JudgeSpec => ({
  risk: { state, holding: false, lastEquity: null },
})
const listed = markets([
  ...vectorMeta,
  { coin: 'OLD', asset: 6, sizeDecimals: 1, maxLeverage: 3, isDelisted: true },
])
const withMarkets = {
  account: accountWith({ markets: listed, mids: { OLD: '1', ETH: '2486.35' } }),
}

/** The markets are known, the account is not. */
const unseen = new Account()
unseen.apply({ kind: 'markets', markets: markets(), at: millis(1_700_000_000_000) })

/** One case for each code the judge can say. */
const cases: { readonly [code: string]: readonly [Json, JudgeSpec?] } = {
  invalid: [orderAction([{ ...limitOrder(1, true, '1', '2486'), c: guardStop }])],
  unsupported_order: [orderAction([{ ...triggerOrder(1, true, '1', '2500', '2600'), r: false }])],
  flip: [
    orderAction([limitOrder(1, false, '2', '2486')]),
    { account: covered, rules: { flip: 'refuse' } },
  ],
  margin: [
    buy,
    {
      account: accountWith({
        leverage: { ETH: { type: 'cross', value: 1 } },
        equity: '20000',
        mode: 'unifiedAccount',
        usdcHold: '19995',
      }),
      rules: { margin: 'cross' },
    },
  ],
  kill_switch: [buy, { latched: true }],
  daily_loss_stop: [buy, risk('halted_for_day')],
  drawdown_halt: [buy, risk('stopped')],
  unknown_market: [orderAction([limitOrder(6, true, '20', '1')]), withMarkets],
  unsupported_market: [orderAction([limitOrder(10_107, true, '1', '20')])],
  dex_not_allowed: [orderAction([limitOrder(110_000, true, '1', '20')])],
  market_state: [
    orderAction([limitOrder(110_001, true, '1', '400')]),
    { account: dexAccount({ capped: ['xyz:TSLA'] }), rules: { markets: ['xyz:*'] } },
  ],
  market_not_allowed: [buy, { rules: { markets: ['BTC'] } }],
  account_unknown: [buy, { account: accountWith({ equity: '0' }) }],
  no_price: [buy, { account: accountWith({ mids: { BTC: '84213.5' } }) }],
  account_stale: [buy, { account: unseen }],
  unknown_order: [{ type: 'modify', oid: 5, order: limitOrder(1, true, '1', '2400') }],
  guard_stop: [
    { type: 'cancel', cancels: [{ a: 1, o: 21 }] },
    {
      account: accountWith({
        positions: { ETH: { size: '1' } },
        orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440', cloid: guardStop })],
      }),
    },
  ],
  stop_removed: [{ type: 'cancel', cancels: [{ a: 1, o: 21 }] }, { account: covered }],
  stop_required: [buy, { rules: { stop: 'refuse' } }],
  stop_wrong_side: [
    orderAction([limitOrder(1, true, '1', '2400'), triggerOrder(1, false, '1', '2410', '2100')]),
  ],
  unprotected_position: [buy, { account: accountWith({ positions: { SOL: { size: '3' } } }) }],
  unprotected_order: [
    buy,
    {
      account: accountWith({
        orders: restingEntry({ oid: 7, coin: 'SOL', isBuy: true, price: '130', size: '1' }),
      }),
    },
  ],
  stop_loosened: [
    { type: 'modify', oid: 21, order: triggerOrder(1, false, '1', '2430', '2187') },
    { account: covered },
  ],
  open_risk: [
    buy,
    {
      account: accountWith({
        positions: { SOL: { size: '20' } },
        orders: [stopOrder({ oid: 11, coin: 'SOL', size: '20', trigger: '115' })],
      }),
    },
  ],
  leverage: [lev(1, 6)],
  position_cap: [
    orderAction([limitOrder(1, true, '0.1', '2486.4', 'Ioc')]),
    {
      account: accountWith({
        positions: { ETH: { size: '6' } },
        orders: [stopOrder({ oid: 21, coin: 'ETH', size: '6', trigger: '2480' })],
      }),
    },
  ],
  liquidation_too_close: [
    orderAction([limitOrder(3, false, '2', '41.8'), triggerOrder(3, true, '2', '80', '90')]),
  ],
  cross_margin: [lev(1, 3, true)],
  fleet_limit: [
    buy,
    {
      lease: () => ({
        ended: null,
        parts: [
          { scope: 'fleet', kind: 'open_risk', held: Decimal.zero, budget: Decimal.whole(5) },
        ],
      }),
    },
  ],
  fleet_unreachable: [buy, { lease: () => ({ ended: 'it was not heard', parts: [] }) }],
  below_minimum: [orderAction([limitOrder(1, true, '0.0045', '2486.4', 'Ioc')])],
  margin_removal: [{ type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: -1 }],
  schedule_cancel: [{ type: 'scheduleCancel', time: 5 }],
  order_rate: [buy, { entriesLastMinute: 600 }],
  too_many_orders: [buy, { account: covered, rules: { maxOpenOrders: 1 } }],
  exit_unjudged: [
    orderAction([limitOrder(1, false, '1', '2486', 'Ioc', true)]),
    { now: millis(1_700_000_006_001) },
  ],
  resized: [buy],
  allowed: [orderAction([limitOrder(1, false, '1', '2486', 'Ioc', true)])],
}

describe('codes', () => {
  const byJudge = codes.filter((row) => row.by === 'judge')

  test('every code the judge can say has a case, and only those', () => {
    expect(Object.keys(cases).sort()).toEqual(byJudge.map((row) => row.code).sort())
  })

  test.each(byJudge)('$code is reached', ({ code, verdict }) => {
    const [json, spec] = cases[code] ?? [null]
    const decision = judged(json, spec)
    expect(decision.code, decision.text).toBe(code)
    expect(decision.verdict).toBe(verdict)
    expect(decision.text).not.toBe('')
    expect(decision.forward === null).toBe(verdict === 'veto')
    expect(actionsOf(decision)).toHaveLength(decision.reservations.length)
    expect(decision.changes.length > 0).toBe(verdict === 'resize')
  })

  test('within schema 1 none is taken away, and none changes its verdict', () => {
    const table = codes.map(({ code, verdict }) => `${code} ${verdict ?? 'in the reply only'}`)
    expect(table).toEqual(expect.arrayContaining([...schemaOne()]))
    expect(table).toHaveLength(schemaOne().length)
  })

  test('stand once each, and the page is made from them', async () => {
    expect(new Set(codes.map((row) => row.code)).size).toBe(codes.length)
    await expect(codesMarkdown()).toMatchFileSnapshot('../../../docs/generated/codes.md')
  })
})

/** The codes readers of schema 1 know. */
function schemaOne(): readonly string[] {
  const passing = ['allowed allow', 'resized resize', 'exit_unjudged allow', 'heartbeat allow']
  const replies = ['venue_refused_leverage', 'venue_unreachable']
  const vetoes = [
    ...['malformed', 'funds_or_permissions', 'unsupported_action', 'vault'],
    ...['auth_bad_signature', 'auth_unknown_signer', 'auth_replay', 'auth_expired'],
    ...['auth_nonce_too_old', 'auth_nonce_too_new', 'kill_switch', 'daily_loss_stop'],
    ...['drawdown_halt', 'journal', 'recovering', 'account_unknown', 'account_stale', 'no_price'],
    ...['rate_limited', 'order_rate', 'too_many_orders', 'unknown_market', 'unsupported_market'],
    ...['dex_not_allowed', 'market_not_allowed', 'unsupported_order', 'invalid', 'stop_required'],
    ...['stop_wrong_side', 'stop_removed', 'stop_loosened', 'guard_stop', 'open_risk', 'leverage'],
    ...['position_cap', 'liquidation_too_close', 'cross_margin', 'below_minimum'],
    ...['unprotected_position', 'unprotected_order', 'flip', 'unknown_order', 'margin_removal'],
    ...['margin', 'market_state'],
    'schedule_cancel',
    ...['fleet_limit', 'fleet_unreachable'],
  ]
  return [
    ...passing,
    ...vetoes.map((code) => `${code} veto`),
    ...replies.map((code) => `${code} in the reply only`),
  ]
}

/** Texts of the venue that clients map to errors of their own by what they contain. */
const venueTexts = [
  'Price must be divisible by tick size',
  'Order must have minimum value',
  'Insufficient margin',
  'Reduce only order would increase position',
  'Post only order would have immediately matched',
  'Order could not immediately match',
  'Invalid TP/SL price',
  'No liquidity available',
  'open interest',
  'insufficient spot balance',
  'too far from oracle',
  'exceed margin tier limit',
  'never placed',
  'already canceled',
  'reference price',
  'Order has invalid size',
  'Order has zero size',
  'Order has invalid price',
  'Trading is halted',
  'User or API Wallet',
  'does not exist',
  'Must deposit',
  'Unable to recover signer',
  'Invalid nonce',
  'Too many cumulative requests',
  'Cannot modify canceled or filled order',
  'Cannot switch leverage type',
  'Invalid leverage value',
  'does not use isolated margin',
  'Vault not registered',
  'Multi-sig required',
]

test('no text of a refusal reads like one of the venue', () => {
  for (const [code, [json, spec]] of Object.entries(cases)) {
    const text = judged(json, spec).text.toLowerCase()
    for (const taken of venueTexts) expect(text, code).not.toContain(taken.toLowerCase())
  }
})

describe('an entry is refused', () => {
  const own = (size: string, trigger: string, limit: string): Json =>
    orderAction([limitOrder(1, true, '1', '2486.4'), triggerOrder(1, false, size, trigger, limit)])
  const at = (seconds: number): JudgeSpec => ({ now: millis(1_700_000_000_000 + seconds * 1000) })

  const rows: readonly [string, Json, JudgeSpec, string][] = [
    [
      'an asset between the ranges',
      orderAction([limitOrder(100_000, true, '1', '5')]),
      {},
      'unknown_market',
    ],
    [
      'an index beyond the list',
      orderAction([limitOrder(9, true, '1', '5')]),
      {},
      'unknown_market',
    ],
    [
      'an outcome',
      orderAction([limitOrder(100_000_010, true, '1', '5')]),
      {},
      'unsupported_market',
    ],
    [
      'portfolio margin',
      buy,
      { account: accountWith({ mode: 'portfolioMargin' }) },
      'account_unknown',
    ],
    ['a negative equity', buy, { account: accountWith({ equity: '-3' }) }, 'account_unknown'],
    [
      'the risk engine saw nothing left',
      buy,
      { risk: { state: 'active', holding: false, lastEquity: Decimal.zero } },
      'account_unknown',
    ],
    [
      'a word about the account that cannot be',
      buy,
      { risk: { state: 'active', holding: false, lastEquity: null, doubt: 'an equity of 0' } },
      'account_unknown',
    ],
    ['a venue that was never seen', buy, { account: new Account() }, 'account_stale'],
    [
      'a builder dex that nobody sees',
      buy,
      { risk: { state: 'active', holding: false, lastEquity: null, unseen: 'last seen on xyz' } },
      'account_stale',
    ],
    [
      'a drop that is being explained',
      buy,
      { risk: { state: 'active', holding: true, lastEquity: null } },
      'account_stale',
    ],
    ['a price 3.001 s old', buy, { now: millis(1_700_000_003_001) }, 'no_price'],
    [
      'an account 6.001 s old',
      buy,
      { now: millis(1_700_000_006_001), account: freshPrice(6_001) },
      'account_stale',
    ],
    ['a limit of no tick', orderAction([limitOrder(0, true, '1', '0.01')]), {}, 'invalid'],
    ['no size', orderAction([limitOrder(1, true, '0', '2486')]), {}, 'invalid'],
    ['no price', orderAction([limitOrder(1, true, '1', '0')]), {}, 'invalid'],
    ['a stop without a size', own('0', '2440', '2196'), {}, 'invalid'],
    ['a stop without a trigger', own('1', '0', '2196'), {}, 'invalid'],
    [
      'a sell without a stop, under refuse',
      orderAction([limitOrder(1, false, '1', '2486')]),
      { rules: { stop: 'refuse' } },
      'stop_required',
    ],
    [
      'a sell with its stop below',
      orderAction([limitOrder(1, false, '1', '2490'), triggerOrder(1, true, '1', '2489', '2800')]),
      {},
      'stop_wrong_side',
    ],
    ['a stop at the mid', own('1', '2486.35', '2200'), {}, 'stop_wrong_side'],
    [
      'a trigger that would open',
      orderAction([{ ...triggerOrder(1, true, '1', '2500', '2600'), r: false }]),
      {},
      'unsupported_order',
    ],
  ]
  test.each(rows)('%s', (_, json, spec, code) => {
    const decision = judged(json, spec)
    expect(decision.code, decision.text).toBe(code)
    expect(decision.verdict).toBe('veto')
  })

  test('not at the very age that is still good', () => {
    expect(judged(buy, at(3)).code).toBe('resized')
    expect(judged(buy, { now: millis(1_700_000_006_000), account: freshPrice(6_000) }).code).toBe(
      'resized',
    )
  })

  test('with a mid that is not positive', () => {
    const account = accountWith({ mids: { ETH: '0' } })
    expect(judged(buy, { account }).code).toBe('no_price')
  })
})

/** A flat account confirmed at the fixture's time whose price came `ms` later. */
function freshPrice(ms: number): Account {
  const account = accountWith()
  account.apply({
    kind: 'mids',
    mids: new Map([
      [
        openOrder({ coin: 'ETH', oid: 1, isBuy: true, price: '1', size: '1' }).coin,
        Decimal.of('2486.35'),
      ],
    ]),
    at: millis(1_700_000_000_000 + ms),
  })
  return account
}

test('the same input gives the same decision, to the byte', () => {
  for (const [json, spec] of Object.values(cases)) {
    const input = (): ReturnType<typeof judgeInput> => judgeInput(actionOf(json), spec)
    expect(JSON.stringify(judge(input()))).toBe(JSON.stringify(judge(input())))
  }
})
