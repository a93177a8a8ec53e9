import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  orderUpdate,
  restingEntry,
  stopInFlight,
  stopOrder,
  venueState,
} from '../../account/account.fixture.ts'
import { Account } from '../../account/account.ts'
import type { ReservedOrder } from '../../account/reservation.ts'
import type { Json } from '../../protocol/action.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { millis } from '../../values/millis.ts'
import { judged, triggerOrder, wire } from '../judge.fixture.ts'

const guardStop = '0x67756172010000000000000000000001'
const cancel = (...oids: readonly number[]): Json => ({
  type: 'cancel',
  cancels: oids.map((o) => ({ a: 1, o })),
})
const cancelOn = (...named: readonly (readonly [asset: number, oid: number])[]): Json => ({
  type: 'cancel',
  cancels: named.map(([a, o]) => ({ a, o })),
})
const stop = (oid: number, size: string, trigger: string, extra = {}) =>
  stopOrder({ oid, coin: 'ETH', size, trigger, ...extra })
const entry = (oid: number, extra = {}) =>
  restingEntry({ oid, coin: 'ETH', isBuy: true, price: '2400', size: '1', stop: '2380', ...extra })
const profit = openOrder({
  oid: 50,
  coin: 'ETH',
  isBuy: false,
  price: '2500',
  size: '1',
  isReduceOnly: true,
  trigger: { price: '2600', tpsl: 'tp' },
})

type Orders = readonly ReturnType<typeof openOrder>[]
/** A position of 1 ETH whose entry was judged with a stop here, unless other stops are given. */
const promisedAt = (
  trigger: string,
  orders: Orders,
  more: Parameters<typeof accountWith>[0] = {},
): Account =>
  accountWith({
    positions: { ETH: { size: '1' } },
    orders,
    promised: { ETH: [{ trigger, size: '1' }] },
    ...more,
  })
const held = (orders: Orders, size = '1', equity?: string): Account =>
  accountWith({ positions: { ETH: { size } }, orders, ...(equity === undefined ? {} : { equity }) })

/** A unified account whose positions and orders are known; its balance has not been told. */
const withoutMoney = (orders: Orders): Account => {
  const account = held(orders)
  account.apply({ kind: 'mode', mode: 'unifiedAccount', at: fixtureNow })
  expect(account.confirmedAt).toBeNull()
  return account
}

/** Too long after the account was last seen: Guard cannot tell what is open. */
const stale = { now: later(7_000) }

