/** Numbers that look random and are the same for the same seed. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  }

  /** A whole number from zero to below `bound`. */
  below(bound: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }

  /** From `least` to `most`, both possible. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(from: readonly T[]): T {
    const found = from[this.below(from.length)]
    if (found === undefined) throw new RangeError('nothing to pick from')
    return found
  }
}
