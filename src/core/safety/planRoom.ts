import type { WatchedAccount } from '../account/accountView.ts'
import { stopOf } from '../account/orderLife.ts'
import type { Covered } from '../account/coveringStops.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'

/** An order that may go so that the venue takes a stop or a close again. */
interface RoomOrder {
  readonly coin: Coin
  readonly asset: number
  readonly oid: number
}

/**
 * The reduce-only orders that cover nothing: take profits and other resting ones, the youngest
 * first, then stops beyond what the position needs. A covering stop is never among them, and
 * neither is what waits for an entry: that goes with it.
 */
export function coverlessOrders(account: WatchedAccount, most: number): readonly RoomOrder[] {
  if (most <= 0) return []
  const plain: (OpenOrder & { asset: number })[] = []
  const stops: (OpenOrder & { asset: number })[] = []
  for (const coin of account.coinsWithOrders()) {
    const market = account.market(coin)
    if (market === null) continue
    const needless = needlessStops(account, coin)
    for (const order of account.ordersOf(coin)) {
      const { oid, isReduceOnly } = order
      if (!isReduceOnly || account.parentOf(oid) !== null) continue
      if (account.cancellingSince(oid) !== null) continue
      const placed = { ...order, asset: market.asset }
      if (stopOf(order) === null) plain.push(placed)
      else if (needless.has(oid)) stops.push(placed)
    }
  }
  const chosen = [...plain.sort(youngestFirst), ...stops.sort(youngestFirst)].slice(0, most)
  return chosen.map(({ coin, asset, oid }) => ({ coin, asset, oid }))
}

/**
 * The stops without which the position is covered as tightly as with them: all that the price
 * meets after the whole position has been sold or bought back. None while an entry may have filled
 * that the account does not show yet.
 */
function needlessStops(account: WatchedAccount, coin: Coin): ReadonlySet<number> {
  if (account.hasUnconfirmedEntry(coin) || account.hasEntryInFlight(coin)) return new Set()
  const size = account.positions.get(coin)?.size ?? Decimal.zero
  const [long, short] = [account.stopRow(coin, true).list(), account.stopRow(coin, false).list()]
  if (size.isZero()) return new Set([...long, ...short].map(({ oid }) => oid))
  const [facing, wrongSide] = size.isPositive() ? [long, short] : [short, long]
  const needless = new Set(wrongSide.map(({ oid }) => oid))
  // A position is always seen by its stops, at times smaller by what was filled and not told yet.
  let open = Decimal.max(size.abs(), (account.covered(coin) as Covered).size)
  for (const stop of facing) {
    if (!open.isPositive()) needless.add(stop.oid)
    // A position stop without a size of its own takes all that is left.
    open = stop.size.isZero() ? Decimal.zero : open.minus(stop.size)
  }
  return needless
}

function youngestFirst(left: OpenOrder, right: OpenOrder): number {
  return right.at - left.at || right.oid - left.oid
}
