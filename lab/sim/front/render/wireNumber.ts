import type { Decimal } from '../../../../src/core/values/decimal.ts'

const decimalsMax = 10

/** A number as the venue writes it in answers: at least one decimal, at most ten. */
export function wireNumber(value: Decimal): string {
  const text = value.rounded(decimalsMax, 'half-even').toString()
  return text.includes('.') ? text : `${text}.0`
}

export function wireNumberOrNull(value: Decimal | null): string | null {
  return value === null ? null : wireNumber(value)
}
