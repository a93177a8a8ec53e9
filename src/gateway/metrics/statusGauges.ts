import type { StatusView } from '../../engine/statusView.ts'
import type { LiveCounts } from './liveCounts.ts'
import type { Gauge, Registry } from './registry.ts'

/** Gauges read from the status when someone scrapes; a value that is unknown is not shown. */
export function statusGauges(registry: Registry): (status: StatusView, live: LiveCounts) => void {
  const rows = gaugeRows.map((row) => ({ ...row, gauge: registry.gauge(row.name, row.help) }))
  const info = registry.gauge(
    'guard_info',
    'Always 1; version, mode, network and account as labels.',
  )
  const risk = registry.gauge('guard_risk_state', '1 for the state the risk engine is in.')
  const stream = registry.gauge('guard_venue_stream', '1 for the state of the venue stream.')
  const alerts = registry.gauge('guard_alert', '1 for each alert that is raised, by code and coin.')
  return (status, live) => {
    for (const { gauge, value } of rows) setKnown(gauge, value(status, live))
    info.reset()
    const { version, mode, network, account } = status
    info.set({ version, mode, network, account }, 1)
    for (const state of ['active', 'halted_for_day', 'stopped'] as const) {
      risk.set({ state }, status.risk.state === state ? 1 : 0)
    }
    for (const state of ['live', 'stale', 'down'] as const) {
      stream.set({ state }, status.venue.stream === state ? 1 : 0)
    }
    alerts.reset()
    for (const { code, coin } of status.alerts) alerts.set({ code, coin: coin ?? '' }, 1)
  }
}

interface GaugeRow {
  readonly name: string
  readonly help: string
  readonly value: (status: StatusView, live: LiveCounts) => number | null
}

/** A decimal string becomes a float here and only here: a graph needs no more. */
const decimal = (text: string | null): number | null => (text === null ? null : Number(text))
const age = (now: number, at: number | null): number | null =>
  at === null ? null : Math.max(0, now - at) / 1000

