import type { Account } from '../../core/account/account.ts'
import type { OpeningItem } from '../../core/account/reservation.ts'
import type { Decision } from '../../core/judge/decision.ts'
import { Decimal } from '../../core/values/decimal.ts'

/** An entry that a decision cancels to place another, as it was when the decision was made. */
export interface ReplacedEntry {
  readonly coin: string
  readonly isBuy: boolean
  readonly oid: number
  /** How much of it was still open. */
  readonly size: Decimal
  readonly filled: Decimal
}

export function replacedEntries(decision: Decision, account: Account): readonly ReplacedEntry[] {
  return decision.reservations.flat().flatMap((item) => {
    const entry = item.kind === 'cancel' && item.oid !== null ? account.entryOf(item.oid) : null
    if (entry === null || entry.oid === null) return []
    const { coin, isBuy, oid, size } = entry
    return [{ coin, isBuy, oid, size, filled: account.fillingOf(oid).filled }]
  })
}

/**
 * What of the replaced entries on an entry's coin and side was filled since the decision. Of one
 * whose end is not told yet all that rested: any of it may have filled before the cancel came.
 */
export function filledSince(
  replaced: readonly ReplacedEntry[],
  { coin, isBuy }: OpeningItem,
  account: Account,
): Decimal {
  let sum = Decimal.zero
  for (const old of replaced) {
    if (old.coin !== coin || old.isBuy !== isBuy) continue
    const { filled, isFinal } = account.fillingOf(old.oid)
    sum = sum.plus(isFinal ? filled.minus(old.filled) : old.size)
  }
  return sum
}

/** The replaced entries of which the venue has not told yet how they ended. */
export function withoutEnd(
  replaced: readonly ReplacedEntry[],
  account: Account,
): readonly ReplacedEntry[] {
  return replaced.filter(({ oid }) => !account.fillingOf(oid).isFinal)
}
