import type { Account } from '../../core/account/account.ts'
import type { PositionView, TwapView } from '../../core/account/accountView.ts'
import type { RiskView } from '../../core/safety/riskView.ts'
import { assumptions } from '../../core/values/assumptions.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { utcDay } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { GuardConfig, Readiness } from '../guard.ts'
import { crossView } from './crossView.ts'
import { whyNothingOpens } from './readiness.ts'
import type { Latched } from '../watch/latch.ts'
import type { FleetStatus, FleetView } from '../fleetView.ts'
import type { HostView, Journal, WeightBudget } from '../ports.ts'
import type {
  AlertView,
  StatusPosition,
  StatusRisk,
  StatusTwap,
  StatusView,
} from '../statusView.ts'

interface StatusInput {
  readonly config: GuardConfig
  readonly clients: readonly string[]
  readonly now: Millis
  readonly startedAt: Millis
  readonly latched: Latched | null
  readonly risk: RiskView
  readonly account: Account
  readonly isSeen: boolean
  readonly alerts: readonly AlertView[]
  readonly lastMessageAt: Millis | null
  readonly lastReconcileAt: Millis | null
  readonly budget: WeightBudget
  readonly host: HostView | null
  readonly fleet: FleetView | null
  readonly journal: Journal
  readonly lastSeq: number
  readonly ready: Readiness
  /** Why what was told of the account is not believed; null while it is. */
  readonly doubt: string | null
  /** What of it was not seen recently enough; null while all of it was. */
  readonly unseen: string | null
}

const told: StatusView['assumptions'] = {
  fee: assumptions.fee.toString(),
  slippage: assumptions.slippage.toString(),
  stop_slippage: assumptions.stopSlippage.toString(),
  funding: null,
}

/** The state now, for a reader: never older than this call, and it waits for nothing. */
export function statusView(input: StatusInput): StatusView {
  const { config, account, journal, latched, budget } = input
  const { stats } = journal
  const fleet = fleetOf(input)
  const nothingOpens = whyNothingOpens({ ...input, ended: endedIn(input, fleet) })
  return {
    schema: 1,
    version: config.version,
    mode: config.standbyFor ?? config.mode,
    network: config.network,
    account: config.account,
    via: config.via,
    account_mode: account.mode,
    started_at_ms: input.startedAt,
    now_ms: input.now,
    last_seq: input.lastSeq,
    kill: {
      latched: latched !== null,
      reason: latched?.reason ?? null,
      at_ms: latched?.at ?? null,
      durable: latched?.durable ?? false,
    },
    risk: riskOf(input),
    entries: { pass: nothingOpens === null, reason: nothingOpens },
    rules: config.rulesCode,
    rules_decoded: config.rulesDecoded,
    ...(config.clientRulesDecoded === undefined ? {} : { client_rules: config.clientRulesDecoded }),
    clients: input.clients,
    assumptions: told,
    positions: [...account.positions.values()].map((position) => positionOf(account, position)),
    ...(input.isSeen ? crossView(account) : { cross: null, cross_pools: [] }),
    twaps: account.twaps.views().flatMap((twap) => (twap.isOver ? [] : [twapOf(twap)])),
    open_orders: account.openOrderCount,
    in_flight: account.inFlight,
    alerts: input.alerts,
    venue: {
      url: config.venueUrl,
      stream: account.stream,
      last_message_ms: input.lastMessageAt,
      last_reconcile_ms: input.lastReconcileAt,
      weight_used_1m: budget.used(),
      weight_limit_1m: budget.limit,
    },
    host: input.host?.status() ?? null,
    fleet,
    journal: {
      path: stats.path,
      events: stats.events,
      bytes: stats.bytes,
      last_sync_ms: stats.lastSyncMs,
      error: journal.error,
    },
  }
}

/** In paper mode nothing is leased, and nothing bounds what is judged. */
function fleetOf({ fleet, config }: StatusInput): FleetStatus | null {
  const status = fleet?.status() ?? null
  return status === null || config.mode !== 'paper' || config.standbyFor !== undefined
    ? status
    : { ...status, lease: null, writer: null }
}

