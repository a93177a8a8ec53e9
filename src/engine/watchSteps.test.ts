import { expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import { watchSteps } from './watchSteps.ts'

test('a step of the wall clock is told before the new time is, and jitter is not', () => {
  let [wall, monotonic] = [1_700_000_000_000, 500.25]
  const steps: number[] = []
  const clock = watchSteps(
    { now: () => millis(wall), monotonicMs: () => monotonic },
    (ms) => void steps.push(ms),
  )
  const pass = (ms: number, step = 0): void => {
    wall += ms + step
    monotonic += ms
    const told = steps.length
    expect(clock.now()).toBe(wall)
    expect(clock.monotonicMs()).toBe(monotonic)
    expect(clock.now()).toBe(wall)
    expect(steps.length - told).toBeLessThanOrEqual(1)
  }
  pass(10)
  pass(60_000)
  expect(steps).toEqual([])
  pass(5, -249)
  expect(steps).toEqual([])
  // Small steps add up.
  pass(5, -1)
  expect(steps).toEqual([-250])
  pass(1_000, 6_000)
  pass(1_000)
  pass(1, -3_600_000)
  expect(steps).toEqual([-250, 6_000, -3_600_000])
})
