/** Chance that a seed repeats: a small counter-based generator, its own stream for each purpose. */
export class Chance {
  #state: number

  constructor(seed: number, purpose: string) {
    let state = seed >>> 0
    for (const letter of purpose)
      state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x5bd1e995)
    this.#state = (state ^ Math.floor(seed / 2 ** 32)) >>> 0
    for (let turn = 0; turn < 4; turn += 1) this.next()
  }

  /** From 0 up to, and never, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number, both bounds included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  is(probability: number): boolean {
    return this.next() < probability
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.whole(0, 255))
  }

  pick<T>(list: readonly T[]): T {
    return pickAt(list, this.next())
  }
}

/** The element that a number from 0 to 1 points at. */
export function pickAt<T>(list: readonly T[], at: number): T {
  const found = list[Math.min(list.length - 1, Math.floor(at * list.length))]
  if (found === undefined) throw new RangeError('nothing to pick from')
  return found
}

/** Picks one of several by the seed, for each name apart. */
export function eitherOf(seed: number) {
  return <const Value>(name: string, values: readonly Value[]): Value =>
    new Chance(seed, name).pick(values)
}
