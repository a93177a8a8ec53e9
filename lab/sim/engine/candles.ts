import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { gridPrice } from './grid.ts'
import { newestWhile, Ring } from './ring.ts'
import type { CandleInterval, CandleView } from './views.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
/** How many candles of a minute are kept: a week and two hours. */
const keptMinutes = 10_200
const keptHours = 5_000
const hour = 60

/** How many minutes a candle has; a month, at most. */
const minutes: { readonly [Interval in CandleInterval]: number } = {
  '1m': 1,
  '3m': 3,
  '5m': 5,
  '15m': 15,
  '30m': 30,
  '1h': 60,
  '2h': 120,
  '4h': 240,
  '8h': 480,
  '12h': 720,
  '1d': 1440,
  '3d': 4320,
  '1w': 10_080,
  '1M': 31 * 1440,
}

/** A candle of a minute; in the far past, of an hour. */
export interface Minute {
  readonly openTime: number
  readonly open: Decimal
  close: Decimal
  high: Decimal
  low: Decimal
  volume: Decimal
  trades: number
}

/** What was before the start: hours, and behind them minutes up to it. */
export interface Past {
  readonly hours: readonly Minute[]
  readonly minutes: readonly Minute[]
}

/**
 * One-minute candles of a market; longer ones are made of them when asked for. The past before the
 * start is made when somebody first asks for candles, and of the far past there are only hours.
 */
export class Candles {
  private readonly coin: Coin
  private readonly priceScale: number
  private readonly kept = new Ring<Minute>(keptMinutes)
  /** Hours made of the minutes that are no longer kept. */
  private readonly older = new Ring<Minute>(keptHours)
  private openingPrice: Decimal | null = null
  private past: Past = { hours: [], minutes: [] }
  private makePast: (() => Past) | null = null

  constructor(coin: Coin, priceScale: number) {
    this.coin = coin
    this.priceScale = priceScale
  }

  /** A past that ends at this price; it is made when somebody first looks at candles. */
  follow(lastPrice: Decimal, makePast: () => Past): void {
    this.openingPrice = gridPrice(lastPrice, this.priceScale)
    this.makePast = makePast
  }

  /** A price was seen; a trade also has a size. */
  add(time: number, seen: Decimal, size: Decimal | null): void {
    const price = gridPrice(seen, this.priceScale)
    const openTime = Math.floor(time / minuteMs) * minuteMs
    let last = this.kept.last()
    if (last === undefined || last.openTime !== openTime) {
      const open = last?.close ?? this.openingPrice ?? price
      last = { openTime, open, close: open, high: open, low: open, volume: Decimal.zero, trades: 0 }
      const dropped = this.kept.push(last)
      if (dropped !== undefined) this.fold(dropped)
    }
    last.close = price
    last.high = Decimal.max(last.high, price)
    last.low = Decimal.min(last.low, price)
    if (size === null) return
    last.volume = last.volume.plus(size)
    last.trades += 1
  }

  /** Candles that open in the range, oldest first. */
  read(interval: CandleInterval, startMs: number, endMs: number): CandleView[] {
    const made: CandleView[] = []
    for (const minute of this.since(interval, startMs - minutes[interval] * minuteMs)) {
      const [openTime, closeTime] = bounds(interval, minute.openTime)
      if (closeTime < startMs || openTime > endMs) continue
      const last = made.at(-1)
      if (last?.openTime === openTime) made[made.length - 1] = merged(last, minute)
      else made.push({ ...minute, openTime, closeTime, coin: this.coin, interval })
    }
    return made
  }

  /** The candle that a price was last seen in; null where none ever was. */
  newest(interval: CandleInterval): CandleView | null {
    this.lookBack()
    const last = this.kept.last() ?? this.past.minutes.at(-1) ?? this.past.hours.at(-1)
    if (last === undefined) return null
    return this.read(interval, last.openTime, last.openTime).at(-1) ?? null
  }

  /** What candles of this length are made of, oldest first, from a moment on. */
  private since(interval: CandleInterval, fromMs: number): readonly Minute[] {
    this.lookBack()
    const isWanted = ({ openTime }: Minute): boolean => openTime >= fromMs
    const minutesBefore = newestWhile(this.past.minutes, isWanted)
    const minutesSeen = this.kept.newestWhile(isWanted)
    if (minutes[interval] < hour) return [...minutesBefore, ...minutesSeen]
    const hoursBefore = newestWhile(this.past.hours, isWanted)
    return [...hoursBefore, ...minutesBefore, ...this.older.newestWhile(isWanted), ...minutesSeen]
  }

  private lookBack(): void {
    if (this.makePast !== null) this.past = this.makePast()
    this.makePast = null
  }

  private fold(minute: Minute): void {
    const openTime = Math.floor(minute.openTime / hourMs) * hourMs
    const last = this.older.last()
    if (last?.openTime !== openTime) {
      this.older.push({ ...minute, openTime })
      return
    }
    last.close = minute.close
    last.high = Decimal.max(last.high, minute.high)
    last.low = Decimal.min(last.low, minute.low)
    last.volume = last.volume.plus(minute.volume)
    last.trades += minute.trades
  }
}

function merged(candle: CandleView, minute: Minute): CandleView {
  return {
    ...candle,
    close: minute.close,
    high: Decimal.max(candle.high, minute.high),
    low: Decimal.min(candle.low, minute.low),
    volume: candle.volume.plus(minute.volume),
    trades: candle.trades + minute.trades,
  }
}

function bounds(interval: CandleInterval, time: number): [number, number] {
  if (interval === '1M') {
    const at = new Date(time)
    const open = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)
    return [open, Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1) - 1]
  }
  const length = minutes[interval] * minuteMs
  const open = Math.floor(time / length) * length
  return [open, open + length - 1]
}
