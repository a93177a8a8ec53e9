import type { RestingEntry, WatchedAccount } from '../account/accountView.ts'
import type { Coin } from '../values/coin.ts'
import type { Millis } from '../values/millis.ts'

/** Entries that the venue lists without their stop. */
export function bareEntries(account: WatchedAccount, coin: Coin): readonly number[] {
  const isBare = ({ stop, isConfirmed }: RestingEntry): boolean => isConfirmed && stop === null
  return entriesLike(account, coin, isBare)
}

/**
 * Entries whose stop only Guard would place, fired or not, of which no cancel is on its way, or one that
 * was sent before `since` and has not been answered: it may be lost.
 */
export function waitingEntries(
  account: WatchedAccount,
  coin: Coin,
  since: Millis | null = null,
): readonly number[] {
  return entriesLike(account, coin, ({ watched }) => watched?.needsGuard === true, since)
}

function entriesLike(
  account: WatchedAccount,
  coin: Coin,
  isLike: (entry: RestingEntry) => boolean,
  since: Millis | null = null,
): readonly number[] {
  const isAsked = (oid: number): boolean => {
    const askedAt = account.cancellingSince(oid)
    return askedAt !== null && (since === null || askedAt > since)
  }
  const oids = account.restingEntries(coin).flatMap((entry) => {
    const { oid } = entry
    return oid !== null && isLike(entry) && !isAsked(oid) ? [oid] : []
  })
  return oids.sort((left, right) => left - right)
}
