import type { FleetKill } from '../../fleetState.ts'
import { ago, clockTime, money, shareForDrawing } from '../format.ts'
import { fleet } from './fleetStore.ts'

const alertTitles = {
  member_silent: 'A Guard is silent',
  store_down: 'The store does not answer',
  kill_unheeded: 'A kill was not obeyed',
  member_fork: 'Records contradict each other',
  loss_stop: 'A kill could not be raised',
  store_queue: 'The store’s notifications pile up',
  budget_exceeded: 'More is used than a shared limit',
} as const

/** One cable may silence all of them. */
const alertsShown = 10

/** What a person should know while it lasts. Polite: a screen reader is told when it has time. */
export function FleetAlerts() {
  const state = fleet.value
  const alerts = state?.alerts ?? []
  return (
    <section
      class={`card alerts-card ${alerts.length > 0 ? 'alerting severe-card' : ''}`}
      aria-labelledby="alerts-title"
    >
      <h2 id="alerts-title">
        Alerts <span class="count">{alerts.length}</span>
      </h2>
      <ul class="alerts" aria-live="polite" aria-relevant="additions">
        {alerts.slice(0, alertsShown).map((alert) => (
          <li class="severe" key={`${alert.code}:${alert.member ?? ''}`}>
            <b>{alertTitles[alert.code]}</b>
            {alert.member === null ? null : <span class="coin">{alert.member}</span>}
            <p>{alert.text}</p>
            <small>for {ago((state?.now_ms ?? 0) - alert.since_ms)}</small>
          </li>
        ))}
      </ul>
      {alerts.length === 0 ? <p class="empty">None.</p> : null}
      {alerts.length > alertsShown ? <p>and {alerts.length - alertsShown} more</p> : null}
    </section>
  )
}

/** Each kill, and who has latched and is flat. */
export function Kills() {
  const kills = fleet.value?.kills ?? []
  const isKilled = kills.some(({ state }) => state === 'killed')
  return (
    <section class={`card kill ${isKilled ? 'latched' : ''}`} aria-labelledby="kills-title">
      <h2 id="kills-title">Kills</h2>
      {kills.length === 0 ? <p class="empty">None was ever raised.</p> : null}
      {kills.map((kill) => (
        <Kill key={kill.scope} kill={kill} />
      ))}
      <p>
        <small>To raise one, with an operator’s URL:</small>
      </p>
      <div class="command">
        <code>guard fleet kill --scope fleet --reason "..." --wait 30s</code>
      </div>
    </section>
  )
}

function Kill({ kill }: { readonly kill: FleetKill }) {
  const { scope, epoch, state, by, reason, at_ms, members } = kill
  const named = (how: FleetKill['members'][number]['state']) =>
    members.filter((each) => each.state === how).map(({ name }) => name)
  const [latched, silent, unseen] = [named('latched'), named('silent'), named('unseen')]
  return (
    <div class="one-kill">
      <p>
        <b class={state === 'killed' ? 'warning' : ''}>{scope}</b>{' '}
        {state === 'killed' ? 'killed' : 'cleared'} · epoch {epoch}
      </p>
      <p>
        {reason}{' '}
        <small>
          by {by}, <time dateTime={new Date(at_ms).toISOString()}>{clockTime(at_ms)}</time> UTC
        </small>
      </p>
      {state === 'killed' ? (
        <ul>
          <li>
            <b class="up">{named('flat').length}</b> latched and flat
          </li>
          {latched.length === 0 ? null : <Names words="latched, not flat yet" names={latched} />}
          {silent.length === 0 ? null : <Names words="not latched" names={silent} />}
          {unseen.length === 0 ? null : <Names words="never joined" names={unseen} />}
        </ul>
      ) : null}
    </div>
  )
}

const namesShown = 12

function Names({ words, names }: { readonly words: string; readonly names: readonly string[] }) {
  const more = names.length - namesShown
  return (
    <li>
      <b class="down">{names.length}</b> {words}: {names.slice(0, namesShown).join(', ')}
      {more > 0 ? ` and ${more} more` : ''}
    </li>
  )
}

/** Limits that accounts share; nothing where there is none. */
export function Budgets() {
  const budgets = fleet.value?.budgets ?? []
  if (budgets.length === 0) return null
  return (
    <section class="card" aria-labelledby="budgets-title">
      <h2 id="budgets-title">Shared limits</h2>
      {budgets.map(({ scope, kind, limit_usd, leased_usd, used_usd }) => {
        const share = shareForDrawing(used_usd, limit_usd) ?? 0
        const level = share >= 80 ? 'bad' : share >= 60 ? 'warn' : 'good'
        return (
          <div class="meter-row" key={`${scope} ${kind}`}>
            <div class="meter-head">
              <span>
                {scope} {kind.replaceAll('_', ' ')}
              </span>
              <b>
                {money(used_usd)} of {money(limit_usd)}
              </b>
            </div>
            <div class={`meter ${level}`} aria-hidden="true">
              <div style={{ width: `${Math.round(share)}%` }} />
            </div>
            <small>{money(leased_usd)} held by Guards</small>
          </div>
        )
      })}
    </section>
  )
}

/** The last decisions over all. */
export function LastDecisions() {
  const rows = fleet.value?.decisions ?? []
  return (
    <section class="card decisions" aria-labelledby="decisions-title">
      <h2 id="decisions-title">Last decisions</h2>
      {rows.length === 0 ? (
        <p class="empty">No decisions to show.</p>
      ) : (
        <div class="scroll bounded" tabIndex={0} role="region" aria-label="Decisions table">
          <table>
            <thead>
              <tr>
                <th>Time</th>
                <th>Account</th>
                <th>Verdict</th>
                <th>Why</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((each) => (
                <tr key={`${each.name} ${each.seq} ${each.at_ms}`}>
                  <td>
                    <time dateTime={new Date(each.at_ms).toISOString()}>
                      {clockTime(each.at_ms)}
                    </time>
                  </td>
                  <td>
                    <span class="market" title={each.name}>
                      {each.name}
                    </span>
                  </td>
                  <td>
                    <span class={`verdict ${verdictClass(each.verdict)}`}>{each.verdict}</span>
                  </td>
                  <td class="why" title={each.text}>
                    <div>
                      <code>{each.code}</code> {each.text}
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function verdictClass(verdict: string): string {
  return ['allow', 'resize', 'veto'].find((each) => each === verdict) ?? ''
}
