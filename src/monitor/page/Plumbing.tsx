import { ago, plain } from './format.ts'
import { HostGuards } from './HostGuards.tsx'
import { status } from './store.ts'

/** The parts a person looks at when something is wrong elsewhere. */
export function Plumbing() {
  const view = status.value
  if (view === null) return null
  const { venue, journal } = view
  const heard =
    venue.last_message_ms === null ? 'never' : `${ago(view.now_ms - venue.last_message_ms)} ago`
  const read =
    venue.last_reconcile_ms === null ? 'never' : `${ago(view.now_ms - venue.last_reconcile_ms)} ago`
  return (
    <section class="card plumbing" aria-labelledby="plumbing-title">
      <h2 id="plumbing-title">Under the hood</h2>
      <dl>
        <dt>Venue stream</dt>
        <dd class={venue.stream === 'live' ? '' : 'warning'}>
          {venue.stream}, heard {heard}
        </dd>
        <dt>Account read</dt>
        <dd>{read}</dd>
        <dt>Journal</dt>
        <dd class={journal.error === null ? '' : 'warning'}>
          {journal.error ?? `${plain(String(journal.events))} events on disk`}
        </dd>
        <dt>Orders</dt>
        <dd>
          {view.open_orders} open, {view.in_flight} in flight
        </dd>
        <HostGuards />
        <dt>Up</dt>
        <dd>
          {ago(view.now_ms - view.started_at_ms)}, version {view.version}
        </dd>
        <dt>Rules</dt>
        <dd>
          <code>{view.rules}</code>
        </dd>
      </dl>
    </section>
  )
}
