import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  markets,
  restingEntry,
  stopOrder,
  vectorMeta,
} from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import { guardCloidKind } from '../protocol/guardCloid.ts'
import { address } from '../values/address.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { actionsOf } from './decision.ts'
import type { Decision } from './decision.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from './judge.fixture.ts'

const guardStop = '0x67756172010000000000000000000001'
const long = accountWith({
  positions: { ETH: { size: '1' } },
  orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2440' })],
})
const short = accountWith({
  positions: { ETH: { size: '-1' } },
  orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2530', isBuy: true })],
})

const buyOfTwo = entryInFlight({
  price: '2486.4',
  stop: '2440',
  cloid: botCloid(77),
  stopCloid: null,
})

/** The orders of the first action as wire text. */
function ordersOf(decision: Decision): Json {
  return decision.forward === null ? null : (wire(decision.forward)['orders'] ?? null)
}

describe('an order that can only reduce', () => {
  const close = limitOrder(1, false, '0.4', '2480', 'Ioc', true)

  test.each<[string, Json]>([
    ['that Guard follows', close],
    ['that is not listed', limitOrder(9, true, '1', '3', 'Gtc', true)],
    ['of a builder dex', limitOrder(110_000, true, '1', '3', 'Gtc', true)],
  ])('goes as sent in a perp %s, also without a position', (_, order) => {
    const decision = judged(orderAction([order]))
    expect(decision).toMatchObject({ verdict: 'allow', code: 'allowed', lane: 'exit' })
    expect(ordersOf(decision)).toEqual([order])
  })

  test.each([
    ['spot', 10_107, 'unsupported_market'],
    ['outcome', 100_000_010, 'unsupported_market'],
    ['the first reserved id', 100_000, 'unknown_market'],
    ['the last reserved id', 109_999, 'unknown_market'],
  ])('does not go where there is no position to reduce: %s', (_, asset, code) => {
    const order = limitOrder(asset, true, '1', '3', 'Gtc', true)
    expect(judged(orderAction([order]))).toMatchObject({ verdict: 'veto', code, forward: null })
    const beside = judged(orderAction([order, close]))
    expect(ordersOf(beside)).toEqual([close])
    expect(beside.reply.slots).toEqual([
      { kind: 'veto', text: expect.stringMatching(`^Guard veto \\[${code}\\]: orders\\[0\\]: `) },
      { kind: 'status', action: 0, index: 0 },
    ])
    expect(beside.text).toContain(`not sent [${code}]: orders[0]: asset ${asset} is `)
  })

  test('passes while killed, halted, stopped, unseen and unpriced', () => {
    const stopped = { state: 'stopped', holding: true, lastEquity: null } as const
    const decision = judged(orderAction([close]), { account: long, latched: true, risk: stopped })
    expect(decision.code).toBe('allowed')
    const late = judged(orderAction([close]), { account: long, now: millis(fixtureNow + 6_001) })
    expect(late).toMatchObject({ verdict: 'allow', code: 'exit_unjudged', lane: 'exit' })
    expect(late.text).toContain('could not be read')
  })

  test.each([
    [long, limitOrder(1, false, '2.5', '2480', 'Ioc', true), '1'],
    [short, limitOrder(1, true, '1.0001', '2490', 'Gtc', true), '1'],
  ])('and is larger than the position is cut to it', (account, order, size) => {
    const decision = judged(orderAction([order]), { account })
    expect(decision.code).toBe('resized')
    expect(ordersOf(decision)).toEqual([{ ...order, s: size }])
    expect(decision.changeRecords).toEqual([
      { field: 'size', from: order.s, to: size, rule: 'position_size' },
    ])
  })

  test.each<[string, Json]>([
    ['as large as the position', limitOrder(1, false, '1', '2480', 'Ioc', true)],
    ['on the side of the position', limitOrder(1, true, '5', '2480', 'Ioc', true)],
    ['a trigger', triggerOrder(1, false, '5', '2600', '2500', 'tp')],
  ])('is not cut when it is %s', (_, order) => {
    const decision = judged(orderAction([order]), { account: long })
    expect(decision.code).toBe('allowed')
    expect(ordersOf(decision)).toEqual([order])
  })

  test('is not cut in a group, while the account is stale, or while an entry may be filling', () => {
    const order = limitOrder(1, false, '5', '2480', 'Ioc', true)
    expect(ordersOf(judged(orderAction([order], 'normalTpsl'), { account: long }))).toEqual([order])
    const stale = judged(orderAction([order]), { account: long, now: millis(fixtureNow + 7_000) })
    expect(ordersOf(stale)).toEqual([order])
    const growing = accountWith({ positions: { ETH: { size: '1' } } })
    growing.reserve('1', inFlight({ ...buyOfTwo, size: Decimal.one }), fixtureNow)
    expect(ordersOf(judged(orderAction([order]), { account: growing }))).toEqual([order])
  })

  test('has an id that is taken out of the reply, unless the bot gave one', () => {
    const own = { ...close, c: botCloid(7) }
    const decision = judged(orderAction([close, own, own]))
    const [action] = actionsOf(decision)
    const ids = action?.type === 'order' ? action.orders.map((each) => each.cloid) : []
    expect(ids.map(guardCloidKind)).toEqual(['order', null, 'order'])
    expect(decision.reply.stripCloids).toEqual([ids[0], ids[2]])
    expect(decision.reply.slots).toEqual(
      [0, 1, 2].map((index) => ({ kind: 'status', action: 0, index })),
    )
    expect(decision.changes).toEqual([
      `orders[2] goes under an id of Guard's: another order of this request has the client order id ${own.c} already`,
    ])
    expect(decision.exits.map(({ code }) => code)).toEqual(['allowed', 'allowed', 'resized'])
    expect(judged(orderAction([close, own])).code).toBe('allowed')
  })

  test('is held as what it is: a stop that is not there yet, or a reduction that is not done', () => {
    const stop = triggerOrder(1, false, '1', '2450', '2205')
    const whole = triggerOrder(1, false, '0', '2450', '2205')
    const profit = triggerOrder(1, false, '1', '2600', '2500', 'tp')
    const close = limitOrder(1, false, '0.4', '2480', 'Ioc', true)
    const unlisted = limitOrder(9, false, '1', '3', 'Gtc', true)
    const decision = judged(orderAction([stop, unlisted, profit, close]), { account: long })
    const [, , third, fourth] = decision.forward?.type === 'order' ? decision.forward.orders : []
    const held = { coin: 'ETH', isBuy: false, parent: null }
    expect(decision.reservations).toEqual([
      [
        {
          ...{ ...held, kind: 'stop', index: 0, size: Decimal.one, price: Decimal.of('2205') },
          ...{ mayRest: true, trigger: Decimal.of('2450'), cloid: expect.any(String) },
        },
        {
          ...{ ...held, kind: 'reduce', index: 2, size: Decimal.one, price: Decimal.of('2500') },
          ...{ mayRest: true, cloid: third?.cloid },
          trigger: { price: Decimal.of('2600'), isMarket: true, tpsl: 'tp' },
        },
        {
          ...{ ...held, kind: 'reduce', index: 3, size: Decimal.of('0.4'), mayRest: false },
          ...{ price: Decimal.of('2480'), cloid: fourth?.cloid, trigger: null },
        },
      ],
    ])
    const tied = judged(orderAction([whole], 'positionTpsl'), { account: long })
    expect(tied.reservations[0]).toMatchObject([{ kind: 'stop', size: Decimal.of('1') }])
    const flat = judged(orderAction([whole], 'positionTpsl'))
    expect(flat.reservations[0]).toMatchObject([{ kind: 'stop', size: Decimal.zero }])
  })
})

