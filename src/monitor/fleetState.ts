/** `GET /fleet/state` of `guard fleet watch`, field for field. Money and ratios are decimal text; null: not known. */
export interface FleetState {
  readonly schema: 1
  readonly version: string
  /** The watcher's clock. */
  readonly now_ms: number
  readonly store: {
    /** Where it is, in words, without a password. */
    readonly place: string
    readonly state: 'up' | 'down'
    /** Since when it is so. */
    readonly since_ms: number
    readonly error: string | null
  }
  /** When the picture below was taken, by the store's clock and by the watcher's; null: never yet. */
  readonly at_ms: number | null
  readonly heard_ms: number | null
  readonly totals: readonly FleetTotals[]
  readonly members: readonly FleetMemberView[]
  /** Members that are not shown for their number. */
  readonly members_more: number
  readonly kills: readonly FleetKill[]
  readonly budgets: readonly FleetBudget[]
  /** The last ones over all, newest first. */
  readonly decisions: readonly FleetDecision[]
  readonly alerts: readonly FleetAlert[]
}

/** Play money, test money and real money are never one sum. */
export interface FleetTotals {
  readonly mode: 'mainnet' | 'testnet' | 'paper'
  readonly members: number
  /** Members whose equity is not in the sums: they have told none yet. */
  readonly unknown: number
  /** Members in the sums with what they told last: they are silent. */
  readonly silent: number
  readonly equity: string
  readonly loss_today: string
  readonly open_risk: string
  readonly gross_value: string
  readonly positions: number
}

/** `unseen`: it has never joined; `silent`: unheard for 30 s; `untold`: it lives and has told nothing of itself. */
type FleetMemberState =
  'unseen' | 'silent' | 'latched' | 'stopped' | 'halted_for_day' | 'untold' | 'active'

export interface FleetMemberView {
  readonly name: string
  readonly network: string
  readonly account: string
  readonly group: string | null
  readonly state: FleetMemberState
  readonly unheard_ms: number | null
  readonly version: string | null
  readonly host: string | null
  readonly obeyed_epoch: number
  /** Records of its journal that the store has not copied yet. */
  readonly copy_lag: number | null
  readonly forks: number
  readonly summary: MemberSummary | null
  /** Who would take over from it, the one that was heard last; null: nobody. */
  readonly standby: FleetStandby | null
}

/** The standby of an account that was heard last. */
export interface FleetStandby {
  /** How many standbys the account has that are heard. */
  readonly heard: number
  readonly host: string
  readonly unheard_ms: number
  /** Why it would start latched; null where it would not. */
  readonly note: string | null
}

/** What a Guard tells its fleet of itself. */
export interface MemberSummary {
  readonly mode: 'mainnet' | 'testnet' | 'paper'
  readonly state: 'active' | 'halted_for_day' | 'stopped'
  readonly latched: boolean
  /** Whether the latch would survive a restart. */
  readonly durable: boolean
  readonly kill_reason: string | null
  /** Why an entry within the rules would not pass now; null where it would. */
  readonly entries_refused: string | null
  readonly day: string
  readonly equity: string | null
  readonly day_start_equity: string | null
  /** USD lost since the UTC day began; below zero where it was won. */
  readonly loss_today: string | null
  /** As shares of what they are counted from: how far it is to the daily loss stop and the drawdown halt. */
  readonly daily_loss: string | null
  readonly daily_loss_limit: string | null
  readonly daily_loss_left: string | null
  readonly drawdown: string | null
  readonly drawdown_limit: string | null
  readonly drawdown_left: string | null
  readonly open_risk: string | null
  readonly open_risk_limit: string | null
  readonly gross_value: string | null
  readonly positions: number
  readonly uncovered: number
  readonly open_orders: number
  readonly alerts: readonly string[]
  readonly stream: 'live' | 'stale' | 'down'
  readonly weight_used: number
  readonly weight_limit: number
  readonly outbox_lag: number | null
  readonly started_at_ms: number
}

export interface FleetKill {
  readonly scope: string
  readonly epoch: number
  readonly state: 'killed' | 'clear'
  readonly by: string
  readonly reason: string
  readonly at_ms: number
  /** How far each member in the scope has come; empty once it is cleared. */
  readonly members: readonly {
    readonly name: string
    readonly state: 'flat' | 'latched' | 'silent' | 'unseen'
    readonly latched_ms: number | null
  }[]
}

export interface FleetBudget {
  readonly scope: string
  readonly kind: string
  readonly limit_usd: string
  readonly leased_usd: string
  readonly used_usd: string
}

export interface FleetDecision {
  readonly name: string
  readonly seq: number
  readonly at_ms: number
  readonly verdict: string
  readonly code: string
  readonly action: string | null
  readonly text: string
}

export interface FleetAlert {
  readonly code:
    | 'member_silent'
    | 'store_down'
    | 'kill_unheeded'
    | 'member_fork'
    | 'loss_stop'
    | 'store_queue'
    | 'budget_exceeded'
  readonly member: string | null
  readonly text: string
  readonly since_ms: number
}