describe('a cancel', () => {
  test.each<[string, Account, Json, string]>([
    ['of a resting entry', held([stop(1, '1', '2440'), ...entry(7)]), cancel(7), 'allowed'],
    [
      'of an entry with its stop',
      held([stop(1, '1', '2440'), ...entry(7)]),
      cancel(8, 7),
      'allowed',
    ],
    ['of an entry alone', accountWith({ orders: entry(7) }), cancel(7), 'allowed'],
    [
      'of an entry that has no stop',
      accountWith({ orders: entry(7, { stop: undefined }) }),
      cancel(7),
      'allowed',
    ],
    [
      'of the stop of an entry that stays',
      accountWith({ orders: entry(7) }),
      cancel(8),
      'stop_removed',
    ],
    [
      'of a stop beside its entry by the id of another market, which may refuse it',
      accountWith({ orders: entry(7) }),
      cancelOn([1, 8], [2, 7]),
      'stop_removed',
    ],
    [
      'of a stop beside its entry by the id of no market',
      accountWith({ orders: entry(7) }),
      cancelOn([1, 8], [9_999, 7]),
      'stop_removed',
    ],
    [
      'of the only stop by the id of another market, which may take it all the same',
      held([stop(1, '1', '2440')]),
      cancelOn([2, 1]),
      'stop_removed',
    ],
    [
      'of an entry by the id of another market',
      accountWith({ orders: entry(7) }),
      cancelOn([2, 7]),
      'allowed',
    ],
    [
      "of Guard's stop of an entry that stays",
      accountWith({ orders: entry(7, { stopCloid: guardStop }) }),
      cancel(8),
      'stop_removed',
    ],
    [
      "of Guard's stop with its entry",
      accountWith({ orders: entry(7, { stopCloid: guardStop }) }),
      cancel(7, 8),
      'allowed',
    ],
    ['of a take profit', held([stop(1, '1', '2440'), profit]), cancel(50), 'allowed'],
    [
      'of a stop-limit',
      held([stop(1, '1', '2440'), stop(2, '1', '2450', { isMarket: false })]),
      cancel(2),
      'allowed',
    ],
    [
      'of a stop without room',
      held([stop(1, '1', '2440'), stop(2, '1', '2450', { price: '2400' })]),
      cancel(2),
      'allowed',
    ],
    ['of the only stop', held([stop(1, '1', '2440')]), cancel(1), 'stop_removed'],
    [
      'of one of two partial stops',
      held([stop(1, '0.5', '2440'), stop(2, '0.5', '2430')]),
      cancel(2),
      'stop_removed',
    ],
    [
      'of a partial stop beside a whole one as tight as was promised',
      promisedAt('2440', [stop(1, '1', '2440'), stop(2, '0.5', '2450')]),
      cancel(2),
      'allowed',
    ],
    [
      'of a partial stop beside a whole one looser than was promised',
      promisedAt('2440.1', [stop(1, '1', '2440'), stop(2, '0.5', '2450')]),
      cancel(2),
      'stop_removed',
    ],
    [
      'of the tighter of two whole ones where the looser was promised',
      promisedAt('2440', [stop(1, '1', '2440'), stop(2, '1', '2450')]),
      cancel(2),
      'allowed',
    ],
    [
      'of the tighter of two whole ones where it was promised',
      promisedAt('2450', [stop(1, '1', '2440'), stop(2, '1', '2450')]),
      cancel(2),
      'stop_removed',
    ],
    [
      'of the tighter of two whole ones where only the tighter half was promised',
      accountWith({
        positions: { ETH: { size: '1' } },
        orders: [stop(1, '1', '2440'), stop(2, '1', '2450')],
        promised: {
          ETH: [
            { trigger: '2450', size: '0.5' },
            { trigger: '2430', size: '0.5' },
          ],
        },
      }),
      cancel(2),
      'stop_removed',
    ],
    [
      'of the tighter of two whole ones where nobody promised anything',
      held([stop(1, '1', '2440'), stop(2, '1', '2450')]),
      cancel(2),
      'stop_removed',
    ],
    [
      'of the looser of two whole ones where nobody promised anything',
      held([stop(1, '1', '2440'), stop(2, '1', '2450')]),
      cancel(1),
      'allowed',
    ],
    [
      'of the looser of two whole ones, the tighter of which is promised for a short',
      accountWith({
        positions: { ETH: { size: '-1' } },
        orders: [stop(1, '1', '2520', { isBuy: true }), stop(2, '1', '2530', { isBuy: true })],
        promised: { ETH: [{ trigger: '2520', size: '1' }] },
      }),
      cancel(2),
      'allowed',
    ],
    [
      'of the tighter of two whole ones, which is promised for a short',
      accountWith({
        positions: { ETH: { size: '-1' } },
        orders: [stop(1, '1', '2520', { isBuy: true }), stop(2, '1', '2530', { isBuy: true })],
        promised: { ETH: [{ trigger: '2520', size: '1' }] },
      }),
      cancel(1),
      'stop_removed',
    ],
    [
      'of the only stop before the liquidation, beside one beyond it',
      accountWith({
        positions: { ETH: { size: '1', liquidation: '2420' } },
        orders: [stop(1, '1', '2420'), stop(2, '1', '2450')],
        promised: { ETH: [{ trigger: '2400', size: '1' }] },
      }),
      cancel(2),
      'stop_removed',
    ],
    [
      'of a stop at the liquidation, which covers nothing',
      accountWith({
        positions: { ETH: { size: '1', liquidation: '2420' } },
        orders: [stop(1, '1', '2420'), stop(2, '1', '2450')],
      }),
      cancel(1),
      'allowed',
    ],
    [
      'of both of two whole ones',
      held([stop(1, '1', '2440'), stop(2, '1', '2450')]),
      cancel(1, 2),
      'stop_removed',
    ],
    [
      'of a stop when a position TP/SL covers the rest',
      promisedAt('2430', [stop(1, '0', '2430', { isPositionTpsl: true }), stop(2, '1', '2450')]),
      cancel(2),
      'allowed',
    ],
    [
      'of a stop on the other side',
      held([stop(1, '1', '2440'), stop(2, '1', '2600', { isBuy: true })]),
      cancel(2),
      'allowed',
    ],
    [
      'of a stop without a position',
      accountWith({ orders: [stop(1, '1', '2440')] }),
      cancel(1),
      'allowed',
    ],
    [
      "of Guard's stop without a position",
      accountWith({ orders: [stop(1, '1', '2440', { cloid: guardStop })] }),
      cancel(1),
      'allowed',
    ],
    [
      "of Guard's stop although another covers",
      held([stop(1, '1', '2440'), stop(2, '1', '2430', { cloid: guardStop })]),
      cancel(2),
      'guard_stop',
    ],
    [
      "of Guard's stop on the other side",
      held([stop(1, '1', '2440'), stop(2, '1', '2600', { isBuy: true, cloid: guardStop })]),
      cancel(2),
      'allowed',
    ],
    [
      'of the stop of a short',
      held([stop(1, '1', '2530', { isBuy: true })], '-1'),
      cancel(1),
      'stop_removed',
    ],
    [
      'of what covers nothing of an open gap',
      held([stop(1, '0.5', '2440')]),
      cancel(1),
      'stop_removed',
    ],
    ['before the account was seen', new Account(), cancel(1), 'account_stale'],
    ['of an entry while its money is not known', withoutMoney(entry(7)), cancel(7), 'allowed'],
    [
      'of a needed stop while its money is not known',
      withoutMoney([stop(1, '1', '2440')]),
      cancel(1),
      'stop_removed',
    ],
  ])('%s', (_, account, json, code) => {
    const decision = judged(json, { account })
    expect(decision.code, decision.text).toBe(code)
    if (code !== 'allowed') return
    expect(decision).toMatchObject({ verdict: 'allow', lane: 'cancel', entries: [], changes: [] })
    expect(wire(decision.forward as never)).toEqual(json)
    expect(decision.reply).toEqual({
      kind: 'pass',
      responseType: 'default',
      slots: [],
      stripCloids: [],
    })
  })

  test('by client order id is the same', () => {
    const orders = [stop(1, '1', '2440', { cloid: botCloid(5) })]
    const json: Json = { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: botCloid(5) }] }
    expect(judged(json, { account: held(orders) }).code).toBe('stop_removed')
    const flat = judged(json, { account: accountWith({ orders }) })
    expect(wire(flat.forward as never)).toEqual(json)
    expect(flat.reservations).toEqual([
      [{ kind: 'cancel', coin: 'ETH', oid: 1, cloid: botCloid(5) }],
    ])
    const unknown = judged(json, stale)
    expect(unknown.reservations).toEqual([
      [{ kind: 'cancel', coin: 'ETH', oid: null, cloid: botCloid(5) }],
    ])
  })

  test('holds what it may take away, on any asset', () => {
    const decision = judged({ type: 'cancel', cancels: [{ a: 10_001, o: 4 }] })
    expect(decision.reservations).toEqual([[{ kind: 'cancel', coin: null, oid: 4, cloid: null }]])
  })

  const notOpen = (asset: number): object => ({
    kind: 'veto',
    text: `Order was never placed, already canceled, or filled. asset=${asset}`,
  })

  test('of what is gone or was never there is answered as the venue would, and nothing is sent', () => {
    const decision = judged({
      type: 'cancel',
      cancels: [
        { a: 1, o: 8 },
        { a: 2, o: 9 },
      ],
    })
    expect(decision).toMatchObject({ verdict: 'allow', code: 'allowed', lane: 'cancel' })
    expect(decision).toMatchObject({ forward: null, reservations: [], needs: [] })
    expect(decision.reply).toEqual({
      ...{ kind: 'statuses', responseType: 'cancel', stripCloids: [] },
      slots: [notOpen(1), notOpen(2)],
    })
  })

  test('of some that are gone sends the others, and each answer stands in its place', () => {
    const orders = [
      openOrder({
        coin: 'ETH',
        oid: 5,
        isBuy: false,
        price: '2600',
        size: '1',
        isReduceOnly: true,
      }),
    ]
    const cancels = [4, 5, 6].map((oid) => ({ a: 1, o: oid }))
    const decision = judged({ type: 'cancel', cancels }, { account: accountWith({ orders }) })
    expect(wire(decision.forward as never)).toEqual({ type: 'cancel', cancels: [{ a: 1, o: 5 }] })
    expect(decision.reservations).toEqual([[{ kind: 'cancel', coin: 'ETH', oid: 5, cloid: null }]])
    expect(decision.reply.slots).toEqual([
      notOpen(1),
      { kind: 'status', action: 0, index: 0 },
      notOpen(1),
    ])
  })

  test.each([
    ['an order on its way may be it', 'pending' as const, true],
    ['its answer has told its number', 'numbered' as const, true],
    ['it has ended', 'ended' as const, false],
  ])('of a number that nobody shows: %s', (_, state, isSent) => {
    const account = accountWith()
    const spec = { price: '2480', stop: '2440', cloid: botCloid(1), stopCloid: null }
    account.reserve('r', inFlight(entryInFlight(spec)), fixtureNow)
    if (state !== 'pending') account.numbered('r', 0, 7)
    if (state === 'ended') {
      const order = openOrder({
        ...{ coin: 'ETH', oid: 7, isBuy: true, price: '2480', size: '2', cloid: botCloid(1) },
      })
      const updates = [orderUpdate(order, 'canceled', fixtureNow)]
      account.apply({ kind: 'order_updates', updates, at: fixtureNow })
    }
    for (const json of [
      { type: 'cancel', cancels: [{ a: 1, o: 7 }] },
      { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: botCloid(1) }] },
    ]) {
      expect(judged(json, { account }).forward !== null, JSON.stringify(json)).toBe(isSent)
    }
  })

  test('with the fast flag goes without it', () => {
    for (const type of ['cancel', 'cancelByCloid']) {
      const item = type === 'cancel' ? { a: 1, o: 4 } : { asset: 1, cloid: botCloid(4) }
      const decision = judged({ type, cancels: [item], f: true }, stale)
      expect(decision).toMatchObject({ verdict: 'resize', code: 'resized' })
      expect(decision.changeRecords).toEqual([
        { field: 'f', from: 'true', to: null, rule: 'flags' },
      ])
      expect(decision.forward).toEqual({
        type,
        cancels: [type === 'cancel' ? { asset: 1, oid: 4 } : item],
      })
    }
  })

  test('a stop whose cancel is in flight covers nothing any more', () => {
    const account = promisedAt('2440', [stop(1, '1', '2440'), stop(2, '1', '2450')])
    const first = judged(cancel(2), { account })
    expect(first.code).toBe('allowed')
    account.reserve('1', first.reservations[0] ?? [], fixtureNow)
    expect(judged(cancel(1), { account }).code).toBe('stop_removed')
  })

  describe('of a stop that is on its way', () => {
    const byCloid = (...ids: readonly number[]): Json => ({
      type: 'cancelByCloid',
      cancels: ids.map((id) => ({ asset: 1, cloid: botCloid(id) })),
    })
    const entryOnItsWay = inFlight(
      entryInFlight({ price: '2400', stop: '2380', cloid: botCloid(1), stopCloid: botCloid(2) }),
    )
    const stopOnItsWay = [stopInFlight({ size: '1', trigger: '2450', cloid: botCloid(3) })]
    const flying = (orders: Orders, items: readonly ReservedOrder[]): Account => {
      const account = held(orders)
      account.reserve('1', items, fixtureNow)
      return account
    }
    test.each<[string, Account, Json, string]>([
      ['with an entry', flying([], entryOnItsWay), byCloid(2), 'stop_removed'],
      ['with an entry that is cancelled too', flying([], entryOnItsWay), byCloid(2, 1), 'allowed'],
      [
        'with an entry that is cancelled by the id of another market',
        flying([], entryOnItsWay),
        {
          type: 'cancelByCloid',
          cancels: [
            { asset: 1, cloid: botCloid(2) },
            { asset: 2, cloid: botCloid(1) },
          ],
        },
        'stop_removed',
      ],
      ['its entry alone', flying([], entryOnItsWay), byCloid(1), 'allowed'],
      ['to a position without another', flying([], stopOnItsWay), byCloid(3), 'stop_removed'],
      [
        'to a position that is covered',
        flying([stop(1, '1', '2440')], stopOnItsWay),
        byCloid(3),
        'allowed',
      ],
      ['another order on its way', flying([], stopOnItsWay), byCloid(4), 'allowed'],
      [
        'on an asset that is no market',
        flying([], stopOnItsWay),
        { type: 'cancelByCloid', cancels: [{ asset: 10_001, cloid: botCloid(3) }] },
        'allowed',
      ],
    ])('%s', (_, account, json, code) => {
      expect(judged(json, { account }).code).toBe(code)
    })

    // The venue has shown the number of neither the entry nor its stop.
    const numbered = (account: Account, oid: number, index: number): Account => {
      account.numbered('1', index, oid)
      return account
    }
    const accepted = (account: Account): Account => {
      account.settle('1', { outcome: 'accepted' }, fixtureNow)
      return account
    }
    test.each<[string, Account, Json, string]>([
      ['where it may be one of an entry', flying([], entryOnItsWay), cancel(99), 'stop_removed'],
      [
        'where it is the entry, as the answer to it said',
        numbered(flying([], entryOnItsWay), 99, 0),
        cancel(99),
        'allowed',
      ],
      [
        'where it is none, beside the entry',
        numbered(flying([], entryOnItsWay), 99, 0),
        cancel(98, 99),
        'allowed',
      ],
      [
        'where it is the stop, as the answer to it said',
        numbered(flying([], entryOnItsWay), 98, 1),
        cancel(98),
        'stop_removed',
      ],
      [
        'where it is an order that is listed',
        flying([profit], entryOnItsWay),
        cancel(50),
        'allowed',
      ],
      ['where it may be one of a position', flying([], stopOnItsWay), cancel(99), 'stop_removed'],
      [
        'where the position is covered',
        flying([stop(1, '1', '2440')], stopOnItsWay),
        cancel(99),
        'allowed',
      ],
      [
        'where the answer to the stop said another',
        numbered(accepted(flying([], stopOnItsWay)), 98, 0),
        cancel(99),
        'allowed',
      ],
      [
        'where the answer to the stop said the same',
        numbered(accepted(flying([], stopOnItsWay)), 98, 0),
        cancel(98),
        'stop_removed',
      ],
      [
        'on another market',
        flying([], stopOnItsWay),
        { type: 'cancel', cancels: [{ a: 5, o: 99 }] },
        'allowed',
      ],
    ])('by a number that no list has shown, %s', (_, account, json, code) => {
      const decision = judged(json, { account })
      expect(decision.code).toBe(code)
      // A stop of Guard's has an id that nobody is told.
      expect(decision.text).not.toContain('0x')
    })

    test('and says what may be done instead', () => {
      const said = (account: Account, json: Json): string => judged(json, { account }).text
      const gap = 'is on its way to ETH, which would be without a market stop'
      const instead = 'place the other stop first, or cancel the entry with it'
      expect(said(flying([], entryOnItsWay), cancel(99))).toBe(
        `Guard does not know order 99 yet, and a stop ${gap} if it is that one; ask again in a moment`,
      )
      expect(said(numbered(flying([], entryOnItsWay), 98, 1), cancel(98))).toBe(
        `the stop 98 ${gap}; ${instead}`,
      )
      expect(said(flying([], entryOnItsWay), byCloid(2))).toBe(
        `the stop ${botCloid(2)} ${gap}; ${instead}`,
      )
    })

    test('to no position', () => {
      const account = accountWith()
      account.reserve('1', stopOnItsWay, fixtureNow)
      expect(judged(byCloid(3), { account }).code).toBe('allowed')
    })

    test("that takes the place of Guard's own: the gap between the two cannot be used", () => {
      const account = held([stop(1, '1', '2440', { cloid: guardStop })])
      const placed = judged(
        {
          type: 'order',
          orders: [{ ...triggerOrder(1, false, '1', '2450', '2200'), c: botCloid(3) }],
          grouping: 'na',
        },
        { account },
      )
      expect(placed.post.map(wire)).toEqual([cancel(1)])
      placed.reservations.forEach((items, at) => account.reserve(`${at}`, items, fixtureNow))
      expect(judged(byCloid(3), { account }).code).toBe('stop_removed')
    })
  })

  test('of what protects nothing passes also while a close is only half told', () => {
    // The venue says that a close of all of it ended filled; its fill has not come yet.
    const close = openOrder({
      oid: 60,
      coin: 'ETH',
      isBuy: false,
      price: '2480',
      size: '1',
      isReduceOnly: true,
    })
    const account = held([profit])
    const at = fixtureNow + 1
    const update = { ...orderUpdate(close, 'filled', at), size: Decimal.zero }
    account.apply({ kind: 'order_updates', updates: [update], at: millis(at) })
    expect(account.cover(coin('ETH'))?.isFull).toBe(true)
    expect(judged(cancel(50), { account }).code).toBe('allowed')
  })

  test('several are judged by their result, each coin for itself', () => {
    const account = accountWith({
      positions: { ETH: { size: '1' }, SOL: { size: '5' } },
      orders: [
        stop(1, '1', '2440'),
        stop(2, '1', '2450'),
        stopOrder({ oid: 3, coin: 'SOL', size: '5', trigger: '130' }),
      ],
      promised: { ETH: [{ trigger: '2440', size: '1' }] },
    })
    expect(judged(cancel(2), { account }).code).toBe('allowed')
    expect(judged(cancel(2, 3), { account }).code).toBe('stop_removed')
  })

  describe('that leaves a looser stop must stay within the open risk', () => {
    // A position of 1 ETH at the mid 2486.35: 36.35 at risk with the stop at 2450, 86.35 at 2400.
    // Its entry was judged with 2400, so that it may be cancelled down to there.
    const orders = [stop(1, '1', '2400'), stop(2, '1', '2450')]
    const loose = (equity: string, more: Orders = []): Account =>
      promisedAt('2400', [...orders, ...more], { equity })
    test.each([
      // 86.35 / 0.06 = 1439.1666...
      ['1439.1666', 'stop_loosened'],
      ['1439.1667', 'allowed'],
    ])('with an equity of %s: %s', (equity, code) => {
      const decision = judged(cancel(2), { account: loose(equity) })
      expect(decision.code, decision.text).toBe(code)
    })

    test('to the cent', () => {
      // 1727 x 5% = 86.35
      const rules = { openRisk: Decimal.of('0.05') }
      const at = (equity: string): string =>
        judged(cancel(2), { account: loose(equity), rules }).code
      expect(at('1727')).toBe('allowed')
      expect(at('1726.9999')).toBe('stop_loosened')
    })

    test('an entry whose stop lies on the wrong side risks nothing, and takes nothing off', () => {
      // A hand put the stop of an entry at 2400 above it: cancelling it frees none of the 86.35.
      const odd = entry(7, { stop: '2450' })
      const account = loose('1400', odd)
      expect(account.exposure().openRisk.toString()).toBe('86.35')
      expect(judged(cancel(2, 7), { account }).code).toBe('stop_loosened')
    })

    test('an entry that is cancelled with it counts until it is gone', () => {
      // The entry risks 20, and may fill before its cancel is heard: 86.35 + 20 are beyond 6% of 1600.
      const account = (equity: string): Account => loose(equity, entry(7))
      const alone = judged(cancel(2), { account: account('1600') })
      expect([alone.code, alone.text.includes('cancel the entries first')]).toEqual([
        'stop_loosened',
        false,
      ])
      const together = judged(cancel(2, 7), { account: account('1600') })
      expect([together.code, together.text.includes('cancel the entries first')]).toEqual([
        'stop_loosened',
        true,
      ])
      expect(judged(cancel(7), { account: account('1600') }).code).toBe('allowed')
      expect(judged(cancel(2, 7), { account: account('1800') }).code).toBe('allowed')
    })

    test('also where the price has passed the stop that goes, and it counts for nothing already', () => {
      // At 2500 it should close everything in a moment; as long as it rests it may, at no loss.
      const account = (equity: string): Account =>
        promisedAt('2400', [stop(1, '1', '2400'), stop(2, '1', '2500')], { equity })
      expect(account('1400').exposure().openRisk.toString()).toBe('86.35')
      const refused = judged(cancel(2), { account: account('1400') })
      expect(refused.code, refused.text).toBe('stop_loosened')
      expect(refused.text).toContain('lose 86.35 USD more: open risk would be 86.35 USD')
      expect(judged(cancel(2), { account: account('1600') }).code).toBe('allowed')
    })

    test('also where entries may take the next one: the stop that goes is what is left then', () => {
      // 86.35 at 2400 instead of 46.35 at 2440, beside the 20 of the entry that takes the one at 2450.
      const account = (equity: string): Account =>
        promisedAt('2400', [...orders, stop(3, '1', '2440'), ...entry(7)], { equity })
      expect(account('1700').exposure().openRisk.toString()).toBe('66.35')
      const refused = judged(cancel(3), { account: account('1700') })
      expect(refused.code, refused.text).toBe('stop_loosened')
      expect(refused.text).toContain('lose 40 USD more: open risk would be 106.35 USD')
      expect(judged(cancel(3), { account: account('1800') }).code).toBe('allowed')
      // Until its cancel is heard the entry may take the one at 2450.
      expect(judged(cancel(3, 7), { account: account('1700') }).code).toBe('stop_loosened')
    })

    test('an account beyond it may still cancel what raises nothing', () => {
      const spare = [stop(1, '1', '2400'), stop(2, '1', '2390')]
      expect(judged(cancel(2), { account: held(spare, '1', '1000') }).code).toBe('allowed')
    })

    test('an entry without a stop takes nothing off', () => {
      const bare = restingEntry({ oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '1' })
      const account = loose('1400', bare)
      expect(judged(cancel(2, 7), { account }).code).toBe('stop_loosened')
    })

    test('without an equity nothing may get looser', () => {
      const account = promisedAt('2400', orders, { mode: 'portfolioMargin' })
      expect(judged(cancel(2), { account }).code).toBe('stop_loosened')
    })

    test('without any price the entry price counts', () => {
      const account = promisedAt('2400', orders, {
        positions: { ETH: { size: '1', entry: '2486.35' } },
        mids: {},
        equity: '1400',
      })
      expect(judged(cancel(2), { account }).code).toBe('stop_loosened')
      account.apply({ kind: 'mark', coin: coin('ETH'), mark: Decimal.of('2460'), at: fixtureNow })
      // 60 <= 84
      expect(judged(cancel(2), { account }).code).toBe('allowed')
    })
  })
})

