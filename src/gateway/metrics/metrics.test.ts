import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startRig } from '../gateway.fixture.ts'
import { fakeStatus } from '../status.fixture.ts'
import { createMetrics } from './guardMetrics.ts'
import { Registry, seriesMax } from './registry.ts'

const deploy = resolve(import.meta.dirname, '../../../deploy')
const read = (file: string): string => readFileSync(resolve(deploy, file), 'utf8')

test('counters, gauges and histograms in the text format', () => {
  const registry = new Registry()
  const counter = registry.counter('a_total', 'A "help"\nof two lines.')
  counter.add({ kind: 'x"\\\n' })
  counter.add({ kind: 'x"\\\n' }, 2)
  registry.gauge('b', 'B.').set({}, -1.5)
  const histogram = registry.histogram('c_seconds', 'C.', [0.1, 1])
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe({ stage: 'all' }, value)
  expect(registry.text()).toBe(
    [
      '# HELP a_total A "help"\\nof two lines.',
      '# TYPE a_total counter',
      'a_total{kind="x\\"\\\\\\n"} 3',
      '# HELP b B.',
      '# TYPE b gauge',
      'b -1.5',
      '# HELP c_seconds C.',
      '# TYPE c_seconds histogram',
      'c_seconds_bucket{stage="all",le="0.1"} 2',
      'c_seconds_bucket{stage="all",le="1"} 3',
      'c_seconds_bucket{stage="all",le="+Inf"} 4',
      'c_seconds_sum{stage="all"} 7.65',
      'c_seconds_count{stage="all"} 4',
      '',
    ].join('\n'),
  )
})