describe('an order that closes', () => {
  test.each([
    [long, limitOrder(1, false, '1', '2480', 'Ioc')],
    [long, limitOrder(1, false, '0.3', '2600', 'Gtc')],
    [short, limitOrder(1, true, '1', '2490.123', 'Alo')],
  ])('goes as reduce-only', (account, order) => {
    const decision = judged(orderAction([order]), { account, latched: true })
    expect(decision).toMatchObject({ verdict: 'resize', code: 'resized', lane: 'exit' })
    expect(ordersOf(decision)).toEqual([{ ...order, r: true }])
    expect(decision.changeRecords).toEqual([
      { field: 'reduce_only', from: 'false', to: 'true', rule: 'closing' },
    ])
  })

  test('also when the account was last seen too long ago: reduce-only can never open', () => {
    const order = limitOrder(1, false, '1', '2480', 'Ioc')
    const decision = judged(orderAction([order]), {
      account: long,
      now: millis(fixtureNow + 60_000),
    })
    expect(ordersOf(decision)).toEqual([{ ...order, r: true }])
  })

  test.each([
    [long, limitOrder(1, false, '1.0001', '2480')],
    [long, limitOrder(1, false, '7', '2600', 'Alo')],
    [short, limitOrder(1, true, '2', '2490', 'Ioc')],
  ])('is cut to the position when it is larger, and can only reduce', (account, order) => {
    for (const now of [fixtureNow, millis(fixtureNow + 60_000)]) {
      const decision = judged(orderAction([order]), { account, now, latched: true })
      expect(decision).toMatchObject({ verdict: 'resize', code: 'resized', lane: 'exit' })
      expect(ordersOf(decision)).toEqual([{ ...order, s: '1', r: true }])
      expect(decision.changeRecords).toEqual([
        { field: 'size', from: order.s, to: '1', rule: 'flip' },
        { field: 'reduce_only', from: 'false', to: 'true', rule: 'closing' },
      ])
      const requestedSize = Decimal.of(order.s)
      expect(decision.exits).toEqual([{ at: 0, requestedSize, size: Decimal.one, code: 'resized' }])
      expect(decision.reservations[0]).toMatchObject([{ kind: 'reduce', size: Decimal.one }])
    }
  })

  test('is refused when it is larger by one lot, under flip = "refuse"', () => {
    const rules = { flip: 'refuse' } as const
    const flip = limitOrder(1, false, '1.0001', '2480')
    const decision = judged(orderAction([flip]), { account: long, rules })
    expect(decision).toMatchObject({ verdict: 'veto', code: 'flip', forward: null })
    expect(decision.text).toContain('at most 1')
    const whole = judged(orderAction([limitOrder(1, false, '1', '2480')]), { account: long, rules })
    expect(whole.code).toBe('resized')
  })

  test.each(['2', '1', '0.4'])('of %s goes without the group that it leads', (size) => {
    const close = limitOrder(1, false, size, '2480')
    const forOpened = triggerOrder(1, true, size, '2530', '2783')
    const forHeld = triggerOrder(1, false, '1', '2440', '2196')
    const action = orderAction([close, forOpened, forHeld], 'normalTpsl')
    const decision = judged(action, { account: long })
    expect(decision).toMatchObject({ verdict: 'resize', lane: 'exit' })
    const sent = wire(decision.forward as never) as any
    expect(sent.grouping).toBe('na')
    expect(sent.orders).toMatchObject([
      { s: size === '2' ? '1' : size, b: false, r: true },
      { b: false, r: true, t: { trigger: { triggerPx: '2440' } } },
    ])
    expect(decision.changeRecords).toContainEqual({
      ...{ field: 'grouping', from: 'normalTpsl', to: 'na', rule: 'closing' },
    })
    expect(decision.reply.slots[1]).toMatchObject({
      ...{ kind: 'veto', text: expect.stringMatching(/\[invalid\]: orders\[1\]: belongs to what/) },
    })
  })
})

