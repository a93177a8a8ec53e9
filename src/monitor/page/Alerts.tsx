import { ago } from './format.ts'
import { status } from './store.ts'

/** The engine's codes in a person's words. */
const titles: Readonly<Record<string, string>> = {
  unprotected_position: 'Position without a full stop',
  journal: 'Journal cannot be written',
  kill_in_memory: 'Kill switch latched in memory only',
  emergency_dir: 'Emergency records lack a place',
  disk: 'Little room left on the disk',
  foreign_nonce: 'API wallet used elsewhere',
  flattening: 'Closing everything',
  liquidation: 'Liquidation comes before the stop',
  liquidated: 'The venue changed a position by itself',
  liquidation_price: 'Liquidation price is not understood',
  portfolio_margin: 'Portfolio margin is half used up',
  margin: 'Margin setting breaks a rule',
  stream: 'Venue stream is down',
  venue_unreadable: 'Account cannot be read',
  risk_memory: 'Peaks and halts cannot be read',
  account_role: 'Whose account it is, is in doubt',
  clock: 'The machine’s clock is wrong',
  discrepancy: 'Changed outside Guard',
  events_missed: 'Venue stream misses events',
  unknown_outcome: 'Order without an answer',
  internal: 'A fault inside Guard',
}

/** What may cost money while it lasts. */
const severe: ReadonlySet<string> = new Set([
  'unprotected_position',
  'journal',
  'kill_in_memory',
  'flattening',
  'liquidation',
  'liquidated',
  'liquidation_price',
  'equity_unknown',
  'account_role',
  'portfolio_margin',
  'venue_unreadable',
  'risk_memory',
  'internal',
])

/** What a person should know while it lasts. Polite: a screen reader is told when it has time. */
export function Alerts() {
  const view = status.value
  const alerts = [...(view?.alerts ?? [])].sort(
    (a, b) => Number(severe.has(b.code)) - Number(severe.has(a.code)),
  )
  const isSevere = alerts.some(({ code }) => severe.has(code))
  return (
    <section
      class={`card alerts-card ${alerts.length > 0 ? 'alerting' : ''} ${isSevere ? 'severe-card' : ''}`}
      aria-labelledby="alerts-title"
    >
      <h2 id="alerts-title">
        Alerts <span class="count">{alerts.length}</span>
      </h2>
      <ul class="alerts" aria-live="polite" aria-relevant="additions">
        {alerts.map((alert) => (
          <li
            class={severe.has(alert.code) ? 'severe' : undefined}
            key={`${alert.code}:${alert.coin ?? ''}`}
          >
            <b>{titles[alert.code] ?? alert.code.replaceAll('_', ' ')}</b>
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
