import type { ClearinghouseState, Fill, OpenOrder, OrderUpdate } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import {
  fill,
  openOrder,
  orderUpdate,
  restingEntry,
  stopOrder,
  venueState,
} from './account.fixture.ts'
import type { AccountEvent } from './accountEvent.ts'

/** What the venue told, on which channel, and when by its clock. */
interface Told {
  readonly time: number
  readonly channel: 'updates' | 'fills' | 'state' | 'orders'
  readonly event: (at: number) => AccountEvent
}

/** A venue with one coin and whole-number sizes: the truth that the account is measured against. */
export class TinyVenue {
  readonly told: Told[] = []
  readonly orders = new Map<number, OpenOrder>()
  position = 0
  time: number
  #oid = 100
  #tid = 1

  constructor(time: number) {
    this.time = time
  }

  /** Rests a buy of this size, with a waiting stop, and returns its oid. */
  rest(size: number, cloid: string, stopCloid: string): number {
    const oid = this.#oid
    this.#oid += 2
    const [parent, child] = restingEntry({
      coin: 'ETH',
      oid,
      isBuy: true,
      price: '2400',
      size: `${size}`,
      stop: '2350',
      cloid,
      stopCloid,
      at: this.time,
    }) as [OpenOrder, OpenOrder]
    this.orders.set(oid, parent)
    this.orders.set(oid + 1, child)
    this.#updates([orderUpdate(parent, 'open', this.time), orderUpdate(child, 'open', this.time)])
    return oid
  }

  /** Fills part of a resting order; its child works once all of it is filled. */
  fillResting(oid: number, size: number): void {
    const order = this.orders.get(oid)
    if (order === undefined) return
    const left = order.size.minus(Decimal.whole(size))
    this.#fill(true, size, oid, order.cloid)
    const rest: OpenOrder = { ...order, size: left }
    if (left.isPositive()) this.orders.set(oid, rest)
    else this.orders.delete(oid)
    this.#updates([orderUpdate(rest, left.isPositive() ? 'open' : 'filled', this.time)])
  }

  /** Takes at once: a fill, an end, and the stop that goes with it. */
  take(size: number, filled: number, cloid: string, stopCloid: string): void {
    const oid = this.#oid
    this.#oid += 2
    if (filled > 0) this.#fill(true, filled, oid, cloid)
    const order = openOrder({
      coin: 'ETH',
      oid,
      isBuy: true,
      price: '2500',
      size: `${size - filled}`,
      originalSize: `${size}`,
      cloid,
      at: this.time,
    })
    const updates = [orderUpdate(order, filled === size ? 'filled' : 'canceled', this.time)]
    if (filled === size) {
      const stop = stopOrder({
        coin: 'ETH',
        oid: oid + 1,
        size: `${size}`,
        trigger: '2440',
        cloid: stopCloid,
      })
      this.orders.set(oid + 1, { ...stop, at: millis(this.time) })
      updates.push(orderUpdate(stop, 'open', this.time))
    }
    this.#updates(updates)
  }

  /** Reduces the position from elsewhere. */
  reduce(size: number): void {
    if (this.position >= size) this.#fill(false, size, 99, null)
  }

  /** Cancels an order, and the children that wait for it. */
  cancel(oid: number): void {
    const order = this.orders.get(oid)
    if (order === undefined) return
    const ended = [order, ...order.children.flatMap((child) => this.orders.get(child) ?? [])]
    for (const each of ended) this.orders.delete(each.oid)
    this.#updates(ended.map((each) => orderUpdate(each, 'canceled', this.time)))
  }

  tellState(): void {
    const { time } = this
    const size = `${this.position}`
    const state: ClearinghouseState = venueState(
      this.position === 0 ? {} : { positions: { ETH: { size } } },
      time,
    )
    this.#tell('state', (at) => ({ kind: 'state', state, source: 'stream', at: millis(at) }))
  }

  tellOrders(): void {
    const orders = this.list()
    this.#tell('orders', (at) => ({ kind: 'orders', orders, source: 'stream', at: millis(at) }))
  }

  /** Open orders as the venue lists them: a parent names those of its children that still wait. */
  list(): readonly OpenOrder[] {
    return [...this.orders.values()]
  }

  #fill(isBuy: boolean, size: number, oid: number, cloid: string | null): void {
    const fills: readonly Fill[] = [
      fill({
        coin: 'ETH',
        isBuy,
        price: '2400',
        size: `${size}`,
        start: `${this.position}`,
        oid,
        tid: this.#tid++,
        at: this.time,
        cloid,
      }),
    ]
    this.position += isBuy ? size : -size
    this.#tell('fills', (at) => ({ kind: 'fills', fills, isSnapshot: false, at: millis(at) }))
  }

  #updates(updates: readonly OrderUpdate[]): void {
    this.#tell('updates', (at) => ({ kind: 'order_updates', updates, at: millis(at) }))
  }

  #tell(channel: Told['channel'], event: Told['event']): void {
    this.told.push({ time: this.time, channel, event })
  }
}
