import { describe, expect, test } from 'vitest'
import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { feeOf } from './engine/fees.ts'
import { hourlyRate } from './engine/funding.ts'
import { liquidationPrice, withdrawable } from './engine/marginMath.ts'
import { Venue } from './engine/venue.ts'
import { account, alice, d, testConfig } from './engine/venue.fixture.ts'
import { isRecorded, objectsWith, recording, recordings } from './recordings.fixture.ts'

/**
 * Numbers of the live venue, computed again by the engine. The venue computes in binary, so a digit
 * in the sixteenth place is not its own.
 */
const noise = d('0.000000000001')

function isNear(found: Decimal | null | undefined, shown: string | null): boolean {
  if (found === null || found === undefined) return shown === null
  if (shown === null) return false
  const apart = found.minus(d(shown)).abs()
  return apart.lte(Decimal.max(noise, d(shown).abs().times(noise)))
}

/** With so many digits that the venue's own cost of the position comes back. */
function entryOf(position: any): Decimal {
  const profit = d(position.unrealizedPnl)
  const size = d(position.szi)
  const cost = d(position.positionValue).plus(size.isPositive() ? profit.negated() : profit)
  return cost.over(size.abs(), 24, 'half-even')
}

const decimalsOf = (text: string): number => (text.split('.')[1] ?? '').replace(/0+$/, '').length

/** The account of a recorded state, on a venue with its markets, sizes, entries and marks. */
function rebuilt(
  state: any,
  equity: string,
  mode: 'disabled' | 'unifiedAccount',
  entries: readonly Decimal[] = state.assetPositions.map((each: any) => entryOf(each.position)),
): Venue {
  const positions: any[] = state.assetPositions.map(({ position }: any) => position)
  const mark = (position: any): Decimal =>
    d(position.positionValue).over(d(position.szi).abs(), 16, 'half-even')
  return new Venue(
    testConfig({
      markets: positions.map((position) => ({
        coin: coin(position.coin),
        sizeDecimals: 6 - Math.max(1, decimalsOf(position.entryPx)),
        maxLeverage: position.maxLeverage,
        mid: Decimal.one,
        mark: mark(position),
      })),
      accounts: [
        account(alice, equity, {
          mode,
          positions: positions.map((position, index) => ({
            coin: coin(position.coin),
            size: d(position.szi),
            entryPrice: entries[index] ?? Decimal.one,
            leverage: { type: position.leverage.type, value: position.leverage.value },
          })),
        }),
      ],
    }),
  )
}

function expectPositions(venue: Venue, state: any): void {
  const own = venue.perpState(alice).positions
  for (const { position } of state.assetPositions) {
    const found = own.find((each) => each.coin === position.coin)
    const read = {
      entryPx: found?.entryPrice,
      positionValue: found?.positionValue,
      unrealizedPnl: found?.unrealisedPnl,
      returnOnEquity: found?.returnOnEquity,
      liquidationPx: found?.liquidationPrice,
      marginUsed: found?.marginUsed,
    }
    for (const [field, value] of Object.entries(read)) {
      const shown = position[field]
      const what = `${position.coin} ${field}: ${String(value)}, recorded ${String(shown)}`
      expect(isNear(value, shown), what).toBe(true)
    }
  }
}

describe.runIf(isRecorded)('recorded accounts, rebuilt', () => {
  test('a unified account with three cross positions and resting orders', () => {
    const state = recording('dexes/account/perp_unified.json')
    const spot = recording('dexes/account/spot_unified.json')
    const [usdc] = spot.balances
    const venue = rebuilt(state, usdc.total, 'unifiedAccount')
    expectPositions(venue, state)
    expect(isNear(venue.perpState(alice).crossMaintenance, state.crossMaintenanceMarginUsed)).toBe(
      true,
    )
    const own = venue.spotState(alice)
    expect(isNear(own.usdcTotal, usdc.total)).toBe(true)
    const [[, left]] = spot.tokenToAvailableAfterMaintenance
    expect(isNear(own.usdcAvailableAfterMaintenance, left)).toBe(true)
    // Its orders are not recorded: what they reserve is told twice, and both must agree.
    const reserved = d(usdc.hold).minus(own.usdcHold).over(d('1.01'), 4, 'half-even')
    const { accountValue, totalMarginUsed, totalNtlPos } = state.crossMarginSummary
    const kept = d(totalMarginUsed).plus(reserved)
    expect(isNear(withdrawable(d(accountValue), kept, d(totalNtlPos)), state.withdrawable)).toBe(
      true,
    )
  })

  test('a standard account with one isolated position', () => {
    const state = recording('dexes/perps/clearinghouse_isolated_mainnet.json')
    const [{ position }] = state.assetPositions
    // A position begins with its value over its leverage as margin: at a mark where that leaves
    // the recorded cash in it, but for some millionths that are put in then.
    const { value, rawUsd } = position.leverage
    const margin = d(rawUsd)
      .negated()
      .over(Decimal.whole(value - 1), 6, 'up')
    const begun = { positionValue: margin.times(Decimal.whole(value)).toString() }
    const start = { assetPositions: [{ position: { ...position, ...begun } }] }
    const venue = rebuilt(start, '10000', 'disabled', [entryOf(position)])
    const missing = d(rawUsd).plus(margin.times(Decimal.whole(value - 1)))
    const ntli = Number(missing.times(Decimal.whole(1_000_000)).toString())
    venue.apply(alice, { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli })
    const mark = d(position.positionValue).over(d(position.szi), 8, 'half-even')
    venue.setPrice(coin(position.coin), { mid: Decimal.one, mark, oracle: mark })
    const [own] = venue.perpState(alice).positions
    expect(isNear(own?.leverage.rawUsd, rawUsd)).toBe(true)
    expectPositions(venue, state)
  })
})

