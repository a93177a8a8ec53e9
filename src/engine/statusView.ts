import type { Mode, RiskDetail, RiskStateName } from '../core/events/guardEvent.ts'
import type { Json } from '../core/protocol/action.ts'
import type { AccountMode } from '../core/protocol/venueState.ts'
import type { FleetStatus } from './fleetView.ts'
import type { HostStatus } from './ports.ts'

/** `GET /guard/status`, field for field. Money, sizes, prices and ratios are decimal strings. */
export interface StatusView {
  readonly schema: 1
  readonly version: string
  readonly mode: Mode
  readonly network: 'mainnet' | 'testnet'
  readonly account: string
  /** Whose sub-account or vault the account is; null: it has a key of its own. */
  readonly via: string | null
  /** The venue's mode of the account; `unknown` until it was told, or where Guard does not know it. */
  readonly account_mode: AccountMode
  readonly started_at_ms: number
  readonly now_ms: number
  readonly last_seq: number
  readonly kill: {
    readonly latched: boolean
    readonly reason: string | null
    readonly at_ms: number | null
    readonly durable: boolean
  }
  readonly risk: StatusRisk
  /** Whether an entry within the rules would pass now, and if not, why. */
  readonly entries: { readonly pass: boolean; readonly reason: string | null }
  readonly rules: string
  readonly rules_decoded: Json
  /** The rules as they are for each client that has tighter ones of its own; left out where none has. */
  readonly client_rules?: { readonly [client: string]: Json } | undefined
  readonly clients: readonly string[]
  /** What sizes are computed with, as shares of the value; funding is not part of them. */
  readonly assumptions: {
    readonly fee: string
    readonly slippage: string
    readonly stop_slippage: string
    readonly funding: null
  }
  readonly positions: readonly StatusPosition[]
  /** The pool nearest to its liquidation of those that something on cross margin leans on; null without. */
  readonly cross: StatusCross | null
  /** All of them, the nearest first: each dex of a plain account has its own. */
  readonly cross_pools: readonly StatusCross[]
  /** What the venue trades by itself, slice by slice. */
  readonly twaps: readonly StatusTwap[]
  readonly open_orders: number
  readonly in_flight: number
  readonly alerts: readonly AlertView[]
  readonly venue: {
    readonly url: string
    readonly stream: 'live' | 'stale' | 'down'
    readonly last_message_ms: number | null
    readonly last_reconcile_ms: number | null
    readonly weight_used_1m: number
    readonly weight_limit_1m: number
  }
  /** This Guard among those of its host; null where it has not joined them. */
  readonly host: HostStatus | null
  /** This Guard in its fleet; null where it is a member of none. */
  readonly fleet: FleetStatus | null
  readonly journal: {
    readonly path: string
    readonly events: number
    readonly bytes: number
    readonly last_sync_ms: number | null
    readonly error: string | null
  }
}

export interface StatusRisk {
  readonly state: RiskStateName
  readonly detail: RiskDetail | null
  readonly equity: string | null
  readonly day_start_equity: string | null
  readonly peak_equity: string | null
  readonly day: string
  readonly daily_loss: string | null
  readonly daily_loss_limit: string
  readonly drawdown: string | null
  readonly drawdown_limit: string
  readonly open_risk: string | null
  readonly open_risk_limit: string | null
  /**
   * USD that entries which wait for a trigger could lose while Guard is away, and how much they may:
   * nobody would place their stops. Left out while none waits.
   */
  readonly waiting_loss?: string | undefined
  readonly waiting_loss_limit?: string | null | undefined
}

/** Positions and entries on cross margin, at their worst, and what stands behind them; USD. */
export interface StatusCross {
  /** The dex whose collateral it is, empty for the main one; null where all of the account is one. */
  readonly dex: string | null
  readonly collateral: string
  readonly value: string
  readonly maintenance: string
  /** How far all marks can move against all of it at once before it is liquidated, as a share. */
  readonly distance: string
}

export interface StatusPosition {
  readonly coin: string
  readonly side: 'long' | 'short'
  readonly size: string
  readonly entry_price: string
  readonly mark_price: string | null
  readonly value: string | null
  readonly unrealised_pnl: string
  readonly leverage: number
  readonly margin: 'isolated' | 'cross'
  readonly liquidation_price: string | null
  readonly stops: readonly {
    readonly oid: number | null
    readonly price: string
    readonly size: string
    readonly owner: 'bot' | 'guard'
  }[]
  readonly covered: boolean
  readonly risk: string | null
}

export interface StatusTwap {
  /** Null until the venue has told it. */
  readonly id: number | null
  readonly coin: string
  readonly side: 'buy' | 'sell'
  readonly size: string
  readonly executed: string
  readonly minutes: number
  readonly reduce_only: boolean
  /** What it was judged with; null where it only reduces, or was made elsewhere. */
  readonly worst_price: string | null
  readonly stop: string | null
  readonly owner: 'bot' | 'elsewhere'
}

/** Something a person should know while it lasts. */
export interface AlertView {
  readonly code: string
  readonly text: string
  readonly since_ms: number
  readonly coin?: string
}
