/** A small generator of pseudo-random numbers: the same seed gives the same sequence everywhere. */
export class Random {
  private a: number
  private b: number
  private c: number
  private counter = 1

  constructor(seed: number) {
    this.a = seed >>> 0
    this.b = Math.floor(seed / 0x1_0000_0000) >>> 0
    this.c = 0x9e3779b9
    // The first outputs of this generator still show the seed.
    for (let round = 0; round < 12; round++) this.uint32()
  }

  /** A whole number below 2^32 (the sfc32 step). */
  uint32(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum
    return sum >>> 0
  }

  /** A whole number from 0 up to, and without, `bound`. */
  below(bound: number): number {
    return this.uint32() % bound
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  /** A trade id as the venue makes them: fifteen digits or so, safe as a number. */
  tradeId(): number {
    return (this.uint32() % 0x8_0000) * 0x1_0000_0000 + this.uint32()
  }

  /** A hash-like text of 32 bytes. */
  hash(): string {
    let text = '0x'
    for (let word = 0; word < 8; word++) text += this.uint32().toString(16).padStart(8, '0')
    return text
  }
}
