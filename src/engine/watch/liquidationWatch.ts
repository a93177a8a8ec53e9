import type { Account } from '../../core/account/account.ts'
import type { CrossPool } from '../../core/account/accountView.ts'
import { leansOn, poolOf } from '../../core/account/poolOf.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import { priceMismatches } from '../../core/safety/liquidationPrices.ts'
import type { PriceMismatches } from '../../core/safety/liquidationPrices.ts'
import type { ClearinghouseState, VenuePosition } from '../../core/protocol/venueState.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock } from '../ports.ts'

interface LiquidationWatchDeps {
  readonly clock: Clock
  readonly account: Pick<Account, 'market' | 'mode' | 'crossPool' | 'marginInFlight'>
  readonly alerts: Alerts
  /** Asks for the markets anew: their margin tiers may have changed. */
  readonly askMarkets: () => void
}

/** A balance that is told apart from the positions may lag behind them, but not for this long. */
const poolLastsMs = 10_000
const askEveryMs = 30_000
const agreeing: PriceMismatches = { coins: new Map(), pool: null }

/**
 * Works out the liquidation prices of cross positions and compares them with the venue's own. While
 * they differ Guard does not know how the venue counts: nothing opens, and a person is told.
 */
export class LiquidationWatch {
  private readonly deps: LiquidationWatchDeps
  private found: PriceMismatches = agreeing
  /** Since when the prices and the balance differ, by the monotonic clock. */
  private poolSinceMs: number | null = null
  private askedMs = -Infinity

  constructor(deps: LiquidationWatchDeps) {
    this.deps = deps
  }

  /** Why nothing opens, for people; null while the prices agree. */
  get doubt(): string | null {
    const [first] = this.found.coins.values()
    return first ?? this.lastingPool()
  }

  /** A snapshot that the account has taken. */
  told(state: ClearinghouseState): void {
    this.found = this.compared(state)
    const nowMs = this.deps.clock.monotonicMs()
    this.poolSinceMs = this.found.pool === null ? null : (this.poolSinceMs ?? nowMs)
    if (this.doubt === null || nowMs - this.askedMs < askEveryMs) return
    this.askedMs = nowMs
    this.deps.askMarkets()
  }

  tick(): void {
    const { alerts, clock } = this.deps
    const texts = new Map<string | null, string>(this.found.coins)
    const pool = this.lastingPool()
    if (pool !== null) texts.set(null, pool)
    for (const [coin, text] of texts) alerts.raise('liquidation_price', text, clock.now(), coin)
    alerts.keepOnly('liquidation_price', new Set([...texts.keys()].map((coin) => coin ?? '')))
  }

  private lastingPool(): string | null {
    if (this.poolSinceMs === null) return null
    const lasts = this.deps.clock.monotonicMs() - this.poolSinceMs >= poolLastsMs
    return lasts ? this.found.pool : null
  }

  private compared(state: ClearinghouseState): PriceMismatches {
    const { account } = this.deps
    const cross = state.positions.filter(({ leverage }) => leverage.type === 'cross')
    const pools = new Set(cross.map(({ coin }) => poolOf(account.mode, dexOf(coin))))
    const found = [...pools].map((dex) => this.comparedIn(dex, state, cross))
    const coins = new Map(found.flatMap((each) => [...each.coins]))
    return { coins, pool: found.find(({ pool }) => pool !== null)?.pool ?? null }
  }

  private comparedIn(
    dex: CrossPool['dex'],
    state: ClearinghouseState,
    cross: readonly VenuePosition[],
  ): PriceMismatches {
    const { account } = this.deps
    const held = cross.flatMap((position) => {
      const market = leansOn({ dex }, position.coin) ? account.market(position.coin) : null
      return market === null ? [] : [{ position, market }]
    })
    const collateral = this.collateralOf(dex, state)
    if (held.length === 0 || collateral === null) return agreeing
    return priceMismatches({ held, collateral, isSameMoment: dex !== null })
  }

  /**
   * The balance less what the state's isolated positions have. What is on its way to them stays in: the
   * state has moved it by then, or the venue's prices do not know of it yet.
   */
  private pooled(state: ClearinghouseState): Decimal | null {
    const { account } = this.deps
    const flying = state.positions.reduce(
      (sum, { coin }) => sum.plus(account.marginInFlight(coin)),
      Decimal.zero,
    )
    return account.crossPool().collateral?.plus(flying) ?? null
  }

  /** That of a dex is told with its positions, a unified account's is its balance. */
  private collateralOf(dex: CrossPool['dex'], state: ClearinghouseState): Decimal | null {
    if (dex === null) return this.pooled(state)
    return (dex === '' ? state : state.dexValues?.get(dex))?.crossValue ?? null
  }
}
