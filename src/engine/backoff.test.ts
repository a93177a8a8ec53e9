import { expect, test } from 'vitest'
import { Backoff, urgentPauseMs } from './backoff.ts'

test.each([
  ['knows of room', 0, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]],
  ['refuses for the weight', 30_000, [250, 500, 1_000, 1_000, 1_000, 1_000, 1_000]],
])('what is urgent, where the venue %s, is tried again after', (_what, heldMs, waits) => {
  const backoff = new Backoff({ monotonicMs: () => 0 }, urgentPauseMs({ heldMs: () => heldMs }))
  expect(waits.map(() => backoff.failed('close'))).toEqual(waits)
})

test('a pause that was long is short from the moment on at which the venue refuses for the weight', () => {
  let heldMs = 0
  const backoff = new Backoff({ monotonicMs: () => 0 }, urgentPauseMs({ heldMs: () => heldMs }))
  for (let tries = 0; tries < 8; tries += 1) backoff.failed('close')
  heldMs = 1
  expect(backoff.failed('close')).toBe(1_000)
  heldMs = 0
  expect(backoff.failed('close')).toBe(2_000)
})
