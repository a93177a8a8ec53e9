import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { CoverChange, PositionView, StopsChange } from './accountView.ts'
import type { Cover, Stop } from './stop.ts'
import type { OrderRecords } from './orderRecords.ts'
import type { Promises } from './promises.ts'
import { loosens, weakenedAt } from './stopPromise.ts'
import type { StopPromise } from './stopPromise.ts'
import { nothingLent, raisedBetween, risksBy } from './coveringStops.ts'
import type { Covered, CoveringStops, Lent } from './coveringStops.ts'
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

  /** How much of the stops may cover something else than the position that is shown. */
  lent(coin: Coin, isLong: boolean): Lent {
    return this.#orders.coin(coin)?.lentStops(isLong) ?? nothingLent
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
    const cover = this.row(coin, isLong).cover(covered, this.lent(coin, isLong))
    this.#known.set(coin, cover)
    return cover
  }

  /** USD that the position risks more once entries have taken every stop beyond its size. */
  spareRisk(coin: Coin): Decimal {
    const position = this.#held.positions.get(coin)
    if (position === undefined) return Decimal.zero
    const isLong = position.size.isPositive()
    const [covered, lent] = [this.#coveredPart(position), this.lent(coin, isLong)]
    const { risk } = this.row(coin, isLong).all.coverWithoutSpare(covered, lent)
    return risk.minus(this.#coverOf(position).risk)
  }

  /** A position of one side, and fills of the other that are still to be shown: whatever is worse. */
  after(coin: Coin, change: StopsChange): CoverChange | null {
    const [long, short] = [
      this.#sideAfter(coin, true, change),
      this.#sideAfter(coin, false, change),
    ]
    if (long === null || short === null) return long ?? short
    return isWorse(short, long) ? short : long
  }

  #sideAfter(coin: Coin, isLong: boolean, change: StopsChange): CoverChange | null {
    const toCover = this.#toCover(coin, isLong)
    if (toCover === null) return null
    const { covered, promise } = toCover
    const before = this.row(coin, isLong).all
    // One of the other side, or whose cancel is on its way, is not in the row: nothing goes with it.
    const removed = change.removed.flatMap((oid) => {
      const stop = this.#orders.life(oid)?.workingStop ?? null
      return stop === null || stop.isBuy === isLong ? [] : [stop]
    })
    const added = change.added.filter(({ isBuy }) => isBuy !== isLong)
    const isModify = change.kind === 'modify'
    if (isModify && !loosens(before, { removed, added })) return noRise
    let after = before
    for (const stop of removed) after = after.without(stop)
    for (const stop of added) after = after.with(stop)
    const bare = after.bareOf(covered)
    if (bare.gt(before.bareOf(covered))) return { kind: 'bared', size: bare }
    const exchange = { before, after, position: covered, removed }
    const at = weakenedAt(exchange, isModify ? null : promise)
    return at === null ? this.#riskAfter(coin, before, after) : { kind: 'weakened', at }
  }

  /** What a change of the stops makes of the risk of the position that is shown. */
  #riskAfter(coin: Coin, before: CoveringStops, after: CoveringStops): CoverChange {
    const position = this.#held.positions.get(coin)
    if (position?.size.isPositive() !== before.isLong) return noRise
    const covered = this.#coveredPart(position)
    const was = { alone: before.cover(covered).risk, counted: this.#coverOf(position).risk }
    const is = risksBy(after, covered, this.lent(coin, before.isLong))
    return {
      kind: 'kept',
      raised: raisedBetween(was, is),
      counted: is.counted.minus(was.counted),
    }
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
      const promise = this.#promises.of(position, covered.size)
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
    return this.row(coin, position.size.isPositive()).guardsBeyond(trigger, limits.tidiedStopsMax)
  }

  promise(coin: Coin): StopPromise | null {
    const position = this.#held.positions.get(coin)
    if (position === undefined) return null
    return this.#promises.of(position, this.#coveredPart(position).size)
  }

  recordedStop(coin: Coin): Decimal | null {
    const position = this.#held.positions.get(coin)
    return position === undefined ? null : this.#promises.coverOf(position)
  }

  /** Takes note of what covers now: Guard's own stop is a promise where there was none. */
  follow(): void {
    for (const [coin, position] of this.#held.positions) {
      const row = this.row(coin, position.size.isPositive())
      const { size } = this.#coveredPart(position)
      this.#promises.follow(position, size, row, this.#coverOf(position))
    }
  }
}

const noRise: CoverChange = { kind: 'kept', raised: Decimal.zero, counted: Decimal.zero }

/** A change that bares something comes before one that weakens something, and that before any other. */
function isWorse(change: CoverChange, than: CoverChange): boolean {
  if (change.kind === 'bared') return than.kind !== 'bared' || change.size.gt(than.size)
  if (than.kind !== 'kept') return false
  return change.kind === 'weakened' || change.raised.gt(than.raised)
}
