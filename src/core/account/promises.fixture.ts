import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fixtureNow } from './account.fixture.ts'
import type { PositionView } from './accountView.ts'
import type { Promises } from './promises.ts'

/** An ETH position of this signed size. */
export function position(size: string): PositionView {
  return {
    ...{ coin: coin('ETH'), size: Decimal.of(size), entryPrice: Decimal.of('100') },
    ...{ unrealisedPnl: Decimal.zero, leverage: { type: 'isolated', value: 4 } },
    ...{ liquidationPrice: null, since: fixtureNow },
  }
}

/** What was promised for it, tightest first: `2 at 95`, and what was not: `1 bare`. */
export function promised(promises: Promises, size: string): readonly string[] {
  const { stops, rest } = promises.of(position(size))
  const lots = stops.map((lot) => `${lot.size.toString()} at ${lot.trigger.toString()}`)
  return rest.isZero() ? lots : [...lots, `${rest.toString()} bare`]
}
