import type { WatchedAccount } from '../account/accountView.ts'
import type { Coin } from '../values/coin.ts'

/**
 * The numbers of those of Guard's own stops on a coin that are to be cancelled because the position they
 * were for has ended: they would close what is held now at a price that was never promised for it. They
 * stay until what is held has all the stops that it was promised (`isCovered`; so has a coin on which
 * nothing is held), and one that a cancel is on its way for is left out.
 */
export function outlivedStops(
  account: Pick<WatchedAccount, 'outlivedStops' | 'cancellingSince'>,
  coin: Coin,
  isCovered: boolean,
): readonly number[] {
  if (!isCovered) return []
  return account.outlivedStops(coin).filter((oid) => account.cancellingSince(oid) === null)
}
