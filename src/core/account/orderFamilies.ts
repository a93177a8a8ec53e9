import type { OpenOrder } from '../protocol/venueState.ts'
import type { Decimal } from '../values/decimal.ts'
import type { OrderIndex } from './orderIndex.ts'
import { stopOf } from './orderLife.ts'
import type { OrderLife } from './orderLife.ts'
import { OrderParents } from './orderParents.ts'

/** Entries and the stops and take profits that wait for their fill. */
export class OrderFamilies {
  readonly #index: OrderIndex
  readonly #parents = new OrderParents()
  /** Parents that lost a child since the last list, and count with it until the next one. */
  readonly #bereaved = new Set<OrderLife>()

  constructor(index: OrderIndex) {
    this.#index = index
  }

  /** The number of the entry that a child waits for; null when it waits for none. */
  parentOf(oid: number): number | null {
    return this.#parents.of(oid) ?? null
  }
  /** Also the one that it waited for until its own end. */
  lastParentOf(oid: number): number | null {
    return this.#parents.lastOf(oid) ?? null
  }
  /** The entry that an order waits for. */
  motherOf({ oid }: OrderLife): OrderLife | null {
    const parent = oid === null ? null : this.parentOf(oid)
    return parent === null ? null : this.#index.get(parent)
  }

  /** A market stop among the children of an order that is as large as the order. */
  childStop({ shown }: OrderLife): Decimal | null {
    for (const child of shown?.children ?? []) {
      const life = this.#index.get(child)
      const stop = life?.isOpen === true && life.shown !== null ? stopOf(life.shown) : null
      if (stop === null || shown === null || stop.isBuy === shown.isBuy) continue
      if (stop.size.gte(shown.size)) return stop.trigger
    }
    return null
  }

  /** A child that was gone is told again, by nobody who knows of parents. */
  rejoin(oid: number): void {
    this.#parents.rejoin(oid)
  }

  /** Joins two that Guard sent together and that updates show one by one; false where that is no news. */
  link(parent: OrderLife, child: OrderLife): boolean {
    if (parent.oid === null || child.oid === null || child.shown === null) return false
    if (parent.shown === null || parent.ended !== null || parent.isListed) return false
    this.#parents.link(child.oid, parent.oid)
    const { children } = parent.shown
    if (!children.includes(child.oid)) {
      parent.shown = { ...parent.shown, children: [...children, child.oid] }
    }
    return true
  }

  /** The child works from now on: its parent was filled. */
  free(oid: number): void {
    this.#parents.free(oid)
  }

  /** A child is gone; its parent counts with it until the next list. */
  part(oid: number): void {
    const parent = this.#parents.part(oid)
    const mother = parent === undefined ? null : this.#index.get(parent)
    if (mother?.isOpen === true) this.#bereaved.add(mother)
  }

  /** A parent is gone: children that nobody follows wait for nothing. */
  leave(life: OrderLife): void {
    this.#bereaved.delete(life)
    for (const child of life.shown?.children ?? []) {
      if (this.#index.get(child) === null) this.#parents.part(child)
    }
  }

  /** Takes a whole list; answers the orders whose parents or children are others than before. */
  take(listed: ReadonlyMap<number, OpenOrder>): readonly OrderLife[] {
    const changed = [...this.#bereaved]
    this.#bereaved.clear()
    for (const oid of this.#parents.take(listed)) {
      const life = this.#index.get(oid)
      if (life !== null) changed.push(life)
    }
    return changed
  }
}
