import { expect, test } from 'vitest'
import type { Json } from '../protocol/action.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskLimits } from './halts.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const day = 19_676 * dayMs
const limits: RiskLimits = {
  dailyLossStop: dec('0.06'),
  drawdownHalt: dec('0.25'),
  equityCap: null,
}

function see(engine: RiskEngine, at: number, equity: string, unrealised: string): void {
  const cash = dec(equity).minus(dec(unrealised))
  const view = { equity: dec(equity), unrealised: dec(unrealised), cash, isUnified: true }
  engine.observe({ cash: view, venueTime: millis(at) }, millis(at))
}

/** A snapshot with every part in use: a halt, a hold, an absorbed change, reports to come. */
function full(): { [key: string]: Json } {
  const engine = new RiskEngine(limits)
  see(engine, day, '1000', '0')
  see(engine, day + 1, '990', '0')
  engine.tick(millis(day + 20_000))
  see(engine, day + 20_001, '900', '-90')
  const entries = [{ id: 'x', type: 'deposit', usdc: dec('5'), at: millis(day + 30_000) }]
  const account = { cash: null, venueTime: null }
  engine.apply({ kind: 'ledger', entries, isSnapshot: false, at: millis(day + 30_000) }, account)
  const payments = [{ coin: 'ETH' as never, usdc: dec('-1'), at: millis(day + 30_000) }]
  engine.apply({ kind: 'funding', payments, isSnapshot: false, at: millis(day + 30_000) }, account)
  see(engine, day + 30_001, '500', '-90')
  return { ...engine.snapshot() }
}

test('a snapshot has every part, and restores to itself', () => {
  const snapshot = full()
  expect(snapshot).toMatchObject({
    version: 1,
    state: 'halted_for_day',
    detail: { until_ms: day + dayMs, equity: '900', day_start: '1000', limit: '0.06' },
    bases: { equity: '900', peak: '1000', day: '2023-11-15' },
    suspense: { since: day + 30_001, views: ['500'], is_holding: true },
    absorbed: [{ usdc: '-10' }],
    last: { equity: '500' },
    cash: { flows: [{ id: 'ledger:x', usdc: '5' }], movements: [{ usdc: '-1' }] },
  })
  const restored = RiskEngine.restore(JSON.parse(JSON.stringify(snapshot)), limits)
  if (!restored.ok) throw new Error(restored.error)
  expect(restored.value.snapshot()).toEqual(snapshot)
  expect(restored.value.view()).toMatchObject({ state: 'halted_for_day', holding: true })
})

test('a fresh engine restores to a fresh engine, and a stopped one stays stopped', () => {
  const fresh = RiskEngine.restore(new RiskEngine(limits).snapshot(), limits)
  expect(fresh.ok && fresh.value.view().peak).toBeNull()
  const stopped = new RiskEngine(limits)
  see(stopped, day, '1000', '0')
  see(stopped, day + 1, '700', '-300')
  const again = RiskEngine.restore(stopped.snapshot(), limits)
  expect(again.ok && again.value.tick(millis(day + 9 * dayMs))).toMatchObject({
    state: 'stopped',
    changed: false,
    detail: { peak: '1000' },
  })
})

test('a memory that cannot be read stops Guard, through every restart, until a person reviews it', () => {
  const unread = RiskEngine.unreadable(limits)
  expect(unread.view()).toMatchObject({ state: 'stopped', detail: null, equity: null })
  const again = RiskEngine.restore(unread.snapshot(), limits)
  if (!again.ok) throw new Error(again.error)
  see(again.value, day, '1000', '0')
  expect(again.value.view()).toMatchObject({ state: 'stopped', detail: null, peak: dec('1000') })
  const later = RiskEngine.restore(again.value.snapshot(), limits)
  if (!later.ok) throw new Error(later.error)
  expect(later.value.tick(millis(day + 9 * dayMs))).toMatchObject({ state: 'stopped' })
  expect(later.value.review(dec('900'), millis(day)).state).toBe('active')
})

