import { expect, test } from 'vitest'
import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { guardStop, long, stopAt, venueWith } from './oracleParts.fixture.ts'
import { user } from './keys.ts'
import { checkNoIdleStops } from './venueOracle.ts'

/** Which of Guard's own stops count as needed; `rules.test.ts` breaks the rule once. */

const otherGuardStop = guardStop.replace(/1$/, '2')

/** Two of Guard's stops that each cover all, and sell at 3,700 USD or more. */
const twins = [guardStop, otherGuardStop].map((c) => ({ ...stopAt('3900', '1', c), p: '3700' }))

test('of two stops for the same position neither is idle once the price has jumped over their limits', () => {
  const options = { triggeredMarketWithoutMatch: 'rest' }
  const { venue } = venueWith({ ...long('1'), orders: twins }, { options })
  const check = (): void => {
    checkNoIdleStops(venue, user)
  }
  expect(check).toThrow('idle_stop')
  venue.setPrice(coin('ETH'), { mid: Decimal.of('3600') })
  expect(venue.openOrders(user)).toHaveLength(2)
  expect(check).not.toThrow()
})
