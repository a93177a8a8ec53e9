import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { WatchedAccount } from '../../core/account/accountView.ts'
import { timeOf } from '../../core/account/positions.ts'
import type { Coin } from '../../core/values/coin.ts'
import { shifted } from '../../core/values/millis.ts'

const decimals = 12

/** A mark that nobody has told for so long is older than the state. */
const silentMs = 1_000

/**
 * The marks of coins that are held and whose mark nobody has told yet, or not for a while: a position's
 * value over its size. With them a position can be stopped or closed before the first price comes, and
 * is not judged by an old one where the stream is silent. A state from before the one that the account
 * has tells nothing of marks, and a dex whose own state is older tells those of its time.
 */
export class MissingMarks {
  /** Coins whose mark was worked out here; each later state tells it anew. */
  readonly #own = new Set<Coin>()

  /** What an event tells of marks beside what it says itself. */
  toldBy(
    event: AccountEvent,
    account: Pick<WatchedAccount, 'markAt' | 'venueTime'>,
  ): readonly AccountEvent[] {
    if (event.kind === 'mark') this.#own.delete(event.coin)
    if (event.kind === 'contexts') for (const coin of event.contexts.keys()) this.#own.delete(coin)
    if (event.kind !== 'state' || event.state.time < (account.venueTime ?? 0)) return []
    const marks: AccountEvent[] = []
    for (const { coin, size, positionValue } of event.state.positions) {
      const at = shifted(event.at, timeOf(event.state, coin) - event.state.time)
      const toldAt = account.markAt(coin) ?? -Infinity
      if (at - toldAt <= silentMs && !this.#own.has(coin)) continue
      const mark = positionValue.abs().over(size.abs(), decimals, 'half-even')
      if (!mark.isPositive()) continue
      this.#own.add(coin)
      marks.push({ kind: 'mark', coin, mark, at })
    }
    return marks
  }
}
