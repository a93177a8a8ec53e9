import { Decimal } from '../core/values/decimal.ts'
import { limits } from '../core/values/limits.ts'
import { shownText } from '../core/values/shownText.ts'
import type { Clock, Journal, Log } from '../engine/ports.ts'
import type { StatusView } from '../engine/statusView.ts'
import { StoreError } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'

/** What a Guard tells its fleet of itself. Money and ratios are decimal text; null: not known. */
export interface MemberSummary {
  readonly mode: StatusView['mode']
  readonly state: StatusView['risk']['state']
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
  readonly daily_loss_limit: string
  readonly daily_loss_left: string | null
  readonly drawdown: string | null
  readonly drawdown_limit: string
  readonly drawdown_left: string | null
  readonly open_risk: string | null
  readonly open_risk_limit: string | null
  readonly gross_value: string | null
  readonly positions: number
  readonly uncovered: number
  readonly open_orders: number
  readonly alerts: readonly string[]
  readonly stream: StatusView['venue']['stream']
  readonly weight_used: number
  readonly weight_limit: number
  readonly outbox_lag: number | null
  readonly started_at_ms: number
}

interface ReportDeps {
  readonly guard: { status(): StatusView }
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly journal: { readonly journal: Pick<Journal, 'head'> }
  readonly outbox: { readonly copied: number | null; readonly lag: number | null }
  readonly log: Log
}

const everyMs = 5_000
const reasonChars = 200

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
    kill_reason: kill.reason === null ? null : shownText(kill.reason, reasonChars),
    entries_refused: entries.pass ? null : shownText(entries.reason ?? '', reasonChars),
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
