import type { Verdict } from '../../core/events/guardEvent.ts'
import type { Observer } from '../../engine/observer.ts'
import type { StatusView } from '../../engine/statusView.ts'
import { Registry } from './registry.ts'
import type { Counter, Histogram } from './registry.ts'
import { statusGauges } from './statusGauges.ts'
import type { LiveCounts } from './liveCounts.ts'

/** Everything one would alert on or draw. */
export interface GuardMetrics {
  readonly registry: Registry
  /** For the engine: what it decides, sends and how long each stage takes. */
  readonly observer: Observer
  /** For the journal: one flush to disk. */
  journalSync(ms: number, records: number): void
  readonly http: HttpMetrics
  /** For the alerts: what becomes of messages to a person. */
  readonly alerts: AlertMetrics
  /** The text of `GET /metrics`, with the gauges as they are now. */
  scrape(status: StatusView, live: LiveCounts): string
}

export interface HttpMetrics {
  request(route: string, status: number, ms: number): void
  refused(why: string): void
  slowReader(transport: 'sse' | 'ws' | 'http'): void
  infoRead(from: 'account' | 'cache' | 'joined' | 'venue' | 'failed'): void
  upstreamReconnect(): void
  /** From the event's own time to the moment readers could see it. */
  eventLag(ms: number): void
}

interface AlertMetrics {
  opened(channel: string): void
  delivery(channel: string, outcome: 'sent' | 'wait' | 'failed'): void
  heartbeat(isTaken: boolean): void
  untold(count: number): void
}

const fastBounds = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
]

export function createMetrics(): GuardMetrics {
  const registry = new Registry()
  const observer = observerMetrics(registry)
  const syncs = registry.histogram(
    'guard_journal_sync_seconds',
    'Time of one flush of the journal to disk.',
    fastBounds,
  )
  const records = registry.counter(
    'guard_journal_records_total',
    'Records flushed to the journal since the start.',
  )
  const http = httpMetrics(registry)
  const alerts = alertMetrics(registry)
  const setGauges = statusGauges(registry)
  return {
    registry,
    observer,
    journalSync: (ms, count) => {
      syncs.observe({}, ms / 1000)
      records.add({}, count)
    },
    http,
    alerts,
    scrape: (status, live) => {
      setGauges(status, live)
      return registry.text()
    },
  }
}

function observerMetrics(registry: Registry): Observer {
  const decisions: Counter = registry.counter(
    'guard_decisions_total',
    'Decisions by verdict, reason code and transport.',
  )
  const stages: Histogram = registry.histogram(
    'guard_stage_seconds',
    'Time of each stage of a request to /exchange; venue is the round trip, total the whole.',
    fastBounds,
  )
  const sends = registry.counter('guard_sends_total', 'Actions sent to the venue, by outcome.')
  const events = registry.counter('guard_events_total', 'Events by kind.')
  const shed = registry.counter(
    'guard_shed_total',
    'Requests refused without a decision because too many were refused before them.',
  )
  shed.add({}, 0)
  return {
    stage: (stage, ms) => {
      stages.observe({ stage }, ms / 1000)
    },
    decided: (verdict: Verdict, code: string, via) => {
      decisions.add({ verdict, code, via })
    },
    sent: (ok) => {
      sends.add({ ok: String(ok) })
    },
    event: (kind) => {
      events.add({ kind })
    },
    shed: () => {
      shed.add({})
    },
  }
}

function httpMetrics(registry: Registry): HttpMetrics {
  const requests = registry.counter(
    'guard_http_requests_total',
    'Answers of the local port by route and HTTP status.',
  )
  const seconds = registry.histogram(
    'guard_http_request_seconds',
    'Time from a request to its answer by route; long polls wait on purpose.',
    fastBounds,
  )
  const refused = registry.counter(
    'guard_http_refused_total',
    'Connections and requests refused at the door, by reason.',
  )
  const slow = registry.counter(
    'guard_slow_readers_total',
    'Event streams and sockets cut off because the reader was too slow.',
  )
  const reads = registry.counter('guard_info_reads_total', 'Reads on /info by who answered them.')
  const reconnects = registry.counter(
    'guard_relay_reconnects_total',
    'Relay sockets to the venue opened again after a loss.',
  )
  reconnects.add({}, 0)
  const lag = registry.histogram(
    'guard_event_lag_seconds',
    'From the time in an event to the moment readers could see it.',
    fastBounds,
  )
  return {
    request: (route, status, ms) => {
      requests.add({ route, status: String(status) })
      seconds.observe({ route }, ms / 1000)
    },
    refused: (why) => {
      refused.add({ why })
    },
    slowReader: (transport) => {
      slow.add({ transport })
    },
    infoRead: (from) => {
      reads.add({ from })
    },
    upstreamReconnect: () => {
      reconnects.add({})
    },
    eventLag: (ms) => {
      lag.observe({}, Math.max(0, ms) / 1000)
    },
  }
}

function alertMetrics(registry: Registry): AlertMetrics {
  const deliveries = registry.counter(
    'guard_alert_deliveries_total',
    'Attempts to tell a person, by channel and outcome: sent, failed, or wait (asked for patience).',
  )
  const heartbeats = registry.counter(
    'guard_alert_heartbeats_total',
    'Calls of the heartbeat address, by whether they were taken.',
  )
  const untold = registry.gauge(
    'guard_alerts_untold',
    'Critical messages that no channel has taken yet.',
  )
  return {
    opened: (channel) => {
      for (const outcome of ['sent', 'failed', 'wait']) deliveries.add({ channel, outcome }, 0)
    },
    delivery: (channel, outcome) => {
      deliveries.add({ channel, outcome })
    },
    heartbeat: (isTaken) => {
      heartbeats.add({ taken: String(isTaken) })
    },
    untold: (count) => {
      untold.set({}, count)
    },
  }
}
