import type { Decimal } from '../../values/decimal.ts'

/** The largest size by one rule, and the sentence for it. */
export interface SizeLimit {
  readonly size: Decimal
  readonly rule: string
  readonly text: string
}
