import type { RestingEntry, WatchedAccount } from '../account/accountView.ts'
import type { Coin } from '../values/coin.ts'

/** Entries that the venue lists without their stop. */
export function bareEntries(account: WatchedAccount, coin: Coin): readonly number[] {
  const isBare = ({ stop, isConfirmed }: RestingEntry): boolean => isConfirmed && stop === null
  return entriesLike(account, coin, isBare)
}

/** Entries whose stop only Guard would place, fired or not, and that nobody is cancelling yet. */
export function waitingEntries(account: WatchedAccount, coin: Coin): readonly number[] {
  return entriesLike(account, coin, ({ watched }) => watched?.needsGuard === true)
}

function entriesLike(
  account: WatchedAccount,
  coin: Coin,
  isLike: (entry: RestingEntry) => boolean,
): readonly number[] {
  const oids = account.restingEntries(coin).flatMap((entry) => {
    const { oid } = entry
    return oid !== null && isLike(entry) && account.cancellingSince(oid) === null ? [oid] : []
  })
  return oids.sort((left, right) => left - right)
}
