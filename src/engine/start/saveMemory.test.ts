import { expect, test } from 'vitest'
import type { Account } from '../../core/account/account.ts'
import type { Market, Markets } from '../../core/protocol/market.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { EventReader, JournalHistory } from '../ports.ts'
import { VenueMemoryKeeper } from './saveMemory.ts'

const market = (name: string, asset: number, dex?: string): Market => ({
  ...{ asset, coin: coin(name), sizeDecimals: 2, maxLeverage: 10, tiers: [] },
  ...{ isDelisted: false, onlyIsolated: false },
  ...(dex === undefined
    ? {}
    : { builder: { dex, isPaidInUsdc: true, feeScale: Decimal.one, isGrowth: false } }),
})
const listOf = (...markets: Market[]): Markets => ({
  byAsset: new Map(markets.map((each) => [each.asset, each])),
  byCoin: new Map(markets.map((each) => [each.coin, each])),
})

test('what is known of builder dexes is on disk as soon as it is known', async () => {
  const account = {
    ...{ mode: 'disabled', positions: new Map(), venueTime: null as number | null },
    markets: listOf(market('ETH', 0)),
  }
  const saved: string[] = []
  const history = {
    saveSnapshot: (name: string, _seq: number, state: unknown) => {
      saved.push(`${name} ${JSON.stringify(state).includes('xyz:TSLA')}`)
      return Promise.resolve()
    },
  } as unknown as JournalHistory
  const keeper = new VenueMemoryKeeper()
  const dexes = { touched: [] as string[] }
  const tick = async (): Promise<void> => {
    keeper.tick({
      ...{ history, reader: { lastSeq: 1 } as EventReader },
      ...{ account: account as unknown as Account, dexes },
    })
    await Promise.resolve()
  }
  await tick()
  account.venueTime = 5
  await tick()
  expect(saved).toEqual([])
  account.markets = listOf(market('ETH', 0), market('xyz:TSLA', 110_000, 'xyz'))
  await tick()
  await tick()
  expect(saved).toEqual(['venue true'])
  account.markets = listOf(market('ETH', 0), market('xyz:TSLA', 110_000, 'xyz'))
  await tick()
  expect(saved).toHaveLength(1)
  dexes.touched = ['xyz']
  await tick()
  await tick()
  expect(saved).toHaveLength(2)
})
