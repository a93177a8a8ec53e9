import { expect, test } from 'vitest'
import { later } from '../account/account.fixture.ts'
import type { AccountEvent } from '../account/accountEvent.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskAccount, RiskView } from './riskView.ts'
import { UnknownRows } from './unknownRows.ts'

const dec = (text: string): Decimal => Decimal.of(text)

function ledger(atMs: number, unknown?: string, type = 'newThing'): AccountEvent {
  const entry = { id: `${atMs}:${type}`, type, usdc: Decimal.zero, at: later(atMs) }
  const entries = [unknown === undefined ? entry : { ...entry, unknown: dec(unknown) }]
  return { kind: 'ledger', entries, isSnapshot: true, at: later(600_000) }
}

test('a row that nobody can account for is told once', () => {
  const rows = new UnknownRows()
  const texts = rows.told(ledger(0, '12.5'))
  expect(texts).toHaveLength(1)
  expect(texts[0]).toMatch(/^the venue's ledger has a row .* newThing of 12.5 USDC: it counts as/)
  expect(rows.told(ledger(0, '12.5'))).toEqual([])
  expect(rows.told(ledger(1, '0', 'x'.repeat(999)))[0]?.length).toBeLessThan(400)
})

test('what is known, what is long past and what is no row is not told', () => {
  const rows = new UnknownRows()
  const silent = [
    ledger(0),
    ledger(-1, '5'),
    { kind: 'stream', state: 'live', at: later(0) } as const,
  ]
  expect(silent.flatMap((event) => rows.told(event))).toEqual([])
})

const noon = 19_676 * dayMs + dayMs / 2
const limits = { dailyLossStop: dec('0.06'), drawdownHalt: dec('0.25'), equityCap: null }

/** A look at an account of this cash, without positions. */
const at = (ms: number, value: string): RiskAccount => ({
  cash: { equity: dec(value), cash: dec(value), unrealised: Decimal.zero, isUnified: true },
  venueTime: millis(noon + ms),
})

/** An account of 10,000 whose ledger tells such a row, and then 10 s pass. */
function seenAfter(unknown: string, equity: string): RiskView {
  const engine = new RiskEngine(limits)
  engine.observe(at(0, '10000'), millis(noon))
  const row = { id: 'x', type: 'newThing', usdc: Decimal.zero, at: millis(noon + 1) }
  const entries = [{ ...row, unknown: dec(unknown) }]
  engine.apply({ kind: 'ledger', entries, isSnapshot: false, at: row.at }, at(0, '10000'))
  const again = RiskEngine.restore(JSON.parse(JSON.stringify(engine.snapshot())), limits)
  if (!again.ok) throw new Error(again.error)
  again.value.observe(at(2, equity), millis(noon + 2))
  return again.value.tick(millis(noon + 10_003))
}

test.each<[string, string, string, string, string]>([
  ['left by just that', '1500', '8500', 'active', '8500'],
  ['came by just that', '1500', '11500', 'active', '11500'],
  ['fell by something else', '1500', '9000', 'halted_for_day', '10000'],
  ['grew by something else', '1500', '10900', 'active', '10000'],
  ['fell beside a row that names nothing', '0', '8500', 'halted_for_day', '10000'],
])('money that %s', (_, unknown, equity, state, dayStart) => {
  const view = seenAfter(unknown, equity)
  expect([view.state, view.dayStart?.toString()]).toEqual([state, dayStart])
})

test('money that came by just that, and is lost again, is lost', () => {
  const engine = new RiskEngine(limits)
  engine.observe(at(0, '10000'), millis(noon))
  const row = { id: 'x', type: 'newThing', usdc: Decimal.zero, at: millis(noon + 1) }
  const entries = [{ ...row, unknown: dec('1500') }]
  engine.apply({ kind: 'ledger', entries, isSnapshot: false, at: row.at }, at(2, '11500'))
  expect(engine.view().dayStart?.toString()).toBe('11500')
  engine.observe(at(3, '10000'), millis(noon + 3))
  expect(engine.tick(millis(noon + 10_004)).state).toBe('halted_for_day')
})

test('rows that nobody can account for push out no withdrawal', () => {
  const engine = new RiskEngine(limits)
  engine.observe(at(0, '10000'), millis(noon))
  const row = { type: 'newThing', usdc: Decimal.zero, at: millis(noon + 2) }
  const rows = ['5', '6', '7'].map((usdc) => ({ ...row, id: usdc, unknown: dec(usdc) }))
  const left = { id: 'w', type: 'withdraw', usdc: dec('-3000'), at: millis(noon + 1) }
  const entries = [left, ...rows]
  engine.apply({ kind: 'ledger', entries, isSnapshot: false, at: row.at }, at(3, '10000'))
  engine.observe(at(4, '7000'), millis(noon + 4))
  expect(engine.tick(millis(noon + 10_005)).state).toBe('active')
})