/** Sets a field deep inside; the path is dotted. */
function withField(snapshot: { [key: string]: Json }, path: string, value: Json): unknown {
  const copy = JSON.parse(JSON.stringify(snapshot)) as { [key: string]: never }
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let at: { [key: string]: unknown } = copy
  for (const key of keys) at = at[key] as { [key: string]: unknown }
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy
}

const impossible: { field: string; value: Json; says: string }[] = [
  { field: 'version', value: 2, says: 'version must be 1, received 2' },
  { field: 'state', value: 'fine', says: 'state must be active, halted_for_day or stopped' },
  { field: 'state', value: 'active', says: 'detail must be null when active' },
  { field: 'state', value: 'stopped', says: 'detail must have a peak when stopped' },
  { field: 'detail', value: null, says: 'detail must not be null when halted_for_day' },
  { field: 'detail', value: 'x', says: 'detail must be an object' },
  {
    field: 'detail',
    value: { equity: '1', peak: '2', limit: '0.1' },
    says: 'detail must have until_ms when halted_for_day',
  },
  { field: 'detail.until_ms', value: day + 1, says: 'detail.until_ms must be the end of a day' },
  { field: 'detail.until_ms', value: '1', says: 'detail.until_ms must be a whole number' },
  { field: 'detail.until_ms', value: -1, says: 'detail.until_ms must be a whole number' },
  { field: 'detail.equity', value: 900, says: 'detail.equity must be a decimal as text' },
  { field: 'bases', value: null, says: 'state halted_for_day without an equity' },
  { field: 'bases', value: [], says: 'bases must be an object' },
  { field: 'bases.equity', value: '1000.01', says: 'peak must not be below equity' },
  { field: 'bases.day_start', value: '1000.01', says: 'peak must not be below day_start' },
  { field: 'bases.peak', value: '1e9', says: 'bases.peak must be a decimal as text' },
  { field: 'bases.day', value: '2023-13-45', says: 'bases.day must be a day as YYYY-MM-DD' },
  { field: 'bases.day', value: 'today', says: 'bases.day must be a day as YYYY-MM-DD' },
  { field: 'bases.day', value: 7, says: 'bases.day must be text, received 7' },
  { field: 'suspense.views', value: [], says: 'suspense.views must be at least one equity' },
  { field: 'suspense.views', value: 'x', says: 'suspense.views must be a list' },
  { field: 'suspense.is_holding', value: 1, says: 'suspense.is_holding must be true or false' },
  { field: 'absorbed', value: null, says: 'absorbed must be a list' },
  { field: 'absorbed.0.high', value: null, says: 'absorbed.high must be a decimal' },
  { field: 'last.cash', value: '', says: 'last.cash must be a decimal' },
  { field: 'last.other_cash', value: 'x', says: 'last.other_cash must be a decimal' },
  { field: 'cash', value: null, says: 'cash must be an object' },
  { field: 'cash.base', value: 'x', says: 'cash.base must be a decimal' },
  { field: 'cash.other_base', value: 'x', says: 'cash.other_base must be a decimal' },
  { field: 'cash.flows.0.id', value: 5, says: 'cash change.id must be text' },
  { field: 'cash.seen.0', value: 5, says: 'cash.seen must be text' },
]
test.each(impossible)('$field = $value is refused', ({ field, value, says }) => {
  const restored = RiskEngine.restore(withField(full(), field, value), limits)
  expect(restored).toMatchObject({ ok: false })
  expect(!restored.ok && restored.error).toContain(`risk snapshot: ${says}`)
})

test.each(['state', 'bases', 'cash', 'suspense', 'last', 'absorbed', 'version', 'detail'])(
  'a snapshot without %s is refused',
  (field) => {
    const restored = RiskEngine.restore(withField(full(), field, undefined as never), limits)
    expect(!restored.ok && restored.error).toContain('received nothing')
  },
)

test.each([null, 'x', 5, [], undefined])('%s is no snapshot', (value) => {
  expect(RiskEngine.restore(value, limits).ok).toBe(false)
})

test('what is refused is shown, and no more of it than fits a line', () => {
  const read = RiskEngine.restore({ ...full(), state: 'x'.repeat(99) }, limits)
  expect(!read.ok && read.error).toMatch(/ received "x{59}$/)
})
