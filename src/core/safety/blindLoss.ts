import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'
import type { CashChange } from './cashBook.ts'
import { movedBases } from './halts.ts'
import type { RiskBases } from './riskSnapshot.ts'

/** What is known of an account whose equity nobody can tell. */
export interface BlindSight {
  /** The venue's time of the positions. */
  readonly venueTime: Millis | null
  /** The profit of all positions, where it is known and the equity is not. */
  readonly unrealised?: Decimal | null
  /** Of which positions it is, where some are not known: one of others is not compared with it. */
  readonly of?: string
}

interface BlindEquity {
  readonly equity: Decimal
  readonly bases: RiskBases
}

/**
 * Counts how long the known loss has been too large while the equity itself is not known. It counts
 * after the whole hold only: a position may be told before the fill that explains it.
 */
export class BlindLoss {
  #since: Millis | null = null
  /** The venue's time of the first look at the positions; what was before it may be missing. */
  #from: Millis | null = null
  #last: BlindSight | null = null
  #made = Decimal.zero

  /** Whether the loss has been too large for the whole hold; asked at every look. */
  counts(isLosing: boolean, at: Millis): boolean {
    if (!isLosing) this.#since = null
    // The clock may have been set back.
    else if (this.#since === null || at < this.#since) this.#since = at
    return this.#since !== null && at - this.#since >= limits.flowHoldMsMax
  }

  /** A change of cash was told: what was traded since the first look is profit or loss since it. */
  moved({ usdc, at, isFlow }: CashChange): void {
    if (this.#from === null || at <= this.#from || isFlow === true) return
    this.#made = this.#made.plus(usdc)
  }

  /**
   * The equity as positions and reports tell it, null where they do not. Where no equity was seen since
   * the start (`reported` is null), what happened while Guard was down may be missing: what came since
   * the first look at the positions is added to the last equity that counted.
   */
  known(
    sight: BlindSight,
    bases: RiskBases,
    reported: { readonly all: Decimal; readonly flow: Decimal } | null,
  ): BlindEquity | null {
    const { unrealised, venueTime } = sight
    if (unrealised == null) return null
    if (reported !== null) {
      const { all, flow } = reported
      const moved = movedBases(bases, bases.equity.plus(flow), flow)
      return { equity: all.plus(unrealised), bases: moved }
    }
    if (venueTime === null) return null
    this.#from ??= venueTime
    const last = this.#last?.of === sight.of ? this.#last?.unrealised : null
    this.#made = this.#made.plus(unrealised.minus(last ?? unrealised))
    this.#last = sight
    return { equity: bases.equity.plus(this.#made), bases }
  }
}
