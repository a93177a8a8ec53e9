import type { GuardEvent } from '../../core/events/guardEvent.ts'
import { clockTime } from './format.ts'
import { events } from './store.ts'

const shown = 12

/** What happened beside the bot's requests: protection, flattening, risk, errors. */
export function Timeline() {
  const rows: GuardEvent[] = []
  for (let at = events.value.length - 1; at >= 0 && rows.length < shown; at--) {
    const event = events.value[at]
    if (event !== undefined && event.kind !== 'decision' && event.kind !== 'sent') rows.push(event)
  }
  return (
    <section class="card timeline-card" aria-labelledby="timeline-title">
      <h2 id="timeline-title">What Guard did</h2>
      {rows.length === 0 ? <p class="empty">Nothing yet.</p> : null}
      <ol class="timeline">
        {rows.map((event) => (
          <li key={event.seq} class={`kind-${event.kind}`}>
            <time dateTime={new Date(event.at_ms).toISOString()}>{clockTime(event.at_ms)}</time>
            <span>{say(event)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function say(event: GuardEvent): string {
  switch (event.kind) {
    case 'started':
      return `Started in ${event.mode} mode`
    case 'risk':
      return `Risk ${event.state.replaceAll('_', ' ')}, ${event.open_positions} open`
    case 'flatten':
      return `Flatten: ${event.reason}${event.sent ? '' : ' (paper)'}`
    case 'protect':
      return `Protected ${event.coins.join(', ')}${event.sent ? '' : ' (paper)'}`
    case 'kill':
      return `Kill switch: ${event.reason}`
    case 'error':
      return `Error: ${event.text}`
    case 'stopped':
      return `Stopped: ${event.reason}`
    case 'recovered':
      return `Recovered action of ${event.of}: ${event.outcome.replaceAll('_', ' ')}`
    case 'reviewed':
      return `Reviewed ${event.what}: ${event.reason}`
    case 'decision':
    case 'sent':
      return ''
  }
}
