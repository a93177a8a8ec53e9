import { leftOf, money, percent, plain, shareForDrawing } from './format.ts'
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
        show={percent}
        before="before everything is closed"
        reached="reached: nothing opens until 00:00 UTC"
      />
      <Meter
        name="Drawdown"
        used={risk.drawdown}
        limit={risk.drawdown_limit}
        show={percent}
        before="before everything is closed"
        reached="reached: nothing opens until a review"
      />
      <Meter
        name="Open risk"
        used={risk.open_risk}
        limit={risk.open_risk_limit}
        show={money}
        before="for further entries"
        reached="no further entry passes"
      />
      <Meter
        name="Venue weight"
        used={String(view.venue.weight_used_1m)}
        limit={String(view.venue.weight_limit_1m)}
        show={plain}
        before="this minute; exits keep a reserve"
        reached="spent for this minute; exits keep a reserve"
      />
    </section>
  )
}

interface MeterProps {
  readonly name: string
  readonly used: string | null
  readonly limit: string | null
  readonly show: (value: string | null) => string
  /** What the rest is good for. */
  readonly before: string
  readonly reached: string
}

function Meter({ name, used, limit, show, before, reached }: MeterProps) {
  const share = shareForDrawing(used, limit)
  const text = used === null ? `limit ${show(limit)}` : `${show(used)} of ${show(limit)}`
  const left =
    share === null ? null : share >= 100 ? reached : `${show(leftOf(used, limit))} left ${before}`
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
      <small>{left ?? 'not known yet'}</small>
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
