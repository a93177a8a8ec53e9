/** Chance by a seed: the same seed gives the same inputs. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e37_79b9) >>> 0 || 1
  }

  /** A whole number below `below`. */
  roll(below: number): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x >>> 0
    return this.#state % below
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T
  }
}
