import type { JsonObject } from '../core/protocol/action.ts'
import type { Status } from './guardPort.ts'

/** The rules that hold for this client: the account's, or tighter ones of its own. */
export function ownRules(status: Status, client: string | null): JsonObject {
  const own = client === null ? undefined : status.client_rules?.[client]
  return (own ?? status.rules_decoded) as JsonObject
}
