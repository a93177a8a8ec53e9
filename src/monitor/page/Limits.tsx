import { leftOf, money, percent, shareForDrawing } from './format.ts'
import { status } from './store.ts'

/** Each limit as used and left. */
export function Limits() {
  const view = status.value
  if (view === null) return <Skeleton />
  const { risk } = view
  return (
    <section class="card limits-card" aria-labelledby="limits-title">
      <h2 id="limits-title">Limits</h2>
      <Meter
        name="Daily loss"
        used={risk.daily_loss}
        limit={risk.daily_loss_limit}
        text={`${percent(risk.daily_loss)} of ${percent(risk.daily_loss_limit)}`}
        then={`${percent(leftOf(risk.daily_loss, risk.daily_loss_limit))} left, then everything is closed until 00:00 UTC`}
      />
      <Meter
        name="Drawdown"
        used={risk.drawdown}
        limit={risk.drawdown_limit}
        text={`${percent(risk.drawdown)} of ${percent(risk.drawdown_limit)}`}
        then={`${percent(leftOf(risk.drawdown, risk.drawdown_limit))} left, then everything is closed until a review`}
      />
      <Meter
        name="Open risk"
        used={risk.open_risk}
        limit={risk.open_risk_limit}
        text={`${money(risk.open_risk)} of ${money(risk.open_risk_limit)}`}
        then={`${money(leftOf(risk.open_risk, risk.open_risk_limit))} left, then no further entry passes`}
      />
      <Meter
        name="Venue weight"
        used={String(view.venue.weight_used_1m)}
        limit={String(view.venue.weight_limit_1m)}
        text={`${view.venue.weight_used_1m} of ${view.venue.weight_limit_1m} a minute`}
        then="exits and protection keep a reserve"
      />
    </section>
  )
}

interface MeterProps {
  readonly name: string
  readonly used: string | null
  readonly limit: string | null
  readonly text: string
  readonly then: string
}

function Meter({ name, used, limit, text, then }: MeterProps) {
  const share = shareForDrawing(used, limit)
  const level = share === null ? 'none' : share >= 80 ? 'bad' : share >= 60 ? 'warn' : 'good'
  return (
    <div class="meter-row">
      <div class="meter-head">
        <span>{name}</span>
        <b>{text}</b>
      </div>
      <div
        class={`meter ${level}`}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share ?? 0)}
        aria-valuetext={text}
      >
        <div style={{ width: `${share ?? 0}%` }} />
      </div>
      <small>{then}</small>
    </div>
  )
}

function Skeleton() {
  return (
    <section class="card" aria-labelledby="limits-title">
      <h2 id="limits-title">Limits</h2>
      <p class="empty">Waiting for Guard.</p>
    </section>
  )
}
