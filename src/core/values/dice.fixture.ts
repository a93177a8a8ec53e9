import { Decimal } from './decimal.ts'

/** Numbers from a seed: the same seed, the same state. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = (seed * 2654435761) >>> 0
  }

  /** A whole number from 0 to below `below`. */
  roll(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }

  one<T>(values: readonly T[]): T {
    return values[this.roll(values.length)] as T
  }

  /** True once in `times`. */
  rare(times: number): boolean {
    return this.roll(times) === 0
  }

  decimal(from: number, to: number, scale: number): string {
    return new Decimal(BigInt(from + this.roll(to - from + 1)), scale).toString()
  }
}
