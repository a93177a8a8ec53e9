import type { ChangeRecord } from '../events/guardEvent.ts'
import type { Cloid } from '../values/cloid.ts'
import type { Change } from './changes.ts'

const rule = 'keeps_name'

/** The change where an order goes by an id of Guard's, and the bot goes on calling it by its own. */
export function keptName(what: string, name: string, id: string): Change {
  const text = `${what} goes under an id of Guard's; for the bot ${name} names the order`
  return { text, record: { field: 'cloid', from: name, to: id, rule } }
}

/** How the bot calls the orders that go by ids of Guard's, by those ids. */
export function keptNamesIn(changes: readonly ChangeRecord[]): ReadonlyMap<string, Cloid> {
  const kept = changes.flatMap(({ from, to, rule: by }) =>
    by === rule ? [[String(to), String(from) as Cloid] as const] : [],
  )
  return new Map(kept)
}