/** Why nothing opens for the fleet's sake. */
function endedIn({ fleet }: StatusInput, told: FleetStatus | null): string | null {
  return told === null || told.lease === null ? null : (fleet?.notWriter ?? told.lease.ended)
}

function riskOf({ account, config, isSeen, now, risk }: StatusInput): StatusRisk {
  const rules = config.rulesFor(null, null)
  // What is told of it may be a part: neither it nor a share of it is said then.
  const equity = isSeen && !risk.isBlind ? account.equity : null
  const sized = sizedEquity(equity, rules.equityCap)
  const { openRisk, uncoveredPositions } = account.exposure()
  // What a position loses that no stop ends nobody can tell.
  const isKnown = isSeen && uncoveredPositions.length === 0
  return {
    state: risk.state,
    detail: risk.detail,
    equity: textOf(equity),
    day_start_equity: textOf(risk.dayStart),
    peak_equity: textOf(risk.peak),
    day: risk.day ?? utcDay(now),
    daily_loss: textOf(risk.dailyLoss),
    daily_loss_limit: rules.dailyLossStop.toString(),
    drawdown: textOf(risk.drawdown),
    drawdown_limit: rules.drawdownHalt.toString(),
    open_risk: isKnown ? openRisk.toString() : null,
    open_risk_limit: sized === null ? null : sized.times(rules.openRisk).toString(),
    ...waitingLoss(account, config, sized),
  }
}

/** What entries that wait for a trigger could lose while Guard is away; nothing while none waits. */
function waitingLoss(
  account: Account,
  { rulesFor }: GuardConfig,
  sized: Decimal | null,
): Pick<StatusRisk, 'waiting_loss' | 'waiting_loss_limit'> {
  const waiting = account.waitingValues()
  if (waiting.length === 0) return {}
  const loss = waiting.reduce(
    (sum, { coin, value }) => sum.plus(value.times(rulesFor(null, coin).minLiquidationDistance)),
    Decimal.zero,
  )
  const limit = sized?.times(rulesFor(null, null).dailyLossStop) ?? null
  return { waiting_loss: loss.toString(), waiting_loss_limit: textOf(limit) }
}

/** What sizing counts of the equity. */
function sizedEquity(equity: Decimal | null, cap: Decimal | null): Decimal | null {
  if (equity === null || cap === null) return equity
  return Decimal.min(equity, cap)
}

function positionOf(account: Account, position: PositionView): StatusPosition {
  const { coin, size } = position
  const mark = account.mark(coin) ?? account.mid(coin)?.price ?? null
  const cover = account.cover(coin)
  return {
    coin,
    side: size.isPositive() ? 'long' : 'short',
    size: size.abs().toString(),
    entry_price: position.entryPrice.toString(),
    mark_price: textOf(mark),
    value: mark === null ? null : mark.times(size.abs()).toString(),
    unrealised_pnl: position.unrealisedPnl.toString(),
    leverage: position.leverage.value,
    margin: position.leverage.type,
    liquidation_price: textOf(position.liquidationPrice),
    stops: account
      .stopRow(coin, size.isPositive())
      .list()
      .map(({ oid, trigger, size: stopSize, owner }) => ({
        oid,
        price: trigger.toString(),
        size: stopSize.toString(),
        owner,
      })),
    covered: cover?.isFull ?? false,
    risk: cover === null || !cover.isFull ? null : cover.risk.toString(),
  }
}

function twapOf({ id, coin, isBuy, mayOpen, judged, owner, ...twap }: TwapView): StatusTwap {
  return {
    ...{ id, coin, side: isBuy ? 'buy' : 'sell', size: twap.size.toString() },
    ...{ executed: twap.executed.toString(), minutes: twap.minutes, reduce_only: !mayOpen },
    ...{ worst_price: textOf(judged?.price ?? null), stop: textOf(judged?.stop ?? null), owner },
  }
}

function textOf(value: Decimal | null): string | null {
  return value === null ? null : value.toString()
}
