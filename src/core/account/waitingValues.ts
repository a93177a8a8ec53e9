import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { WaitingValue } from './accountView.ts'
import type { OrderRecords } from './orderRecords.ts'
import type { Prices } from './prices.ts'

/**
 * What the entries that wait for a trigger are worth, coin by coin, in USD: each at the highest of
 * its limit, its trigger, the mark and the mid. By name, so that the same account gives the same list.
 */
export function waitingValues(
  records: Pick<OrderRecords, 'coins' | 'coin'>,
  prices: Pick<Prices, 'mid' | 'mark'>,
): readonly WaitingValue[] {
  const found: WaitingValue[] = []
  for (const coin of [...records.coins()].sort()) {
    const value = records.coin(coin)?.waitingAt(highestPrice(prices, coin)) ?? Decimal.zero
    if (value.isPositive()) found.push({ coin, value })
  }
  return found
}

function highestPrice(prices: Pick<Prices, 'mid' | 'mark'>, coin: Coin): Decimal | null {
  const mid = prices.mid(coin)?.price ?? null
  const mark = prices.mark(coin)
  return mid === null || mark === null ? (mid ?? mark) : Decimal.max(mid, mark)
}
