import { shifted } from '../../../core/values/millis.ts'
import type { Millis } from '../../../core/values/millis.ts'
import type { Clock } from '../../ports.ts'

export interface ListedSinceDeps {
  readonly clock: Clock
  /** The builder dexes in use whose orders nobody has listed since a moment: they are asked for. */
  readonly unlistedSince: (moment: Millis) => readonly string[]
}

/**
 * Whether the orders on builder dexes were listed since everything is to be closed. An entry may rest there
 * that nobody has told of: until a list has come it is not known that nothing opens any more.
 */
export class ListedSince {
  readonly #deps: ListedSinceDeps
  /** By the monotonic clock: the other one may be set. */
  #sinceMs: number | null = null

  constructor(deps: ListedSinceDeps) {
    this.#deps = deps
  }

  /** The dexes of which no list has come since this was asked first. */
  get missing(): readonly string[] {
    const { clock, unlistedSince } = this.#deps
    const nowMs = clock.monotonicMs()
    this.#sinceMs ??= nowMs
    return unlistedSince(shifted(clock.now(), Math.trunc(this.#sinceMs - nowMs)))
  }

  /** The closing is over: the next one asks for lists of its own. */
  end(): void {
    this.#sinceMs = null
  }
}
