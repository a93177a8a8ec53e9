/** A connection that the venue ends so soon after it was asked for things was ended because of them. */
const shortMs = 2_000
/** After so many in a row the next one leaves out what may be the cause. */
const bareAfter = 2
/** So long it is left out before it is asked for again. */
const bareMs = 60_000

/**
 * Counts connections that the venue ends right after they opened. It does so without a word where it is
 * asked for a coin or a dex that it does not have, as of a dex that has just vanished; asked for the same
 * again and again, it would tell nothing of the whole account.
 */
export class ShortConnections {
  #askedMs = 0
  #count = 0
  /** Since when what may be the cause is left out; null where all is asked for. */
  #bareSinceMs: number | null = null

  /** Whether what is asked for because of builder dexes is left out now. */
  get isBare(): boolean {
    return this.#bareSinceMs !== null
  }

  opened(nowMs: number): void {
    this.#askedMs = nowMs
    if (this.#count >= bareAfter) this.#bareSinceMs ??= nowMs
  }

  /** The venue has ended the connection: one that lasted shows that what was asked for is no cause. */
  ended(nowMs: number): void {
    if (this.isBare) return
    this.#count = nowMs - this.#askedMs < shortMs ? this.#count + 1 : 0
  }

  /** Whether it was left out for long enough, and is to be asked for once more. */
  mayAskAgain(nowMs: number): boolean {
    return this.#bareSinceMs !== null && nowMs - this.#bareSinceMs >= bareMs
  }

  /** Something else is asked for from the next connection on: what ended those before says nothing of it. */
  forget(): void {
    this.#count = 0
    this.#bareSinceMs = null
  }

  /** All is asked for again: ended soon after this, the next connection leaves it out at once. */
  askAll(nowMs: number): void {
    this.#askedMs = nowMs
    this.#count = bareAfter - 1
    this.#bareSinceMs = null
  }
}
