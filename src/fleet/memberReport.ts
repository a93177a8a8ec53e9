import { Decimal } from '../core/values/decimal.ts'
import { limits } from '../core/values/limits.ts'
import { shownText } from '../core/values/shownText.ts'
import type { Clock, Journal, Log } from '../engine/ports.ts'
import type { StatusView } from '../engine/statusView.ts'
import type { MemberSummary } from '../monitor/fleetState.ts'
import { StoreError } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'

interface ReportDeps {
  readonly guard: { status(): StatusView }
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly journal: { readonly journal: Pick<Journal, 'head'> }
  readonly outbox: { readonly copied: number | null; readonly lag: number | null }
  readonly log: Log
}

const everyMs = 5_000

/**
 * Tells the store every few seconds how this Guard is and where its journal ends. A store that does not
 * take it, as one whose schema is older, costs that report and nothing else.
 */
export class MemberReport {
  readonly #deps: ReportDeps
  #toldMs = -Infinity
  #isRefused = false

  constructor(deps: ReportDeps) {
    this.#deps = deps
  }

  /** Over a new connection: what the store could not take before, it may take now. */
  joined(): void {
    this.#toldMs = -Infinity
    this.#isRefused = false
  }

  /** Rejects where the connection has ended with it, and only there. */
  async tell(session: StoreSession): Promise<void> {
    const { guard, clock, journal, outbox, log } = this.#deps
    const nowMs = clock.monotonicMs()
    if (this.#isRefused || nowMs - this.#toldMs < everyMs) return
    this.#toldMs = nowMs
    try {
      const { seq, hash } = journal.journal.head
      const body = JSON.stringify(summaryOf(guard.status(), outbox.lag))
      await session.query(report, [seq, hash, outbox.copied, body])
    } catch (error) {
      if (error instanceof StoreError && error.kind !== 'refused') throw error
      this.#isRefused = true
      log.log('warn', 'the fleet’s store does not take what this Guard says of itself', {
        error: error instanceof Error ? error.message : String(error),
      })
    }
  }
}

const report = 'select guard.report($1, $2, $3, $4)'

/** The status in so few words that a thousand of them are one picture. */
export function summaryOf(status: StatusView, lag: number | null): MemberSummary {
  const { risk, kill, entries, positions, alerts, venue } = status
  const codes = new Set(alerts.map(({ code }) => code))
  return {
    ...{ mode: status.mode, state: risk.state, latched: kill.latched, durable: kill.durable },
    kill_reason:
      kill.reason === null ? null : shownText(kill.reason, limits.fleetReportTextCharsMax),
    entries_refused: entries.pass
      ? null
      : shownText(entries.reason ?? '', limits.fleetReportTextCharsMax),
    ...{ day: risk.day, equity: risk.equity, day_start_equity: risk.day_start_equity },
    loss_today: difference(risk.day_start_equity, risk.equity),
    ...{ daily_loss: risk.daily_loss, daily_loss_limit: risk.daily_loss_limit },
    daily_loss_left: difference(risk.daily_loss_limit, risk.daily_loss),
    ...{ drawdown: risk.drawdown, drawdown_limit: risk.drawdown_limit },
    drawdown_left: difference(risk.drawdown_limit, risk.drawdown),
    ...{ open_risk: risk.open_risk, open_risk_limit: risk.open_risk_limit },
    gross_value: grossOf(positions),
    positions: positions.length,
    uncovered: positions.filter(({ covered }) => !covered).length,
    open_orders: status.open_orders,
    alerts: [...codes].sort().slice(0, limits.fleetReportAlertsMax),
    stream: venue.stream,
    ...{ weight_used: venue.weight_used_1m, weight_limit: venue.weight_limit_1m },
    outbox_lag: lag,
    started_at_ms: status.started_at_ms,
  }
}

function difference(from: string | null, less: string | null): string | null {
  const [first, second] = [Decimal.parse(from), Decimal.parse(less)]
  return first.ok && second.ok ? first.value.minus(second.value).toString() : null
}

/** What all positions are worth, whichever way they go; null where one of them has no price. */
function grossOf(positions: StatusView['positions']): string | null {
  let sum = Decimal.zero
  for (const { value } of positions) {
    const worth = Decimal.parse(value)
    if (!worth.ok) return null
    sum = sum.plus(worth.value.abs())
  }
  return sum.toString()
}