describe('groups', () => {
  const entry = limitOrder(1, true, '1', '2486')
  const stop = triggerOrder(1, false, '1', '2440', '2196')
  const profit = triggerOrder(1, false, '1', '2600', '2500', 'tp')
  const rows: readonly [string, readonly Json[], string][] = [
    ['two stops for one entry', [entry, stop, stop], 'na'],
    ['two take profits for one entry', [entry, profit, profit], 'na'],
    ['an entry that is not first', [stop, entry], 'normalTpsl'],
    ['two entries', [entry, entry, stop], 'normalTpsl'],
    ['a stop of another coin', [entry, triggerOrder(2, false, '1', '130', '117')], 'normalTpsl'],
    [
      'a stop on the side of the entry',
      [entry, triggerOrder(1, true, '1', '2440', '2700')],
      'normalTpsl',
    ],
    [
      'a reduce-only limit order',
      [entry, limitOrder(1, false, '1', '2500', 'Gtc', true)],
      'normalTpsl',
    ],
    ['an entry in positionTpsl', [stop, entry], 'positionTpsl'],
  ]
  test.each(rows)('%s cannot be judged', (_, orders, grouping) => {
    const decision = judged(orderAction(orders, grouping))
    expect(decision.code, decision.text).toBe('invalid')
    expect(decision.text).toMatch(/^orders\[\d\]: /)
  })

  test('a close among the stops of a position cannot be judged either', () => {
    const close = limitOrder(1, false, '1', '2480')
    const action = orderAction([close, stop], 'positionTpsl')
    expect(judged(action, { account: long }).code).toBe('invalid')
  })

  test('of reduce-only orders go as sent: the venue answers', () => {
    for (const grouping of ['normalTpsl', 'positionTpsl']) {
      const decision = judged(orderAction([stop, profit], grouping), { account: long })
      expect(decision.code).toBe('allowed')
      expect(wire(decision.forward as never)).toEqual(orderAction([stop, profit], grouping))
    }
  })

  test('a stop before its only entry belongs to it', () => {
    const decision = judged(orderAction([stop, entry]))
    expect(ordersOf(decision)).toEqual([entry, stop])
    expect(decision.reply.slots).toEqual([
      { kind: 'status', action: 1, index: 1 },
      { kind: 'status', action: 1, index: 0 },
    ])
    expect(decision.changeRecords).toEqual([
      { field: 'grouping', from: 'na', to: 'normalTpsl', rule: 'grouping' },
    ])
  })
})

