import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { CoverChange, PositionView, StopsChange } from './accountView.ts'
import type { Cover, Stop } from './stop.ts'
import type { OrderRecords } from './orderRecords.ts'
import type { Promises } from './promises.ts'
import { weakenedAt } from './stopPromise.ts'
import type { StopPromise } from './stopPromise.ts'
import { nothingLent } from './coveringStops.ts'
import type { Covered, CoveringStops } from './coveringStops.ts'
import { StopRow } from './stopRow.ts'

const noStops = { long: new StopRow(true), short: new StopRow(false) }

/** What positions are made of, beside their stops. */
export interface Held {
  readonly positions: ReadonlyMap<Coin, PositionView>
  /** The mid, or the mark where there is none. */
  priceOf(coin: Coin): Decimal | null
  /** How far beyond its stop a trade may end, on builder dexes; null elsewhere. */
  gapOf(coin: Coin): Decimal | null
}

/** What the stops of a side are to cover, and what was promised of it. */
interface ToCover {
  readonly covered: Covered
  readonly promise: StopPromise | null
}

/** Which stops cover the positions, now and after a change, and what was promised of them. */
export class Covers {
  readonly #held: Held
  readonly #orders: OrderRecords
  readonly #promises: Promises
  readonly #known = new Map<Coin, Cover>()

  constructor(held: Held, orders: OrderRecords, promises: Promises) {
    this.#held = held
    this.#orders = orders
    this.#promises = promises
  }

  /** Something of the coin changed. */
  forget(coin: Coin): void {
    this.#known.delete(coin)
  }

  row(coin: Coin, isLong: boolean): StopRow {
    return this.#orders.coin(coin)?.stops(isLong) ?? (isLong ? noStops.long : noStops.short)
  }

  /** The position as its stops see it: without what was filled and not told yet. */
  covered(coin: Coin): Covered | null {
    const position = this.#held.positions.get(coin)
    return position === undefined ? null : this.#coveredPart(position)
  }

  #coveredPart(position: PositionView): Covered {
    const { coin } = position
    const size = this.#orders.coin(coin)?.withLateFills(position.size) ?? position.size.abs()
    const price = this.#held.priceOf(coin) ?? position.entryPrice
    const liquidation = position.liquidationPrice
    return { size, price, liquidation, gap: this.#held.gapOf(coin) }
  }

  of(coin: Coin): Cover | null {
    const position = this.#held.positions.get(coin)
    return position === undefined ? null : this.#coverOf(position)
  }

  #coverOf(position: PositionView): Cover {
    const { coin, size } = position
    const known = this.#known.get(coin)
    if (known !== undefined) return known
    const isLong = size.isPositive()
    const covered = this.#coveredPart(position)
    const lent = this.#orders.coin(coin)?.lentStops(isLong)
    const cover = this.row(coin, isLong).cover(covered, lent)
    this.#known.set(coin, cover)
    return cover
  }

  /** USD that the position risks more once entries have taken every stop beyond its size. */
  spareRisk(coin: Coin): Decimal {
    const position = this.#held.positions.get(coin)
    if (position === undefined) return Decimal.zero
    const isLong = position.size.isPositive()
    const lent = this.#orders.coin(coin)?.lentStops(isLong)
    const { risk } = this.row(coin, isLong).all.coverWithoutSpare(this.#coveredPart(position), lent)
    return risk.minus(this.#coverOf(position).risk)
  }

  after(coin: Coin, change: StopsChange): CoverChange | null {
    const changes = [true, false].flatMap((isLong) => this.#sideAfter(coin, isLong, change) ?? [])
    const [first, second] = changes
    if (first === undefined || second === undefined) return first ?? null
    // A position of one side, and fills of the other that are still to be shown: whatever is worse.
    return uncoveredBy(second).gt(uncoveredBy(first)) ? second : first
  }

  #sideAfter(
    coin: Coin,
    isLong: boolean,
    { removed, added, kind }: StopsChange,
  ): CoverChange | null {
    const toCover = this.#toCover(coin, isLong)
    if (toCover === null) return null
    const { covered, promise } = toCover
    const before = this.row(coin, isLong).all
    let after = before
    const gone: Decimal[] = []
    for (const oid of removed) {
      // One of the other side, or whose cancel is on its way, is not in the row: nothing goes with it.
      const stop = this.#orders.life(oid)?.workingStop ?? null
      if (stop === null) continue
      after = after.without(stop)
      gone.push(stop.trigger)
    }
    for (const stop of added) if (stop.isBuy !== isLong) after = after.with(stop)
    const change = { before, after, position: covered, removed: gone }
    return {
      before: before.cover(covered),
      after: after.cover(covered),
      counted: this.#riskRaised(after, coin, removed),
      weakenedAt: weakenedAt(change, kind === 'cancel' ? promise : null),
    }
  }

  /** USD that the position which is shown would risk more, as it is counted, by these stops and without some orders. */
  #riskRaised(after: CoveringStops, coin: Coin, removed: readonly number[]): Decimal {
    const position = this.#held.positions.get(coin)
    const { isLong } = after
    if (position?.size.isPositive() !== isLong) return Decimal.zero
    const { lent, unexplained } = this.#orders.coin(coin)?.lentStops(isLong) ?? nothingLent
    let left = lent
    for (const oid of removed) {
      const entry = this.#orders.entryOf(oid)
      if (entry?.isBuy === isLong) left = left.minus(entry.size)
    }
    const { risk } = after.cover(this.#coveredPart(position), { lent: left, unexplained })
    return risk.minus(this.#coverOf(position).risk)
  }

  /**
   * What the stops of a side are to cover: the position that is shown, and what stops that work already
   * tell was filled since, each promised at its own trigger. Null when there is neither.
   */
  #toCover(coin: Coin, isLong: boolean): ToCover | null {
    const orders = this.#orders.coin(coin)
    const early = orders?.earlyStops(isLong) ?? Decimal.zero
    const position = this.#held.positions.get(coin)
    if (position?.size.isPositive() === isLong) {
      const covered = this.#coveredPart(position)
      const promise = this.#promises.of(position)
      if (early.isZero() || orders === null) return { covered, promise }
      const stops = [...promise.stops, ...orders.earlyPromises(isLong)]
      const size = covered.size.plus(early)
      return { covered: { ...covered, size }, promise: { ...promise, stops } }
    }
    if (early.isZero()) return null
    const price = this.#held.priceOf(coin) ?? Decimal.zero
    const gap = this.#held.gapOf(coin)
    return { covered: { size: early, price, liquidation: null, gap }, promise: null }
  }

  guardStopsBeyond(coin: Coin, trigger: Decimal): readonly Stop[] {
    const position = this.#held.positions.get(coin)
    if (position === undefined) return []
    return this.row(coin, position.size.isPositive()).guardsBeyond(trigger, limits.flattenBatchMax)
  }

  promise(coin: Coin): StopPromise | null {
    const position = this.#held.positions.get(coin)
    return position === undefined ? null : this.#promises.of(position)
  }

  recordedStop(coin: Coin): Decimal | null {
    const position = this.#held.positions.get(coin)
    return position === undefined ? null : this.#promises.tightestOf(position)
  }

  /** Takes note of what covers now: Guard's own stop is a promise where there was none. */
  follow(): void {
    for (const [coin, position] of this.#held.positions) {
      const row = this.row(coin, position.size.isPositive())
      this.#promises.follow(position, row, this.#coverOf(position))
    }
  }
}

/** How much more of it would be without a stop. */
function uncoveredBy({ before, after }: CoverChange): Decimal {
  return after.uncovered.minus(before.uncovered)
}
