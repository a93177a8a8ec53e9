import { Decimal } from '../values/decimal.ts'

/** Numbers as a person reads them in a reason; what is compared is always the exact number. */

const hundred = Decimal.whole(100)

export function usd(amount: Decimal): string {
  return `${amount.rounded(2, 'half-even').toString()} USD`
}

/** A fraction as a percentage: 0.02 is 2%. */
export function percent(fraction: Decimal): string {
  return `${fraction.times(hundred).rounded(4, 'half-even').toString()}%`
}

/** A duration in whole seconds. */
export function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)} s`
}

export function sideName(isBuy: boolean): 'buy' | 'sell' {
  return isBuy ? 'buy' : 'sell'
}