describe('several entries in one action', () => {
  // Equity 7350.25: open risk may be 441.015, one trade 147.005. Every ETH entry at 2486.4 with its
  // stop at 2440 risks 46.4 a unit, 49.13504 with costs.
  const entry = limitOrder(1, true, '2.9', '2486.4', 'Ioc')
  const stop = triggerOrder(1, false, '2.9', '2440', '2196')

  test('within every rule say so, each with its stop', () => {
    const decision = judged(orderAction([entry, stop], 'normalTpsl'))
    expect(decision.text).toBe('buy 2.9 ETH with its stop at 2440: within every rule')
  })

  test('are judged one after the other, and each goes out with its own stop', () => {
    const decision = judged(orderAction([entry, stop, entry, stop, entry, stop]))
    // By position: 14700.5 / 2486.4 = 5.9123; after 2.9 another 2.9; then 0.1123, worth 279 USD.
    expect(decision.entries.map((each) => each.size.toString())).toEqual(['2.9', '2.9', '0.1123'])
    expect(decision.entries.map((each) => each.code)).toEqual(['allowed', 'allowed', 'resized'])
    expect(decision.verdict).toBe('resize')
    expect(decision.forwardMore).toHaveLength(2)
    expect(decision.pre.map(wire)).toEqual([
      { type: 'updateLeverage', asset: 1, isCross: false, leverage: 5 },
    ])
    expect(decision.needs).toEqual([[], [0], [0], [0]])
    expect(decision.entryCount).toBe(3)
    expect(decision.reply.slots).toEqual(
      [1, 1, 2, 2, 3, 3].map((action, at) => ({ kind: 'status', action, index: at % 2 })),
    )
    for (const action of actionsOf(decision).slice(1)) {
      expect(wire(action)).toMatchObject({ type: 'order', grouping: 'normalTpsl' })
    }
  })

  test('a vetoed one carries its reason in its place, the others go', () => {
    const bad = limitOrder(1, true, '1', '2400')
    const badStop = triggerOrder(1, false, '1', '2410', '2100')
    const decision = judged(orderAction([entry, stop, bad, badStop]))
    expect(decision).toMatchObject({ verdict: 'resize', code: 'resized', entryCount: 1 })
    const text = expect.stringMatching(/^Guard veto \[stop_wrong_side\]: the stop at 2410 must be/)
    expect(decision.reply.slots.slice(2)).toEqual([
      { kind: 'veto', text },
      { kind: 'veto', text },
    ])
    expect(decision.entries[1]).toMatchObject({
      verdict: 'veto',
      code: 'stop_wrong_side',
      risk: null,
    })
    expect(decision.entries[1]?.worstPrice?.toString()).toBe('2400')
    expect(decision.text).toContain('buy ETH not sent [stop_wrong_side]')
  })

  test('all vetoed is a veto with the code of the first', () => {
    const wide = [limitOrder(1, true, '1', '2400'), triggerOrder(1, false, '1', '2410', '2100')]
    const spot = limitOrder(10_001, true, '1', '3')
    const decision = judged(orderAction([spot, ...wide]))
    expect(decision).toMatchObject({ verdict: 'veto', code: 'unsupported_market', forward: null })
    expect(decision.entries.map((each) => each.coin)).toEqual(['asset 10001', 'ETH'])
  })

  test('exits go first as one action, also when no entry goes', () => {
    const exit = limitOrder(2, false, '1', '140', 'Gtc', true)
    const decision = judged(orderAction([entry, exit]), { latched: true })
    expect(decision).toMatchObject({
      verdict: 'resize',
      code: 'resized',
      lane: 'exit',
      entryCount: 0,
    })
    expect(ordersOf(decision)).toEqual([exit])
    expect(decision.reply.slots).toEqual([
      { kind: 'veto', text: expect.stringContaining('[kill_switch]') },
      { kind: 'status', action: 0, index: 0 },
    ])
    const open = judged(orderAction([entry, stop, exit, exit]))
    expect(ordersOf(open)).toEqual([exit, exit])
    expect(open.forwardMore).toHaveLength(1)
    expect(open.lane).toBe('entry')
    expect(open.changeRecords).toContainEqual({
      field: 'actions',
      from: '1',
      to: '2',
      rule: 'grouping',
    })
  })

  test('a stop belongs to the entry before it; one before all of them is an exit', () => {
    const first = limitOrder(1, true, '1', '2486.4')
    const second = limitOrder(1, true, '1', '2480')
    const decision = judged(orderAction([stop, first, second, stop]))
    expect(ordersOf(decision)).toEqual([stop])
    expect(decision.entries.map((each) => each.stop?.toString())).toEqual(['2436.7', '2440'])
  })

  test('a two-sided quote has a stop on either side', () => {
    const bid = limitOrder(1, true, '0.5', '2480', 'Alo')
    const ask = limitOrder(1, false, '0.5', '2492', 'Alo')
    const decision = judged(orderAction([bid, ask]))
    // The bid: 2480 x 0.98 = 2430.4. The ask: 2492 x 1.02 = 2541.84, down to 2541.8.
    expect(decision.entries.map((each) => each.stop?.toString())).toEqual(['2430.4', '2541.8'])
    expect(decision.entries.map((each) => each.side)).toEqual(['buy', 'sell'])
  })

  test('share the open risk', () => {
    // 147.005 - 2.9 x 46.4 = 12.445; / 49.13504 = 0.25328
    const rules = { openRisk: Decimal.of('0.02') }
    const decision = judged(orderAction([entry, stop, entry, stop]), { rules })
    expect(decision.entries.map((each) => each.size.toString())).toEqual(['2.9', '0.2532'])
  })

  test('each side has its own room under max_position', () => {
    // 0.3 x 7350.25 = 2205.075: 0.8 ETH on either side fit, 1.6 on one would not.
    const quote = [limitOrder(1, true, '0.8', '2480'), limitOrder(1, false, '0.8', '2492')]
    const rules = { maxPosition: Decimal.of('0.3') }
    const sizes = (orders: readonly Json[]): string[] =>
      judged(orderAction(orders), { rules }).entries.map((each) => each.size.toString())
    expect(sizes(quote)).toEqual(['0.8', '0.8'])
    // 2205.075 - 0.8 x 2486.35 = 215.995; / 2486.35 = 0.08687
    expect(sizes([quote[0]!, quote[0]!])).toEqual(['0.8', '0.0868'])
  })

  test('the leverage suits all of them: a wider stop lowers it for the first one too', () => {
    const near = [
      limitOrder(1, true, '0.1', '2486.4'),
      triggerOrder(1, false, '0.1', '2440', '2196'),
    ]
    const far = [
      limitOrder(1, true, '0.1', '2486.4'),
      triggerOrder(1, false, '0.1', '2000', '1800'),
    ]
    // Far: d = (2486.4 - 1800) / 2486.4 = 0.27606; 1.1 d + 5% = 0.35367; m = 0.02.
    // L = 2: 0.48 / 0.98 = 0.4898 holds; L = 3: 0.31333 / 0.98 = 0.3197 does not.
    const decision = judged(orderAction([...near, ...far]))
    expect(decision.pre.map(wire)).toEqual([
      { type: 'updateLeverage', asset: 1, isCross: false, leverage: 2 },
    ])
    expect(decision.entries.map((each) => each.leverage)).toEqual([2, 2])
    const known = accountWith({ leverage: { ETH: { type: 'isolated', value: 4 } } })
    expect(judged(orderAction([...near, ...far]), { account: known }).pre.map(wire)).toEqual([
      { type: 'updateLeverage', asset: 1, isCross: false, leverage: 2 },
    ])
    expect(judged(orderAction([...far, ...near]), { account: known }).pre).toHaveLength(1)
    const low = accountWith({ leverage: { ETH: { type: 'isolated', value: 1 } } })
    const kept = judged(orderAction([...near, ...far]), { account: low })
    expect(kept.pre).toEqual([])
    expect(kept.entries.map((each) => each.leverage)).toEqual([1, 1])
  })

  test('count toward the rate and the open orders of those after them', () => {
    const small = limitOrder(1, true, '0.1', '2486.4')
    const rate = judged(orderAction([small, small, small]), { entriesLastMinute: 598 })
    expect(rate.entries.map((each) => each.code)).toEqual(['resized', 'resized', 'order_rate'])
    const open = judged(orderAction([small, small]), { rules: { maxOpenOrders: 3 } })
    expect(open.entries.map((each) => each.code)).toEqual(['resized', 'too_many_orders'])
    expect(open.entries[1]?.text).toBe(
      'the account has 2 orders open or on their way, and this would add 2; max_open_orders is 3',
    )
  })
})

