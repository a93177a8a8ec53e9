import { describe, expect, test } from 'vitest'
import { accountWith, fixtureNow } from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { Json } from '../../protocol/action.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { millis } from '../../values/millis.ts'
import { actionsOf } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from '../judge.fixture.ts'
import type { JudgeSpec } from '../judge.fixture.ts'

const d = (text: string) => Decimal.of(text)
const pairs = [
  { asset: 10_001, coin: coin('@1'), token: 2, base: 'HYPE', quote: 'USDC', sizeDecimals: 2 },
  { asset: 10_002, coin: coin('@2'), token: 2, base: 'HYPE', quote: 'USDT0', sizeDecimals: 2 },
]
const resting = {
  ...{ coin: coin('@1'), oid: 77, isBuy: false, price: d('33'), size: d('8') },
  ...{ originalSize: d('8'), cloid: null, isReduceOnly: false, trigger: null },
  ...{ children: [], isPositionTpsl: false, tif: 'Gtc', at: fixtureNow },
} as never

interface Holding {
  readonly total?: string
  readonly hold?: string
  readonly knowsPairs?: boolean
  readonly agoMs?: number
  readonly mid?: string | null
}

/** An account with some HYPE, 20 of it with 8 in a resting order unless told otherwise. */
function holding(spec: Holding = {}): Account {
  const { total = '20', hold = '8', knowsPairs = true, agoMs = 0, mid = '30' } = spec
  const account = accountWith(mid === null ? {} : { mids: { '@1': mid } })
  if (knowsPairs) account.apply({ kind: 'spot_pairs', pairs, at: fixtureNow })
  const tokens = new Map([[2, { total: d(total), hold: d(hold) }]])
  const spot = { usdcTotal: d('0'), usdcHold: d('0'), tokens }
  account.apply({ kind: 'spot', spot, source: 'stream', at: millis(fixtureNow - agoMs) })
  account.apply({
    ...{ kind: 'orders', orders: [], elsewhere: 1, spot: [resting] },
    ...{ source: 'stream', at: fixtureNow },
  })
  return account
}

const of = (action: Json, spec: JudgeSpec = {}) =>
  judged(action, { account: holding(), ...spec, rules: { spot: 'sell', ...spec.rules } })
const sell = (size: string, price = '30', tif = 'Gtc', asset = 10_001) =>
  limitOrder(asset, false, size, price, tif)
const sent = (action: Json, spec: JudgeSpec = {}) => actionsOf(of(action, spec)).map(wire) as any[]

describe('a sell of what is held', () => {
  test('passes as it is', () => {
    const decision = of(orderAction([sell('12')]))
    expect(decision).toMatchObject({ verdict: 'allow', code: 'allowed', lane: 'entry' })
    expect(decision.text).toBe('sell 12 HYPE: the account holds it, and nothing else holds that')
    expect(wire(actionsOf(decision)[0] as never)).toMatchObject({
      ...{ type: 'order', grouping: 'na' },
      orders: [{ a: 10_001, b: false, p: '30', s: '12', r: false }],
    })
    expect(decision.reservations).toMatchObject([[{ kind: 'spot_sell', token: 2, index: 0 }]])
  })

  test.each<[string, Json, JudgeSpec, string, string]>([
    ['more than is free', sell('15'), {}, '12', 'spot'],
    ['a part of a lot', sell('1.239'), {}, '1.23', 'spot'],
    ['its value', sell('12'), { rules: { maxOrderValue: d('100') } }, '3.33', 'max_order_value'],
    [
      'its value at the mid, where the limit is lower',
      sell('12', '20', 'Ioc'),
      { rules: { maxOrderValue: d('300') } },
      '10',
      'max_order_value',
    ],
    [
      'what is free, and worth as much as may be',
      sell('50'),
      { rules: { maxOrderValue: d('360') } },
      '12',
      'spot',
    ],
    [
      'what is free, though the value is larger',
      sell('50'),
      { rules: { maxOrderValue: d('900') } },
      '12',
      'spot',
    ],
  ])('is cut to %s', (_, order, spec, size, rule) => {
    const decision = of(orderAction([order]), spec)
    expect(decision).toMatchObject({ verdict: 'resize', changeRecords: [{ field: 'size', rule }] })
    expect(sent(orderAction([order]), spec)[0].orders[0].s).toBe(size)
    expect(decision.exits).toMatchObject([{ code: 'resized' }])
  })

  test.each([
    ["the venue's least", sell('0.5', '20', 'Ioc'), {}],
    ['by balances as old as they may be', sell('1'), { account: holding({ agoMs: 30_000 }) }],
    ['into the last place among the open orders', sell('1'), { rules: { maxOpenOrders: 2 } }],
  ])('goes: %s', (_, order, spec) => {
    expect(of(orderAction([order]), spec).verdict).toBe('allow')
  })

  test('takes a place that those after it do not find', () => {
    const decision = of(orderAction([sell('1'), sell('1')]), { rules: { maxOpenOrders: 2 } })
    expect(decision.exits.map(({ code }) => code)).toEqual(['allowed', 'too_many_orders'])
    expect(decision.reply.slots[1]).toMatchObject({
      text: expect.stringContaining('the account has 2 orders open or on their way'),
    })
  })

  test('keeps the id that its bot gave it', () => {
    const c = `0x${'7'.repeat(32)}`
    const decision = of(orderAction([{ ...sell('1'), c }]))
    expect(decision.forward).toMatchObject({ orders: [{ cloid: c }] })
    expect(decision.reply.stripCloids).toEqual([])
  })

  test('goes to the grid, the passive way', () => {
    expect(sent(orderAction([sell('1', '30.00001')]))[0].orders[0].p).toBe('30.001')
  })

  test('several in one request share what is free; what is left is too little', () => {
    const decision = of(orderAction([sell('7'), sell('7'), sell('7')]))
    expect(decision.exits.map(({ size, code }) => [size.toString(), code])).toEqual([
      ['7', 'allowed'],
      ['5', 'resized'],
      ['0', 'below_minimum'],
    ])
    expect(decision.reply.slots.map(({ kind }) => kind)).toEqual(['status', 'status', 'veto'])
  })

  test('two requests at once share it too, until a later balance shows the first', () => {
    const account = holding()
    const at = (ms: number) => millis(fixtureNow + ms)
    const size = () => sent(orderAction([sell('12')]), { account })[0]?.orders[0].s ?? 'none'
    account.reserve('1', of(orderAction([sell('10')])).reservations[0] ?? [], fixtureNow)
    expect(size()).toBe('2')
    account.settle('1', { outcome: 'accepted' }, at(0))
    const spot = { usdcTotal: d('0'), usdcHold: d('0') }
    const tell = (ms: number, total: string) => {
      const tokens = new Map([[2, { total: d(total), hold: d('8') }]])
      account.apply({ kind: 'spot', spot: { ...spot, tokens }, source: 'stream', at: at(ms) })
    }
    tell(1_000, '20')
    expect(size()).toBe('2')
    tell(2_000, '10')
    expect(size()).toBe('2')
    account.reserve('2', of(orderAction([sell('2')])).reservations[0] ?? [], fixtureNow)
    expect(size()).toBe('none')
    account.settleOrder('2', 1, { outcome: 'refused' }, at(2_000))
    account.clockStepped(0)
    expect(size()).toBe('none')
    account.settleOrder('2', 0, { outcome: 'refused' }, at(2_000))
    expect(size()).toBe('2')
  })
})

