import type { Fill, OrderUpdate } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'

interface Late {
  readonly isBuy: boolean
  /** The venue's time of the order's end: a snapshot from then on includes its fills. */
  readonly at: Millis
  missing: Decimal
}

/**
 * Fills that an order's end has announced and that have not come yet. The venue says on one channel
 * that a close was filled and its stops are gone, and on another what was filled: in between, the
 * position only seems to be held, and bare.
 */
export class LateFills {
  readonly #byCoin = new Map<Coin, Map<number, Late>>()

  /** An order ended with this much filled, of which this much has been played. */
  announce(update: OrderUpdate, filled: Decimal, played: Decimal): void {
    const missing = filled.minus(played)
    if (!missing.isPositive()) return
    const ofCoin = this.#byCoin.get(update.coin) ?? new Map<number, Late>()
    ofCoin.set(update.oid, { isBuy: update.isBuy, at: update.at, missing })
    this.#byCoin.set(update.coin, ofCoin)
  }

  /** A fill came: it is one of them, and it tells the position as all that was before it made it. */
  play({ coin, oid, size, at }: Fill): void {
    const ofCoin = this.#byCoin.get(coin)
    if (ofCoin === undefined) return
    for (const [each, late] of ofCoin) {
      if (each === oid) late.missing = late.missing.minus(size)
      if (late.at < at || !late.missing.isPositive()) this.#forget(coin, ofCoin, each)
    }
  }

  /** A snapshot as of this time of the venue's has them all. */
  shownUntil(time: Millis): void {
    for (const [coin, ofCoin] of this.#byCoin) {
      for (const [oid, { at }] of ofCoin) if (at <= time) this.#forget(coin, ofCoin, oid)
    }
  }

  /** What is left of a signed size once they come; they never turn it around or enlarge it. */
  leaves(coin: Coin, size: Decimal): Decimal {
    const isLong = size.isPositive()
    let left = size.abs()
    for (const { isBuy, missing } of this.#byCoin.get(coin)?.values() ?? []) {
      if (isBuy !== isLong) left = left.minus(missing)
    }
    if (!left.isPositive()) return Decimal.zero
    return isLong ? left : left.negated()
  }

  #forget(coin: Coin, ofCoin: Map<number, Late>, oid: number): void {
    ofCoin.delete(oid)
    if (ofCoin.size === 0) this.#byCoin.delete(coin)
  }
}
