import type { Account } from '../../core/account/account.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import { infoWeight } from '../../core/protocol/requestWeight.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Clock, WeightBudget } from '../ports.ts'

interface CoverSightDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly account: Pick<
    Account,
    'venueTime' | 'markets' | 'ordersAt' | 'dexOrdersAt' | 'recordedStop'
  >
  readonly budget: Pick<WeightBudget, 'roomInMs'>
}

/** How long positions whose orders nobody has listed wait for a stop that may be there already. */
const ordersGraceMs = 3_000
/** The same where the list cannot be paid for: within a minute all request weight comes free. */
const unpaidGraceMs = 65_000
/** What a list of the orders on a dex costs. */
export const listWeight = infoWeight({ type: 'frontendOpenOrders' })

/** Since when a position is known without the orders of its dex, by the monotonic clock. */
interface Bare {
  readonly firstMs: number
  /** Since when there has been request weight to read them. */
  readonly sinceMs: number
}

/**
 * Whether what covers the positions is known, or nobody has told it for so long that a second stop is
 * better than none: it is removed again once the first one shows.
 */
export class CoverSight {
  readonly #deps: CoverSightDeps
  /** Since when positions are known without the orders of the main dex, by the monotonic clock. */
  #bareSinceMs: number | null = null
  readonly #bare = new Map<Coin, Bare>()

  constructor(deps: CoverSightDeps) {
    this.#deps = deps
  }

  /** Positions and markets are known, so that what is open can be closed. */
  get arePositionsKnown(): boolean {
    const { account } = this.#deps
    return account.venueTime !== null && account.markets.byAsset.size > 0
  }

  /** Whether what covers positions on the main dex is known. */
  get isKnown(): boolean {
    if (!this.arePositionsKnown) return false
    if (this.#deps.account.ordersAt !== null) return true
    const nowMs = this.#deps.clock.monotonicMs()
    this.#bareSinceMs ??= nowMs
    return nowMs - this.#bareSinceMs >= ordersGraceMs
  }

  /**
   * The same of one coin: a builder dex lists its orders by itself. A position that a stop has covered in full, by
   * the record, waits longer where there is no request weight for the list.
   */
  isKnownOf(coin: Coin): boolean {
    const { account, budget, clock } = this.#deps
    const dex = dexOf(coin)
    if (dex === '' || account.dexOrdersAt(dex) !== null) {
      this.#bare.delete(coin)
      return true
    }
    const nowMs = clock.monotonicMs()
    const { firstMs, sinceMs } = this.#bare.get(coin) ?? { firstMs: nowMs, sinceMs: nowMs }
    const isUnpaid =
      nowMs - firstMs < unpaidGraceMs &&
      account.recordedStop(coin) !== null &&
      budget.roomInMs('watch', listWeight) > 0
    const bare = { firstMs, sinceMs: isUnpaid ? nowMs : sinceMs }
    this.#bare.set(coin, bare)
    return nowMs - bare.sinceMs >= ordersGraceMs
  }
}
