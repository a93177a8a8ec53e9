import { decodeHistoricalOrders, decodeOrderStatus } from '../../core/protocol/decodeInfoOrders.ts'
import type { OrderRow } from '../../core/protocol/decodeInfoOrders.ts'
import { isLiveStatus } from '../../core/protocol/liveStatus.ts'
import type { Address } from '../../core/values/address.ts'
import { askVenue } from '../send/lookup.ts'
import type { Clock, Timers, VenueHttp, VenueNews } from '../ports.ts'

interface OrderEndsDeps {
  readonly clock: Clock
  readonly timers: Pick<Timers, 'after'>
  /** Within the share of the request weight that such questions have. */
  readonly venue: Pick<VenueHttp, 'info'>
  readonly account: Address
  readonly deliver: (event: VenueNews) => void
}

/** Those who ask within so long are answered together, in milliseconds. */
const gatherMs = 5
/** An order is asked about again after so long, and then after twice as long each time. */
const firstPauseMs = 250
/** One that nobody has asked about for so long is forgotten. */
const forgottenMs = 10_000
/** With more orders than these the list of past orders costs less, however long it is. */
const askedOneByOne = 60

interface Asked {
  readonly againMs: number
  readonly pauseMs: number
}

/**
 * Asks how orders ended, and what of them was left, for all who wait for it: each order once, however
 * many wait, and many of them by one list. An answer is delivered as news of the account.
 */
export class OrderEnds {
  readonly #deps: OrderEndsDeps
  readonly #asked = new Map<number, Asked>()
  #gathered = new Set<number>()

  constructor(deps: OrderEndsDeps) {
    this.#deps = deps
  }

  /** Asks about those whose pause is over; nothing is delivered of one that has not ended. */
  ask(oids: readonly number[]): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const due = oids.filter((oid) => (this.#asked.get(oid)?.againMs ?? nowMs) <= nowMs)
    if (due.length === 0) return
    if (this.#gathered.size === 0) {
      this.#deps.timers.after(gatherMs, () => {
        this.#askGathered().catch(() => undefined)
      })
    }
    for (const oid of due) {
      const pauseMs = (this.#asked.get(oid)?.pauseMs ?? firstPauseMs / 2) * 2
      this.#asked.set(oid, { againMs: nowMs + pauseMs, pauseMs })
      this.#gathered.add(oid)
    }
  }

  async #askGathered(): Promise<void> {
    const oids = this.#gathered
    this.#gathered = new Set()
    this.#forget()
    if (oids.size > askedOneByOne && (await this.#askList(oids))) return
    await Promise.all([...oids].map((oid) => this.#askOne(oid)))
  }

  async #askOne(oid: number): Promise<void> {
    const request = { type: 'orderStatus', user: this.#deps.account, oid }
    const told = await askVenue(this.#deps, request, 'entry', decodeOrderStatus)
    if (told.kind === 'told' && told.value.kind === 'order') this.#deliver(oid, [told.value])
  }

  /** False where there is no such list: it could not be paid, did not come, or cannot be read. */
  async #askList(oids: ReadonlySet<number>): Promise<boolean> {
    const request = { type: 'historicalOrders', user: this.#deps.account }
    const told = await askVenue(this.#deps, request, 'entry', decodeHistoricalOrders)
    if (told.kind !== 'told') return false
    for (const oid of oids) this.#deliver(oid, told.value)
    return true
  }

  #deliver(oid: number, rows: readonly OrderRow[]): void {
    const end = rows.find(({ order, status }) => order.oid === oid && !isLiveStatus(status))
    if (end === undefined) return
    const update = { ...end.order, status: end.status, at: end.at }
    const at = this.#deps.clock.now()
    this.#deps.deliver({ kind: 'order_updates', updates: [update], at })
  }

  #forget(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    for (const [oid, { againMs }] of this.#asked) {
      if (nowMs - againMs > forgottenMs) this.#asked.delete(oid)
    }
  }
}
