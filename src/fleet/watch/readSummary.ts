import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import type { MemberSummary } from '../../monitor/fleetState.ts'

/**
 * What a member has told of itself, as far as it is what it should be: whoever has its URL may have
 * written anything. Null where it is no summary at all.
 */
export function readSummary(body: unknown): MemberSummary | null {
  if (typeof body !== 'object' || body === null) return null
  const told = body as Readonly<Record<string, unknown>>
  const mode = oneOf(told['mode'], ['mainnet', 'testnet', 'paper'] as const)
  const state = oneOf(told['state'], ['active', 'halted_for_day', 'stopped'] as const)
  if (mode === null || state === null) return null
  return {
    ...{ mode, state, latched: told['latched'] === true, durable: told['durable'] === true },
    ...{ kill_reason: text(told['kill_reason']), entries_refused: text(told['entries_refused']) },
    ...{ day: text(told['day']) ?? '', equity: decimal(told['equity']) },
    day_start_equity: decimal(told['day_start_equity']),
    loss_today: decimal(told['loss_today']),
    daily_loss: decimal(told['daily_loss']),
    daily_loss_limit: decimal(told['daily_loss_limit']),
    daily_loss_left: decimal(told['daily_loss_left']),
    drawdown: decimal(told['drawdown']),
    drawdown_limit: decimal(told['drawdown_limit']),
    drawdown_left: decimal(told['drawdown_left']),
    open_risk: decimal(told['open_risk']),
    open_risk_limit: decimal(told['open_risk_limit']),
    gross_value: decimal(told['gross_value']),
    ...{ positions: count(told['positions']) ?? 0, uncovered: count(told['uncovered']) ?? 0 },
    open_orders: count(told['open_orders']) ?? 0,
    alerts: codes(told['alerts']),
    stream: oneOf(told['stream'], ['live', 'stale', 'down'] as const) ?? 'down',
    weight_used: count(told['weight_used']) ?? 0,
    weight_limit: count(told['weight_limit']) ?? 0,
    outbox_lag: count(told['outbox_lag']),
    started_at_ms: count(told['started_at_ms']) ?? 0,
  }
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | null {
  return allowed.find((each) => each === value) ?? null
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, limits.fleetWatchTextCharsMax) : null
}

function decimal(value: unknown): string | null {
  const read = Decimal.parse(value)
  return read.ok ? read.value.toString() : null
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function codes(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, limits.fleetReportAlertsMax).flatMap((each: unknown) => text(each) ?? [])
}
