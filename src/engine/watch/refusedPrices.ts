import { dexOf } from '../../core/protocol/coinKind.ts'
import type { Coin } from '../../core/values/coin.ts'
import { refusalKind } from '../../core/venueLimits/refusal.ts'

/**
 * The coins whose stop the venue refused for its price: it cannot protect, and their positions are closed
 * instead. No other refusal is a reason for that.
 */
export class RefusedPrices {
  /** Both with the id that the refused stop had. */
  readonly #refused = new Map<Coin, number>()
  readonly #unclear = new Map<Coin, number>()

  get coins(): ReadonlySet<Coin> {
    return new Set(this.#refused.keys())
  }

  /**
   * A stop with this id was refused; returns whether for its price. On a builder dex the id may be another
   * perp's, and words that nobody knows may mean anything: of these only a second refusal in a row counts.
   */
  refused(coin: Coin, text: string, asset: number): boolean {
    const kind = refusalKind(text)
    if (kind !== 'stop_price' && kind !== 'unknown') return false
    const isClear = kind === 'stop_price' && dexOf(coin) === ''
    const isRefused = isClear || this.#unclear.get(coin) === asset
    const where = isRefused ? this.#refused : this.#unclear
    where.set(coin, asset)
    return isRefused
  }

  /** Whether its next refusal may have the position closed. */
  isUnclear(coin: Coin): boolean {
    return this.#unclear.has(coin)
  }

  /** The venue took a stop of this coin: what it refused before counts no more. */
  taken(coin: Coin): void {
    this.#refused.delete(coin)
    this.#unclear.delete(coin)
  }

  /** Forgets positions that are gone, and what was refused under another id than the coin has. */
  keepOnly(isOpen: (coin: Coin) => boolean, assetOf: (coin: Coin) => number | null): void {
    for (const ids of [this.#refused, this.#unclear]) {
      for (const [coin, id] of ids) if (!isOpen(coin) || id !== assetOf(coin)) ids.delete(coin)
    }
  }
}
