import { RecentMap } from '../../core/account/recentMap.ts'
import type { Refusal } from '../../core/judge/refusal.ts'
import type { Action, Json } from '../../core/protocol/action.ts'
import { agentCloidPrefix } from '../../core/protocol/guardCloid.ts'
import { parseAddress } from '../../core/values/address.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'

/**
 * The orders of `guard mcp` that were let through, by client and client order id, with the nonce of
 * each. Such an id belongs to one order for ever: it comes again only where two servers, or one
 * whose first request was held up, send the same order twice. The second is refused.
 */
export class AgentOrders {
  private readonly byClient = new Map<Address, RecentMap<string, number>>()

  /** Why this action must not go: an order of it went before under another nonce. Null when it may. */
  refusalOf(client: Address | null, action: Action): Refusal | null {
    const passed = client === null ? undefined : this.byClient.get(client)
    if (passed === undefined) return null
    for (const id of idsOf(action)) {
      const nonce = passed.get(id)
      if (nonce === undefined) continue
      const text = `the order ${id} of \`guard mcp\` was let through before, with the nonce ${nonce}; it is sent once`
      return { code: 'auth_replay', text }
    }
    return null
  }

  letThrough(client: Address | null, nonce: number | null, action: Action): void {
    if (client === null || nonce === null) return
    for (const id of idsOf(action)) this.note(client, id, nonce)
  }

  note(client: Address, id: string, nonce: number): void {
    const passed = this.byClient.get(client) ?? new RecentMap(limits.agentOrderIdsMax)
    this.byClient.set(client, passed)
    passed.set(id, nonce)
  }

  /** Rows of client, id and nonce, of the orders whose nonce is from `since` on. */
  toJson(since: number): Json {
    return [...this.byClient].flatMap(([client, passed]) =>
      [...passed.keys()].flatMap((id) => {
        const nonce = passed.get(id) ?? 0
        return nonce >= since ? [[client, id, nonce]] : []
      }),
    )
  }

  restore(json: Json | undefined): void {
    for (const row of Array.isArray(json) ? (json as readonly Json[]) : []) {
      const [client, id, nonce] = Array.isArray(row) ? (row as readonly Json[]) : []
      const address = parseAddress(client)
      if (address.ok && typeof id === 'string' && typeof nonce === 'number') {
        this.note(address.value, id, nonce)
      }
    }
  }
}

/** Ids of new orders alone: a change replaces an order that is open, which is there once. */
function idsOf(action: Action): readonly string[] {
  if (action.type !== 'order') return []
  return action.orders.flatMap(({ cloid }) => (isAgentOrder(cloid) ? [cloid] : []))
}

/** Whether this client order id was made by `guard mcp`. */
export function isAgentOrder(id: string | null): id is string {
  return id?.startsWith(agentCloidPrefix) === true
}