describe('builders', () => {
  const builder = address(`0x${'b0'.repeat(20)}`)
  const action = (orders: readonly Json[]): Json => ({
    type: 'order',
    orders,
    grouping: 'na',
    builder: { b: builder, f: 10 },
  })
  const entry = limitOrder(1, true, '50', '2486.4', 'Ioc')

  test('are removed unless the configuration names them', () => {
    const decision = judged(action([entry]))
    expect(decision.forward).toMatchObject({ builder: null })
    expect(decision.changeRecords[0]).toEqual({
      field: 'builder',
      from: builder,
      to: null,
      rule: 'builders',
    })
    const exit = judged(action([limitOrder(1, false, '1', '2480', 'Ioc', true)]))
    expect(exit).toMatchObject({ code: 'resized', forward: { builder: null } })
  })

  test('cost twice their fee where they stay', () => {
    const decision = judged(action([entry]), { builders: new Set([builder]) })
    expect(decision.forward).toMatchObject({ builder: { address: builder, fee: 10 } })
    // 147.005 / (49.7 + 2486.4 x 2 x (0.00055 + 0.0001)) = 147.005 / 52.93232 = 2.7772
    expect(decision.entries[0]?.size.toString()).toBe('2.7772')
  })
})

describe("Guard's own stop", () => {
  const own = (trigger: string, extra = {}): ReturnType<typeof stopOrder> =>
    stopOrder({ oid: 31, coin: 'ETH', size: '1', trigger, cloid: guardStop, ...extra })
  const held = accountWith({ positions: { ETH: { size: '1' } }, orders: [own('2440')] })
  const heldShort = accountWith({
    positions: { ETH: { size: '-1' } },
    orders: [own('2530', { isBuy: true })],
  })
  const cancelled = [{ type: 'cancel', cancels: [{ a: 1, o: 31 }] }]

  test.each<[string, Json, Parameters<typeof judged>[1]]>([
    [
      'a tighter stop over all of it',
      orderAction([triggerOrder(1, false, '1', '2441', '2190')]),
      {},
    ],
    ['a larger one', orderAction([triggerOrder(1, false, '3', '2480', '2232')]), {}],
    [
      'one tied to the position',
      orderAction([triggerOrder(1, false, '0', '2441', '2190')], 'positionTpsl'),
      {},
    ],
    [
      'one for a short',
      orderAction([triggerOrder(1, true, '1', '2529', '2782')]),
      { account: heldShort },
    ],
  ])('goes once %s rests', (_, json, spec) => {
    const decision = judged(json, { account: held, ...spec })
    expect(decision.post.map(wire)).toEqual(cancelled)
    expect(decision.needs).toEqual([[], [0]])
    expect(decision.reservations[1]).toEqual([
      { kind: 'cancel', coin: 'ETH', oid: 31, cloid: guardStop },
    ])
    expect(decision.code).toBe('allowed')
  })

  test.each<[string, Json, Parameters<typeof judged>[1]]>([
    ['as tight', orderAction([triggerOrder(1, false, '1', '2440', '2190')]), {}],
    ['smaller', orderAction([triggerOrder(1, false, '0.9', '2450', '2190')]), {}],
    [
      'of size 0 and not tied to the position',
      orderAction([triggerOrder(1, false, '0', '2450', '2190')]),
      {},
    ],
    ['a take profit', orderAction([triggerOrder(1, false, '1', '2450', '2190', 'tp')]), {}],
    ['a stop-limit', orderAction([triggerOrder(1, false, '1', '2450', '2190', 'sl', false)]), {}],
    [
      'without room',
      orderAction([triggerOrder(1, true, '1', '2520', '0')]),
      { account: heldShort },
    ],
    ['beyond the price', orderAction([triggerOrder(1, false, '1', '2490', '2200')]), {}],
    ['on the other side', orderAction([triggerOrder(1, true, '1', '2600', '2900')]), {}],
    ['on another coin', orderAction([triggerOrder(2, false, '1', '130', '100')]), {}],
    [
      'seen too late',
      orderAction([triggerOrder(1, false, '1', '2450', '2200')]),
      { now: millis(fixtureNow + 3_001) },
    ],
    [
      'seen much too late',
      orderAction([triggerOrder(1, false, '1', '2450', '2200')]),
      { now: millis(fixtureNow + 6_001) },
    ],
  ])('stays while the other is %s', (_, json, spec) => {
    expect(judged(json, { account: held, ...spec }).post).toEqual([])
  })

  test("a bot's other stop is left alone", () => {
    const decision = judged(orderAction([triggerOrder(1, false, '1', '2450', '2200')]), {
      account: long,
    })
    expect(decision.post).toEqual([])
  })
})

