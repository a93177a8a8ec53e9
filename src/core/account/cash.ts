import type { AccountMode, Fill, SpotState } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { shifted } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import type { AccountEvent } from './accountEvent.ts'
import type { CrossPool } from './accountView.ts'
import type { Positions } from './positions.ts'

/** Equity, and what of it only fills, fees, funding and flows can change. */
export interface CashView {
  readonly equity: Decimal
  readonly cash: Decimal
  readonly unrealised: Decimal
  /** A unified account may or may not show unrealised profit in its balance. */
  readonly isUnified: boolean
}

export type SpotTold = Extract<AccountEvent, { kind: 'spot' }>

/** Equity by account mode (venue reference, section 13). */
export class Cash {
  #spot: SpotState | null = null
  #spotAt: Millis | null = null
  /** The balance that the stream told last, and since when it has told the same one. */
  #streamed: { readonly spot: SpotState; readonly since: Millis } | null = null
  /** When the last read of the balance was asked for; null before the first one. */
  #askedAt: Millis | null = null
  /**
   * Fees since the last spot state; the next one includes them. Whether the balance already moved
   * with the profit a fill realises is not known, so that waits for the venue's own word.
   */
  #fees = Decimal.zero

  get spotAt(): Millis | null {
    return this.#spotAt
  }

  /** A copy: what is done to it leaves this one as it is. */
  copy(): Cash {
    const copy = new Cash()
    copy.#spot = this.#spot
    copy.#spotAt = this.#spotAt
    copy.#streamed = this.#streamed
    copy.#askedAt = this.#askedAt
    copy.#fees = this.#fees
    return copy
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    if (this.#spotAt !== null) this.#spotAt = shifted(this.#spotAt, ms)
    if (this.#askedAt !== null) this.#askedAt = shifted(this.#askedAt, ms)
    if (this.#streamed !== null) {
      this.#streamed = { ...this.#streamed, since: shifted(this.#streamed.since, ms) }
    }
  }

  /**
   * Takes a balance; false where it is not believed: a stream that repeats itself, though a later read
   * told something else, stands still.
   */
  applySpot(told: SpotTold): boolean {
    const { spot, source, at, askedAt = at } = told
    if (source === 'read') this.#askedAt = askedAt
    else if (this.#standsStill(told)) return false
    this.#spot = spot
    this.#spotAt = at
    this.#fees = Decimal.zero
    return true
  }

  #standsStill({ spot, at }: SpotTold): boolean {
    const streamed = this.#streamed
    if (streamed === null || !isSameBalance(spot, streamed.spot)) {
      this.#streamed = { spot, since: at }
      return false
    }
    // A read may be answered from a moment before it was asked.
    const isReadLater = (this.#askedAt ?? 0) > streamed.since + limits.spotShownMs
    return isReadLater && this.#spot !== null && !isSameBalance(spot, this.#spot)
  }

  applyFill(fill: Fill): void {
    this.#fees = this.#fees.plus(fill.fee)
  }

  equity(mode: AccountMode, positions: Positions): Decimal | null {
    switch (mode) {
      case 'default':
      case 'disabled':
        return positions.accountValue()
      case 'unifiedAccount':
        if (this.#spot === null || positions.time === null) return null
        return this.#spot.usdcTotal.minus(this.#fees)
      case 'portfolioMargin':
      case 'dexAbstraction':
      case 'unknown':
        return null
    }
  }

  /** What stands behind the cross positions of a pool once `taken`, in USD, is isolated margin. */
  backing(
    mode: AccountMode,
    positions: Positions,
    dex: CrossPool['dex'],
    taken: Decimal,
  ): Omit<CrossPool, 'rows'> {
    const isolated = positions.isolatedEquity(dex).plus(taken)
    const worth = dex === null ? this.equity(mode, positions) : positions.accountValue(dex)
    const collateral = worth?.minus(isolated) ?? null
    if (mode !== 'unifiedAccount' || this.#spot === null) return { dex, collateral, unheld: null }
    const { usdcTotal, usdcHold } = this.#spot
    return { dex, collateral, unheld: usdcTotal.minus(usdcHold).minus(this.#fees).minus(taken) }
  }

  view(mode: AccountMode, positions: Positions): CashView | null {
    const equity = this.equity(mode, positions)
    if (equity === null) return null
    const unrealised = positions.unrealised()
    const isUnified = mode === 'unifiedAccount'
    return { equity, cash: equity.minus(unrealised), unrealised, isUnified }
  }
}

function isSameBalance(one: SpotState, other: SpotState): boolean {
  return other.usdcTotal.eq(one.usdcTotal) && other.usdcHold.eq(one.usdcHold)
}
