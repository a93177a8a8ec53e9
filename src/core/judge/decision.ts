import type { AccountView } from '../account/accountView.ts'
import type { Reservation } from '../account/reservation.ts'
import type { ChangeRecord, RiskDetail, RiskStateName, Verdict } from '../events/guardEvent.ts'
import type { Action } from '../protocol/action.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import type { RulesFor } from '../rules/rules.ts'
import type { Address } from '../values/address.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { ReasonCode } from './codes.ts'
import type { LeaseFor } from './lease.ts'
import type { Refusal } from './refusal.ts'

/** What the judge reads of the risk engine. */
export interface RiskView {
  readonly state: RiskStateName
  /** A drop is being explained: nothing opens meanwhile. */
  readonly holding: boolean
  /** What was told of the account and cannot be, for people: nothing opens meanwhile. */
  readonly doubt?: string | null
  /** What of the account was not seen recently enough, for people: nothing opens meanwhile. */
  readonly unseen?: string | null
  /** The last equity the risk engine observed; null before the first. */
  readonly lastEquity: Decimal | null
  /** The figures of a halt, for its text. */
  readonly detail?: RiskDetail | null
}

export interface JudgeInput {
  readonly account: AccountView
  readonly rulesFor: RulesFor
  readonly risk: RiskView
  readonly latched: boolean
  /** Builders whose fee a bot may add. */
  readonly builders: ReadonlySet<Address>
  readonly now: Millis
  /** Null in a preview that names none. */
  readonly client: Address | null
  readonly action: Action
  readonly mint: CloidMint
  /** Entries this client had forwarded within the last minute: the sum of their `entryCount`. */
  readonly entriesLastMinute: number
  /** Why no entry may go though the rules allow it: no weight, no disk. What reduces goes anyway. */
  readonly withheld?: Refusal
  /** What the fleet lets this account have; missing where it is in none. */
  readonly lease?: LeaseFor | undefined
}

/** One entry of the request, in the bot's order, as a preview shows it. */
export interface EntryDecision {
  /** Its place in the bot's list. */
  readonly at: number
  readonly coin: string
  readonly side: 'buy' | 'sell'
  readonly requestedSize: Decimal
  /** Zero when vetoed. */
  readonly size: Decimal
  /** Null where the check that knows it was not reached. */
  readonly worstPrice: Decimal | null
  readonly stop: Decimal | null
  readonly leverage: number | null
  /** Lost at the stop with costs, in USD. */
  readonly risk: Decimal | null
  readonly verdict: Verdict
  readonly code: ReasonCode
  readonly text: string
}

/** An order that only reduces, with what of its size goes: zero when it was refused. */
export interface ExitDecision {
  readonly at: number
  readonly requestedSize: Decimal
  readonly size: Decimal
  readonly code: ReasonCode
}

/** Where the answer for one item of the bot's request comes from. */
export type ReplySlot =
  /** The status at `index` of the reply to the action at place `action` (see `Decision.actions`). */
  | {
      readonly kind: 'status'
      readonly action: number
      readonly index: number
      /** So many statuses from `index` on are about this item; left out: one. */
      readonly pieces?: number
    }
  /** A stop that Guard keeps until the order at that place fills: it waits where that one was taken. */
  | { readonly kind: 'waiting'; readonly action: number; readonly index: number }
  /** Not sent, by a veto or because it is done; `text` stands in its place as `{"error": text}`. */
  | { readonly kind: 'veto'; readonly text: string }

export interface ReplyPlan {
  /**
   * `statuses`: `{"type": responseType, "data": {"statuses": [...]}}` by `slots`. `default`:
   * `{"type":"default"}` when every slot's status is no error, else the venue's error. `pass`: the
   * venue's reply to `forward` as it is.
   */
  readonly kind: 'statuses' | 'default' | 'pass'
  readonly responseType: 'order' | 'cancel' | 'default'
  /** One for each item of the bot's request, in its order. */
  readonly slots: readonly ReplySlot[]
  /** Ids Guard gave to the bot's orders; removed from the reply. */
  readonly stripCloids: readonly string[]
}

/** Who may send it when weight or journal are short. Anything but an entry lowers risk or keeps it. */
export type DecisionLane = 'entry' | 'exit' | 'cancel'

export interface Decision {
  readonly verdict: Verdict
  readonly code: ReasonCode
  readonly text: string
  readonly changes: readonly string[]
  readonly changeRecords: readonly ChangeRecord[]
  readonly pre: readonly Action[]
  readonly forward: Action | null
  readonly forwardMore: readonly Action[]
  readonly post: readonly Action[]
  readonly entries: readonly EntryDecision[]
  readonly exits: readonly ExitDecision[]
  /**
   * By the action's place among `pre`, `forward`, `forwardMore`, `post`, counted through: what it
   * holds until it settles.
   */
  readonly reservations: readonly (readonly Reservation[])[]
  /** By the same place: the actions the venue must have accepted whole before this one is sent. */
  readonly needs: readonly (readonly number[])[]
  readonly lane: DecisionLane
  /** Entries that go out, for the client's rate. */
  readonly entryCount: number
  readonly reply: ReplyPlan
}

/** All actions of a decision in the order they are sent; the place in it is the `index` of `sent`. */
export function actionsOf(decision: Decision): readonly Action[] {
  const forward = decision.forward === null ? [] : [decision.forward]
  return [...decision.pre, ...forward, ...decision.forwardMore, ...decision.post]
}
