import { describe, expect, test } from 'vitest'
import { accountWith, stopOrder } from '../../account/account.fixture.ts'
import type { Json } from '../../protocol/action.ts'
import { address } from '../../values/address.ts'
import { Decimal } from '../../values/decimal.ts'
import { actionsOf } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder, wire } from '../judge.fixture.ts'
import type { JudgeSpec } from '../judge.fixture.ts'

const builder = address(`0x${'b0'.repeat(20)}`)
const account = accountWith({
  positions: { SOL: { size: '1' } },
  orders: [stopOrder({ coin: 'SOL', oid: 1, size: '1', trigger: '135' })],
})
const exit = limitOrder(2, false, '0.5', '130', 'Ioc', true)
const restingExit = limitOrder(2, false, '0.5', '160', 'Gtc', true)
const stop = triggerOrder(2, false, '1', '134', '120')
const entry = limitOrder(1, true, '0.1', '2480')

const sent = (action: Json, spec: JudgeSpec) => {
  const decision = judged(action, { account, ...spec })
  return { decision, actions: actionsOf(decision).map(wire) as any[] }
}

describe('max_builder_fee', () => {
  const of = (f: number, max: string | null, isNamed = true) =>
    sent({ ...(orderAction([exit]) as object), builder: { b: builder, f } } as Json, {
      rules: { maxBuilderFee: max === null ? null : Decimal.of(max) },
      builders: new Set(isNamed ? [builder] : []),
    })

  test.each([
    ['without a limit', 90, null, 90],
    ['below it', 10, '0.0005', 10],
    ['at it', 50, '0.0005', 50],
    ['above it', 51, '0.0005', 50],
    ['above one between two units', 51, '0.000505', 50],
    ['above one just below a unit', 100, '0.000999999', 99],
    ['above none at all', 3, '0', 0],
  ] as const)('%s', (_, f, max, paid) => {
    const { decision, actions } = of(f, max)
    expect(actions[0].builder).toEqual({ b: builder, f: paid })
    expect(
      decision.changeRecords.map(({ field, from, to, rule }) => [field, from, to, rule]),
    ).toEqual(paid === f ? [] : [['builder_fee', `${f}`, `${paid}`, 'max_builder_fee']])
  })

  test('a builder that is not named is removed, whatever it asks', () => {
    const { decision, actions } = of(1, '0.001', false)
    expect(actions[0].builder).toBeUndefined()
    expect(decision.changeRecords).toMatchObject([{ field: 'builder', to: null }])
  })

  test('what is paid counts in an entry’s size', () => {
    const sized = (max: string) => {
      const action = { ...(orderAction([limitOrder(1, true, '50', '2480')]) as object) }
      const { decision } = sent({ ...action, builder: { b: builder, f: 100 } } as Json, {
        rules: { maxBuilderFee: Decimal.of(max) },
        builders: new Set([builder]),
      })
      return Number(decision.entries[0]?.size)
    }
    expect(sized('0.001')).toBeLessThan(sized('0'))
  })
})

describe('max_priority_fee', () => {
  const max = { maxPriorityFee: Decimal.of('0.0001') }
  const paidFor = (orders: readonly Json[], p: number, rules = max) =>
    sent(orderAction(orders, { p }), { rules })

  test.each([
    ['below the limit', 5],
    ['at the limit', 10_000],
    ['nothing at all', 0],
  ])('goes with exits that close at once: %s', (_, p) => {
    const { decision, actions } = paidFor([exit], p)
    expect(actions[0].grouping).toEqual({ p })
    expect(decision).toMatchObject({ verdict: 'allow', changeRecords: [] })
  })

  test.each([
    ['above the limit', [exit], 10_001, max, 'it is above max_priority_fee (p 10000)'],
    ['by default', [exit], 1, { maxPriorityFee: Decimal.zero }, 'nothing is paid for it'],
    ['of nothing, by default', [exit], 0, { maxPriorityFee: Decimal.zero }, 'nothing is paid'],
    ['on an exit that rests', [restingExit], 5, max, 'close at once (Ioc) alone'],
    ['at the limit, on one that rests', [restingExit], 10_000, max, 'close at once (Ioc) alone'],
    ['on a stop', [stop], 5, max, 'close at once (Ioc) alone'],
    ['where one of the exits rests', [exit, restingExit], 5, max, 'close at once (Ioc) alone'],
    ['on an entry', [entry], 5, max, 'close at once (Ioc) alone'],
  ] as const)('is removed %s', (_, orders, p, rules, why) => {
    const { decision, actions } = paidFor(orders, p, rules)
    expect(actions.length).toBeGreaterThan(0)
    expect(JSON.stringify(actions)).not.toContain('"grouping":{')
    expect(decision.changes.join()).toContain(`the priority fee (grouping {"p": ${p}}) removed`)
    expect(decision.changes.join()).toContain(why)
  })

  test('a limit just below a unit is rounded down to one', () => {
    // 99,999.99999 units of a hundred millionth.
    const rules = { maxPriorityFee: Decimal.of('0.0009999999999') }
    expect(paidFor([exit], 99_999, rules).actions[0].grouping).toEqual({ p: 99_999 })
    expect(paidFor([exit], 100_000, rules).actions[0].grouping).toBe('na')
  })

  test('of a mixed request goes with the exits and not with the entries', () => {
    const { decision, actions } = paidFor([exit, entry], 5)
    expect(actions.filter(({ type }) => type === 'order').map(({ grouping }) => grouping)).toEqual([
      { p: 5 },
      'normalTpsl',
    ])
    expect(decision.changes.join()).toContain('removed from entries: their stop cannot go in that')
  })

  test('counts once in the cost of an entry', () => {
    const sized = (fee: string) =>
      Number(
        sent(orderAction([limitOrder(1, true, '50', '2480')]), {
          rules: { maxPriorityFee: Decimal.of(fee) },
        }).decision.entries[0]?.size,
      )
    expect(sized('0.001')).toBeLessThan(sized('0'))
  })
})
