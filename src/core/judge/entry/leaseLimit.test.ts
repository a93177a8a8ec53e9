import { describe, expect, test } from 'vitest'
import { accountWith, restingEntry, stopOrder } from '../../account/account.fixture.ts'
import type { Json } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import { judged, limitOrder, orderAction, triggerOrder } from '../judge.fixture.ts'
import type { JudgeSpec } from '../judge.fixture.ts'
import type { Lease } from '../lease.ts'

/** ETH at a mid of 2486.35, equity 10000 of the fixture. */
const buy = (size: string, asset = 1): Json =>
  orderAction([limitOrder(asset, true, size, '2486.4', 'Ioc')])

function leased(kind: string, held: string, scope = 'fleet'): Lease {
  const part = { scope, kind, held: Decimal.of(held), budget: Decimal.of('9000') }
  return { ended: null, parts: [part] }
}
const under = (lease: Lease, spec: JudgeSpec = {}): JudgeSpec => ({ ...spec, lease: () => lease })

const held = accountWith({
  positions: { ETH: { size: '0.1' } },
  orders: [
    stopOrder({ oid: 21, coin: 'ETH', size: '0.1', trigger: '2440' }),
    ...restingEntry({
      oid: 7,
      coin: 'ETH',
      isBuy: false,
      price: '2600',
      size: '0.1',
      stop: '2650',
    }),
  ],
})

describe('an entry is no larger than what is leased here', () => {
  test('without a fleet, and within the lease, nothing changes', () => {
    const alone = judged(buy('0.1'))
    expect(judged(buy('0.1'), under({ ended: null, parts: [] }))).toEqual(alone)
    expect(judged(buy('0.1'), under(leased('gross_value', '1000')))).toEqual(alone)
  })

  test('it is cut to the value that is left, at the higher of its limit and the mid', () => {
    // 100 / 2486.4 = 0.0402...
    const decision = judged(buy('0.1'), under(leased('gross_value', '100')))
    expect(decision.changeRecords).toContainEqual({
      ...{ field: 'size', from: '0.1', to: '0.0402', rule: 'fleet_limit' },
    })
    expect(decision.text).toContain(
      'cut from 0.1 to 0.0402 by the 100 USD left of the 100 USD leased here of the budget gross_value of fleet, 9000 USD',
    )
  })

  test('by its risk with costs, not by its value', () => {
    const [entry] = judged(buy('0.1'), under(leased('open_risk', '1.5'))).entries
    expect(entry?.code).toBe('resized')
    expect(entry?.risk?.lte(Decimal.of('1.5'))).toBe(true)
    expect(entry?.size.gt(Decimal.of('0.02'))).toBe(true)
  })

  test('both sides of a coin count for it, and another coin does not', () => {
    // 0.1 x 2486.35 held and 0.1 x 2600 resting: 508.635; 120 are left for 0.0482.
    const lease = leased('coin_value:ETH', '628.635', 'group:desk')
    const decision = judged(buy('0.1'), under(lease, { account: held }))
    expect(decision.changeRecords).toContainEqual({
      ...{ field: 'size', from: '0.1', to: '0.0482', rule: 'fleet_limit' },
    })
  })

  test('of several the least counts, in whatever order they stand', () => {
    const parts = [
      ...leased('gross_value', '200').parts,
      ...leased('coin_value:ETH', '50').parts,
      ...leased('gross_value', '100', 'group:desk').parts,
    ]
    for (const order of [parts, parts.toReversed()]) {
      const decision = judged(buy('0.1'), under({ ended: null, parts: order }))
      expect(decision.changeRecords).toContainEqual({
        ...{ field: 'size', from: '0.1', to: '0.0201', rule: 'fleet_limit' },
      })
    }
  })

  test('entries of one request share it', () => {
    const two = orderAction([
      limitOrder(1, true, '0.04', '2486.4', 'Ioc'),
      limitOrder(1, true, '0.04', '2486.4', 'Ioc'),
    ])
    const { entries } = judged(two, under(leased('gross_value', '150')))
    expect(entries.map(({ size }) => size.toString())).toEqual(['0.04', '0.0203'])
  })

  test('less than the venue takes is refused, with the figures', () => {
    const decision = judged(buy('0.1'), under(leased('gross_value', '9')))
    expect(decision).toMatchObject({ verdict: 'veto', code: 'fleet_limit' })
    expect(decision.text).toContain('bound by the 9 USD left of the 9 USD leased here')
  })

  /** The same with 1 SOL at 137.42, stopped at 135. */
  const both = accountWith({
    positions: { ETH: { size: '0.1' }, SOL: { size: '1' } },
    orders: [
      stopOrder({ oid: 21, coin: 'ETH', size: '0.1', trigger: '2440' }),
      stopOrder({ oid: 22, coin: 'SOL', size: '1', trigger: '135' }),
      ...restingEntry({
        ...{ oid: 7, coin: 'ETH', isBuy: false, price: '2600', size: '0.1', stop: '2650' },
      }),
    ],
  })

  test.each([
    // 248.635 + 260 + 137.42, and without SOL.
    ['gross_value', '646.06 USD are used of'],
    ['coin_value:ETH', '508.64 USD are used of'],
    // 0.1 x 46.35 + 0.1 x 50 + 2.42.
    ['open_risk', '12.06 USD are used of'],
  ])('what counts as used of %s', (kind, words) => {
    const decision = judged(buy('0.1'), under(leased(kind, '1'), { account: both }))
    expect(decision.text).toContain(words)
  })

  test.each([
    ['gross_value', '508.635', '508.64 USD are used of the 508.64 USD leased here'],
    ['coin_value:ETH', '100', '508.64 USD are used of the 100 USD leased here'],
    ['open_risk', '0', 'leased here of the budget open_risk of fleet, 9000 USD; nothing is left'],
  ])('used up: %s of %s', (kind, amount, words) => {
    const decision = judged(buy('0.1'), under(leased(kind, amount), { account: held }))
    expect(decision).toMatchObject({ verdict: 'veto', code: 'fleet_limit' })
    expect(decision.text).toContain(words)
  })
})

