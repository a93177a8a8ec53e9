import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ago,
  grouped,
  leftOf,
  money,
  percent,
  plain,
  shareForDrawing,
  signedMoney,
} from '../../src/monitor/page/format.ts'

test.each([
  ['1234567.891', 2, '1,234,567.89'],
  ['0.005', 2, '0.01'],
  ['-0.004', 2, '0.00'],
  ['-1234.5', 0, '−1,235'],
  ['999.999', 2, '1,000.00'],
  ['0', 0, '0'],
])('%s to %i places is %s', (text, places, shown) => {
  expect(grouped(text, places)).toBe(shown)
})

test.each([
  [money('9824.24'), '$9,824.24'],
  [money('-5'), '−$5.00'],
  [money(null), '–'],
  [signedMoney('10'), '+$10.00'],
  [signedMoney('-86.91'), '−$86.91'],
  [percent('0.0176'), '1.76%'],
  [percent('-0.5'), '−50.00%'],
  [percent('0.00000001', 1), '0.0%'],
  [plain('84199.5'), '84,199.5'],
  [plain('0.2175'), '0.2175'],
  [leftOf('0.0176', '0.03'), '0.0124'],
  [leftOf('7', '6.5'), '0.0'],
  [leftOf(null, '1'), null],
  [ago(59_999), '59 s'],
  [ago(3_600_000), '1 h'],
  [shareForDrawing('3', '6'), 50],
  [shareForDrawing('9', '6'), 100],
  [shareForDrawing('1', '0'), null],
])('%s is %s', (shown, expected) => {
  expect(shown).toBe(expected)
})

test('grouping changes no digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (units) => {
      const text = `${units / 100n}.${String(units % 100n).padStart(2, '0')}`
      expect(grouped(text, 2).replaceAll(',', '')).toBe(text)
    }),
  )
})
