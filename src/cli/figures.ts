import { Decimal } from '../core/values/decimal.ts'
import { paint } from './terminal.ts'

/** Numbers as a person reads them; the exact ones are in `--json`. */

export function money(text: string | null): string {
  const value = read(text)
  if (value === null) return '-'
  const [whole = '0', cents = ''] = value.abs().rounded(2, 'half-even').toString().split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${value.isNegative() ? '-' : ''}$${grouped}.${cents.padEnd(2, '0')}`
}

/** A price to six digits, as a person compares it with another. */
export function price(text: string): string {
  const value = read(text)
  if (value === null) return text
  const whole = value.abs().rounded(0, 'floor').toString()
  return value.rounded(Math.max(0, 6 - whole.length), 'half-even').toString()
}

export function percent(text: string | null): string {
  const value = read(text)
  if (value === null) return '-'
  return `${value.times(Decimal.whole(100)).rounded(2, 'half-even').toString()}%`
}

/** How much of a limit is used: green, from 60% yellow, from 80% red. */
export function bar(used: string | null, limit: string | null, width: number): string {
  const share = shareOf(used, limit)
  if (share === null) return paint('gray', '·'.repeat(width))
  const filled = Math.min(width, Math.ceil((share * width) / 100))
  const colour = share >= 80 ? 'red' : share >= 60 ? 'yellow' : 'green'
  return `${paint(colour, '█'.repeat(filled))}${paint('gray', '░'.repeat(width - filled))}`
}

/** Whole percent of a limit, at least zero; null where either is unknown. */
function shareOf(used: string | null, limit: string | null): number | null {
  const part = read(used)
  const whole = read(limit)
  if (part === null || whole === null || !whole.isPositive()) return null
  if (!part.isPositive()) return 0
  const share = part.times(Decimal.whole(100)).over(whole, 0, 'ceil')
  return share.gt(Decimal.whole(100)) ? 100 : Number(share.toString())
}

/** An amount less a share of it; null where either is unknown. */
export function less(amount: string | null, share: string | null): string | null {
  const whole = read(amount)
  const part = read(share)
  return whole === null || part === null ? null : whole.minus(whole.times(part)).toString()
}

export function since(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

function read(text: string | null): Decimal | null {
  if (text === null) return null
  const parsed = Decimal.parse(text)
  return parsed.ok ? parsed.value : null
}