describe('the worst price and the stop of an entry', () => {
  test.each<[string, Json, string, string, string]>([
    // 2486.35 x 1.005 = 2498.78175, down; x 0.98 = 2436.623, up.
    [
      'a buy far above',
      limitOrder(1, true, '0.1', '9999', 'Ioc'),
      '2498.7',
      '2436.7',
      'max_distance_from_mid',
    ],
    ['a buy off the grid', limitOrder(1, true, '0.1', '2480.77'), '2480.7', '2431.1', 'grid'],
    ['a sell off the grid', limitOrder(1, false, '0.1', '2490.01'), '2490.1', '2539.9', 'grid'],
  ])('%s', (_, order, worst, stop, rule) => {
    const decision = judged(orderAction([order]))
    expect(decision.entries[0]?.worstPrice?.toString()).toBe(worst)
    expect(decision.entries[0]?.stop?.toString()).toBe(stop)
    expect(decision.changeRecords[0]).toMatchObject({ field: 'price', to: worst, rule })
  })

  test("the limit of Guard's stop for a sell is rounded up, outward", () => {
    // 2539.9 x 1.1 = 2793.89
    const decision = judged(orderAction([limitOrder(1, false, '0.1', '2490.1')]))
    expect(ordersOf(decision)).toMatchObject([{}, { p: '2793.9' }])
  })

  test('a stop-limit becomes a market stop, off the grid toward the price, its limit outward', () => {
    const entry = limitOrder(1, true, '1', '2486.4')
    const stop = triggerOrder(1, false, '1', '2440.01', '2100.07', 'sl', false)
    const decision = judged(orderAction([entry, stop], 'normalTpsl'))
    expect(ordersOf(decision)).toEqual([entry, triggerOrder(1, false, '1', '2440.1', '2100')])
    expect(decision.changeRecords.map(({ field, to, rule }) => [field, to, rule])).toEqual([
      ['stop.isMarket', 'true', 'market_stop'],
      ['stop.trigger', '2440.1', 'grid'],
      ['stop.price', '2100', 'grid'],
    ])
    const sell = limitOrder(1, false, '1', '2486.4')
    const above = triggerOrder(1, true, '1', '2530.09', '2531', 'sl')
    const mirrored = judged(orderAction([sell, above], 'normalTpsl'))
    // 2530 x 1.1 = 2783
    expect(ordersOf(mirrored)).toEqual([sell, triggerOrder(1, true, '1', '2530', '2783')])
  })

  test('a take profit smaller than the entry is refused in its place, and the rest goes', () => {
    const entry = limitOrder(1, true, '1', '2486.4')
    const stop = triggerOrder(1, false, '1', '2440', '2196')
    const profit = (size: string): Json => triggerOrder(1, false, size, '2600', '2500', 'tp')
    const small = judged(orderAction([entry, profit('0.9999'), stop], 'normalTpsl'))
    expect(small).toMatchObject({ verdict: 'resize', code: 'resized', entryCount: 1 })
    expect(ordersOf(small)).toEqual([entry, stop])
    expect(small.reservations[1]).toMatchObject([
      { kind: 'entry', index: 0, parent: null },
      { kind: 'stop', index: 1, parent: 0 },
    ])
    expect(small.reply.slots).toEqual([
      { kind: 'status', action: 1, index: 0 },
      { kind: 'veto', text: expect.stringMatching(/^Guard veto \[invalid\]: orders\[1\]: a take/) },
      { kind: 'status', action: 1, index: 1 },
    ])
    expect(small.text).toContain('not sent [invalid]: orders[1]')
    expect(small.text).toContain('send it once the entry has filled')
    // Whoever reads `resize` finds in the changes what was left behind.
    expect(small.changes).toEqual([
      expect.stringMatching(/^not sent \[invalid\]: orders\[1\]: a take/),
    ])
    expect(small.changeRecords).toEqual([
      { field: 'order', from: 'asked', to: null, rule: 'invalid' },
    ])
    const whole = judged(orderAction([entry, profit('1'), stop], 'normalTpsl'))
    expect(whole.code).toBe('allowed')
    // One that is smaller than what was asked for stays where the entry is cut to less than it.
    const rules = { maxOrderValue: Decimal.of('2000') }
    const cut = judged(orderAction([entry, profit('0.9'), stop], 'normalTpsl'), { rules })
    expect(ordersOf(cut)).toMatchObject([{ s: '0.8043' }, { s: '0.8043' }, { s: '0.8043' }])
  })

  test('a take profit larger than the entry is cut and said', () => {
    const entry = limitOrder(1, true, '1', '2486.4')
    const large = judged(
      orderAction(
        [
          entry,
          triggerOrder(1, false, '9', '2440', '2196'),
          triggerOrder(1, false, '7', '2600', '2500', 'tp'),
        ],
        'normalTpsl',
      ),
    )
    expect(large.changeRecords.map(({ field, from, to }) => [field, from, to])).toEqual([
      ['stop.size', '9', '1'],
      ['profit.size', '7', '1'],
    ])
  })

  test('a size off the lot is rounded down', () => {
    const decision = judged(orderAction([limitOrder(2, true, '1.239', '137.4')]))
    expect(decision.changeRecords).toContainEqual({
      field: 'size',
      from: '1.239',
      to: '1.23',
      rule: 'lot',
    })
  })

  test('one id repeated over a group becomes one each', () => {
    const c = botCloid(9)
    const orders = [
      { ...limitOrder(1, true, '1', '2486.4'), c },
      { ...triggerOrder(1, false, '1', '2600', '2500', 'tp'), c },
      { ...triggerOrder(1, false, '1', '2440', '2196'), c },
    ]
    const decision = judged(orderAction(orders, 'normalTpsl'))
    const ids =
      decision.forward?.type === 'order' ? decision.forward.orders.map((each) => each.cloid) : []
    expect(ids[0]).toBe(c)
    expect(new Set(ids).size).toBe(3)
    expect(decision.reply.stripCloids).toEqual(ids.slice(1))
    expect(decision.reservations[1]).toMatchObject([
      { kind: 'entry', index: 0, cloid: c },
      { kind: 'reduce', index: 1, parent: 0, cloid: ids[1] },
      { kind: 'stop', index: 2, parent: 0, cloid: ids[2] },
    ])
  })

  test.each([
    ['Gtc', true],
    ['Alo', true],
    ['Ioc', false],
    ['FrontendMarket', false],
  ])('tif %s may rest: %s', (tif, mayRest) => {
    const decision = judged(orderAction([limitOrder(1, true, '1', '2486.4', tif)]))
    const held = { index: 0, coin: 'ETH', isBuy: true, size: Decimal.one, parent: null, mayRest }
    const prices = { price: Decimal.of('2486.4'), stop: Decimal.of('2436.7') }
    expect(decision.reservations[1]).toMatchObject([
      { kind: 'entry', ...held, ...prices },
      {
        ...{ kind: 'stop', index: 1, coin: 'ETH', isBuy: false, size: Decimal.one, parent: 0 },
        ...{ trigger: Decimal.of('2436.7'), mayRest: true },
      },
    ])
    expect(decision.reservations[0]).toEqual([
      { kind: 'leverage', coin: 'ETH', leverage: { type: 'isolated', value: 5 } },
    ])
  })
})

