import type { OpenOrder } from '../protocol/venueState.ts'
import { RecentMap } from './recentMap.ts'

const partingsMax = 4096

/** Which entry a child waits for: a stop or a target that works once its parent has filled. */
export class OrderParents {
  /** By child, while it is open or an open parent names it. */
  readonly #parents = new Map<number, number>()
  /** Those of children that are gone: one that comes back waits for its parent still. */
  readonly #partings = new RecentMap<number, number>(partingsMax)

  /** The parent of a child that waits. */
  of(child: number): number | undefined {
    return this.#parents.get(child)
  }

  /** Also the one that a child waited for until its own end. */
  lastOf(child: number): number | undefined {
    return this.#parents.get(child) ?? this.#partings.get(child)
  }

  link(child: number, parent: number): void {
    this.#parents.set(child, parent)
  }

  /** The child does not wait, and has not when it comes back. */
  free(child: number): void {
    this.#parents.delete(child)
    this.#partings.delete(child)
  }

  /** The child is gone; of which parent is remembered for a while, and answered. */
  part(child: number): number | undefined {
    const parent = this.#parents.get(child)
    if (parent === undefined) return undefined
    this.#parents.delete(child)
    this.#partings.set(child, parent)
    return parent
  }

  /** A child that was gone is told again, by nobody who knows of parents. */
  rejoin(child: number): void {
    const parent = this.#partings.get(child)
    if (parent !== undefined) this.#parents.set(child, parent)
  }

  /** A whole list; answers whose parent is another than before. The parents' own lines differ, too. */
  take(listed: ReadonlyMap<number, OpenOrder>): readonly number[] {
    const told = new Map<number, number>()
    for (const { oid, children } of listed.values()) {
      for (const child of children) told.set(child, oid)
    }
    const changed: number[] = []
    for (const oid of listed.keys()) {
      if (told.has(oid)) continue
      if (this.#parents.has(oid)) changed.push(oid)
      this.free(oid)
    }
    for (const [child, parent] of told) {
      if (this.#parents.get(child) === parent) continue
      this.#parents.set(child, parent)
      changed.push(child)
    }
    return changed
  }
}
