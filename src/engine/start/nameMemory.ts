import { KeptNames } from '../../core/account/keptNames.ts'
import type { NameRow } from '../../core/account/keptNames.ts'
import type { ChangeRecord } from '../../core/events/guardEvent.ts'
import { keptNamesIn } from '../../core/judge/keptName.ts'
import type { WireAction } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { listOf } from '../stopRows.ts'
import { keyOf } from './openIntents.ts'

/** What bots' ids name where their order stands under one of Guard's, as the records tell it. */
export class NamesLeft {
  readonly #names = new KeptNames()
  /** The ids of orders that go in another's place, by the key of their action. */
  readonly #placed = new Map<string, readonly string[]>()

  constructor(known: readonly NameRow[] | undefined) {
    this.#names.restore(known ?? [])
  }

  /** The decision with this number sends these; `isKnown` where the rows have what it changed. */
  decided(
    of: number,
    actions: readonly WireAction[],
    changes: readonly ChangeRecord[] | undefined,
    isKnown: boolean,
  ): void {
    const kept = keptNamesIn(changes ?? [])
    for (const [index, action] of actions.entries()) {
      const cloids = cloidsOf(action)
      const placed = cloids.filter((cloid) => kept.has(cloid))
      if (placed.length > 0) this.#placed.set(keyOf(of, index), placed)
      if (isKnown) continue
      for (const cloid of cloids) {
        const name = kept.get(cloid)
        if (name === undefined) this.#names.release(cloid)
        else this.#names.intend(name, cloid)
      }
    }
  }

  /** The venue took the action with this key. */
  taken(key: string): void {
    for (const id of this.#placed.get(key) ?? []) this.#names.taken(id)
  }

  rows(): readonly NameRow[] {
    return this.#names.rows()
  }
}

/** The ids of the orders that an action places, as a record has it. */
export function cloidsOf({ orders }: WireAction): readonly string[] {
  return listOf(orders).flatMap((order) =>
    isObject(order) && typeof order['c'] === 'string' ? [order['c']] : [],
  )
}
