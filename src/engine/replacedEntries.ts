import type { Account } from '../core/account/account.ts'
import type { ReservedOrder } from '../core/account/reservation.ts'
import type { Decision } from '../core/judge/decision.ts'
import { Decimal } from '../core/values/decimal.ts'

/** An entry that a decision cancels to place another, as it was when the decision was made. */
export interface ReplacedEntry {
  readonly coin: string
  readonly isBuy: boolean
  readonly oid: number
  readonly filled: Decimal
}

export function replacedEntries(decision: Decision, account: Account): readonly ReplacedEntry[] {
  return decision.reservations.flat().flatMap((item) => {
    const entry = item.kind === 'cancel' && item.oid !== null ? account.entryOf(item.oid) : null
    if (entry === null || entry.oid === null) return []
    const { coin, isBuy, oid } = entry
    return [{ coin, isBuy, oid, filled: account.filledOf(oid) }]
  })
}

/** What of the replaced entries on an entry's coin and side was filled since the decision. */
export function filledSince(
  replaced: readonly ReplacedEntry[],
  { coin, isBuy }: ReservedOrder,
  account: Account,
): Decimal {
  let filled = Decimal.zero
  for (const old of replaced) {
    if (old.coin !== coin || old.isBuy !== isBuy) continue
    filled = filled.plus(account.filledOf(old.oid).minus(old.filled))
  }
  return filled
}