const gaugeRows: readonly GaugeRow[] = [
  {
    name: 'guard_ready',
    help: '1 when Guard has recovered and sees the venue.',
    value: (_, live) => (live.ready ? 1 : 0),
  },
  {
    name: 'guard_kill_latched',
    help: '1 when the kill switch is latched.',
    value: ({ kill }) => (kill.latched ? 1 : 0),
  },
  {
    name: 'guard_kill_durable',
    help: '0 when the kill switch is latched but not yet on disk.',
    value: ({ kill }) => (!kill.latched || kill.durable ? 1 : 0),
  },
  {
    name: 'guard_equity_usd',
    help: 'Account equity.',
    value: ({ risk }) => decimal(risk.equity),
  },
  {
    name: 'guard_day_start_equity_usd',
    help: 'Equity at the start of the UTC day.',
    value: ({ risk }) => decimal(risk.day_start_equity),
  },
  {
    name: 'guard_peak_equity_usd',
    help: 'Highest equity since the start or the last review.',
    value: ({ risk }) => decimal(risk.peak_equity),
  },
  {
    name: 'guard_daily_loss_ratio',
    help: 'Loss since the start of the UTC day.',
    value: ({ risk }) => decimal(risk.daily_loss),
  },
  {
    name: 'guard_daily_loss_limit_ratio',
    help: 'The daily loss at which everything is closed.',
    value: ({ risk }) => decimal(risk.daily_loss_limit),
  },
  {
    name: 'guard_drawdown_ratio',
    help: 'Fall from the peak.',
    value: ({ risk }) => decimal(risk.drawdown),
  },
  {
    name: 'guard_drawdown_limit_ratio',
    help: 'The fall from the peak at which everything is closed.',
    value: ({ risk }) => decimal(risk.drawdown_limit),
  },
  {
    name: 'guard_open_risk_usd',
    help: 'What is lost at the stops, without costs.',
    value: ({ risk }) => decimal(risk.open_risk),
  },
  {
    name: 'guard_open_risk_limit_usd',
    help: 'The open-risk budget.',
    value: ({ risk }) => decimal(risk.open_risk_limit),
  },
  {
    name: 'guard_positions',
    help: 'Open positions.',
    value: ({ positions }) => positions.length,
  },
  {
    name: 'guard_positions_uncovered',
    help: 'Open positions without stops covering them in full.',
    value: ({ positions }) => positions.filter(({ covered }) => !covered).length,
  },
  { name: 'guard_open_orders', help: 'Open orders.', value: (status) => status.open_orders },
  { name: 'guard_twaps', help: 'TWAPs that run or wait.', value: ({ twaps }) => twaps.length },
  {
    name: 'guard_in_flight',
    help: 'Actions sent, or about to be, that the venue has not confirmed.',
    value: (status) => status.in_flight,
  },
  { name: 'guard_alerts', help: 'Alerts raised now.', value: ({ alerts }) => alerts.length },
  {
    name: 'guard_venue_stream_age_seconds',
    help: 'Since the last message on the venue stream.',
    value: (status) => age(status.now_ms, status.venue.last_message_ms),
  },
  {
    name: 'guard_venue_reconcile_age_seconds',
    help: 'Since the account was last compared with a read over HTTP.',
    value: (status) => age(status.now_ms, status.venue.last_reconcile_ms),
  },
  {
    name: 'guard_venue_weight_used',
    help: 'Request weight spent in the last minute.',
    value: ({ venue }) => venue.weight_used_1m,
  },
  {
    name: 'guard_venue_weight_left',
    help: 'Request weight left in this minute.',
    value: ({ venue }) => Math.max(0, venue.weight_limit_1m - venue.weight_used_1m),
  },
  {
    name: 'guard_journal_error',
    help: '1 when the journal cannot be written.',
    value: ({ journal }) => (journal.error === null ? 0 : 1),
  },
  {
    name: 'guard_journal_events',
    help: 'Events in the journal.',
    value: ({ journal }) => journal.events,
  },
  {
    name: 'guard_journal_bytes',
    help: 'Size of the journal.',
    value: ({ journal }) => journal.bytes,
  },
  {
    name: 'guard_journal_sync_age_seconds',
    help: 'Since the journal was last flushed.',
    value: (status) => age(status.now_ms, status.journal.last_sync_ms),
  },
  { name: 'guard_last_seq', help: 'Number of the last event.', value: (status) => status.last_seq },
  {
    name: 'guard_first_seq_in_memory',
    help: 'Number of the oldest event kept in memory.',
    value: (_, live) => live.firstSeq,
  },
  {
    name: 'guard_started_timestamp_seconds',
    help: 'When Guard started, in UTC epoch seconds.',
    value: (status) => status.started_at_ms / 1000,
  },
  {
    name: 'process_resident_memory_bytes',
    help: "Memory of Guard's process that is in use now.",
    value: () => process.memoryUsage.rss(),
  },
  { name: 'guard_sse_readers', help: 'Open event streams.', value: (_, live) => live.sseReaders },
  { name: 'guard_long_polls', help: 'Long polls waiting.', value: (_, live) => live.longPolls },
  {
    name: 'guard_websocket_clients',
    help: 'Open WebSocket clients.',
    value: (_, live) => live.websocketClients,
  },
  {
    name: 'guard_relay_sockets',
    help: 'Sockets to the venue that carry relayed subscriptions.',
    value: (_, live) => live.upstreamSockets,
  },
  {
    name: 'guard_relay_subscriptions',
    help: 'Subscriptions relayed from the venue, each counted once however many bots share it.',
    value: (_, live) => live.upstreamSubscriptions,
  },
]

function setKnown(gauge: Gauge, value: number | null): void {
  if (value === null || !Number.isFinite(value)) gauge.reset()
  else gauge.set({}, value)
}
