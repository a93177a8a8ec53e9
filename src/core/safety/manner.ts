import type { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { bandShareIn } from '../venueLimits/priceBand.ts'
import { refusalKind } from '../venueLimits/refusal.ts'
import { venueLimits } from '../venueLimits/venueLimits.ts'

/** How a close or a stop is asked for: everything that a refusal may change about the next try. */
export interface Manner {
  /** How often the largest value of a piece was halved. */
  readonly shrink: number
  /** How many steps further than usual a close may fill; the last one is as far as the venue's band. */
  readonly reach: number
  /**
   * 0: the price that is wanted, moved inside the band. 1 and 2: the edge of the band where the order
   * is surest to fill; where the bands around mark and oracle price have nothing in common, 1 is that
   * of the mark's and 2 that of the oracle's.
   */
  readonly bandStep: 0 | 1 | 2
  /** How far the band reaches, as a share of its reference price. */
  readonly bandShare: Decimal
  /** Significant figures of the price, where the venue's usual grid was not coarse enough. */
  readonly figures: number | null
  /** Asks for at least the minimum value: reduce-only cuts it to the position again. */
  readonly isEnlarged: boolean
  /** Refusals in words that nobody knows, so far. */
  readonly strange: number
}

/** The reach of a close that may fill anywhere in the venue's band. */
const reachMost = 6
/** No close starts with more than this, which is as far as a stop may fill. */
const reachAtFirst = 2

export const plainManner: Manner = {
  shrink: 0,
  reach: 0,
  bandStep: 0,
  bandShare: venueLimits.bandShare,
  figures: null,
  isEnlarged: false,
  strange: 0,
}

/** What is tried after each: the edge twice, by the prices of that moment, and the usual again. */
const nextBandStep = { 0: 1, 1: 2, 2: 0 } as const
const figuresUsual = 5
const figuresLeast = 3

/** The next try after this refusal. What only time can change is asked for in the same way. */
export function nextManner(manner: Manner, refusal: string): Manner {
  switch (refusalKind(refusal)) {
    case 'too_large':
      return smaller(manner)
    case 'outside_band':
      return {
        ...manner,
        bandStep: nextBandStep[manner.bandStep],
        bandShare: bandShareIn(refusal) ?? manner.bandShare,
      }
    case 'below_minimum':
      return { ...manner, isEnlarged: true }
    case 'off_grid':
      return coarser(manner)
    case 'no_match':
      return further(manner)
    case 'stop_price':
    case 'too_long':
    case 'form':
    case 'unknown':
      return otherwise(manner)
    case 'too_many_orders':
    case 'nothing_to_reduce':
    case 'gone':
    case 'expired':
    case 'nonce':
    case 'allowance':
    case 'margin':
    case 'closed_market':
    case 'not_listed':
    case 'signer':
      return manner
  }
}

/** How an order is asked for once the venue has taken one: a far reach is asked for step by step again. */
export function mannerOnceTaken(manner: Manner): Manner {
  return { ...manner, reach: Math.min(manner.reach, reachAtFirst) }
}

function smaller(manner: Manner): Manner {
  return { ...manner, shrink: Math.min(manner.shrink + 1, limits.pieceHalvingsMax) }
}

function coarser(manner: Manner): Manner {
  const { figures } = manner
  if (figures === null) return { ...manner, figures: figuresUsual }
  return { ...manner, figures: figures > figuresLeast ? figures - 1 : null }
}

function further(manner: Manner): Manner {
  return { ...manner, reach: Math.min(manner.reach + 1, reachMost) }
}

/** Nobody knows what these words want: one thing after the other is changed. */
function otherwise(manner: Manner): Manner {
  const strange = manner.strange + 1
  const turn = strange % 3
  const changed = turn === 1 ? smaller : turn === 2 ? further : coarser
  return { ...changed(manner), strange }
}
