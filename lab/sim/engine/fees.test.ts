import { expect, test } from 'vitest'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { feeOf } from './fees.ts'

const d = Decimal.of

/** Recorded fills. */
test.each([
  [
    'taker with builder and referral',
    '33.209',
    '0.73',
    '0.00045',
    '0.96',
    10,
    '0.012896',
    '0.002424',
  ],
  ['taker with referral', '21.147', '5.2', '0.00045', '0.96', null, '0.047504', null],
  ['maker', '66653.0', '0.001', '0.00015', '1', null, '0.009997', null],
] as const)('%s', (_, px, sz, rate, discount, tenths, total, builder) => {
  const fee = feeOf(d(px).times(d(sz)), d(rate), d(discount), tenths)
  expect(fee.total.toString()).toBe(total)
  expect(fee.builder?.toString() ?? null).toBe(builder)
})
