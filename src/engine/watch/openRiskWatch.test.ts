import { expect, test } from 'vitest'
import { defaultRules } from '../../core/rules/rules.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { Alerts } from '../alerts.ts'
import { OpenRiskWatch } from './openRiskWatch.ts'

/** Open risk admits 6% of the equity. */
function watching(cap: string | null = null) {
  const alerts = new Alerts()
  const told = { equity: Decimal.of('10000') as Decimal | null, openRisk: '600', nowMs: 0 }
  const watch = new OpenRiskWatch({
    alerts,
    clock: { now: () => millis(1_791_000_000_000), monotonicMs: () => told.nowMs },
    account: {
      get equity() {
        return told.equity
      },
      exposure: () => ({ openRisk: Decimal.of(told.openRisk) }) as never,
    },
    rulesFor: () => ({ ...defaultRules, equityCap: cap === null ? null : Decimal.of(cap) }),
  })
  const after = (ms: number, isSeen = true): readonly string[] => {
    told.nowMs += ms
    watch.tick(isSeen)
    return alerts.list().map(({ code, text }) => `${code}: ${text}`)
  }
  return { told, after }
}

test('as much as the rule admits is none', () => {
  const { after } = watching()
  expect([after(0), after(60_000)]).toEqual([[], []])
})

test('what a withdrawal leaves over the limit is told while it lasts', () => {
  const { told, after } = watching()
  told.equity = Decimal.of('4000')
  expect([after(0), after(4_999)]).toEqual([[], []])
  expect(after(1)[0]).toMatch(
    /^open_risk_over: 600 USD would be lost at the stops, and open_risk admits 240 USD of an equity of 4000 USD/,
  )
  told.equity = null
  expect(after(1_000)).toEqual([])
  told.equity = Decimal.of('-1')
  expect(after(0)).toEqual([])
  expect(after(5_000)).toHaveLength(1)
  expect(after(0, false)).toEqual([])
})

test('an equity beyond the cap counts for nothing', () => {
  const { after } = watching('5000')
  after(0)
  expect(after(5_000)[0]).toMatch(/open_risk admits 300 USD of an equity of 10000 USD/)
})
