import type { AssetContext } from '../protocol/decodeMeta.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'

interface MarkTold {
  readonly coin: Coin
  readonly mark: Decimal
  readonly oracle?: Decimal
  readonly at: Millis
}

/** The last mid and the last mark of each coin with their ages, and the last oracle price. */
export class Prices {
  readonly #mids = new Map<Coin, { readonly price: Decimal; readonly at: Millis }>()
  readonly #marks = new Map<Coin, { readonly price: Decimal; readonly at: Millis }>()
  readonly #oracles = new Map<Coin, Decimal>()

  /** Takes mids and names the coins whose price changed. */
  applyMids(mids: ReadonlyMap<Coin, Decimal>, at: Millis): readonly Coin[] {
    const changed: Coin[] = []
    for (const [coin, price] of mids) {
      const known = this.#mids.get(coin)
      if (known === undefined || !known.price.eq(price)) changed.push(coin)
      this.#mids.set(coin, { price, at })
    }
    return changed
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const told of [this.#mids, this.#marks]) {
      for (const [coin, { price, at }] of told) told.set(coin, { price, at: shifted(at, ms) })
    }
  }

  /**
   * Takes a mark, with the oracle price where that is told, and names the coin where the mark is its price:
   * nothing counts at it where there is a mid.
   */
  applyMark({ coin, mark, oracle, at }: MarkTold): readonly Coin[] {
    this.#marks.set(coin, { price: mark, at })
    if (oracle !== undefined) this.#oracles.set(coin, oracle)
    return this.#mids.has(coin) ? [] : [coin]
  }

  /** Takes all that is told of some coins and names those whose price changed. */
  applyContexts(contexts: ReadonlyMap<Coin, AssetContext>, at: Millis): readonly Coin[] {
    const mids = new Map<Coin, Decimal>()
    const changed: Coin[] = []
    for (const [coin, { mark, mid, oracle }] of contexts) {
      const priced = this.applyMark({ coin, mark, oracle, at })
      if (mid === null) changed.push(...priced)
      else mids.set(coin, mid)
    }
    return [...changed, ...this.applyMids(mids, at)]
  }

  mid(coin: Coin): { readonly price: Decimal; readonly at: Millis } | null {
    return this.#mids.get(coin) ?? null
  }

  /** The mid, or the mark where there is none. */
  price(coin: Coin): Decimal | null {
    return this.#mids.get(coin)?.price ?? this.mark(coin)
  }

  mark(coin: Coin): Decimal | null {
    return this.#marks.get(coin)?.price ?? null
  }

  markAt(coin: Coin): Millis | null {
    return this.#marks.get(coin)?.at ?? null
  }

  oracle(coin: Coin): Decimal | null {
    return this.#oracles.get(coin) ?? null
  }
}