test.each([
  { what: 'neither', hasState: false, hasOrders: false, code: 'account_stale' },
  { what: 'positions alone', hasState: true, hasOrders: false, code: 'account_stale' },
  { what: 'orders alone', hasState: false, hasOrders: true, code: 'account_stale' },
  { what: 'both', hasState: true, hasOrders: true, code: 'allowed' },
])(
  'positions and orders must have been seen before a stop goes: $what',
  ({ hasState, hasOrders, code }) => {
    const account = new Account()
    const read = { source: 'read', askedAt: fixtureNow, at: fixtureNow } as const
    if (hasState) account.apply({ kind: 'state', state: venueState({}, fixtureNow), ...read })
    const orders = [stop(7, '1', '2380')]
    if (hasOrders) account.apply({ kind: 'orders', orders, ...read })
    expect(judged(cancel(7), { account }).code).toBe(code)
  },
)

test.each([
  { what: 'the first', cloid: botCloid(2) },
  { what: 'the second', cloid: botCloid(4) },
])('of two stops on their way with their entries neither goes: $what', ({ cloid }) => {
  const account = accountWith()
  for (const [nth, id] of [1, 3].entries()) {
    const ids = { cloid: botCloid(id), stopCloid: botCloid(id + 1) }
    const spec = { price: `${2480 + nth}`, stop: '2440', ...ids }
    account.reserve(`r${nth}`, inFlight(entryInFlight(spec)), fixtureNow)
  }
  const cancels = [{ asset: 1, cloid }]
  expect(judged({ type: 'cancelByCloid', cancels }, { account }).code).toBe('stop_removed')
})

