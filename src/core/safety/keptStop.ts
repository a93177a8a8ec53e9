import type { PositionView, WatchedAccount } from '../account/accountView.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

type Promises = ReadonlyMap<Coin, StopPromise>

/**
 * Whether every part of a position came from entries that waited for a trigger. The stop of such an
 * entry stands in Guard's record alone until it fills; Guard then places it where it was judged to be.
 */
export function isStopKept(promises: Promises, coin: Coin): boolean {
  const { stops, rest } = promises.get(coin) ?? { stops: [], rest: Decimal.zero }
  return stops.length > 0 && rest.isZero() && stops.every((stop) => stop.isKept === true)
}

/**
 * Whether prices were told since a position last changed, where its stop, the one that is `recorded`, was
 * an entry's that waited for a trigger. That fired because the price moved far, and the fill may come
 * before the price: by the old one its stop may seem to be crossed. It is then placed unseen; where it
 * really is crossed the venue lets it fire or refuses it.
 */
export function isPriceTold(
  account: Pick<WatchedAccount, 'mid' | 'markAt'>,
  promises: Promises,
  { coin, since }: PositionView,
  recorded: Decimal | null,
): boolean {
  const { stops = [] } = promises.get(coin) ?? {}
  const own = recorded === null ? undefined : stops.find(({ trigger }) => trigger.eq(recorded))
  if (own?.isKept !== true && !isStopKept(promises, coin)) return true
  return (account.mid(coin)?.at ?? 0) > since && (account.markAt(coin) ?? Infinity) > since
}

/**
 * The stop of an entry that waits for a trigger, where that may have opened a position of which no fill
 * was told yet: the tightest that the price has not passed. Null where the position is explained.
 */
export function firedStop(
  account: Pick<WatchedAccount, 'restingEntries' | 'waitingValues'>,
  promises: Promises,
  { coin, size }: PositionView,
  price: Decimal,
): Decimal | null {
  const isLong = size.isPositive()
  if (promises.get(coin)?.rest.isZero() === true) return null
  // To look at each of a thousand entries is dear: nearly always none waits.
  if (!account.waitingValues().some((each) => each.coin === coin)) return null
  const stops = account.restingEntries(coin).flatMap(({ isBuy, stop, watched }) => {
    if (stop === null || isBuy !== isLong || watched?.needsGuard !== true) return []
    return (isLong ? stop.lt(price) : stop.gt(price)) ? [stop] : []
  })
  const [first, ...rest] = stops
  if (first === undefined) return null
  return isLong ? Decimal.max(first, ...rest) : Decimal.min(first, ...rest)
}
