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

/** The past that leads to a market's mid; a frozen market stood still. */
export function pastOf(
  { mid, asset, priceScale, sizeDecimals }: MarketState,
  seed: number,
  startMs: number,
  frozen: boolean,
): Past {
  const walk = new Walk(new Random(seed * 31 + asset), mid, priceScale, sizeDecimals, frozen)
  // It goes back from the price at the start, so that whatever is asked for leads there.
  const end = Math.floor(startMs / minuteMs) * minuteMs
  const minutesFrom = Math.floor((end - minuteDays * dayMs) / dayMs) * dayMs
  const hoursFrom = minutesFrom - (hourlyDays - minuteDays) * dayMs
  const minutes = new Stretch(walk, minutesFrom, end, minuteMs, 400)
  const hours = new Stretch(walk, hoursFrom, minutesFrom, hourMs, 3_000)
  return {
    get last() {
      return minutes.last
    },
    minutes: (fromMs) => minutes.since(fromMs),
    hours: (fromMs) => {
      if (fromMs >= minutesFrom) return []
      // The walk gets there only by way of all the minutes.
      minutes.reach(-Infinity)
      return hours.since(fromMs)
    },
  }
}

/** Candles of one length between two moments, made backwards as far as somebody looks. */
class Stretch {
  readonly #walk: Walk
  readonly #fromMs: number
  readonly #toMs: number
  readonly #lengthMs: number
  readonly #most: number
  /** Newest first. */
  readonly #made: Minute[] = []

  /** A move of the price is at most so many millionths. */
  constructor(walk: Walk, fromMs: number, toMs: number, lengthMs: number, most: number) {
    this.#walk = walk
    this.#fromMs = fromMs
    this.#toMs = toMs
    this.#lengthMs = lengthMs
    this.#most = most
  }

  get last(): Minute {
    this.reach(this.#toMs - this.#lengthMs)
    return this.#made[0] as Minute
  }

  /** Those that open at this moment or later, oldest first. */
  since(fromMs: number): Minute[] {
    this.reach(fromMs)
    const count = this.#made.findIndex(({ openTime }) => openTime < fromMs)
    return this.#made.slice(0, count === -1 ? undefined : count).reverse()
  }

  /** Makes all that open at this moment or later. */
  reach(fromMs: number): void {
    const least = Math.max(fromMs, this.#fromMs)
    for (;;) {
      const openTime = this.#toMs - (this.#made.length + 1) * this.#lengthMs
      if (openTime < least) return
      this.#made.push(this.#walk.candle(openTime, this.#lengthMs, this.#most))
    }
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

  /** The candle before the one it made last; a move is at most so many millionths. */
  candle(openTime: number, lengthMs: number, most: number): Minute {
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