describe('while positions have not been seen', () => {
  /** The orders alone are known: an entry with its stop that waits, a take profit, a working stop. */
  const ordersAlone = (): Account => {
    const account = new Account()
    const orders = [...entry(10), profit, stop(7, '1', '2380')]
    account.apply({ kind: 'orders', orders, source: 'read', at: fixtureNow })
    return account
  }
  test.each([
    { what: 'an entry', oids: [10], code: 'allowed' },
    { what: 'a take profit', oids: [50], code: 'allowed' },
    { what: 'one that is not there', oids: [4711], code: 'allowed' },
    { what: 'a stop', oids: [7], code: 'account_stale' },
    { what: 'a stop beside an entry', oids: [10, 7], code: 'account_stale' },
  ])('the cancel of $what: $code', ({ oids, code }) => {
    expect(judged(cancel(...oids), { account: ordersAlone() }).code).toBe(code)
  })

  test('what may be on its way is no order that can be told', () => {
    const account = ordersAlone()
    const flying = entryInFlight({
      ...{ price: '2400', stop: '2380', cloid: botCloid(1), stopCloid: botCloid(2) },
    })
    account.reserve('a', inFlight(flying), later(1))
    expect(judged(cancel(4711), { account }).code).toBe('account_stale')
  })

  test('nor is anything before the orders were seen', () => {
    const account = new Account()
    expect(judged(cancel(10), { account }).code).toBe('account_stale')
  })
})
