import { signedSize } from '../../core/account/fillChain.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { Loss } from '../../core/safety/oddSights.ts'
import type { Coin } from '../../core/values/coin.ts'

/** How long the fill of a position that became smaller may come after it. */
const fillWaitMs = 10_000

interface Waiting {
  readonly loss: Loss
  /** When it was noticed, by the monotonic clock. */
  readonly sinceMs: number
  readonly wholeAt: number
}

/**
 * Positions that the venue shows smaller than they were, though no fill has told how: kept until
 * their fill comes, or until it has been missing for so long that people must be told.
 */
export class LostPositions {
  readonly #waiting = new Map<Coin, Waiting>()

  /** `wholeAt` is the venue's time at which the positions were last seen whole. */
  note(losses: readonly Loss[], nowMs: number, wholeAt: number): void {
    for (const loss of losses) {
      const earlier = this.#waiting.get(loss.coin) ?? { loss, sinceMs: nowMs, wholeAt }
      this.#waiting.set(loss.coin, { ...earlier, loss: { ...loss, was: earlier.loss.was } })
    }
  }

  /** A fill that makes such a position smaller explains it. */
  explainBy(event: AccountEvent): void {
    if (event.kind !== 'fills' || this.#waiting.size === 0) return
    for (const fill of event.fills) {
      const waiting = this.#waiting.get(fill.coin)
      // A stream that begins anew repeats old fills.
      if (waiting === undefined || fill.at < waiting.wholeAt) continue
      const isAgainst = signedSize(fill).isPositive() !== waiting.loss.was.isPositive()
      if (isAgainst) this.#waiting.delete(fill.coin)
    }
  }

  /** Those whose fill has not come in time; each is given once. */
  due(nowMs: number): readonly Loss[] {
    const due: Loss[] = []
    for (const [coin, { loss, sinceMs }] of this.#waiting) {
      if (nowMs - sinceMs < fillWaitMs) continue
      this.#waiting.delete(coin)
      due.push(loss)
    }
    return due
  }
}