describe('refused', () => {
  const crowded = { rules: { maxOpenOrders: 1 } }
  const halted = { risk: { state: 'halted_for_day', holding: false, lastEquity: null } } as const
  test.each<[string, Json, JudgeSpec, string]>([
    ['by default', sell('1'), { rules: { spot: 'refuse' } }, 'unsupported_market'],
    ['a buy', limitOrder(10_001, true, '1', '30'), {}, 'unsupported_market'],
    ['reduce-only', limitOrder(10_001, false, '1', '30', 'Ioc', true), {}, 'unsupported_market'],
    [
      'a trigger',
      { ...triggerOrder(10_001, false, '1', '28', '27'), r: false },
      {},
      'unsupported_order',
    ],
    ['a size of zero', sell('0'), {}, 'invalid'],
    ['an unlisted pair', sell('1', '30', 'Gtc', 10_077), {}, 'unknown_market'],
    ['what is not held', sell('1'), { account: holding({ total: '8' }) }, 'below_minimum'],
    ['too little', sell('0.3'), {}, 'below_minimum'],
    ['pairs not read', sell('1'), { account: holding({ knowsPairs: false }) }, 'account_stale'],
    ['old balances', sell('1'), { account: holding({ agoMs: 40_000 }) }, 'account_stale'],
    ['no balances yet', sell('1'), { account: accountWith() }, 'account_stale'],
    ['latched', sell('1'), { latched: true }, 'kill_switch'],
    ['halted', sell('1'), halted, 'daily_loss_stop'],
    ['withheld', sell('1'), { withheld: { code: 'journal', text: 'no disk' } }, 'journal'],
    ['too many orders', sell('1'), crowded, 'too_many_orders'],
    [
      'a value in another token',
      sell('1', '30', 'Gtc', 10_002),
      { rules: { maxOrderValue: d('100') } },
      'unsupported_market',
    ],
    [
      'a value without a price',
      sell('1'),
      { rules: { maxOrderValue: d('100') }, account: holding({ mid: null }) },
      'no_price',
    ],
  ])('%s', (_, order, spec, code) => {
    const decision = of(orderAction([order]), spec)
    expect(decision).toMatchObject({ verdict: 'veto', code, forward: null })
  })

  test('an immediate sell needs no place among the open orders', () => {
    expect(of(orderAction([sell('1', '29', 'Ioc')]), crowded).verdict).toBe('allow')
  })

  test('balances that were told before any pair was read', () => {
    const account = accountWith()
    account.apply({ kind: 'spot_pairs', pairs, at: fixtureNow })
    account.clockStepped(5)
    const decision = of(orderAction([sell('1')]), { account })
    expect(decision.text).toMatch(/^the spot balances have not been seen yet/)
    const old = of(orderAction([sell('1')]), { account: holding({ agoMs: 40_000 }) })
    expect(old.text).toBe('the spot balances were told 40 s ago; a sell needs them within 30 s')
  })

  test("a group, and an id of Guard's", () => {
    expect(of(orderAction([sell('1')], 'positionTpsl')).code).toBe('invalid')
    const own = { ...sell('1'), c: (wireCloid() as { c: string }).c }
    expect(of(orderAction([own])).code).toBe('invalid')
  })

  test('beside a perp order, as ever', () => {
    const decision = of(orderAction([sell('1'), limitOrder(1, true, '0.1', '2480')]))
    expect(decision).toMatchObject({ verdict: 'veto', code: 'unsupported_market' })
    expect(decision.text).toBe(
      'orders[0]: asset 10001 is a spot market, and the request has perp orders too; send sells of what the account holds in a request of their own',
    )
    const killed = of(orderAction([sell('1'), limitOrder(1, true, '0.1', '2480')]), {
      latched: true,
    })
    expect(killed.code).toBe('kill_switch')
    const outcome = { ...sell('1'), a: 100_000_010 }
    expect(of(orderAction([outcome, sell('1')])).text).toMatch(
      /^asset 100000010 is an outcome market/,
    )
  })
})

