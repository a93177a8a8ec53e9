import { dexOf } from '../protocol/coinKind.ts'
import type { ClearinghouseState, Leverage } from '../protocol/venueState.ts'
import type { Available } from './accountView.ts'
import type { Coin } from '../values/coin.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'

/** A coin's leverage setting, and when it was seen. */
export interface SeenLeverage {
  readonly leverage: Leverage
  readonly at: Millis
}

/** The leverage settings of coins, with a position or not. */
export class Leverages {
  readonly #seen = new Map<Coin, SeenLeverage>()
  readonly #available = new Map<Coin, Available>()

  set(coin: Coin, leverage: Leverage, at: Millis): void {
    const before = this.#seen.get(coin)?.leverage
    // What is left for orders was told for the setting of then.
    if (before?.type !== leverage.type || before.value !== leverage.value) {
      this.#available.delete(coin)
    }
    this.#seen.set(coin, { leverage, at })
  }

  /** A state tells those of its positions; a part of it that was told before is no news. */
  applyState({ positions, dexTimes }: ClearinghouseState, at: Millis): void {
    for (const { coin, leverage } of positions) {
      if (dexTimes?.has(dexOf(coin)) !== true) this.set(coin, leverage, at)
    }
  }

  /** What the venue has left for orders on the coin; nothing changes where it has not told it. */
  setAvailable(coin: Coin, left: Omit<Available, 'at'> | undefined, at: Millis): void {
    if (left !== undefined) this.#available.set(coin, { buy: left.buy, sell: left.sell, at })
  }

  available(coin: Coin): Available | null {
    return this.#available.get(coin) ?? null
  }

  /** What is set; null when unknown, and while another setting is on its way. */
  get(coin: Coin, onItsWay: Leverage | null): SeenLeverage | null {
    const known = this.#seen.get(coin) ?? null
    if (onItsWay === null) return known
    const { type, value } = onItsWay
    return known?.leverage.type === type && known.leverage.value === value ? known : null
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const [coin, { leverage, at }] of this.#seen) this.set(coin, leverage, shifted(at, ms))
    for (const [coin, left] of this.#available) this.setAvailable(coin, left, shifted(left.at, ms))
  }
}
