import type { Coin } from '../values/coin.ts'
import type { SnapshotTimes } from './snapshotTimes.ts'
import type { Stop } from './stop.ts'
import { CoinOrders } from './coinOrders.ts'
import type { RestingEntry } from './accountView.ts'
import type { OrderLife } from './orderLife.ts'
import type { TwapLife } from './twapLife.ts'

/** All orders as they count: by coin, and how many places for open orders they take. */
export class OrderCounts {
  readonly #coins = new Map<Coin, CoinOrders>()
  readonly #withoutStop = new Set<Coin>()
  readonly #counted = new Map<
    OrderLife,
    { readonly takesPlace: boolean; readonly isOpen: boolean }
  >()
  #places = 0
  #open = 0

  /** How many orders the venue shows open. */
  get open(): number {
    return this.#open
  }
  /** How many places for open orders are taken, by those in flight too. */
  get places(): number {
    return this.#places
  }
  /** Coins with an entry that rests without its stop. */
  get coinsWithoutStop(): ReadonlySet<Coin> {
    return this.#withoutStop
  }
  get(coin: Coin): CoinOrders | null {
    return this.#coins.get(coin) ?? null
  }
  coins(): Iterable<Coin> {
    return this.#coins.keys()
  }

  /**
   * Counts an order as it is now, in place of what it was; `stop` where it works as one. The last state
   * of the positions was taken at `stateTakenAt`.
   */
  put(life: OrderLife, stop: Stop | null, stateTakenAt: number): void {
    const { takesPlace, isOpen } = life
    this.#ofCoin(life.coin, (orders) => {
      orders.put(life, stop, stateTakenAt)
    })
    this.#countPlace(life, takesPlace, isOpen)
  }

  /** A state of the positions was taken; the coins that count otherwise by it. */
  stateTaken(times: Pick<SnapshotTimes, 'stateTakenAt'>): readonly Coin[] {
    return [...this.#coins].flatMap(([coin, orders]) =>
      orders.stateTaken(times.stateTakenAt(coin)) ? [coin] : [],
    )
  }

  /** Counts what a TWAP may still open: it takes no place among the open orders. */
  putTwap(life: TwapLife, entry: RestingEntry | null): void {
    this.#ofCoin(life.plan.coin, (orders) => {
      orders.putTwap(life, entry)
    })
  }

  remove(life: OrderLife): void {
    this.#ofCoin(life.coin, (orders) => {
      orders.remove(life)
    })
    this.#countPlace(life, false, false)
  }

  #ofCoin(coin: Coin, change: (orders: CoinOrders) => void): void {
    const orders = this.#coins.get(coin) ?? new CoinOrders()
    change(orders)
    if (orders.withoutStop > 0) this.#withoutStop.add(coin)
    else this.#withoutStop.delete(coin)
    if (orders.isEmpty) this.#coins.delete(coin)
    else this.#coins.set(coin, orders)
  }

  #countPlace(life: OrderLife, takesPlace: boolean, isOpen: boolean): void {
    const before = this.#counted.get(life) ?? { takesPlace: false, isOpen: false }
    this.#places += change(before.takesPlace, takesPlace)
    this.#open += change(before.isOpen, isOpen)
    if (takesPlace || isOpen) this.#counted.set(life, { takesPlace, isOpen })
    else this.#counted.delete(life)
  }
}

/** What a count gains or loses when something that was or was not there is or is not there now. */
function change(before: boolean, now: boolean): number {
  return (now ? 1 : 0) - (before ? 1 : 0)
}
