import type { Fill } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { PositionView } from './accountView.ts'
import type { CoveringStop, OwnStop, PromisedStop } from './stopPromise.ts'

/** What the records of the earlier run tell of the stops of one position. */
interface Earlier {
  readonly isLong: boolean
  /** Guard's own stops that were decided on, oldest first. */
  readonly stops: readonly PromisedStop[]
  /** Stops that have covered all of it, each with the size it had then. */
  readonly covers: readonly PromisedStop[]
  /** What filled until then was known when the last of them was noted. */
  readonly at: number
}

type Dated<T> = T & { readonly at: number }

/** The same as plain values, for the next start. */
export interface EarlierRecord {
  /** Guard's own stops that records later than the saved memory tell of, oldest first, and when each was. */
  readonly own?: readonly Dated<OwnStop>[]
  /** What such records tell of stops that covered all of a position, in the same way. */
  readonly covering?: readonly Dated<CoveringStop>[]
}

/** Of one position so many of either kind are kept, the latest. */
const keptMax = 64

/**
 * What the records of an earlier run tell of the stops of its positions, beyond the memory that it
 * saved: until a later fill, or a state of the account, shows that a position has ended.
 */
export class EarlierStops {
  readonly #positions = new Map<Coin, Earlier>()

  note(own: readonly Dated<OwnStop>[], covers: readonly Dated<CoveringStop>[]): void {
    const all = [...own, ...covers].sort((left, right) => left.at - right.at)
    for (const stop of all) {
      const { coin, isLong, trigger, size, at } = stop
      // One of Guard's own for a whole position begins a new one: what was before is over.
      const isNew = 'isWhole' in stop && stop.isWhole
      const before = isNew ? null : this.of(coin, isLong)
      const [stops, covering] = [before?.stops ?? [], before?.covers ?? []]
      const added = { trigger, size }
      this.#positions.set(
        coin,
        'isWhole' in stop
          ? { isLong, at, covers: covering, stops: [...stops, added].slice(-keptMax) }
          : { isLong, at, stops, covers: [...covering, added].slice(-keptMax) },
      )
    }
  }

  /** The same for the start after this one, should this run end before it has saved more. */
  record(): EarlierRecord {
    const all = [...this.#positions].map(([coin, each]) => ({ ...each, coin }))
    if (all.length === 0) return {}
    return {
      own: all.flatMap(({ coin, isLong, at, stops }) =>
        stops.map((stop) => ({ ...stop, coin, isLong, at, isWhole: false })),
      ),
      covering: all.flatMap(({ coin, isLong, at, covers }) =>
        covers.map((cover) => ({ ...cover, coin, isLong, at })),
      ),
    }
  }

  /** Null where nothing is known of a position on this side. */
  of(coin: Coin, isLong: boolean): Earlier | null {
    const known = this.#positions.get(coin)
    return known?.isLong === isLong ? known : null
  }

  /** A fill has begun a position or ended one. */
  renewed({ coin, at }: Fill): void {
    if (at > (this.#positions.get(coin)?.at ?? 0)) this.#positions.delete(coin)
  }

  /** The positions as a state shows them: nothing has covered more of one than is left. */
  settle(positions: ReadonlyMap<Coin, PositionView>): void {
    for (const [coin, known] of [...this.#positions]) {
      const size = positions.get(coin)?.size
      if (size?.isPositive() !== known.isLong) this.#positions.delete(coin)
      else if (known.covers.some((cover) => cover.size.gt(size.abs()))) {
        const covers = known.covers.map((cover) => {
          return { ...cover, size: Decimal.min(cover.size, size.abs()) }
        })
        this.#positions.set(coin, { ...known, covers })
      }
    }
  }
}
