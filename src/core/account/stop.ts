import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'

export interface Stop {
  /** The stop's own side: a sell stop protects a long position. */
  readonly isBuy: boolean
  readonly oid: number
  readonly cloid: string | null
  readonly trigger: Decimal
  readonly size: Decimal
  readonly owner: 'bot' | 'guard'
  readonly isPositionTpsl: boolean
  /** When the venue took it, by the venue's clock. */
  readonly placedAt: Millis
}

/** Partial stops add up, tightest first; position TP/SL covers the rest; a stop-limit never covers. */
export interface Cover {
  readonly isFull: boolean
  readonly uncovered: Decimal
  /** The loosest covering trigger; null when nothing covers. */
  readonly loosest: Decimal | null
  /** Sum of size x |mid - trigger| over what is covered; a stop beyond the mid counts as zero. */
  readonly risk: Decimal
}
