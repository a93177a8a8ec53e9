import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { CoverChange, PositionView, StopsChange } from './accountView.ts'
import type { Cover, Stop } from './stop.ts'
import type { OrderRecords } from './orderRecords.ts'
import type { Promises } from './promises.ts'
import { weakenedAt } from './stopPromise.ts'
import type { StopPromise } from './stopPromise.ts'
import { StopRow } from './stopRow.ts'
import type { Covered } from './stopRow.ts'

const noStops = { long: new StopRow(true), short: new StopRow(false) }

/** What positions are made of, beside their stops. */
export interface Held {
  readonly positions: ReadonlyMap<Coin, PositionView>
  /** The mid, or the mark where there is none. */
  priceOf(coin: Coin): Decimal | null
  /** How far beyond its stop a trade may end, on builder dexes; null elsewhere. */
  gapOf(coin: Coin): Decimal | null
}

/** What stops are to cover, on which side, and what was promised of it. */
interface Facing {
  readonly isLong: boolean
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
    const before = this.#known.get(coin)
    if (before !== undefined) return before
    const isLong = size.isPositive()
    const covered = this.#coveredPart(position)
    const row = this.row(coin, isLong)
    const settled = this.#orders.coin(coin)?.settledStops(isLong) ?? row
    const cover = row.cover(covered)
    const known = settled === row ? cover : riskierOf(cover, settled.cover(covered))
    this.#known.set(coin, known)
    return known
  }

  after(coin: Coin, { removed, added }: StopsChange): CoverChange | null {
    const facing = this.#withFillsToCome(coin)
    if (facing === null) return null
    const { isLong, covered, promise } = facing
    const before = this.row(coin, isLong)
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
      weakenedAt: weakenedAt(change, null),
      brokenAt: weakenedAt(change, promise),
    }
  }

  /**
   * What the stops of a coin are to cover: the position that is shown, and what they themselves tell
   * was filled since. Null when there is neither.
   */
  #withFillsToCome(coin: Coin): Facing | null {
    const orders = this.#orders.coin(coin)
    const position = this.#held.positions.get(coin)
    if (position !== undefined) {
      const isLong = position.size.isPositive()
      const covered = this.#coveredPart(position)
      const early = orders?.earlyStops(isLong) ?? Decimal.zero
      const size = covered.size.plus(early)
      return { isLong, covered: { ...covered, size }, promise: this.#promises.of(position) }
    }
    const price = this.#held.priceOf(coin)
    for (const isLong of [true, false]) {
      const size = orders?.earlyStops(isLong) ?? Decimal.zero
      if (size.isZero() || price === null) continue
      const covered = { size, price, liquidation: null, gap: this.#held.gapOf(coin) }
      return { isLong, covered, promise: null }
    }
    return null
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

/** What all stops cover, at the higher risk of the two. */
function riskierOf(cover: Cover, settled: Cover): Cover {
  return { ...cover, risk: Decimal.max(cover.risk, settled.risk) }
}
