import { expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { botCloid, later, openOrder } from './account.fixture.ts'
import { isSameOrder } from './sameOrder.ts'

const spec = {
  ...{ coin: 'ETH', oid: 1, isBuy: true, price: '100', size: '1', originalSize: '2' },
  ...{ cloid: botCloid(1), isReduceOnly: true, trigger: { price: '90' }, children: [2, 3] },
}
const order = openOrder(spec)
const trigger = { price: Decimal.of('90'), isMarket: true, tpsl: 'sl' } as const

test('an order told again in the same words is the same', () => {
  expect(isSameOrder(order, order)).toBe(true)
  expect(isSameOrder(order, openOrder(spec))).toBe(true)
  const plain = { ...order, trigger: null }
  expect(isSameOrder(plain, { ...plain, price: Decimal.of('100.0') })).toBe(true)
})

test.each<Partial<OpenOrder>>([
  { coin: coin('SOL') },
  { isBuy: false },
  { price: Decimal.of('101') },
  { size: Decimal.of('0.5') },
  { originalSize: Decimal.of('3') },
  { oid: 9 },
  { cloid: null },
  { at: later(1) },
  { isReduceOnly: false },
  { isPositionTpsl: true },
  { trigger: null },
  { trigger: { ...trigger, price: Decimal.of('91') } },
  { trigger: { ...trigger, isMarket: false } },
  { trigger: { ...trigger, tpsl: 'tp' } },
  { children: [] },
  { children: [2] },
  { children: [2, 3, 4] },
  { children: [3, 2] },
])('one that differs in %o is not', (changed) => {
  const other = { ...order, ...changed }
  expect([isSameOrder(order, other), isSameOrder(other, order)]).toEqual([false, false])
})
