import type { Decimal } from '../../values/decimal.ts'

/** What bounds a size. */
export interface SizeBound {
  readonly rule: string
  /** The sentence for it. Of all that bound an entry one is told at most: the others need no words. */
  readonly text: () => string
}

/** The largest size by one rule. */
export interface SizeLimit extends SizeBound {
  readonly size: Decimal
}
