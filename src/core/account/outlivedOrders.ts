import type { Fill } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { OrderLife } from './orderLife.ts'

/** What an order of Guard's has closed of a position that it was not for. */
export interface Struck {
  readonly coin: Coin
  readonly what: 'stop' | 'close'
  /** The size of the position before that, in units of the coin; negative when it is short. */
  readonly held: Decimal
  readonly closed: Decimal
}

/**
 * Guard's own stops and closes whose position has ended since they were decided on: they may have been
 * on their way, and what is held now is another's. They protect nothing of it, and promise nothing.
 */
export class OutlivedOrders {
  readonly #all = new Set<OrderLife>()
  #struck: Struck[] = []

  /**
   * A position that was known from before this moment had ended by then, by the venue's clock. Returns
   * those of the orders that were decided on for it and are not among these yet.
   */
  add(lives: Iterable<OrderLife>, coin: Coin, endedBy: number): readonly OrderLife[] {
    const found: OrderLife[] = []
    for (const life of lives) {
      const { heldFrom, isGuardsAlone, isGuardsClose } = life
      if (life.coin !== coin || heldFrom === null || heldFrom >= endedBy) continue
      if (life.outlivedAt !== null || (!isGuardsAlone && !isGuardsClose)) continue
      life.outlivedAt = endedBy
      this.#all.add(life)
      found.push(life)
    }
    return found
  }

  forget(life: OrderLife): void {
    this.#all.delete(life)
  }

  /** The stops among them that the venue shows open on a coin. */
  openOn(coin: Coin): readonly number[] {
    return [...this.#all].flatMap((life) => {
      return life.coin === coin && life.isOpen && life.oid !== null ? [life.oid] : []
    })
  }

  /**
   * A fill, with the order it is of; one from before the end was of the order's own position. One of the same
   * moment may be the end itself, told later than the state that shows it.
   */
  filled({ coin, at, startPosition: held, size }: Fill, life: OrderLife | null): void {
    if (life === null || life.outlivedAt === null || at <= life.outlivedAt) return
    this.#struck.push({ coin, what: life.isGuardsClose ? 'close' : 'stop', held, closed: size })
  }

  /** What they have closed of others since this was asked last. */
  takeStruck(): readonly Struck[] {
    const struck = this.#struck
    this.#struck = []
    return struck
  }
}
