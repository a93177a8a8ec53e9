import type { OrderLife } from './orderLife.ts'
import type { ReservationId } from './reservation.ts'

/** The orders that Guard sent together, by their action: they know each other by their places in it. */
export class ActionGroups {
  /** Nothing is under null: orders that were made elsewhere are in no group. */
  readonly #groups = new Map<ReservationId | null, OrderLife[]>()

  add(action: ReservationId, life: OrderLife): void {
    const group = this.#groups.get(action)
    if (group === undefined) this.#groups.set(action, [life])
    else group.push(life)
  }

  of(action: ReservationId | null): readonly OrderLife[] {
    return this.#groups.get(action) ?? []
  }

  /** The order at a place of an action. */
  at(action: ReservationId | null, index: number | null): OrderLife | null {
    return this.of(action).find(({ plan }) => plan?.index === index) ?? null
  }

  /** The order whose fill this one waits for, as Guard planned it. */
  parentOf({ action, plan }: OrderLife): OrderLife | null {
    return this.at(action, plan?.parent ?? null)
  }

  /** The orders that wait for this one's fill. */
  childrenOf({ action, plan }: OrderLife): readonly OrderLife[] {
    return this.of(action).filter((each) => each.plan?.parent === plan?.index)
  }

  /** An order with the one it waits for, and with those that wait for it. */
  pairsOf(life: OrderLife): readonly { readonly parent: OrderLife; readonly child: OrderLife }[] {
    const parent = this.parentOf(life)
    const children = this.childrenOf(life).map((child) => ({ parent: life, child }))
    return parent === null ? children : [{ parent, child: life }, ...children]
  }

  /** Forgets a group once none of its orders is followed any more. */
  leave({ action }: OrderLife, isFollowed: (life: OrderLife) => boolean): void {
    if (!this.of(action).some(isFollowed)) this.#groups.delete(action)
  }
}
