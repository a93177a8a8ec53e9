import type { WatchedAccount } from '../account/accountView.ts'
import type { Coin } from '../values/coin.ts'

/**
 * Guard's own stops that reached the venue after the position they were for had ended, and another one
 * was opened there: they would close what nobody promised to close at them. They go once what is held is
 * covered without them, as it was promised.
 */
export function outlivedStops(
  account: Pick<WatchedAccount, 'outlivedStops' | 'cancellingSince'>,
  coin: Coin,
  lacksNothing: boolean,
): readonly number[] {
  if (!lacksNothing) return []
  return account.outlivedStops(coin).filter((oid) => account.cancellingSince(oid) === null)
}
