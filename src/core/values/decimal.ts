import { limits } from './limits.ts'
import { err, ok } from './result.ts'
import type { Result } from './result.ts'
import { unreachable } from './unreachable.ts'

/** Where a quotient or a shortened number goes when it does not fit: named by every caller. */
export type Rounding = 'down' | 'up' | 'floor' | 'ceil' | 'half-even'

const digitsMax = limits.decimalDigitsMax
const pattern = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/

const powers: bigint[] = [1n]
function pow10(exponent: number): bigint {
  for (let at = powers.length; at <= exponent; at++) powers.push((powers[at - 1] as bigint) * 10n)
  return powers[exponent] as bigint
}

/**
 * An exact decimal: `units` times ten to the minus `scale`. There is no way in from, and no way
 * out to, a binary float. Sums and products are exact; a quotient names its scale and rounding.
 */
export class Decimal {
  readonly units: bigint
  readonly scale: number

  constructor(units: bigint, scale: number) {
    this.units = units
    this.scale = scale
  }

  static readonly zero = new Decimal(0n, 0)
  static readonly one = new Decimal(1n, 0)

  /** Reads plain decimal text: an optional minus, digits, an optional fraction. No exponent. */
  static parse(text: unknown): Result<Decimal> {
    if (typeof text !== 'string') return err('must be a decimal as a string')
    const match = pattern.exec(text)
    if (match === null) return err('must be a plain decimal number, such as "12.5"')
    const fraction = match[3] ?? ''
    const digits = `${match[2] as string}${fraction}`
    if (digits.length > digitsMax) return err(`must have at most ${digitsMax} digits`)
    const units = BigInt(digits)
    return ok(new Decimal(match[1] === '-' ? -units : units, fraction.length))
  }

  /** For literals and fixtures; throws on anything that is not a plain decimal. */
  static of(text: string): Decimal {
    const parsed = Decimal.parse(text)
    if (!parsed.ok) throw new TypeError(`"${text}" ${parsed.error}`)
    return parsed.value
  }

  /** From a whole number. */
  static whole(value: number | bigint): Decimal {
    return new Decimal(BigInt(value), 0)
  }

  static min(first: Decimal, ...rest: readonly Decimal[]): Decimal {
    return rest.reduce((least, each) => (each.lt(least) ? each : least), first)
  }

  static max(first: Decimal, ...rest: readonly Decimal[]): Decimal {
    return rest.reduce((most, each) => (each.gt(most) ? each : most), first)
  }

  private at(scale: number): bigint {
    return scale === this.scale ? this.units : this.units * pow10(scale - this.scale)
  }

  plus(other: Decimal): Decimal {
    const scale = this.scale > other.scale ? this.scale : other.scale
    return new Decimal(this.at(scale) + other.at(scale), scale)
  }

  minus(other: Decimal): Decimal {
    const scale = this.scale > other.scale ? this.scale : other.scale
    return new Decimal(this.at(scale) - other.at(scale), scale)
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.units * other.units, this.scale + other.scale)
  }

  /** The quotient with `scale` decimals. Division by zero is a bug of the caller. */
  over(divisor: Decimal, scale: number, rounding: Rounding): Decimal {
    if (divisor.units === 0n) throw new RangeError('division by zero')
    const shift = scale + divisor.scale - this.scale
    const numerator = shift >= 0 ? this.units * pow10(shift) : this.units
    const denominator = shift >= 0 ? divisor.units : divisor.units * pow10(-shift)
    return new Decimal(divideRounded(numerator, denominator, rounding), scale)
  }

  /** The nearest multiple of `step` (positive) in the direction named. */
  toStep(step: Decimal, rounding: Rounding): Decimal {
    return this.over(step, 0, rounding).times(step)
  }

  /** The same number with at most `scale` decimals. */
  rounded(scale: number, rounding: Rounding): Decimal {
    if (this.scale <= scale) return this
    return new Decimal(divideRounded(this.units, pow10(this.scale - scale), rounding), scale)
  }

  negated(): Decimal {
    return new Decimal(-this.units, this.scale)
  }

  abs(): Decimal {
    return this.units < 0n ? this.negated() : this
  }

  cmp(other: Decimal): -1 | 0 | 1 {
    const scale = this.scale > other.scale ? this.scale : other.scale
    const left = this.at(scale)
    const right = other.at(scale)
    return left < right ? -1 : left > right ? 1 : 0
  }

  eq(other: Decimal): boolean {
    return this.cmp(other) === 0
  }
  lt(other: Decimal): boolean {
    return this.cmp(other) < 0
  }
  lte(other: Decimal): boolean {
    return this.cmp(other) <= 0
  }
  gt(other: Decimal): boolean {
    return this.cmp(other) > 0
  }
  gte(other: Decimal): boolean {
    return this.cmp(other) >= 0
  }

  isZero(): boolean {
    return this.units === 0n
  }
  isPositive(): boolean {
    return this.units > 0n
  }
  isNegative(): boolean {
    return this.units < 0n
  }

  /** The same number without trailing zeros in its scale. */
  normalised(): Decimal {
    let { units, scale } = this
    while (scale > 0 && units % 10n === 0n) {
      units /= 10n
      scale -= 1
    }
    return scale === this.scale ? this : new Decimal(units, scale)
  }

  /** Plain text without trailing zeros, as the venue's wire wants it: `12.5`, `0.001`, `-3`. */
  toString(): string {
    const { units, scale } = this.normalised()
    if (scale === 0) return units.toString()
    const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
    const split = digits.length - scale
    return `${units < 0n ? '-' : ''}${digits.slice(0, split)}.${digits.slice(split)}`
  }

  /** The form in JSON is the decimal text, always a string. */
  toJSON(): string {
    return this.toString()
  }
}

function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = numerator / denominator
  const remainder = numerator % denominator
  if (remainder === 0n) return quotient
  const away = numerator < 0n === denominator < 0n ? 1n : -1n
  switch (rounding) {
    case 'down':
      return quotient
    case 'up':
      return quotient + away
    case 'floor':
      return away < 0n ? quotient - 1n : quotient
    case 'ceil':
      return away > 0n ? quotient + 1n : quotient
    case 'half-even':
      return halfEven(quotient, remainder, denominator, away)
    default:
      return unreachable(rounding)
  }
}

function halfEven(quotient: bigint, remainder: bigint, denominator: bigint, away: bigint): bigint {
  const twice = 2n * (remainder < 0n ? -remainder : remainder)
  const whole = denominator < 0n ? -denominator : denominator
  if (twice === whole) return quotient % 2n === 0n ? quotient : quotient + away
  return twice > whole ? quotient + away : quotient
}
