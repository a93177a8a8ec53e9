import { expect, test } from 'vitest'
import type { AccountEvent, CashElsewhere } from '../account/accountEvent.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskLimits } from './halts.ts'
import type { RiskAccount, RiskView } from './riskView.ts'

const limits: RiskLimits = {
  dailyLossStop: Decimal.of('0.05'),
  drawdownHalt: Decimal.of('0.1'),
  equityCap: null,
}
const noon = 19_676 * dayMs + dayMs / 2

function seen(equity: string, atMs: number): RiskAccount {
  const value = Decimal.of(equity)
  const cash = { equity: value, cash: value, unrealised: Decimal.zero, isUnified: true }
  return { cash, venueTime: millis(noon + atMs) }
}

const change = (id: string, usdc: string, atMs: number, isFlow = true): CashElsewhere => ({
  ...{ id, usdc: Decimal.of(usdc), at: millis(noon + atMs), isFlow },
})
const told = (atMs: number, ...changes: readonly CashElsewhere[]): AccountEvent => ({
  ...{ kind: 'elsewhere', changes, at: millis(noon + atMs) },
})
const looks = (engine: RiskEngine, equity: string, atMs: number): RiskView =>
  engine.observe(seen(equity, atMs), millis(noon + atMs))

function started(): RiskEngine {
  const engine = new RiskEngine(limits)
  looks(engine, '10000', 0)
  return engine
}

const shares = ({ dailyLoss, drawdown, state }: RiskView) => ({
  ...{ state, dailyLoss: dailyLoss?.toString(), drawdown: drawdown?.toString() },
})
const unhurt = { state: 'active', dailyLoss: '0', drawdown: '0' }

test('the USDC that buys a token is neither profit nor loss, in however many pieces', () => {
  const engine = started()
  const pieces = Array.from({ length: 40 }, (_, at) => change(`${at}`, '-100', 10 + at))
  engine.apply(told(60, ...pieces), seen('6000', 60))
  expect(shares(engine.view())).toEqual(unhurt)
  // Told once more they are no news.
  engine.apply(told(70, ...pieces), seen('6000', 70))
  expect(engine.view().peak?.toString()).toBe('6000')
})

test('a part of the pieces explains the view that shows just that part', () => {
  const engine = started()
  engine.apply(told(60, change('a', '-3000', 10), change('b', '-2000', 20)), seen('7000', 60))
  expect(shares(engine.view())).toEqual(unhurt)
  expect(shares(looks(engine, '5000', 70))).toEqual(unhurt)
})

test('a loss beside a purchase is a loss of what is left', () => {
  const engine = started()
  const changes = [change('a', '-5000', 10), change('b', '-200', 20, false)]
  engine.apply(told(60, ...changes), seen('4800', 60))
  expect(shares(engine.view())).toMatchObject({ state: 'active', dailyLoss: '0.02' })
  engine.apply(told(90, change('c', '-150', 80, false)), seen('4650', 90))
  expect(engine.view().state).toBe('halted_for_day')
})

test('a purchase that is reported after it was counted as a loss is taken out of it again', () => {
  const engine = started()
  looks(engine, '9700', 10)
  engine.tick(millis(noon + 10_010))
  expect(engine.view().dailyLoss?.toString()).toBe('0.03')
  engine.apply(told(11_000, change('late', '-300', 5)), seen('9700', 11_000))
  expect(shares(engine.view())).toEqual(unhurt)
})

test('what waits for its view is kept over a restart', () => {
  const engine = started()
  engine.apply(told(20, change('a', '-3000', 10)), seen('10000', 20))
  const snapshot = engine.snapshot()
  const again = RiskEngine.restore(snapshot, limits)
  if (!again.ok) throw new Error(again.error)
  expect(again.value.snapshot()).toEqual(snapshot)
  expect(shares(looks(again.value, '7000', 30))).toEqual(unhurt)
})

test('a mark that no version wrote is refused', () => {
  const engine = started()
  engine.apply(told(20, change('a', '-3000', 10)), seen('10000', 20))
  const text = JSON.stringify(engine.snapshot()).replace('"is_flow":true', '"is_flow":1')
  const read = RiskEngine.restore(JSON.parse(text), limits)
  expect(read).toMatchObject({ ok: false, error: expect.stringContaining('is_flow') })
})
