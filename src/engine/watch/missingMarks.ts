import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { AccountView } from '../../core/account/accountView.ts'
import type { Coin } from '../../core/values/coin.ts'

const decimals = 12

/**
 * The marks of coins that are held and whose mark nobody has told yet: a position's value over its
 * size. With them a position can be stopped or closed before the first price comes.
 */
export class MissingMarks {
  /** Coins whose mark was worked out here; each later state tells it anew. */
  readonly #own = new Set<Coin>()

  /** What an event tells of marks beside what it says itself. */
  toldBy(event: AccountEvent, account: Pick<AccountView, 'mark'>): readonly AccountEvent[] {
    if (event.kind === 'mark') this.#own.delete(event.coin)
    if (event.kind === 'contexts') for (const coin of event.contexts.keys()) this.#own.delete(coin)
    if (event.kind !== 'state') return []
    const marks: AccountEvent[] = []
    for (const { coin, size, positionValue } of event.state.positions) {
      if (account.mark(coin) !== null && !this.#own.has(coin)) continue
      const mark = positionValue.abs().over(size.abs(), decimals, 'half-even')
      if (!mark.isPositive()) continue
      this.#own.add(coin)
      marks.push({ kind: 'mark', coin, mark, at: event.at })
    }
    return marks
  }
}
