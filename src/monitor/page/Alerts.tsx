import { ago } from './format.ts'
import { status } from './store.ts'

/** What a person should know while it lasts. Polite: a screen reader is told when it has time. */
export function Alerts() {
  const view = status.value
  const alerts = view?.alerts ?? []
  return (
    <section
      class={`card alerts-card ${alerts.length > 0 ? 'alerting' : ''}`}
      aria-labelledby="alerts-title"
    >
      <h2 id="alerts-title">
        Alerts <span class="count">{alerts.length}</span>
      </h2>
      <ul class="alerts" aria-live="polite" aria-relevant="additions">
        {alerts.map((alert) => (
          <li key={`${alert.code}:${alert.coin ?? ''}`}>
            <b>{alert.code.replaceAll('_', ' ')}</b>
            {alert.coin === undefined ? null : <span class="coin">{alert.coin}</span>}
            <p>{alert.text}</p>
            <small>for {ago((view?.now_ms ?? 0) - alert.since_ms)}</small>
          </li>
        ))}
      </ul>
      {alerts.length === 0 ? <p class="empty">None.</p> : null}
    </section>
  )
}
