import { expect, test } from 'vitest'
import type { AccountEvent } from '../account/accountEvent.ts'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskLimits } from './halts.ts'
import type { RiskAccount } from './riskView.ts'

/** Money that was there all along, and that the first views of the account did not include. */

const limits: RiskLimits = {
  dailyLossStop: Decimal.of('0.05'),
  drawdownHalt: Decimal.of('0.1'),
  equityCap: null,
}
const noon = 19_676 * dayMs + dayMs / 2

function seen(equity: string, unrealised: string, atMs: number): RiskAccount {
  const [value, profit] = [Decimal.of(equity), Decimal.of(unrealised)]
  const cash = { equity: value, cash: value.minus(profit), unrealised: profit, isUnified: false }
  return { cash, venueTime: millis(noon + atMs) }
}

const found = (usdc: string, foundWorth: string, atMs: number): AccountEvent => ({
  ...{ kind: 'elsewhere', at: millis(noon + atMs) },
  changes: [
    {
      ...{ id: 'dexes:xyz', usdc: Decimal.of(usdc), at: millis(noon + atMs), isFlow: true },
      foundWorth: Decimal.of(foundWorth),
    },
  ],
})

function started(): RiskEngine {
  const engine = new RiskEngine(limits)
  engine.observe(seen('10000', '0', 5), millis(noon + 5))
  return engine
}

const shown = (engine: RiskEngine) => {
  const { state, equity, peak, dayStart, holding } = engine.view()
  return { state, holding, figures: [equity, peak, dayStart].map(String).join(' ') }
}
const unhurt = (equity: string) => ({
  ...{ state: 'active', holding: false, figures: `${equity} ${equity} ${equity}` },
})

test.each([
  ['before the first view', 3],
  ['at its very moment', 5],
  ['after it', 9],
])('is neither profit nor loss, whether its own time is %s', (_, atMs) => {
  const engine = started()
  const nothingNew = seen('10000', '0', 5)
  engine.apply(found('4500', '4500', atMs), nothingNew)
  const after = seen('14500', '0', 9)
  expect(engine.doubts(after.cash as never, true)).toBeNull()
  engine.observe(after, millis(noon + 9))
  expect(shown(engine)).toEqual(unhurt('14500'))
})

test('comes with the unrealised result of its positions, which is no loss of today', () => {
  const engine = started()
  engine.apply(found('7000', '4500', 5), seen('10000', '0', 5))
  const snapshot = JSON.parse(JSON.stringify(engine.snapshot())) as unknown
  const again = RiskEngine.restore(snapshot, limits)
  for (const each of [engine, again.ok ? again.value : null]) {
    each?.observe(seen('14500', '-2500', 9), millis(noon + 9))
    expect(each === null ? null : shown(each)).toEqual(unhurt('14500'))
  }
})

test('is taken out of a profit or loss that it was counted as before it was told', () => {
  const engine = started()
  engine.observe(seen('14500', '-2500', 9), millis(noon + 9))
  engine.tick(millis(noon + 10_010))
  expect(shown(engine).figures).toBe('14500 14500 10000')
  engine.apply(found('7000', '4500', 10), seen('14500', '-2500', 10_011))
  expect(shown(engine)).toEqual(unhurt('14500'))
})