/** An order with an id as Guard gives them. */
function wireCloid(): unknown {
  const [first] = actionsOf(of(orderAction([sell('1')])))
  if (first?.type !== 'order') throw new Error('no order')
  return { c: first.orders[0]?.cloid }
}

describe('a modify', () => {
  const modify = (order: Json, oid: Json = 77, more = {}): Json =>
    ({ type: 'modify', oid, order, ...more }) as Json

  test('may grow by what is free, and holds what it grows by', () => {
    const decision = of(modify(sell('25', '34')))
    expect(decision).toMatchObject({ verdict: 'resize', reply: { kind: 'pass' } })
    expect(wire(decision.forward as never)).toMatchObject({ oid: 77, order: { s: '20', p: '34' } })
    expect(decision.reservations[0]?.[0]).toMatchObject({ kind: 'spot_sell' })
  })

  test('that asks for less holds nothing more; the flag that always places is removed', () => {
    const decision = of(modify(sell('5', '34'), 77, { a: true }))
    expect(decision.reservations).toEqual([[]])
    expect(decision.changes).toEqual(['the flag a removed from the modify'])
  })

  test('of several is judged as a whole', () => {
    const batch = { type: 'batchModify', modifies: [{ oid: 77, order: sell('9', '34') }] }
    expect(of(batch as Json)).toMatchObject({
      ...{ verdict: 'allow', code: 'allowed', reply: { kind: 'statuses' } },
      forward: { type: 'batchModify' },
    })
  })

  test.each<[string, Json, JudgeSpec, string]>([
    ['of an order that nobody has shown', modify(sell('1'), 78), {}, 'unknown_order'],
    ['by an id that nobody has', modify(sell('1'), `0x${'1'.repeat(32)}`), {}, 'unknown_order'],
    ['to another pair', modify(sell('1', '30', 'Gtc', 10_002)), {}, 'invalid'],
    ['to a buy', modify(limitOrder(10_001, true, '1', '30')), {}, 'unsupported_market'],
    ['while it is refused', modify(sell('1')), { rules: { spot: 'refuse' } }, 'unknown_order'],
    ['under an id of Guard’s', modify({ ...sell('1'), ...(wireCloid() as object) }), {}, 'invalid'],
  ])('%s is refused', (_, action, spec, code) => {
    expect(of(action, spec)).toMatchObject({ verdict: 'veto', code })
  })

  test('says what the order is and stays', () => {
    const decision = of(modify(sell('1', '30', 'Gtc', 10_002)))
    expect(decision.text).toBe('modifies[0]: order 77 is a sell on @1, and stays one')
  })

  test("may bring an id of the bot's, and keeps the one that Guard gave the order", () => {
    const order = { ...sell('1'), c: `0x${'7'.repeat(32)}` }
    expect(of(modify(order)).verdict).toBe('allow')
    const { c } = wireCloid() as { c: string }
    const account = holding()
    const spot = [{ ...(resting as object), cloid: c } as never]
    account.apply({
      ...{ kind: 'orders', orders: [], elsewhere: 1, spot, source: 'stream', at: fixtureNow },
    })
    expect(of(modify({ ...sell('1'), c }), { account }).verdict).toBe('allow')
  })

  test('of a buy is refused', () => {
    const account = holding()
    const spot = [{ ...(resting as object), isBuy: true } as never]
    account.apply({
      ...{ kind: 'orders', orders: [], elsewhere: 1, spot, source: 'stream', at: fixtureNow },
    })
    expect(of(modify(sell('1')), { account }).text).toMatch(/is a buy on @1, and stays one/)
  })
})
