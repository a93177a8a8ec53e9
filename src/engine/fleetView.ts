import type { LeaseFor } from '../core/judge/lease.ts'
import type { JsonObject } from '../core/protocol/action.ts'
import type { Decimal } from '../core/values/decimal.ts'

/** This Guard in its fleet. */
export interface FleetView {
  status(): FleetStatus
  /** Why the fleet's store cannot be used; null while it can. */
  readonly problem: string | null
  /** Why this journal is not what the store has of it; null while it is. */
  readonly fork: string | null
  /** What is leased here of the budgets that the fleet shares; from memory, nothing is asked. */
  readonly lease: LeaseFor
  /** Why nothing that opens may leave now; null while this Guard has the right to act. From memory. */
  readonly notWriter: string | null
  /** Why this Guard serves nobody yet, where it is a standby; missing: it is none. */
  readonly standby?: string
}

/** What a standby of the account would carry over; all of it from memory. */
export interface Handover {
  /** The latch and the halts, as they are now. */
  word(): JsonObject
  /** Everything, and the record after which others are to be read; null until earlier sends are looked up. */
  whole(): { readonly seq: number; readonly state: JsonObject } | null
}

/** What an account has open, in flight and resting, in USD, by a budget's kind. */
export interface AccountExposure {
  used(kind: string): Decimal
  /** What the account's own rules would let it have open at most, in USD. */
  most(kind: string): Decimal
}

/** `fleet` of `GET /guard/status`. */
export interface FleetStatus {
  /** What the fleet calls this Guard, and its group; null until the store has said it. */
  readonly name: string | null
  readonly group: string | null
  readonly store: 'up' | 'down'
  /** What is leased here of the budgets that the fleet shares; null in paper mode. */
  readonly lease: FleetLeaseStatus | null
  /** The right to act for the account; null in paper mode. */
  readonly writer: FleetWriterStatus | null
  /** The last kill of the fleet that this Guard has obeyed; null where there was none. */
  readonly epoch: number | null
  /** Records that are on disk here and not copied to the store yet; null until that is known. */
  readonly outbox_lag: number | null
}

export interface FleetLeaseStatus {
  /** Until then entries within what is held pass without a word of the store; null before its first. */
  readonly spare_until_ms: number | null
  /** Why nothing opens for the fleet's sake; null while entries pass. */
  readonly ended: string | null
  readonly parts: readonly {
    readonly scope: string
    readonly kind: string
    readonly held: string
    /** Null until the account has been seen. */
    readonly used: string | null
    /** What a person set for all of the scope. */
    readonly budget: string
  }[]
}

export interface FleetWriterStatus {
  /** `standby`: another Guard acts, and this one would take over; `waits`: another has it, or had it a moment ago. */
  readonly state: 'held' | 'waits' | 'lost' | 'standby'
  /** Where the Guard runs that has the right, where that is another one; null: not known. */
  readonly at_host: string | null
  /** Whether this Guard may open; what reduces goes without it. */
  readonly held: boolean
  /** Rises with every run that takes the right; null until this one has. */
  readonly epoch: number | null
  readonly until_ms: number | null
}
