/** Exact fractions for worked cases: a second way to a number, apart from `Decimal`. */
export class Rational {
  readonly numerator: bigint
  readonly denominator: bigint

  constructor(numerator: bigint, denominator: bigint) {
    const sign = denominator < 0n ? -1n : 1n
    const shared = gcd(numerator < 0n ? -numerator : numerator, denominator * sign) || 1n
    this.numerator = (numerator * sign) / shared
    this.denominator = (denominator * sign) / shared
  }

  plus(other: Rational): Rational {
    return new Rational(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    )
  }
  minus(other: Rational): Rational {
    return this.plus(new Rational(-other.numerator, other.denominator))
  }
  times(other: Rational): Rational {
    return new Rational(this.numerator * other.numerator, this.denominator * other.denominator)
  }
  over(other: Rational): Rational {
    return new Rational(this.numerator * other.denominator, this.denominator * other.numerator)
  }
  lt(other: Rational): boolean {
    return this.minus(other).numerator < 0n
  }

  /** Decimal text with at most `decimals` places, half to even, without trailing zeros. */
  toText(decimals: number): string {
    const scaled = this.numerator * 10n ** BigInt(decimals)
    const negative = scaled < 0n
    const size = negative ? -scaled : scaled
    const floor = size / this.denominator
    const twice = 2n * (size % this.denominator)
    const up = twice > this.denominator || (twice === this.denominator && floor % 2n === 1n)
    const digits = (floor + (up ? 1n : 0n)).toString().padStart(decimals + 1, '0')
    const whole = digits.slice(0, digits.length - decimals)
    const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
    const text = fraction === '' ? whole : `${whole}.${fraction}`
    return negative && /[1-9]/.test(text) ? `-${text}` : text
  }
}

function gcd(left: bigint, right: bigint): bigint {
  let [a, b] = [left, right]
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

export function rational(text: string): Rational {
  const [whole = '0', fraction = ''] = text.split('.')
  return new Rational(BigInt(`${whole}${fraction}`), 10n ** BigInt(fraction.length))
}