test('a family never grows without bound, and a name stands once', () => {
  const registry = new Registry()
  const counter = registry.counter('a_total', 'A.')
  for (let n = 0; n < seriesMax + 50; n += 1) counter.add({ n: String(n) })
  expect(registry.text().match(/^a_total\{/gm)?.length).toBe(seriesMax)
  expect(() => registry.gauge('a_total', 'A.')).toThrow('a_total exists already')
})

const live = {
  ...{ sseReaders: 1, longPolls: 0, websocketClients: 2, upstreamSockets: 1 },
  ...{ upstreamSubscriptions: 3, ready: true, firstSeq: 1 },
}

test('an unknown value is not shown, and what has gone is forgotten', () => {
  const metrics = createMetrics()
  expect(metrics.scrape(fakeStatus, live)).toContain(
    'guard_alert{code="stream_stale",coin="BTC"} 1',
  )
  expect(metrics.scrape(fakeStatus, live)).toContain('\nguard_equity_usd 10000.5\n')
  const unknown = { ...fakeStatus, alerts: [], risk: { ...fakeStatus.risk, equity: null } }
  const text = metrics.scrape(unknown, live)
  expect(text).not.toMatch(/^guard_equity_usd /m)
  expect(text).not.toMatch(/^guard_alert\{/m)
  expect(text).toContain('\nguard_venue_stream_age_seconds 0.5\n')
  expect(text).toContain('\nguard_venue_weight_left 1100\n')
})

/** A Guard with something of everything, as Prometheus would find it. */
async function everything(): Promise<string> {
  const rig = await startRig()
  const { metrics } = rig.options
  for (const stage of ['authenticate', 'judge', 'durable', 'venue', 'total'] as const) {
    metrics.observer.stage(stage, 1.25)
  }
  metrics.observer.decided('veto', 'no_price', 'http')
  metrics.observer.decided('allow', 'allowed', 'ws')
  metrics.observer.sent(true)
  metrics.observer.event('decision')
  metrics.observer.shed()
  metrics.journalSync(0.3, 2)
  metrics.alerts.opened('telegram')
  metrics.alerts.delivery('telegram', 'failed')
  metrics.alerts.heartbeat(false)
  metrics.alerts.untold(2)
  rig.reader.addErrors(1)
  await rig.ask('/info', { body: '{"type":"meta"}' })
  await rig.ask('/guard/status', { headers: { Host: 'evil.example' } })
  const text = (await rig.ask('/metrics')).text
  const closed = rig.gateway.close(0)
  rig.time.advance(1)
  await closed
  return text
}

test('what is observed is counted', async () => {
  const text = await everything()
  for (const line of [
    'guard_decisions_total{verdict="veto",code="no_price",via="http"} 1',
    'guard_stage_seconds_bucket{stage="judge",le="0.001"} 0',
    'guard_stage_seconds_bucket{stage="judge",le="0.0025"} 1',
    'guard_sends_total{ok="true"} 1',
    'guard_events_total{kind="decision"} 1',
    'guard_shed_total 1',
    'guard_journal_sync_seconds_count 1',
    'guard_journal_records_total 2',
    'guard_event_lag_seconds_count 1',
    'guard_info_reads_total{from="venue"} 1',
    'guard_http_refused_total{why="forbidden_host"} 1',
    'guard_http_requests_total{route="/info",status="200"} 1',
    'guard_kill_latched 0',
    'guard_positions_uncovered 0',
    'guard_alert_deliveries_total{channel="telegram",outcome="sent"} 0',
    'guard_alert_deliveries_total{channel="telegram",outcome="failed"} 1',
    'guard_alert_heartbeats_total{taken="false"} 1',
    'guard_alerts_untold 2',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
})

const promtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!promtool)('promtool finds nothing wrong', async () => {
  const check = (args: string[], input = ''): string => {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      input,
      encoding: 'utf8',
      cwd: resolve(deploy, 'prometheus'),
    })
    return status === 0 ? '' : stdout + stderr
  }
  expect(check(['check', 'metrics'], await everything())).toBe('')
  expect(check(['check', 'config', 'prometheus.yml'])).toBe('')
  expect(check(['test', 'rules', 'alerts.test.yml'])).toBe('')
})

/** Every metric named in expressions, without the suffixes of a histogram. */
function namesIn(expressions: readonly string[]): string[] {
  const known = new Set(
    createMetrics()
      .registry.list()
      .map(({ name }) => name),
  )
  const names = expressions.flatMap((text) => [...text.matchAll(/\bguard_[a-z0-9_]+/g)].map(String))
  return [...new Set(names)].map((name) =>
    known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
  )
}

test('the dashboard and the rules name only metrics that exist', () => {
  const known = createMetrics()
    .registry.list()
    .map(({ name }) => name)
  const rules = [...read('prometheus/alerts.yml').matchAll(/^ {8}expr: (.+)$/gm)].map(
    (m) => m[1] ?? '',
  )
  expect(rules.length).toBe(read('prometheus/alerts.yml').match(/- alert:/g)?.length)
  const dashboard = JSON.parse(read('grafana/dashboard.json'))
  const targets = dashboard.panels.flatMap((panel: any) => panel.targets ?? [])
  expect(targets.length).toBeGreaterThan(30)
  const used = namesIn([...rules, ...targets.map(({ expr }: any) => expr)])
  expect(used.filter((name) => !known.includes(name))).toEqual([])
  const unseen = known.filter((name) => !used.includes(name))
  expect(unseen).toEqual([
    'guard_journal_records_total',
    'guard_http_request_seconds',
    'guard_journal_events',
    'guard_last_seq',
    'guard_first_seq_in_memory',
    'process_resident_memory_bytes',
    'guard_info',
  ])
})

test('the dashboard is whole: unique ids, a title each, and no panel on top of another', () => {
  const { panels, schemaVersion, uid } = JSON.parse(read('grafana/dashboard.json'))
  expect([typeof schemaVersion, uid]).toEqual(['number', 'guard'])
  const ids = panels.map(({ id }: any) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const cells = new Set<string>()
  for (const { title, gridPos, type, targets } of panels) {
    expect(title.length).toBeGreaterThan(0)
    if (type !== 'row') expect(targets.length).toBeGreaterThan(0)
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(cells.has(`${x},${y}`)).toBe(false)
        cells.add(`${x},${y}`)
      }
    }
  }
})
