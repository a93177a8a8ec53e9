import type { BuilderTerms } from '../protocol/market.ts'
import type { AccountMode, Fill } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import type { CrossPool } from './accountView.ts'
import { Cash } from './cash.ts'
import type { CashView, SpotTold } from './cash.ts'
import { ifTold } from './ifTold.ts'
import type { Sight, SightEvent } from './ifTold.ts'
import type { OwnRecord } from './ownRecord.ts'
import { poolOf } from './poolOf.ts'
import type { Positions } from './positions.ts'
import { UnifiedBalance } from './unifiedBalance.ts'

/** The account's money in the mode that the venue tells, in USD. */
export class Funds {
  #mode: AccountMode = 'unknown'
  readonly #positions: Positions
  /** Whether a perp is paid in USDC: the profit of others is in another balance. */
  readonly #isInUsdc: (coin: Coin) => boolean
  readonly #cash = new Cash()
  readonly #balance = new UnifiedBalance()

  constructor(positions: Positions, builderOf: (coin: Coin) => BuilderTerms | undefined) {
    this.#positions = positions
    this.#isInUsdc = (coin) => builderOf(coin)?.isPaidInUsdc !== false
  }

  get mode(): AccountMode {
    return this.#mode
  }

  applyMode(mode: AccountMode): void {
    if (mode !== this.#mode) this.#balance.restart()
    this.#mode = mode
  }

  applySpot(told: SpotTold): void {
    const { spot, at } = told
    if (!this.#cash.applySpot(told)) return
    const inUsdc = [...this.#positions.views.values()].filter(({ coin }) => this.#isInUsdc(coin))
    this.#balance.seenSpot(spot.usdcTotal, inUsdc, at)
  }

  /** A fill that has changed a position. */
  applyFill(fill: Fill): void {
    this.#cash.applyFill(fill)
  }

  /** The clock was set by so much. */
  shift(ms: number): void {
    for (const each of [this.#cash, this.#balance]) each.shift(ms)
  }

  /** Equity with the part that only fills, fees, funding and flows can change. */
  get view(): CashView | null {
    return this.#cash.view(this.#mode, this.#positions)
  }

  get equity(): Decimal | null {
    return this.#cash.equity(this.#mode, this.#positions)
  }

  /** What a plain account has on a dex: all that it is worth, and the part beside unrealised profit; null: untold. */
  on(dex: string): { readonly worth: Decimal; readonly cash: Decimal } | null {
    const worth = this.#positions.accountValue(dex)
    return worth && { worth, cash: worth.minus(this.#positions.unrealised(dex)) }
  }

  /** Whether the money on a dex is known, or is no money of its own. */
  isTold(dex: string): boolean {
    return poolOf(this.#mode, dex) === null || this.on(dex) !== null
  }

  /** What stands behind the cross positions of a pool once `taken`, in USD, is isolated margin. */
  backing(dex: CrossPool['dex'], taken: Decimal): Omit<CrossPool, 'rows'> {
    return this.#cash.backing(this.#mode, this.#positions, dex, taken)
  }

  /** Whether a dex, the main one with an empty name, has a part of the money for itself. */
  isApart(dex: string): boolean {
    return poolOf(this.#mode, dex) !== null && (dex !== '' || this.#positions.isParted)
  }

  /** When the balances were told that the equity counts on, beside the positions; null: never. */
  get toldAt(): readonly (Millis | null)[] {
    return this.#mode === 'unifiedAccount' ? [this.#cash.spotAt] : []
  }

  /** What a person should know of a unified balance. */
  get discrepancies(): readonly string[] {
    const parted = this.#mode === 'unifiedAccount' ? this.#balance.discrepancy : null
    return parted === null ? [] : [parted]
  }

  /** What the account would show if it were told this. */
  ifTold(event: SightEvent, own: OwnRecord): Sight {
    const [mode, cash, positions] = [this.#mode, this.#cash, this.#positions]
    return ifTold(event, { mode, cash, positions, own })
  }
}
