import type { OpenOrder } from '../protocol/venueState.ts'
import type { Millis } from '../values/millis.ts'

/** A snapshot taken this long after an order's end, and still listing it, is believed. */
const endBelievedMs = 10_000

/** What a list is believed: the orders it shows by their numbers, and when it was taken at the latest. */
export function believedList(
  orders: readonly OpenOrder[],
  takenAt: number,
  endedAt: (oid: number) => Millis | null,
): { readonly listed: ReadonlyMap<number, OpenOrder>; readonly taken: number } {
  const listed = new Map<number, OpenOrder>()
  let taken = takenAt
  for (const order of orders) {
    const ended = endedAt(order.oid)
    if (ended === null || takenAt > ended + endBelievedMs) listed.set(order.oid, order)
    // A list with an order that has ended is older than that end.
    else taken = Math.min(taken, ended - 1)
  }
  return { listed, taken }
}
