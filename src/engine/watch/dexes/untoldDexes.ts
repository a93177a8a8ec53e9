import type { AccountEvent } from '../../../core/account/accountEvent.ts'
import type { AccountMode } from '../../../core/protocol/venueState.ts'
import type { Millis } from '../../../core/values/millis.ts'
import type { JoinedStates } from './joinedStates.ts'

/** Dexes that are known, and whose money was not in the states that the account was told. */
export class UntoldDexes {
  readonly #states: Pick<JoinedStates, 'has' | 'worthOf'>
  readonly #uncounted = new Set<string>()
  /** Those on which an earlier run saw money or a position, and of which this one was told nothing yet. */
  readonly #awaited = new Set<string>()

  constructor(states: Pick<JoinedStates, 'has' | 'worthOf'>) {
    this.#states = states
  }

  /** An earlier run saw money or a position there. */
  expect(dex: string): void {
    this.#awaited.add(dex)
  }

  isAwaited(dex: string): boolean {
    return this.#awaited.has(dex)
  }

  /** A state was told: what it lacks of these dexes is no part of the account's money yet. */
  miss(names: readonly string[]): void {
    for (const name of names) {
      if (!this.#states.has(name) && !this.#awaited.has(name)) this.#uncounted.add(name)
    }
  }

  /** Those of which a state was told are awaited no more. */
  told(): void {
    for (const name of this.#awaited) if (this.#states.has(name)) this.#awaited.delete(name)
  }

  forget(dex: string): void {
    this.#uncounted.delete(dex)
    this.#awaited.delete(dex)
  }

  /** Money on dexes that was there before and is seen for the first time: no profit, no loss. */
  found(mode: AccountMode, at: Millis): readonly AccountEvent[] {
    const seen = [...this.#uncounted].filter((name) => this.#states.has(name))
    for (const name of seen) this.#uncounted.delete(name)
    if (mode !== 'default' && mode !== 'disabled') return []
    const { worth: foundWorth, cash: usdc } = this.#states.worthOf(seen)
    if (foundWorth.isZero() && usdc.isZero()) return []
    const change = { id: `dexes:${seen.join()}:${at}`, usdc, at, isFlow: true, foundWorth }
    return [{ kind: 'elsewhere', changes: [change], at }]
  }

  /**
   * Why the sum of all dexes is not the account's equity, for people; null where it is. Money may have
   * moved from or to those whose state is an old one (`stale`): the rest may lack it, or have it twice.
   */
  gap(stale: readonly string[]): string | null {
    if (this.#awaited.size > 0) {
      const names = [...this.#awaited].join(', ')
      return `the account had something on ${names}, and its state there could not be read since Guard started`
    }
    const names = [...new Set(stale)].filter((name) => this.#states.has(name))
    if (names.length === 0) return null
    return `what the account has on ${names.join(', ')} is as it was last told, and its money may have moved since`
  }
}
