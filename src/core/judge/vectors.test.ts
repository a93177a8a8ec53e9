import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountWith, stopOrder } from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import type { Leverage } from '../protocol/venueState.ts'
import type { Rules } from '../rules/rules.ts'
import { Decimal } from '../values/decimal.ts'
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
  readonly calc?: { readonly [key: string]: string }
}

const file = join(import.meta.dirname, 'fixtures', 'entry-vectors.json')
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: readonly Vector[] }

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

function judgeVector(vector: Vector) {
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
    { type: 'order', ...vector.request },
    {
      rules: rulesOf(vector),
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

describe('worked entries', () => {
  test('there are all of them', () => {
    expect(vectors).toHaveLength(26)
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
})
