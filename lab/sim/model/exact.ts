/**
 * A rational number, kept whole: nothing is ever rounded unless it is asked for. The engine computes
 * with decimals of a fixed number of digits; the model has its own numbers, so that a mistake in
 * one of them shows as a difference.
 */
export class Exact {
  static readonly zero = new Exact(0n, 1n)
  static readonly one = new Exact(1n, 1n)

  private readonly top: bigint
  /** Above zero; without a common factor with `top`. */
  private readonly bottom: bigint

  private constructor(top: bigint, bottom: bigint) {
    this.top = top
    this.bottom = bottom
  }

  private static reduced(top: bigint, bottom: bigint): Exact {
    if (bottom === 1n) return new Exact(top, 1n)
    const sign = bottom < 0n ? -1n : 1n
    const common = commonFactor(top < 0n ? -top : top, bottom * sign)
    if (common === 1n) return new Exact(top * sign, bottom * sign)
    return new Exact((top / common) * sign, (bottom / common) * sign)
  }

  /** From decimal text such as `-0.25`; throws on anything else. */
  static of(text: string | number): Exact {
    const found = /^(-?)(\d+)(?:\.(\d*))?$/.exec(String(text))
    if (found === null) throw new TypeError(`not a decimal number: ${text}`)
    const [, sign = '', whole = '0', part = ''] = found
    const top = BigInt(whole + part)
    return Exact.reduced(sign === '-' ? -top : top, 10n ** BigInt(part.length))
  }

  static sum(values: readonly Exact[]): Exact {
    return values.reduce((total, each) => total.plus(each), Exact.zero)
  }

  static least(first: Exact, second: Exact): Exact {
    return first.isAbove(second) ? second : first
  }

  static most(first: Exact, second: Exact): Exact {
    return first.isAbove(second) ? first : second
  }

  plus(other: Exact): Exact {
    if (this.bottom === other.bottom) return Exact.reduced(this.top + other.top, this.bottom)
    const top = this.top * other.bottom + other.top * this.bottom
    return Exact.reduced(top, this.bottom * other.bottom)
  }

  minus(other: Exact): Exact {
    return this.plus(other.negated())
  }

  times(other: Exact): Exact {
    return Exact.reduced(this.top * other.top, this.bottom * other.bottom)
  }

  over(other: Exact): Exact {
    if (other.top === 0n) throw new RangeError('division by zero')
    return Exact.reduced(this.top * other.bottom, this.bottom * other.top)
  }

  negated(): Exact {
    return new Exact(-this.top, this.bottom)
  }

  abs(): Exact {
    return this.top < 0n ? this.negated() : this
  }

  /** -1, 0 or 1. */
  sign(): number {
    return this.top === 0n ? 0 : this.top < 0n ? -1 : 1
  }

  /** Negative, zero or positive, as a sort wants it. */
  compare(other: Exact): number {
    const left = this.top * other.bottom
    const right = other.top * this.bottom
    return left === right ? 0 : left < right ? -1 : 1
  }

  is(other: Exact): boolean {
    return this.top === other.top && this.bottom === other.bottom
  }

  isAbove(other: Exact): boolean {
    return this.compare(other) > 0
  }

  isBelow(other: Exact): boolean {
    return this.compare(other) < 0
  }

  /** Whether it can be written with this many decimals. */
  fits(decimals: number): boolean {
    return (this.top * 10n ** BigInt(decimals)) % this.bottom === 0n
  }

  /** With so many decimals, the rest cut off towards zero. */
  cut(decimals: number): Exact {
    const factor = 10n ** BigInt(decimals)
    return Exact.reduced((this.top * factor) / this.bottom, factor)
  }

  /** The nearest number with so many decimals; from the middle to the even one. */
  nearest(decimals: number): Exact {
    const factor = 10n ** BigInt(decimals)
    const scaled = this.top * factor
    const floor = scaled / this.bottom - (scaled % this.bottom < 0n ? 1n : 0n)
    const twice = 2n * (scaled - floor * this.bottom)
    const isUp = twice > this.bottom || (twice === this.bottom && floor % 2n !== 0n)
    return Exact.reduced(isUp ? floor + 1n : floor, factor)
  }

  /** As a decimal; the number must have an end, so one that was rounded. */
  toString(): string {
    let decimals = 0
    while (!this.fits(decimals)) {
      decimals += 1
      if (decimals > 60) throw new RangeError('a number without an end as a decimal')
    }
    const units = ((this.top < 0n ? -this.top : this.top) * 10n ** BigInt(decimals)) / this.bottom
    const digits = units.toString().padStart(decimals + 1, '0')
    const whole = digits.slice(0, digits.length - decimals)
    const part = digits.slice(digits.length - decimals)
    return `${this.top < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`
  }

  /** The venue's text of a number: at least one decimal, at most ten. */
  wire(): string {
    const text = this.nearest(10).toString()
    return text.includes('.') ? text : `${text}.0`
  }
}

const safe = BigInt(Number.MAX_SAFE_INTEGER)

/** Euclid's; with plain numbers as soon as they are small enough, which is much faster. */
function commonFactor(first: bigint, second: bigint): bigint {
  let [high, low] = [first, second]
  while (low > safe || high > safe) {
    if (low === 0n) return high
    const rest: bigint = high % low
    high = low
    low = rest
  }
  let [more, less] = [Number(high), Number(low)]
  while (less !== 0) {
    const rest = more % less
    more = less
    less = rest
  }
  return BigInt(more)
}
