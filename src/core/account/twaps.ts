import type { Coin } from '../values/coin.ts'
import type { Twap } from '../protocol/venueState.ts'
import type { Millis } from '../values/millis.ts'
import { shifted } from '../values/millis.ts'

/** The TWAPs that the venue runs for the account. No bot's is forwarded: all are made elsewhere. */
export class Twaps {
  #running: readonly Twap[] = []
  #toldAt: Millis | null = null

  /** A list tells all of them. */
  told(twaps: readonly Twap[], at: Millis): void {
    this.#running = twaps
    this.#toldAt = at
  }

  get running(): readonly Twap[] {
    return this.#running
  }

  /** When they were last listed; null before the first time. */
  get toldAt(): Millis | null {
    return this.#toldAt
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    if (this.#toldAt !== null) this.#toldAt = shifted(this.#toldAt, ms)
  }

  /** For people, each by its coin. */
  discrepancies(): readonly string[] {
    return this.#running.map((twap) => `${twap.coin}: ${twapText(twap)}`)
  }

  /** Those that could open or enlarge a position. */
  opening(isTraded: (coin: Coin) => boolean): readonly Twap[] {
    return this.#running.filter(({ coin, isReduceOnly }) => !isReduceOnly && isTraded(coin))
  }
}

function twapText({ id, isBuy, size, executedSize, isReduceOnly }: Twap): string {
  const what = `${isBuy ? 'buys' : 'sells'} ${size.toString()}, ${executedSize.toString()} of it done`
  const kind = isReduceOnly ? 'a reduce-only TWAP' : 'a TWAP'
  return `${kind} that was started elsewhere (${id}) ${what}`
}
