import type { WatchedAccount } from '../account/accountView.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'

/** A price that is so much older than another one is no price beside it. */
const olderMs = 1_000

interface FreshPrices {
  /** The mid, or the mark where no mid is known or the mark is much younger. */
  readonly price: Decimal | null
  /** The mark where it is as young as that. */
  readonly mark: Decimal | null
}

/** The prices of a coin that count now: one that the stream told before it fell silent does not. */
export function freshPrices(
  account: Pick<WatchedAccount, 'mid' | 'mark' | 'markAt'>,
  coin: Coin,
): FreshPrices {
  const [mid, mark, markAt] = [account.mid(coin), account.mark(coin), account.markAt(coin)]
  if (mid === null || mark === null || markAt === null) {
    return { price: mid?.price ?? mark, mark }
  }
  if (markAt - mid.at > olderMs) return { price: mark, mark }
  return { price: mid.price, mark: mid.at - markAt > olderMs ? null : mark }
}
