import { expect, test } from 'vitest'
import { fixtureNow } from '../../core/account/account.fixture.ts'
import { allMarkets, dexMarket, dexMarkets } from '../../core/account/builders.fixture.ts'
import { noMarkets } from '../../core/protocol/market.ts'
import type { Markets } from '../../core/protocol/market.ts'
import { coin } from '../../core/values/coin.ts'
import { Alerts } from '../alerts.ts'
import { tellUnlisted } from './tellUnlisted.ts'

/** What is told once each of these lists came, of rules that name markets of three dexes. */
function told(
  lists: readonly Markets[],
  sight: { readonly gone?: string; readonly doubted?: string } = {},
): readonly string[] {
  const alerts = new Alerts()
  const names = ['BTC', 'ETHH', 'xyz:TSLAA', 'xyz:GONE', 'io:OIL']
  const namedMarkets = new Map(names.map((name) => [coin(name), `[market.${name}]`]))
  const dexes = {
    isGone: (dex: string) => dex === sight.gone,
    isListed: (dex: string) => dex !== sight.doubted,
  }
  const deps = { clock: { now: () => fixtureNow }, alerts, namedMarkets, dexes }
  for (const markets of lists) tellUnlisted(deps, markets)
  return alerts.list().map((alert) => `${alert.code} ${alert.coin ?? ''}`)
}
const all = allMarkets(dexMarkets)
const [eth, tesla] = ['market_missing ETHH', 'market_missing xyz:TSLAA']

test.each([
  { what: 'no list', lists: [], is: [] },
  { what: 'an empty list', lists: [noMarkets], is: [] },
  { what: 'the main dex alone', lists: [allMarkets([])], is: [eth] },
  { what: 'the perps of a builder too', lists: [allMarkets([]), all], is: [eth, tesla] },
  { what: 'a dex that is in doubt', lists: [all], sight: { doubted: 'xyz' }, is: [eth] },
  {
    what: 'a dex that is gone',
    lists: [all],
    sight: { gone: 'io' },
    is: [eth, tesla, 'market_missing io:OIL'],
  },
  {
    what: 'it is listed later',
    lists: [all, allMarkets([...dexMarkets, dexMarket('xyz:TSLAA', 110_009)])],
    is: [eth],
  },
  { what: 'what was told stays over an empty list', lists: [all, noMarkets], is: [eth, tesla] },
])('$what', ({ lists, sight, is }) => {
  expect(told(lists, sight)).toEqual(is)
})

test('rules that name no market ask nothing', () => {
  const alerts = new Alerts()
  const dexes = { isGone: () => true, isListed: () => true }
  const deps = { clock: { now: () => fixtureNow }, alerts, namedMarkets: undefined, dexes }
  tellUnlisted(deps, all)
  expect(alerts.list()).toEqual([])
})
