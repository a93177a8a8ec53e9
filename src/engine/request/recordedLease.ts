import type { Lease, LeaseFor, LeasePart } from '../../core/judge/lease.ts'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { Decimal } from '../../core/values/decimal.ts'

interface RecordingLease {
  readonly lease: LeaseFor
  /** By coin, what was said of it. */
  readonly asked: JsonObject
}

/** A lease that writes down what is asked of it, as a decision keeps it. */
export function recordLease(lease: LeaseFor): RecordingLease {
  const asked: { [coin: string]: Json } = {}
  return {
    asked,
    lease: (coin) => {
      const said = lease(coin)
      asked[coin] ??= { ended: said.ended, parts: said.parts.map(partRecord) }
      return said
    },
  }
}

function partRecord({ scope, kind, held, budget }: LeasePart): Json {
  return [scope, kind, held.toString(), budget.toString()]
}

/** The lease as a decision saw it. */
export function replayedLease(asked: JsonObject): LeaseFor {
  return (coin): Lease => {
    const said = asked[coin]
    if (!isObject(said)) throw new Error(`the record does not answer for the lease of ${coin}`)
    const { ended, parts } = said
    return {
      ended: typeof ended === 'string' ? ended : null,
      parts: Array.isArray(parts) ? (parts as readonly Json[]).map(readPart) : [],
    }
  }
}

function readPart(part: Json): LeasePart {
  const [scope = '', kind = '', held = '0', budget = '0'] = part as readonly string[]
  return { scope, kind, held: Decimal.of(held), budget: Decimal.of(budget) }
}
