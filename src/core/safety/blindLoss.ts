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
  /** The profit in USD, below zero a loss, of all positions that are known; null where none is told. */
  readonly unrealised?: Decimal | null
  /**
   * Which part of the account is not known, in words. Only profits that lack the same part are compared:
   * when one more dex is read, what its positions had lost by then is no loss of this moment.
   */
  readonly missing?: string
}

/** The equity in USD as far as it can be told, and the peak and day's start to compare it with. */
interface BlindEquity {
  readonly equity: Decimal
  readonly bases: RiskBases
}

/**
 * Counts how long the known loss has been too large while the equity itself is not known. It counts
 * after the whole hold only: a position may be told before the fill that explains it.
 */
export class BlindLoss {
  /** Guard's time since which every look has found the loss too large; null: the last one did not. */
  #losingSince: Millis | null = null
  /** The venue's time of the first look at the positions; what was before it may be missing. */
  #firstLookAt: Millis | null = null
  #last: BlindSight | null = null
  /** USD won, below zero lost, since the first look: by what was traded, and on what is held. */
  #madeSinceFirstLook = Decimal.zero

  /** Whether the loss has been too large for the whole hold (`flowHoldMsMax`); asked at every look. */
  counts(isLosing: boolean, at: Millis): boolean {
    if (!isLosing) this.#losingSince = null
    // The clock may have been set back.
    else if (this.#losingSince === null || at < this.#losingSince) this.#losingSince = at
    return this.#losingSince !== null && at - this.#losingSince >= limits.flowHoldMsMax
  }

  /** A change of cash was told: what was traded since the first look is profit or loss since it. */
  moved({ usdc, at, isFlow }: CashChange): void {
    if (this.#firstLookAt === null || at <= this.#firstLookAt || isFlow === true) return
    this.#madeSinceFirstLook = this.#madeSinceFirstLook.plus(usdc)
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
    this.#firstLookAt ??= venueTime
    const last = this.#last?.missing === sight.missing ? this.#last?.unrealised : null
    this.#madeSinceFirstLook = this.#madeSinceFirstLook.plus(unrealised.minus(last ?? unrealised))
    this.#last = sight
    return { equity: bases.equity.plus(this.#madeSinceFirstLook), bases }
  }
}