describe.runIf(isRecorded)('every recorded state', () => {
  const states = isRecorded
    ? recordings().flatMap(({ name, json }) =>
        objectsWith(json, ['marginSummary', 'crossMarginSummary', 'assetPositions']).map(
          (state: any) => ({ name, state }),
        ),
      )
    : []

  test.each(states)('$name: sums and liquidation prices', ({ name, state }) => {
    const { crossMarginSummary: cross, crossMaintenanceMarginUsed: maintenance } = state
    for (const { position } of state.assetPositions) {
      // The venue of 2023 computed its liquidation prices in another way.
      if (position.maxTradeSzs !== undefined || state.withdrawable === undefined) continue
      const size = d(position.szi)
      const value = d(position.positionValue)
      const isCross = position.leverage.type === 'cross'
      const equity = isCross
        ? d(cross.accountValue)
        : d(position.leverage.rawUsd).plus(size.isPositive() ? value : value.negated())
      const kept = isCross
        ? d(maintenance)
        : value.over(Decimal.whole(2 * position.maxLeverage), 16, 'half-even')
      const mark = value.over(size.abs(), 16, 'half-even')
      const found = liquidationPrice(mark, size, equity.minus(kept), position.maxLeverage)
      // The collateral of a unified account is elsewhere: it is rebuilt above.
      if (isCross && name.includes('unified')) continue
      expect(isNear(found, position.liquidationPx), position.coin).toBe(true)
    }
    const raw = d(state.marginSummary.totalRawUsd)
    const isWhole = state.assetPositions.length > 0
    if (!isWhole) expect(raw.eq(d(state.marginSummary.accountValue))).toBe(true)
  })
})

describe.runIf(isRecorded)('recorded fills and funding', () => {
  test('the fee of a fill is cut to millionths; that of several in one row, each by itself', () => {
    const rate = d('0.00034')
    const feeAt = (fill: any): Decimal =>
      feeOf(d(fill.px).times(d(fill.sz)), rate, Decimal.one, null).total
    const [single] = recording('dexes/account/user_fills_liquidated_mainnet.json')
    expect(feeAt(single).toString()).toBe(single.fee)
    for (const several of recording('dexes/account/fills_closed_mainnet.json')) {
      const cut = feeAt(several).minus(d(several.fee))
      expect(!cut.isNegative() && cut.lt(d('0.0001'))).toBe(true)
    }
  })

  test('the profit of a fill is told from an entry price with the decimals of a price', () => {
    const decimals: Record<string, number> = { SOL: 4, NEAR: 5 }
    const fills: any[] = [
      ...recording('dexes/account/user_fills_liquidated_mainnet.json'),
      ...recording('dexes/account/fills_closed_mainnet.json'),
    ]
    for (const { coin: name, px, sz, closedPnl } of fills) {
      const entry = d(px).minus(d(closedPnl).over(d(sz), 16, 'half-even'))
      const shown = entry.rounded(decimals[name] ?? 0, 'half-even')
      expect(entry.minus(shown).abs().lt(d('0.00000001')), `${name} ${entry.toString()}`).toBe(true)
    }
  })

  test('the hourly rate of each recorded premium', () => {
    const rows: any[] = recording('dexes/perps/funding_history_btc_mainnet.json')
    expect(rows.length).toBeGreaterThan(0)
    for (const { premium, fundingRate } of rows) {
      expect(hourlyRate(d(premium)).toString()).toBe(d(fundingRate).normalised().toString())
    }
  })
})

test.skipIf(isRecorded)('the recordings do not lie beside this repository: skipped', () => {
  expect(isRecorded).toBe(false)
})
