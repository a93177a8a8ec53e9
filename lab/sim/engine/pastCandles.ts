import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Minute, Past } from './candles.ts'
import { gridPrice } from './grid.ts'
import { Random } from './random.ts'
import type { MarketState } from './world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** How far back the past goes by the hour, and by the minute. */
const hourlyDays = 201
const minuteDays = 7
const million = 1_000_000n

/** How to make the past that leads to a market's mid; a frozen market stood still. */
export function pastOf(
  market: MarketState,
  seed: number,
  startMs: number,
  frozen: boolean,
): () => Past {
  const { mid, asset, priceScale, sizeDecimals } = market
  return () => {
    const walk = new Walk(new Random(seed * 31 + asset), mid, priceScale, sizeDecimals, frozen)
    // It goes back from the price at the start, so that whatever is asked for leads there.
    const end = Math.floor(startMs / minuteMs) * minuteMs
    const minutesFrom = Math.floor((end - minuteDays * dayMs) / dayMs) * dayMs
    const hoursFrom = minutesFrom - (hourlyDays - minuteDays) * dayMs
    const minutes = walk.back(minutesFrom, end, minuteMs, 400)
    return { hours: walk.back(hoursFrom, minutesFrom, hourMs, 3_000), minutes }
  }
}

/** A price that wanders backwards from the last one, a candle at a time. */
class Walk {
  readonly #random: Random
  readonly #priceScale: number
  readonly #sizeDecimals: number
  readonly #frozen: boolean
  readonly #mid: Decimal
  #units: bigint
  #first = true

  constructor(
    random: Random,
    mid: Decimal,
    priceScale: number,
    sizeDecimals: number,
    frozen: boolean,
  ) {
    this.#random = random
    this.#priceScale = priceScale
    this.#sizeDecimals = sizeDecimals
    this.#frozen = frozen
    this.#mid = mid
    this.#units = mid.over(new Decimal(1n, priceScale), 0, 'down').units
  }

  /** Candles of this length over the time, oldest first; a move is at most so many millionths. */
  back(fromMs: number, toMs: number, lengthMs: number, most: number): Minute[] {
    const made: Minute[] = []
    for (let openTime = toMs - lengthMs; openTime >= fromMs; openTime -= lengthMs) {
      made.push(this.#candle(openTime, lengthMs, most))
    }
    return made.reverse()
  }

  #candle(openTime: number, lengthMs: number, most: number): Minute {
    const close = this.#price()
    const turns = [this.#step(most), this.#step(most), this.#step(most)]
    const open = this.#price()
    const prices = [open, close, ...turns]
    const high = prices.reduce((left, right) => Decimal.max(left, right))
    const low = prices.reduce((left, right) => Decimal.min(left, right))
    const trades = this.#random.between(1, 40) * (lengthMs / minuteMs)
    const value = Decimal.whole(this.#random.between(2_000, 200_000) * (lengthMs / minuteMs))
    const lot = new Decimal(1n, this.#sizeDecimals)
    const volume = Decimal.max(lot, value.over(close, this.#sizeDecimals, 'down'))
    return { openTime, open, close, high, low, volume, trades }
  }

  #step(most: number): Decimal {
    const moved = this.#frozen ? 0 : this.#random.between(-most, most)
    this.#units += (this.#units * BigInt(moved)) / million
    if (this.#units < 1n) this.#units = 1n
    this.#first = false
    return this.#price()
  }

  #price(): Decimal {
    const isMid = this.#frozen || this.#first
    return gridPrice(
      isMid ? this.#mid : new Decimal(this.#units, this.#priceScale),
      this.#priceScale,
    )
  }
}
