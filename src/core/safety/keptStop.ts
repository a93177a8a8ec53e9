import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

type Promises = ReadonlyMap<Coin, StopPromise>

/**
 * The stop that Guard keeps for a position which an entry opened that waited for a trigger: nobody has
 * placed it yet, and it goes where it was judged to be. Null unless
 * every part of the position came from such entries; of several stops it is the tightest.
 */
export function keptStop(promises: Promises, coin: Coin): Decimal | null {
  const { stops, rest } = promises.get(coin) ?? { stops: [], rest: Decimal.zero }
  const isKept = rest.isZero() && stops.every((stop) => stop.isKept === true)
  return isKept ? (stops[0]?.trigger ?? null) : null
}

/**
 * Whether a price was told since such a position last changed. Its entry fired because the price moved
 * far, and the fill may come before the price: by the old one its stop may seem to be crossed. It is
 * then placed unseen; where it really is crossed the venue lets it fire or refuses it.
 */
export function isPriceTold(
  account: Pick<WatchedAccount, 'mid'>,
  promises: Promises,
  { coin, since }: PositionView,
): boolean {
  return keptStop(promises, coin) === null || (account.mid(coin)?.at ?? 0) > since
}
