import { describe, expect, test } from 'vitest'
import { market } from '../account/account.fixture.ts'
import { Decimal } from '../values/decimal.ts'
import { maintenanceOf, partsOfUsd, partsOver } from './maintenance.ts'

const tier = (lowerBound: string, maxLeverage: number) => ({
  lowerBound: Decimal.of(lowerBound),
  maxLeverage,
})
const spec = { coin: 'BTC', asset: 0, sizeDecimals: 5, maxLeverage: 40 }

describe('the maintenance of a position', () => {
  test.each([
    ['flat', [tier('0', 40)], '80000', '1000'],
    ['no tiers at all', [], '80000', '1000'],
    // The venue reference, 1.2: 200M of BTC, and what was measured in a second band.
    ['a second tier', [tier('0', 40), tier('150000000', 20)], '200000000', '3125000'],
    ['measured', [tier('0', 40), tier('10000', 25), tier('50000', 10)], '12073.655', '166.4731'],
    ['at a bound', [tier('0', 40), tier('10000', 25)], '10000', '125'],
    ['nothing', [tier('0', 40)], '0', '0'],
  ])('%s', (_, tiers, value, want) => {
    const amount = maintenanceOf(market({ ...spec, tiers }), Decimal.of(value))
    expect(amount.eq(Decimal.of(want).times(partsOfUsd))).toBe(true)
  })

  test('a sixth of a value is exact, and what no part can hold is rounded up', () => {
    const third = market({ ...spec, maxLeverage: 3, tiers: [tier('0', 3)] })
    const [one, two] = ['100', '200'].map((value) => maintenanceOf(third, Decimal.of(value)))
    expect(one?.plus(two ?? Decimal.zero).eq(Decimal.of('50').times(partsOfUsd))).toBe(true)
    expect(partsOver(53).times(Decimal.whole(53)).gt(partsOfUsd)).toBe(true)
  })
})
