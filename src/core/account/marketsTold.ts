import { noMarkets } from '../protocol/market.ts'
import type { Market, Markets } from '../protocol/market.ts'
import type { Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import { Leverages } from './leverages.ts'
import { Prices } from './prices.ts'

/** What the venue tells of its markets: the list of them, their prices, and the leverage set on each. */
export class MarketsTold {
  listed: Markets = noMarkets
  readonly prices = new Prices()
  readonly leverages = new Leverages()

  market(coin: Coin): Market | null {
    return this.listed.byCoin.get(coin) ?? null
  }

  /** What positions are worth while the venue has not told it: the mark, or the mid. */
  markOrMid(coin: Coin): Decimal | null {
    return this.prices.mark(coin) ?? this.prices.mid(coin)?.price ?? null
  }

  /** The setting that was last told; null when none was. */
  setting(coin: Coin): Leverage | null {
    return this.leverages.get(coin, null)?.leverage ?? null
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const each of [this.prices, this.leverages]) each.shift(ms)
  }
}
