import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { dayMs, millis } from '../values/millis.ts'
import type { RiskLimits } from './halts.ts'
import { RiskEngine } from './riskEngine.ts'
import type { RiskAccount, RiskView } from './riskView.ts'

const noon = 19_676 * dayMs + dayMs / 2
const limits: RiskLimits = {
  dailyLossStop: Decimal.of('0.06'),
  drawdownHalt: Decimal.of('0.25'),
  equityCap: null,
}

class Scene {
  readonly engine = new RiskEngine(limits)
  ms = 0

  /** The account is seen whole, with so much equity, all of it cash. */
  see(equity: string): RiskView {
    return this.#look({ equity: Decimal.of(equity), cash: Decimal.of(equity) })
  }

  /** A part of it cannot be seen; what its positions make is known. */
  lose(): RiskView {
    return this.#look(null)
  }

  pass(ms: number): RiskView {
    this.ms += ms
    return this.engine.tick(millis(noon + this.ms))
  }

  #look(cash: { equity: Decimal; cash: Decimal } | null): RiskView {
    this.ms += 1
    const at = millis(noon + this.ms)
    const whole = cash && { ...cash, unrealised: Decimal.zero, isUnified: false }
    const account: RiskAccount = { cash: whole, venueTime: at, unrealised: Decimal.zero }
    return this.engine.observe(account, at)
  }
}

test('a drop that nothing explains is no loss before all of the account is seen, and ten seconds more', () => {
  const scene = new Scene()
  scene.see('1000')
  expect(scene.see('700')).toMatchObject({ state: 'active', holding: true })
  scene.lose()
  for (let second = 0; second < 60; second++) scene.pass(1_000)
  expect(scene.lose()).toMatchObject({ state: 'active', isBlind: true })
  scene.see('700')
  expect(scene.pass(9_000)).toMatchObject({ state: 'active', holding: true })
  expect(scene.pass(2_000).state).toBe('stopped')
})

test('one that the next sight of the whole contradicts counts for nothing, up or down', () => {
  for (const wrong of ['700', '1300']) {
    const scene = new Scene()
    scene.see('1000')
    scene.see(wrong)
    scene.lose()
    scene.pass(20_000)
    expect(scene.see('1000')).toMatchObject({ state: 'active', holding: false })
    const { peak, dayStart } = scene.engine.view()
    expect([String(peak), String(dayStart)]).toEqual(['1000', '1000'])
  }
})
