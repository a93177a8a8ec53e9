import { expect, test } from 'vitest'
import { accountWith, fixtureNow, later, venueState } from '../../core/account/account.fixture.ts'
import type { Account } from '../../core/account/account.ts'
import { dexAccount } from '../../core/account/builders.fixture.ts'
import type { AccountMode } from '../../core/protocol/venueState.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { Alerts } from '../alerts.ts'
import { LiquidationWatch } from './liquidationWatch.ts'

const cross = (value: number) => ({ type: 'cross', value }) as const
const mids = { ETH: '2000', 'xyz:TSLA': '400' }

/** A watch over this account, in a world without time. */
function watchOf(account: Account): LiquidationWatch {
  return new LiquidationWatch({
    clock: { now: () => fixtureNow, monotonicMs: () => 0 },
    ...{ account, alerts: new Alerts(), askMarkets: () => undefined },
  } as unknown as ConstructorParameters<typeof LiquidationWatch>[0])
}

/**
 * 1 ETH with 8,000 USD behind it and 2 xyz:TSLA with 200: TSLA keeps 1/20 of what it is worth, so it is
 * liquidated where 600 / 0.95 are left, at 315.79 each. ETH would not be above zero.
 */
function doubt(liquidation: string, more: { mode?: AccountMode; isUntold?: boolean } = {}) {
  const { mode = 'default', isUntold = false } = more
  const positions = {
    ETH: { size: '1', leverage: cross(10) },
    'xyz:TSLA': { size: '2', leverage: cross(10), liquidation },
  }
  const account = dexAccount({ equity: '9000', mids, positions, mode })
  const watch = watchOf(account)
  const on = { accountValue: Decimal.of('200'), crossValue: Decimal.of('200') }
  watch.told({
    ...venueState({ equity: '8200', mids, positions }, fixtureNow + 1),
    ...{ crossValue: Decimal.of('8000'), time: later(1) },
    dexValues: new Map(isUntold ? [] : [['xyz', on]]),
  })
  return watch.doubt
}

test.each([
  ["by what the account has on its dex, the venue's own", '315.789', {}, null],
  ['by what it has there, another one', '305', {}, /^xyz:TSLA: the venue shows .* 315\.789/],
  ['not, while nobody knows what it has there', '305', { isUntold: true }, null],
])('the liquidation price of a cross position on a builder dex is compared %s', (...row) => {
  const [, shown, more, want] = row
  if (want === null) expect(doubt(shown, more)).toBeNull()
  else expect(doubt(shown, more)).toMatch(want)
})

test('margin that the state shows already, though it is still on its way, is counted once', () => {
  const isolated = { type: 'isolated', value: 2 } as const
  const positions = {
    ETH: { size: '1', leverage: cross(10) },
    BTC: { size: '0.15', leverage: isolated },
  }
  const spec = { equity: '10000', mids: { ETH: '2000', BTC: '80000' }, positions }
  const account = accountWith({ ...spec, mode: 'unifiedAccount' })
  const amount = Decimal.of('6000')
  account.reserve('1:0', [{ kind: 'margin', coin: coin('BTC'), amount }], fixtureNow)
  const watch = watchOf(account)
  // The 4,000 USD that are left stand behind 2,000 USD of ETH: the venue shows no price for it.
  watch.told(venueState(spec, fixtureNow + 1))
  expect(watch.doubt).toBeNull()
})
