import { expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import { Alerts } from '../alerts.ts'
import type { HostView } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import { HostWatch } from './hostWatch.ts'
import { paced } from './readingPace.ts'

test('a ledger that cannot be used is an alert while it lasts, and an event at most once a minute', () => {
  let now = 0
  const host = { problem: null as string | null, sharers: 1 }
  const recorded: unknown[] = []
  const alerts = new Alerts()
  const watch = new HostWatch({
    clock: { now: () => millis(now), monotonicMs: () => now },
    alerts,
    recorder: { record: (body: unknown) => recorded.push(body) } as unknown as Recorder,
    host: host as unknown as HostView,
    fleet: null,
    venue: {},
  })
  const seen = (): readonly string[] => {
    watch.tick()
    return alerts.list().map(({ code }) => code)
  }
  expect(seen()).toEqual([])
  host.problem = 'it is broken'
  expect([seen(), seen()]).toEqual([['host_ledger'], ['host_ledger']])
  expect(recorded).toEqual([{ kind: 'error', text: 'it is broken' }])
  host.problem = null
  expect(seen()).toEqual([])
  now = 59_999
  host.problem = 'again'
  expect([seen(), recorded.length]).toEqual([['host_ledger'], 1])
  host.problem = null
  seen()
  now = 60_000
  host.problem = 'and again'
  expect([seen(), recorded.length]).toEqual([['host_ledger'], 2])
})

test.each([
  [1, []],
  [10, []],
  [11, ['host_crowded']],
])('%i Guards on one address raise %j', (sharers, codes) => {
  const alerts = new Alerts()
  new HostWatch({
    clock: { now: () => millis(0), monotonicMs: () => 0 },
    alerts,
    recorder: { record: () => undefined } as unknown as Recorder,
    host: { problem: null, sharers } as unknown as HostView,
    fleet: null,
    venue: {},
  }).tick()
  expect(alerts.list().map(({ code }) => code)).toEqual(codes)
})

test.each([
  [1_200, 30_000],
  [600, 30_000],
  [240, 60_000],
  [120, 120_000],
  [0, 120_000],
])('with a share of %i of 1,200 the whole account is looked at every %i ms', (limit, ms) => {
  expect(paced(30_000, { limit, venueLimit: 1_200 })).toBe(ms)
})