describe('what else opens', () => {
  const none = leased('gross_value', '0')

  test('an entry that waits for a trigger', () => {
    const waits = orderAction([{ ...triggerOrder(1, true, '0.1', '2500', '2600'), r: false }])
    const decision = judged(waits, under(none, { rules: { triggerEntries: 'watched' } }))
    expect(decision.code).toBe('fleet_limit')
  })

  test('a TWAP', () => {
    const twap = { a: 1, b: true, s: '0.5', r: false, m: 30, t: false }
    const json: Json = { type: 'twapOrder', twap }
    const decision = judged(json, under(none, { rules: { twap: 'watched' } }))
    expect(decision.code).toBe('fleet_limit')
  })

  test('a modify finds the room of the entry that it replaces', () => {
    const resting = { oid: 7, coin: 'ETH', isBuy: true, price: '2400', size: '0.1', stop: '2350' }
    const account = accountWith({ orders: restingEntry(resting) })
    // It counts 0.1 x 2486.35, and so does what replaces it.
    const lease = leased('gross_value', '248.64')
    const same: Json = { type: 'modify', oid: 7, order: limitOrder(1, true, '0.1', '2400') }
    const passed = judged(same, under(lease, { account }))
    expect(passed.verdict).not.toBe('veto')
    expect(passed.changeRecords.map(({ rule }) => rule)).not.toContain('fleet_limit')
    const more: Json = { type: 'modify', oid: 7, order: limitOrder(1, true, '0.2', '2400') }
    expect(judged(more, under(lease, { account })).changeRecords).toContainEqual({
      ...{ field: 'size', from: '0.2', to: '0.1', rule: 'fleet_limit' },
    })
  })
})

describe('once the lease has ended', () => {
  const ended: Lease = { ended: 'the store was last heard 301 s ago', parts: [] }

  test('nothing opens, and the words say why', () => {
    expect(judged(buy('0.1'), under(ended))).toMatchObject({
      ...{ verdict: 'veto', code: 'fleet_unreachable', text: ended.ended },
    })
  })

  test('exits and cancels pass', () => {
    const close = orderAction([limitOrder(1, false, '0.1', '2480', 'Ioc', true)])
    expect(judged(close, under(ended, { account: held })).verdict).not.toBe('veto')
    const plain = orderAction([limitOrder(1, false, '0.1', '2480', 'Ioc')])
    expect(judged(plain, under(ended, { account: held })).verdict).not.toBe('veto')
    const cancel: Json = { type: 'cancel', cancels: [{ a: 1, o: 7 }] }
    expect(judged(cancel, under(ended, { account: held })).verdict).toBe('allow')
  })

  test('of a request with both, what closes goes', () => {
    const both = orderAction([
      limitOrder(1, false, '0.1', '2480', 'Ioc', true),
      limitOrder(2, true, '1', '150', 'Ioc'),
    ])
    const decision = judged(both, under(ended, { account: held }))
    expect(decision.verdict).not.toBe('veto')
    expect(decision.entries.every(({ verdict }) => verdict === 'veto')).toBe(true)
  })
})
