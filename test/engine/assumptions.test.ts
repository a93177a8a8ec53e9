import { afterEach, expect, test } from 'vitest'
import { defaultRules } from '../../src/core/rules/rules.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** A bot that knows the status alone computes the size that Guard lets through, to the last lot. */
test.each([
  [true, '4010', '4010', '3900'],
  [false, '3990', '3990', '4100'],
])('sizes follow from what the status says (buy: %s)', async (isBuy, price, worst, stopAt) => {
  world = await World.start()
  const { assumptions, risk } = world.guard.status()
  expect(assumptions).toEqual({
    fee: '0.00045',
    slippage: '0.0001',
    stop_slippage: '0.1',
    funding: null,
  })
  const of = (text: unknown): Decimal => Decimal.of(String(text))
  const cost = of(worst)
    .times(of(assumptions.fee).plus(of(assumptions.slippage)))
    .times(Decimal.whole(2))
  const budget = of(risk.equity).times(defaultRules.riskPerTrade)
  const loss = of(worst).minus(of(stopAt)).abs().plus(cost)
  const limit = of(stopAt).times(
    isBuy
      ? Decimal.one.minus(of(assumptions.stop_slippage))
      : Decimal.one.plus(of(assumptions.stop_slippage)),
  )
  const entry = order(1, isBuy, price, '100')
  const stop = {
    ...order(1, !isBuy, limit.toString(), '100'),
    r: true,
    t: { trigger: { isMarket: true, triggerPx: stopAt, tpsl: 'sl' } },
  }
  const action = { ...orders(entry, stop), grouping: 'normalTpsl' }
  const body = new TextEncoder().encode(JSON.stringify({ action }))
  const { entries, forward } = (await world.guard.preview(body)).body as any
  expect(entries[0].size).toBe(budget.over(loss, 4, 'floor').toString())
  // A limit as far beyond the trigger as the status says is not widened.
  expect(forward.orders[1].p).toBe(limit.toString())
})