describe('the size of an entry', () => {
  test('by the least equity of the venue, the risk engine and the cap', () => {
    const size = (lastEquity: string | null, cap: string | null): string =>
      judged(orderAction([limitOrder(1, true, '5', '2486.4', 'Ioc')]), {
        risk: {
          state: 'active',
          holding: false,
          lastEquity: lastEquity === null ? null : Decimal.of(lastEquity),
        },
        rules: { equityCap: cap === null ? null : Decimal.of(cap) },
      }).entries[0]?.size.toString() ?? ''
    // x 2% / 52.43504: 7350.25 -> 2.80356, 5000 -> 1.90712, 2000 -> 0.76284
    expect(size(null, null)).toBe('2.8035')
    expect(size('9000', null)).toBe('2.8035')
    expect(size('5000', null)).toBe('1.9071')
    expect(size('5000', '2000')).toBe('0.7628')
    expect(size('1000', '2000')).toBe('0.3814')
  })

  test.each<[string, Parameters<typeof judged>[1], string]>([
    // 1000 / 2486.4 = 0.40218
    ['max_order_value', { rules: { maxOrderValue: Decimal.of('1000') } }, '0.4021'],
    // 7350.25 x 0.1 / 2486.4 = 0.29561
    ['max_leverage', { rules: { maxLeverage: Decimal.of('0.1') } }, '0.2956'],
    ['max_position', { rules: { maxPosition: Decimal.of('0.1') } }, '0.2956'],
    ['risk_per_trade', {}, '2.8035'],
  ])('%s binds and is named', (rule, spec, size) => {
    const decision = judged(orderAction([limitOrder(1, true, '5', '2486.4', 'Ioc')]), spec)
    expect(decision.changeRecords).toContainEqual({ field: 'size', from: '5', to: size, rule })
  })

  test('entries resting on the coin count, on its side for the position and in all for the leverage', () => {
    const account = accountWith({
      orders: restingEntry({
        oid: 7,
        coin: 'ETH',
        isBuy: true,
        price: '2400',
        size: '5',
        stop: '2390',
      }),
    })
    const rules = { maxLeverage: Decimal.of('2'), riskPerTrade: Decimal.of('0.05') }
    // It is worth the mid once it fills: 14700.5 - 5 x 2486.35 = 2268.75. Of a buy at 2486.4 that is
    // 0.91246 on either count.
    const buy = judged(orderAction([limitOrder(1, true, '5', '2486.4', 'Ioc')]), { account, rules })
    expect(buy.entries[0]?.size.toString()).toBe('0.9124')
    const sell = judged(orderAction([limitOrder(1, false, '5', '2486', 'Ioc')]), { account, rules })
    // 2268.75 / 2486.35 = 0.91248: by leverage only, and a sell below the mid is worth the mid.
    expect(sell.changeRecords).toContainEqual(
      expect.objectContaining({ field: 'size', to: '0.9124', rule: 'max_leverage' }),
    )
  })
})

