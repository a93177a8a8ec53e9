import type { OrderLife } from './orderLife.ts'
import type { Stop } from './stop.ts'
import { StopRow } from './stopRow.ts'

/**
 * Guard's own stops of one coin that are on their way to the venue and were sent without an entry. They
 * are kept as rows, so that what they will cover costs the same to ask with one stop and with hundreds.
 */
export class FlyingStops {
  readonly #stops = new Map<object, Stop>()
  #long = new StopRow(true)
  #short = new StopRow(false)
  #lastId = 0

  get isEmpty(): boolean {
    return this.#stops.size === 0
  }

  row(isLong: boolean): StopRow {
    return isLong ? this.#long : this.#short
  }

  /** Counts an order as it is now, in place of what it was. */
  put(life: OrderLife): void {
    this.remove(life)
    const flying = life.isGuardsAlone ? life.stopInFlight(null) : null
    if (flying === null) return
    const { cloid, owner, isBuy, trigger, size } = flying
    // The venue gives no numbers below zero: none of them stands for an order that it shows.
    this.#lastId -= 1
    const oid = this.#lastId
    const stop = {
      cloid,
      owner,
      isBuy,
      trigger,
      size,
      oid,
      isPositionTpsl: false,
      placedAt: life.at,
    }
    this.#stops.set(life, stop)
    if (isBuy) this.#short = this.#short.with(stop)
    else this.#long = this.#long.with(stop)
  }

  remove(life: object): void {
    const stop = this.#stops.get(life)
    if (stop === undefined) return
    this.#stops.delete(life)
    if (stop.isBuy) this.#short = this.#short.without(stop)
    else this.#long = this.#long.without(stop)
  }
}
