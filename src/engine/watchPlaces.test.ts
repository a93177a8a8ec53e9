import { expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import { Alerts } from './alerts.ts'
import { Recorder } from './recorder.ts'
import type { RecorderDeps } from './recorder.ts'

test('what the journal says of its places and its room is an alert for as long as it says so', () => {
  const alerts = new Alerts()
  const journal = { warning: null as string | null, shortOfSpace: null as string | null }
  const clock = { now: () => millis(7), monotonicMs: () => 7 }
  const recorder = new Recorder({ alerts, journal, clock } as unknown as RecorderDeps)
  const told = () => {
    recorder.watchPlaces()
    return alerts.list().map(({ code, text }) => `${code}: ${text}`)
  }
  expect(told()).toEqual([])
  journal.shortOfSpace = '5 MiB are left'
  expect(told()).toEqual(['disk: 5 MiB are left'])
  journal.warning = 'EROFS'
  expect(told()).toEqual(['disk: 5 MiB are left', 'emergency_dir: EROFS'])
  journal.shortOfSpace = null
  expect(told()).toEqual(['emergency_dir: EROFS'])
})
