import { describe, expect, test } from 'vitest'
import {
  accountWith,
  fixtureNow,
  markets,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { judged, wire } from './judge.fixture.ts'
import type { JudgeSpec } from './judge.fixture.ts'

const set = (leverage: number, isCross = false, asset = 1): Json => ({
  type: 'updateLeverage',
  asset,
  isCross,
  leverage,
})
const at = (value: number, type: 'isolated' | 'cross' = 'isolated') =>
  accountWith({
    positions: { ETH: { size: '1', leverage: { type, value } } },
    orders: [stopOrder({ oid: 1, coin: 'ETH', size: '1', trigger: '2440' })],
  })
const stale = { now: millis(fixtureNow + 6_001) }
const resting = accountWith({
  orders: restingEntry({
    oid: 7,
    coin: 'ETH',
    isBuy: true,
    price: '2400',
    size: '1',
    stop: '2200',
  }),
})
const restingShort = accountWith({
  orders: restingEntry({
    oid: 7,
    coin: 'ETH',
    isBuy: false,
    price: '2600',
    size: '1',
    stop: '2700',
  }),
})

describe('cross margin, where the rules admit it', () => {
  const rules = { margin: 'cross' } as const
  const only = markets(vectorMeta.map((each) => ({ ...each, onlyIsolated: true })))
  const entry = { oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1', stop: '2200' }
  const setting = { ETH: { type: 'isolated', value: 3 } } as const
  const rests = (equity: string) =>
    accountWith({ equity, orders: restingEntry(entry), leverage: setting })
  const unsized = accountWith({ mode: 'portfolioMargin', orders: restingEntry(entry) })
  const beside = accountWith({
    orders: [
      ...restingEntry(entry),
      ...restingEntry({ ...entry, oid: 9, coin: 'SOL', price: '130', stop: '120' }),
    ],
  })
  const taken = 'liquidation_too_close'
  const sol = { size: '1', leverage: { type: 'cross', value: 20 } } as const
  const solStop = stopOrder({ coin: 'SOL', oid: 9, size: '1', trigger: '135' })
  /** A cross position in SOL beside an entry that rests on ETH, set to cross. */
  const behind = (equity: string) =>
    accountWith({
      equity,
      positions: { SOL: sol },
      orders: [solStop, ...restingEntry(entry)],
      leverage: { ETH: { type: 'cross', value: 3 } },
    })
  /** A cross position in SOL beside one in ETH. */
  const behindHeld = (type: 'cross' | 'isolated', equity: string) =>
    accountWith({
      equity,
      positions: { SOL: sol, ETH: { size: '1', leverage: { type, value: 2 } } },
      orders: [solStop, stopOrder({ coin: 'ETH', oid: 8, size: '1', trigger: '2400' })],
    })
  const rows: readonly [string, Json, JudgeSpec, string, string?][] = [
    ['up to the maximum of the coin', set(25, true), {}, 'allowed', 'entry'],
    ['above the maximum of the coin', set(26, true), {}, 'leverage'],
    [
      'of a market that knows only isolated',
      set(2, true),
      { account: accountWith({ markets: only }) },
      'cross_margin',
    ],
    ['of an isolated position', set(2, true), { account: at(4) }, 'cross_margin'],
    ['of a cross position, up', set(20, true), { account: at(4, 'cross') }, 'allowed', 'entry'],
    ['of a cross position, down', set(3, true), { account: at(4, 'cross') }, 'allowed', 'exit'],
    [
      'of a cross position, up, killed',
      set(20, true),
      { account: at(4, 'cross'), latched: true },
      'kill_switch',
    ],
    [
      'of a cross position, down, killed',
      set(3, true),
      { account: at(4, 'cross'), latched: true },
      'allowed',
      'exit',
    ],
    ['while the account is stale', set(2, true), stale, 'account_stale'],
    // 2486.35 x (1.1 x 0.175 + 0.05 + 0.02) = 652.67; until the venue has set it, 2486.35 / 3 of isolated margin beside.
    [
      'what rests leans on the collateral',
      set(9, true),
      { account: rests('1482') },
      'allowed',
      'entry',
    ],
    [
      'that does not bear what rests',
      set(9, true),
      { account: rests('1481') },
      'liquidation_too_close',
    ],
    ['that nobody knows the size of', set(9, true), { account: unsized }, 'liquidation_too_close'],
    ['beside another coin', set(9, true), { account: beside }, 'allowed', 'entry'],
    ['isolated is judged as before', set(6), {}, 'leverage'],
    // SOL asks for 137.42 x (0.05 + 0.025) + 1.1 x (137.42 - 121.5) = 27.82, ETH takes 2486.35 at leverage 1.
    ['isolated, of what rests', set(1), { account: behind('2514.2') }, 'allowed', 'entry'],
    ['that takes too much from others', set(1), { account: behind('2514.1') }, taken],
    ['isolated at more', set(2), { account: behind('1271') }, 'allowed', 'entry'],
    ['where nothing else is on cross margin', set(1), { account: unsized }, 'allowed', 'entry'],
    ['of a cross position', set(1), { account: behindHeld('cross', '2513') }, taken],
    ['of one that leaves enough', set(1), { account: behindHeld('cross', '2550') }, 'allowed'],
    ['of an isolated position, down', set(1), { account: behindHeld('isolated', '1270') }, taken],
    ['that has enough', set(1), { account: behindHeld('isolated', '2600') }, 'allowed', 'exit'],
  ]
  test.each(rows)('%s', (_, action, spec, code, lane) => {
    const decision = judged(action, { ...spec, rules })
    expect(decision.code).toBe(code)
    if (lane === undefined) return
    expect(decision.lane).toBe(lane)
    const { forward, reservations } = decision
    if (forward?.type !== 'updateLeverage' || !forward.isCross) return
    const leverage = { type: 'cross', value: forward.leverage }
    expect(reservations[0]).toEqual([{ kind: 'leverage', coin: 'ETH', leverage }])
  })
})

describe('a leverage update', () => {
  const rows: readonly [string, Json, JudgeSpec, string, string?][] = [
    ['within the cap', set(5), {}, 'allowed', 'entry'],
    ['beyond the cap', set(6), {}, 'leverage'],
    ['cross', set(2, true), {}, 'cross_margin'],
    ['cross, on an open position, down', set(2, true), { account: at(4) }, 'cross_margin'],
    [
      'on a market that is not allowed',
      set(2),
      { rules: { markets: ['BTC'] } },
      'market_not_allowed',
    ],
    ['on spot', set(2, false, 10_001), {}, 'unsupported_market'],
    ['of an open position, down', set(3), { account: at(4) }, 'allowed', 'exit'],
    ['of an open position, down but above the cap', set(8), { account: at(20) }, 'allowed', 'exit'],
    ['of an open position, the same', set(4), { account: at(4) }, 'allowed', 'entry'],
    ['of an open position, up', set(5), { account: at(4) }, 'leverage'],
    ['while killed, without a position', set(1), { latched: true }, 'kill_switch'],
    ['while killed, the same', set(4), { latched: true, account: at(4) }, 'kill_switch'],
    ['while killed, down', set(3), { latched: true, account: at(4) }, 'allowed', 'exit'],
    ['while killed, up', set(5), { latched: true, account: at(4) }, 'kill_switch'],
    ['while the account is stale', set(2), stale, 'account_stale'],
    ['while the account is stale, down', set(2), { ...stale, account: at(4) }, 'allowed', 'exit'],
    // d = (2400 - 1980) / 2400 = 0.175; 1.1 d + 5% = 0.2425; m = 0.02: L = 4 gives 0.2347, L = 3 0.3197.
    ['that an entry resting cannot bear', set(4), { account: resting }, 'liquidation_too_close'],
    ['that an entry resting can bear', set(3), { account: resting }, 'allowed', 'entry'],
    // d = (2970 - 2600) / 2600 = 0.14231; 0.20654: L = 4: 0.23 / 1.02 = 0.22549, L = 5: 0.18 / 1.02 = 0.17647.
    ['that a short resting can bear', set(4), { account: restingShort }, 'allowed', 'entry'],
    [
      'that a short resting cannot bear',
      set(5),
      { account: restingShort },
      'liquidation_too_close',
    ],
  ]
  test.each(rows)('%s', (_, json, spec, code, lane) => {
    const decision = judged(json, spec)
    expect(decision.code, decision.text).toBe(code)
    if (lane === undefined) return
    expect(decision.lane).toBe(lane)
    expect(wire(decision.forward as never)).toEqual(json)
    expect(decision.reservations).toEqual([
      [
        {
          kind: 'leverage',
          coin: 'ETH',
          leverage: { type: 'isolated', value: (json as { leverage: number }).leverage },
        },
      ],
    ])
  })

  test('an entry without a stop says nothing about leverage', () => {
    const account = accountWith({
      orders: restingEntry({ oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1' }),
    })
    expect(judged(set(5), { account }).code).toBe('allowed')
  })

  test('the tier of what rests counts', () => {
    const tiers = [
      { lowerBound: Decimal.zero, maxLeverage: 25 },
      { lowerBound: Decimal.of('2000'), maxLeverage: 3 },
    ]
    const listed = markets(
      vectorMeta.map((each) => (each.coin === 'ETH' ? { ...each, tiers } : each)),
    )
    const account = (size: string, isBuy: boolean) =>
      accountWith({
        markets: listed,
        orders: restingEntry({
          oid: 7,
          coin: 'ETH',
          isBuy,
          price: '2400',
          size,
          stop: isBuy ? '2390' : '2410',
        }),
      })
    // Need max(1.1 x 0.10375 + 5%, 10%) = 0.164125. m = 1/6, L = 4: (0.25 - 0.1667) / 0.8333 = 0.1.
    expect(judged(set(4), { account: account('0.8', true) }).code).toBe('allowed')
    expect(judged(set(4), { account: account('0.9', true) }).code).toBe('liquidation_too_close')
    expect(judged(set(4), { account: account('0.9', false) }).code).toBe('liquidation_too_close')
  })
})

describe('isolated margin', () => {
  const margin = (ntli: number, asset = 1): Json => ({
    type: 'updateIsolatedMargin',
    asset,
    isBuy: true,
    ntli,
  })
  test.each([
    // 2486.35 x (1.1 x 0.175 + 0.05 + 0.02) = 652.67 of 1,000 USD are needed by what rests on cross margin.
    ['what they do not need', 'cross', 'cross', 347, 'allowed'],
    ['more than that', 'cross', 'cross', 348, 'liquidation_too_close'],
    ['more than that, where nothing is on cross margin', 'cross', 'isolated', 348, 'allowed'],
    ['more than that, where the rules admit none', 'isolated', 'cross', 348, 'allowed'],
  ] as const)('taken from cross positions: %s', (_, rule, type, amount, code) => {
    const entry = { oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1', stop: '2200' }
    const leverage = { ETH: { type, value: 5 } }
    const account = accountWith({ equity: '1000', orders: restingEntry(entry), leverage })
    const decision = judged(margin(amount * 1_000_000), { account, rules: { margin: rule } })
    expect(decision.code).toBe(code)
  })

  test('nothing is taken from cross positions where nobody knows what there is', () => {
    const entry = { oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1', stop: '2200' }
    const account = accountWith({ mode: 'portfolioMargin', orders: restingEntry(entry) })
    const decision = judged(margin(1), { account, rules: { margin: 'cross' } })
    expect(decision.code).toBe('liquidation_too_close')
  })

  test.each([
    [1, 'allowed'],
    [5_000_000, 'allowed'],
    [0, 'margin_removal'],
    [-1, 'margin_removal'],
  ])('of %i millionths: %s', (ntli, code) => {
    const decision = judged(margin(ntli), { latched: true })
    expect(decision.code).toBe(code)
    expect(decision.lane).toBe(code === 'allowed' ? 'exit' : 'entry')
  })

  const handled: readonly [string, number, JudgeSpec, string][] = [
    ['a spot market', 10_001, {}, 'unsupported_market'],
    ['an outcome market', 100_000_000, {}, 'unsupported_market'],
    ['a builder dex', 110_000, {}, 'dex_not_allowed'],
    ['an id between spot and the builder dexes', 100_000, {}, 'unknown_market'],
    ['a perp that nobody lists', 9_998, {}, 'unknown_market'],
    ['a market that is not allowed', 1, { rules: { markets: ['BTC'] } }, 'market_not_allowed'],
  ]
  test.each(handled)(
    'on %s is refused, killed or not, and so is taking it',
    (_, asset, spec, code) => {
      for (const latched of [false, true]) {
        for (const ntli of [5_000_000, -5_000_000]) {
          const decision = judged(margin(ntli, asset), { ...spec, latched })
          expect(decision.code, decision.text).toBe(code)
          expect(decision.text).toContain(asset === 1 ? 'ETH' : String(asset))
        }
      }
    },
  )

  test('may be added to a position on a market that the rules do not name, however old the view', () => {
    const spec = { rules: { markets: ['BTC'] }, account: at(4), latched: true, ...stale }
    expect(judged(margin(1), spec)).toMatchObject({ code: 'allowed', lane: 'exit' })
    expect(judged(margin(-1), spec).code).toBe('margin_removal')
  })

  test("does not wait for the venue's markets, where the id is a perp's", () => {
    const account = accountWith({ markets: markets([]) })
    expect(judged(margin(1, 3), { account })).toMatchObject({
      code: 'allowed',
      text: '0 USD of isolated margin added to asset 3',
    })
    expect(judged(margin(-1, 3), { account }).code).toBe('margin_removal')
    expect(judged(margin(1, 100_000), { account }).code).toBe('account_stale')
  })

  test('names the amount and the market', () => {
    expect(judged(margin(5_250_000)).text).toBe('5.25 USD of isolated margin added to ETH')
    expect(judged(margin(-2_000_000)).text).toContain('-2 USD of isolated margin on ETH')
  })
})

test('a scheduled cancel may be cleared, not set', () => {
  const cleared = judged({ type: 'scheduleCancel' })
  expect(cleared).toMatchObject({
    code: 'allowed',
    lane: 'cancel',
    forward: { type: 'scheduleCancel', time: null },
  })
  expect(judged({ type: 'scheduleCancel', time: 1_700_000_010_000 }).code).toBe('schedule_cancel')
})
