import { Decimal } from '../../../src/core/values/decimal.ts'
import { floorToGrid } from './grid.ts'
import type { Candles } from './candles.ts'
import { Random } from './random.ts'
import type { MarketState } from './world.ts'

const minuteMs = 60_000
const pastMinutes = 600
const pricesAMinute = 4
const million = 1_000_000n

/**
 * A past for bots that look back before they trade: ten hours of candles that lead to the mid. A
 * frozen market stood still.
 */
export function addPast(market: MarketState, seed: number, startMs: number, frozen: boolean): void {
  const { mid } = market
  market.candles.follow(mid, (past) => {
    fillPast(past, { ...market, mid }, seed, startMs, frozen)
  })
}

function fillPast(
  past: Candles,
  { mid, asset, priceScale, sizeDecimals }: MarketState,
  seed: number,
  startMs: number,
  frozen: boolean,
): void {
  const random = new Random(seed * 31 + asset)
  const prices: Decimal[] = []
  let units = mid.over(new Decimal(1n, priceScale), 0, 'down').units
  for (let back = 0; back < pastMinutes * pricesAMinute; back++) {
    const moved = frozen ? 0 : random.between(-400, 400)
    units += (units * BigInt(moved)) / million
    prices.push(
      back === 0 || frozen ? mid : new Decimal(floorToGrid(units, priceScale), priceScale),
    )
  }
  const lot = new Decimal(1n, sizeDecimals)
  for (let back = prices.length - 1; back >= 0; back--) {
    const price = prices[back] ?? mid
    const value = Decimal.whole(random.between(500, 50_000))
    const size = Decimal.max(lot, value.over(price, sizeDecimals, 'down'))
    const time = startMs - minuteMs - Math.floor((back * minuteMs) / pricesAMinute)
    past.add(time, price, size)
  }
}
