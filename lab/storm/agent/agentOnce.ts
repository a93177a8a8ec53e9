import { isObject } from '../../../src/core/protocol/fields.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { DiskRecord } from '../watchedDisk.ts'
import { Violation } from '../violation.ts'

/**
 * An agent names an order by an idempotency key, from which its order id is made: however often it
 * asks, through every restart, only one order with that id is let through.
 */
export class AgentOnce {
  readonly #client: string
  /** The nonce of the request that let an order id through; its record may be written twice. */
  readonly #letThrough = new Map<string, unknown>()

  constructor(client: string) {
    this.#client = client
  }

  onDisk(record: DiskRecord): void {
    const { kind, client, nonce, verdict, request } = record
    if (kind !== 'decision' || client !== this.#client || verdict === 'veto') return
    for (const cloid of cloidsIn(request as Json)) {
      const first = this.#letThrough.get(cloid)
      if (first !== undefined && first !== nonce) {
        const both = `${String(first)} and ${String(nonce)}`
        throw new Violation('agent_once', `${cloid} was let through by ${both}`)
      }
      this.#letThrough.set(cloid, nonce)
    }
  }
}

/** The order ids that an action gives to the orders it places; a stop that goes with one has none. */
function cloidsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(cloidsIn)
  if (!isObject(value)) return []
  const own = typeof value['c'] === 'string' ? [value['c']] : []
  return [...own, ...Object.values(value).flatMap(cloidsIn)]
}
