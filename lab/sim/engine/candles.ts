import type { Coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { gridPrice } from './grid.ts'
import { Ring } from './ring.ts'
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

/** What was before the start: hours, and behind them minutes up to it; made as far back as somebody looks. */
export interface Past {
  readonly last: Minute
  /** Its hours from a moment on, oldest first. */
  hours(fromMs: number): readonly Minute[]
  /** Its minutes from a moment on, oldest first. */
  minutes(fromMs: number): readonly Minute[]
}

/**
 * One-minute candles of a market; longer ones are made of them when asked for. Of the far past there
 * are only hours.
 */
export class Candles {
  private readonly coin: Coin
  private readonly priceScale: number
  private readonly kept = new Ring<Minute>(keptMinutes)
  /** Hours made of the minutes that are no longer kept. */
  private readonly older = new Ring<Minute>(keptHours)
  private openingPrice: Decimal | null = null
  private past: Past | null = null

  constructor(coin: Coin, priceScale: number) {
    this.coin = coin
    this.priceScale = priceScale
  }

  /** A past that ends at this price. */
  follow(lastPrice: Decimal, past: Past): void {
    this.openingPrice = gridPrice(lastPrice, this.priceScale)
    this.past = past
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
    let within: Minute[] = []
    let end = -Infinity
    for (const minute of this.since(interval, startMs - minutes[interval] * minuteMs)) {
      if (minute.openTime > end) {
        if (within.length > 0) made.push(this.joined(interval, within))
        within = []
        end = bounds(interval, minute.openTime)[1]
      }
      within.push(minute)
    }
    if (within.length > 0) made.push(this.joined(interval, within))
    return made.filter(({ openTime, closeTime }) => closeTime >= startMs && openTime <= endMs)
  }

  /** The candle that a price was last seen in; null where none ever was. */
  newest(interval: CandleInterval): CandleView | null {
    const last = this.kept.last() ?? this.past?.last
    if (last === undefined) return null
    return this.joined(interval, this.since(interval, bounds(interval, last.openTime)[0]))
  }

  /** What candles of this length are made of, oldest first, from a moment on. */
  private since(interval: CandleInterval, fromMs: number): readonly Minute[] {
    const isWanted = ({ openTime }: Minute): boolean => openTime >= fromMs
    const minutesBefore = this.past?.minutes(fromMs) ?? []
    const minutesSeen = this.kept.newestWhile(isWanted)
    if (minutes[interval] < hour) return [...minutesBefore, ...minutesSeen]
    const hoursBefore = this.past?.hours(fromMs) ?? []
    return [...hoursBefore, ...minutesBefore, ...this.older.newestWhile(isWanted), ...minutesSeen]
  }

  /** One candle of all these, oldest first; it opens and closes with whole intervals. */
  private joined(interval: CandleInterval, within: readonly Minute[]): CandleView {
    const [first, last] = [within[0] as Minute, within.at(-1) as Minute]
    const [openTime, closeTime] = bounds(interval, first.openTime)
    let { high, low, volume, trades } = first
    for (let at = 1; at < within.length; at += 1) {
      const minute = within[at] as Minute
      high = Decimal.max(high, minute.high)
      low = Decimal.min(low, minute.low)
      volume = volume.plus(minute.volume)
      trades += minute.trades
    }
    const prices = { open: first.open, close: last.close, high, low }
    return { ...prices, volume, trades, openTime, closeTime, coin: this.coin, interval }
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
