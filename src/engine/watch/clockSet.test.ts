import { expect, test } from 'vitest'
import { defaultRules } from '../../core/rules/rules.ts'
import { millis } from '../../core/values/millis.ts'
import { Alerts } from '../alerts.ts'
import { Faults } from '../faults.ts'
import { Watcher } from './watcher.ts'

test('a fault is told again after a minute, also when the clock was set back meanwhile', () => {
  let [wallMs, nowMs] = [1_794_700_000_000, 50]
  const recorded: object[] = []
  const faults = new Faults({
    clock: { now: () => millis(wallMs), monotonicMs: () => nowMs },
    log: { log: () => undefined },
    alerts: new Alerts(),
    recorder: { record: (body: object) => void recorded.push(body) } as never,
  })
  const pass = (ms: number, setByMs = 0): number => {
    nowMs += ms
    wallMs += ms + setByMs
    faults.note('a tick', new Error('broken'))
    return recorded.length
  }
  expect(pass(0)).toBe(1)
  expect(pass(30_000, -3_600_000)).toBe(1)
  expect(pass(30_000)).toBe(2)
  expect(pass(1, 3_600_000)).toBe(2)
})

test('a discrepancy that lasts is told after five seconds, also when the clock was set back', () => {
  let [wallMs, nowMs] = [1_794_700_000_000, 50]
  const alerts = new Alerts()
  const idle = { kick: () => undefined }
  const watcher = new Watcher({
    ...{ alerts, flattener: idle, protector: idle, log: { log: () => undefined } },
    cover: { arePositionsKnown: false },
    clock: { now: () => millis(wallMs), monotonicMs: () => nowMs },
    account: {
      ...{ confirmedAt: millis(wallMs), mode: 'unknown', stream: 'live', positions: new Map() },
      equity: null,
      markets: { byAsset: new Map([[0, {}]]), byCoin: new Map([['SOL', {}]]) },
      followCover: () => undefined,
      coinsWithOrders: () => [],
      twaps: { views: () => [] },
      discrepancies: () => [
        'SOL: the venue shows a position of 30 long, no order of Guard made it',
      ],
    },
    risk: {
      tick: () => ({ changed: false, dropped: [] }),
      view: () => ({ isBlind: false, untold: null }),
    },
    recorder: { watchPlaces: () => undefined },
    rulesFor: () => defaultRules,
  } as never)
  const pass = (ms: number, setByMs = 0): boolean => {
    nowMs += ms
    wallMs += ms + setByMs
    watcher.tick()
    return alerts.has('discrepancy', 'SOL')
  }
  expect(pass(0)).toBe(false)
  expect(pass(2_500, -3_600_000)).toBe(false)
  expect(pass(2_500)).toBe(true)
})
