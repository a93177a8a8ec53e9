import type { Coin } from '../values/coin.ts'
import type { OrderLife } from './orderLife.ts'

const none: ReadonlySet<OrderLife> = new Set()

/**
 * Orders whose effect the account does not show in full yet; those that are asked for by coin are
 * kept by coin, so that however many others are on their way costs nothing.
 */
export class UnsettledOrders {
  readonly #all = new Set<OrderLife>()
  readonly #stops = new Map<Coin, Set<OrderLife>>()
  readonly #own = new Map<Coin, Set<OrderLife>>()
  readonly #closes = new Map<Coin, Set<OrderLife>>()

  get size(): number {
    return this.#all.size
  }

  [Symbol.iterator](): IterableIterator<OrderLife> {
    return this.#all.values()
  }

  /** Stops that Guard or a bot has sent on a coin. */
  stopsOf(coin: Coin): Iterable<OrderLife> {
    const own = this.#own.get(coin) ?? none
    return own.size === 0 ? this.otherStopsOf(coin) : [...this.otherStopsOf(coin), ...own]
  }

  /** The same without Guard's own that were sent alone. */
  otherStopsOf(coin: Coin): ReadonlySet<OrderLife> {
    return this.#stops.get(coin) ?? none
  }

  /** Closes by Guard on a coin. */
  closesOf(coin: Coin): ReadonlySet<OrderLife> {
    return this.#closes.get(coin) ?? none
  }

  add(life: OrderLife): void {
    this.#all.add(life)
    const byCoin = this.#placeOf(life)
    if (byCoin === null) return
    const known = byCoin.get(life.coin)
    if (known === undefined) byCoin.set(life.coin, new Set([life]))
    else known.add(life)
  }

  delete(life: OrderLife): void {
    this.#all.delete(life)
    this.#placeOf(life)?.get(life.coin)?.delete(life)
  }

  #placeOf(life: OrderLife): Map<Coin, Set<OrderLife>> | null {
    if (life.plan?.kind === 'stop') return life.isGuardsAlone ? this.#own : this.#stops
    return life.isGuardsClose ? this.#closes : null
  }
}