describe('leverage of an entry', () => {
  const buy = (stop: string, limit: string): Json =>
    orderAction(
      [limitOrder(1, true, '0.1', '2486.4'), triggerOrder(1, false, '0.1', stop, limit)],
      'normalTpsl',
    )

  test('a known setting must be fresh, isolated and no higher', () => {
    const set = (type: 'isolated' | 'cross', value: number, at = 0) => {
      const leverage = { ETH: { type, value } }
      const account = accountWith({ leverage, leverageAt: fixtureNow - at })
      return judged(buy('2440', '2196'), { account }).pre.length
    }
    expect(set('isolated', 5)).toBe(0)
    expect(set('isolated', 6)).toBe(1)
    expect(set('cross', 3)).toBe(1)
    expect(set('isolated', 3, 6_000)).toBe(0)
    expect(set('isolated', 3, 6_001)).toBe(1)
  })

  test('a margin tier lowers it by what would be held', () => {
    const tiers = [
      { lowerBound: Decimal.zero, maxLeverage: 25 },
      { lowerBound: Decimal.of('1000'), maxLeverage: 3 },
    ]
    const listed = markets(
      vectorMeta.map((each) => (each.coin === 'ETH' ? { ...each, tiers } : each)),
    )
    const account = accountWith({ markets: listed })
    const size = (s: string): Json =>
      orderAction(
        [limitOrder(1, true, s, '2486.4'), triggerOrder(1, false, s, '2440', '2196')],
        'normalTpsl',
      )
    expect(judged(size('0.4'), { account }).entries[0]?.leverage).toBe(5)
    // m = 1/6: L = 3: (0.3333 - 0.1667) / 0.8333 = 0.2 >= 0.17847
    expect(judged(size('0.41'), { account }).entries[0]?.leverage).toBe(3)
  })

  test('a fractional cap is taken down to a whole number, and never below 1', () => {
    const lev = (maxLeverage: string): number | null | undefined =>
      judged(buy('2440', '2196'), {
        rules: { maxLeverage: Decimal.of(maxLeverage), maxPosition: Decimal.of('0.5') },
      }).entries[0]?.leverage
    expect(lev('3.9')).toBe(3)
    expect(lev('0.5')).toBe(1)
  })

  test.each<[string, Parameters<typeof accountWith>[0], string]>([
    [
      'above the cap',
      { positions: { ETH: { size: '1', leverage: { type: 'isolated', value: 6 } } } },
      'leverage',
    ],
    [
      'too high for the looser stop',
      { positions: { ETH: { size: '1', leverage: { type: 'isolated', value: 5 } } } },
      'liquidation_too_close',
    ],
    [
      'liquidated before the worst fill',
      {
        positions: {
          ETH: { size: '1', leverage: { type: 'isolated', value: 1 }, liquidation: '2160' },
        },
      },
      'liquidation_too_close',
    ],
    [
      'liquidated after it',
      {
        positions: {
          ETH: { size: '1', leverage: { type: 'isolated', value: 1 }, liquidation: '2159.9' },
        },
      },
      'allowed',
    ],
    [
      'without a liquidation price',
      { positions: { ETH: { size: '1', leverage: { type: 'isolated', value: 1 } } } },
      'allowed',
    ],
  ])('an open position %s', (_, spec, code) => {
    // The cover is looser than the new stop: 2400, worst fill 2160, d = 0.13127, need 0.19440.
    const account = accountWith({
      ...spec,
      orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2400' })],
    })
    const decision = judged(buy('2440', '2196'), { account })
    expect(decision.code, decision.text).toBe(code)
    // What is held keeps its leverage: the venue is told nothing of it.
    const types = actionsOf(decision).map(({ type }) => type)
    expect(types).toEqual(code === 'allowed' ? ['order'] : [])
  })

  test('of an open short is judged by the higher of the two stops', () => {
    // Cover 2500, worst fill 2750; the new stop 2600, worst fill 2860: d = 0.15044, need 0.21549.
    // L = 4: 0.23 / 1.02 = 0.22549 holds, L = 5: 0.17647 does not; the cover alone would need 0.16681.
    const at = (value: number): string =>
      judged(
        orderAction(
          [limitOrder(1, false, '0.1', '2486'), triggerOrder(1, true, '0.1', '2600', '2860')],
          'normalTpsl',
        ),
        {
          account: accountWith({
            positions: { ETH: { size: '-1', leverage: { type: 'isolated', value } } },
            orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2500', isBuy: true })],
          }),
        },
      ).code
    expect(at(4)).toBe('allowed')
    expect(at(5)).toBe('liquidation_too_close')
  })

  test('the liquidation price stays away from the mid, for a short as well', () => {
    const at = (liquidation: string): string => {
      const account = accountWith({
        positions: { ETH: { size: '-1', leverage: { type: 'isolated', value: 1 }, liquidation } },
        orders: [stopOrder({ oid: 21, coin: 'ETH', size: '1', trigger: '2490', isBuy: true })],
      })
      const json = orderAction(
        [limitOrder(1, false, '0.1', '2486'), triggerOrder(1, true, '0.1', '2490', '2739')],
        'normalTpsl',
      )
      return judged(json, { account, rules: { minLiquidationDistance: Decimal.of('0.2') } }).code
    }
    // 2486.35 x 1.2 = 2983.62
    expect(at('2983.62')).toBe('allowed')
    expect(at('2983.61')).toBe('liquidation_too_close')
  })
})
