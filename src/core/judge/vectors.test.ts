import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountWith, stopOrder } from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import type { Leverage } from '../protocol/venueState.ts'
import type { Rules } from '../rules/rules.ts'
import { Decimal } from '../values/decimal.ts'
import type { Decision } from './decision.ts'
import { judged, wire } from './judge.fixture.ts'

interface Vector {
  readonly id: string
  readonly why: string
  readonly rules: { readonly [key: string]: string }
  readonly account: {
    readonly equity: string
    readonly positions: {
      readonly [coin: string]: {
        readonly side: 'buy' | 'sell'
        readonly qty: string
        readonly lev: readonly ['isolated' | 'cross', number]
        readonly liq?: string
      }
    }
    readonly stops: readonly { oid: number; coin: string; sz: string; trigger: string }[]
    readonly setting?: { readonly [coin: string]: readonly ['isolated' | 'cross', number] }
  }
  readonly request: { readonly [key: string]: Json }
  readonly expect: {
    readonly verdict: string
    readonly code: string
    readonly pre?: readonly Json[]
    readonly forward?: { readonly [key: string]: Json }
    readonly leverage?: number
    readonly loss_at_stop?: string
  }
  readonly calc?: Calc
}

interface Calc {
  readonly bound: string
  readonly worst: string
  readonly stop: string
  readonly risk_per_unit: string
  readonly budget: string
  readonly by_risk: string
  readonly by_leverage: string
  readonly by_cap: string
}

const file = join(import.meta.dirname, 'fixtures', 'entry-vectors.json')
const { vectors, meta } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly vectors: readonly Vector[]
  readonly meta: { readonly [coin: string]: { readonly szDecimals: number } }
}
const lots = Object.fromEntries(Object.entries(meta).map(([coin, each]) => [coin, each.szDecimals]))
const worked = vectors.flatMap((vector) =>
  vector.calc === undefined ? [] : [{ ...vector, calc: vector.calc }],
)

function leverage([type, value]: readonly ['isolated' | 'cross', number]): Leverage {
  return { type, value }
}

function rulesOf(vector: Vector): Partial<Rules> {
  const known: { [key: string]: (text: string) => Partial<Rules> } = {
    equity_cap: (text) => ({ equityCap: Decimal.of(text) }),
    min_liquidation_distance: (text) => ({ minLiquidationDistance: Decimal.of(text) }),
    stop: (text) => ({ stop: text as Rules['stop'] }),
  }
  return Object.assign({}, ...Object.entries(vector.rules).map(([key, text]) => known[key]?.(text)))
}

/** A rule that never binds. */
const never = Decimal.of('100000')

/** The request with other rules, and asking for more than any limit gives. */
function judgeVector(vector: Vector, rules: Partial<Rules> = {}, request = vector.request) {
  const { account } = vector
  const positions = Object.entries(account.positions).map(([coin, each]) => [
    coin,
    {
      size: each.side === 'buy' ? each.qty : `-${each.qty}`,
      leverage: leverage(each.lev),
      liquidation: each.liq ?? null,
    },
  ])
  const settings = Object.entries(account.setting ?? {}).map(([coin, each]) => [
    coin,
    leverage(each),
  ])
  return judged(
    { type: 'order', ...request },
    {
      rules: { ...rulesOf(vector), ...rules },
      account: accountWith({
        equity: account.equity,
        positions: Object.fromEntries(positions),
        leverage: Object.fromEntries(settings),
        orders: account.stops.map(({ oid, coin, sz, trigger }) =>
          stopOrder({ oid, coin, size: sz, trigger }),
        ),
      }),
    },
  )
}

interface OrderJson {
  readonly b: boolean
  readonly r: boolean
  readonly p: string
  readonly s: string
  readonly [key: string]: Json
}

/** The same request for a size that no limit gives, its stops as large. */
function boundless(vector: Vector, price?: string): Vector['request'] {
  const orders = (vector.request['orders'] as readonly OrderJson[]).map((order) => ({
    ...order,
    s: '99999999',
    p: order.r || price === undefined ? order.p : price,
  }))
  return { ...vector.request, orders }
}

function sizeOf(decision: Decision, calc: string): readonly [string | undefined, string] {
  const { forward, entries } = decision
  const [order] = forward?.type === 'order' ? forward.orders : []
  const lot = lots[entries[0]?.coin ?? ''] ?? 0
  return [order?.size.toString(), Decimal.of(calc).rounded(lot, 'floor').toString()]
}

describe('worked entries', () => {
  test('there are all of them', () => {
    expect(vectors).toHaveLength(27)
  })

  test.each(vectors)('$id: $why', (vector) => {
    const decision = judgeVector(vector)
    const { expect: want, calc } = vector
    expect(decision.code, decision.text).toBe(want.code)
    expect(decision.verdict).toBe(want.verdict)
    if (want.forward === undefined) {
      expect(decision.forward).toBeNull()
      return
    }
    expect(decision.pre.map(wire)).toEqual(want.pre)
    expect(decision.forward === null ? null : wire(decision.forward)).toEqual({
      type: 'order',
      ...want.forward,
    })
    const [entry] = decision.entries
    expect(entry?.leverage).toBe(want.leverage)
    expect(entry?.risk?.toString()).toBe(want.loss_at_stop)
    expect(entry?.worstPrice?.toString()).toBe(calc?.['worst'])
    expect(entry?.stop?.toString()).toBe(calc?.['stop'])
    expect(entry?.size.times(Decimal.of(calc?.['risk_per_unit'] ?? '0')).toString()).toBe(
      want.loss_at_stop,
    )
  })

  describe('each limit alone', () => {
    test('there are all of them', () => {
      expect(worked).toHaveLength(16)
    })

    test.each(worked)('$id: by risk $calc.by_risk', (vector) => {
      const { calc } = vector
      const alone = { maxLeverage: never, maxPosition: never }
      const [size, want] = sizeOf(judgeVector(vector, alone, boundless(vector)), calc.by_risk)
      expect(size).toBe(want)
      const exact = Decimal.of(calc.budget).over(Decimal.of(calc.risk_per_unit), 8, 'floor')
      expect(exact.toString()).toBe(Decimal.of(calc.by_risk).rounded(8, 'floor').toString())
    })

    test.each(worked)('$id: by leverage $calc.by_leverage', (vector) => {
      const alone = { riskPerTrade: never, openRisk: never, maxPosition: never }
      const decision = judgeVector(vector, alone, boundless(vector))
      const [size, want] = sizeOf(decision, vector.calc.by_leverage)
      expect(size).toBe(want)
    })

    test.each(worked)('$id: by the cap of a position $calc.by_cap', (vector) => {
      const alone = { riskPerTrade: never, openRisk: never, maxLeverage: never }
      const decision = judgeVector(vector, alone, boundless(vector))
      const [size, want] = sizeOf(decision, vector.calc.by_cap)
      expect(size).toBe(want)
    })

    test.each(worked)('$id: pulled in to $calc.bound', (vector) => {
      const [first] = vector.request['orders'] as readonly OrderJson[]
      const far = boundless(vector, first?.b === true ? '9999999' : '0.000001')
      const [entry] = judgeVector(vector, {}, far).entries
      expect(entry?.worstPrice?.toString()).toBe(vector.calc.bound)
    })
  })
})
