import { Decimal } from '../../../src/core/values/decimal.ts'

const powers: readonly bigint[] = Array.from(
  { length: 64 },
  (_, exponent) => 10n ** BigInt(exponent),
)

/** Ten to this power. */
export function powerOfTen(exponent: number): bigint {
  return powers[exponent] ?? 10n ** BigInt(exponent)
}

/** The number in units of ten to the minus `scale`; null when it has finer digits than that. */
export function unitsAt(value: Decimal, scale: number): bigint | null {
  if (value.scale <= scale) return value.units * powerOfTen(scale - value.scale)
  const factor = powerOfTen(value.scale - scale)
  return value.units % factor === 0n ? value.units / factor : null
}

/** The same number written with exactly this many decimals; it must fit. */
export function atScale(value: Decimal, scale: number): Decimal {
  if (value.scale === scale) return value
  const units = unitsAt(value, scale)
  if (units === null) throw new RangeError(`${value.toString()} has more than ${scale} decimals`)
  return new Decimal(units, scale)
}

/** The venue's text of a number: at most ten decimals and at least one. */
export function wireNumber(value: Decimal): string {
  const text = value.rounded(10, 'half-even').toString()
  return text.includes('.') ? text : `${text}.0`
}

/** Adds up; zero for none. */
export function sum(values: readonly Decimal[]): Decimal {
  return values.reduce((total, each) => total.plus(each), Decimal.zero)
}
