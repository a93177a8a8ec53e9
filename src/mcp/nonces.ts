import { limits } from '../core/values/limits.ts'

/**
 * Nonces by Guard's clock, each used once. A marked one says in its last digits which arguments it
 * was made for; it is at most `limits.agentMarks` ms away from now, which Guard accepts.
 */
export class Nonces {
  readonly #now: () => number
  #last = 0
  #aheadMs = 0

  /** `now`: this machine's time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Goes by Guard's clock from now on, which follows the venue's. */
  follow(guardNowMs: number): void {
    this.#aheadMs = guardNowMs - this.#now()
  }

  /** Guard's time in milliseconds, as far as it is known here. */
  get now(): number {
    return this.#now() + this.#aheadMs
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, this.now)
    return this.#last
  }

  /** The nonce with this mark in the present window of 4 s: two servers make the same one. */
  marked(mark: number): number {
    const { now } = this
    return now - (now % limits.agentMarks) + mark
  }
}

/** Whether a nonce was made for this mark. */
export function hasMark(nonce: number, mark: number): boolean {
  return nonce % limits.agentMarks === mark
}
