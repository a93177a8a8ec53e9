import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventWatch } from './eventWatch.ts'
import type { GuardPort } from './guardPort.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A watch of a Guard that gives these answers one after the other, and then none. */
function watching(...answers: readonly (number | null)[]): EventWatch {
  const left = [...answers]
  const newest = (): Promise<number> => {
    const next = left.shift()
    if (next === undefined) return new Promise(() => undefined)
    return next === null ? Promise.reject(new Error('away')) : Promise.resolve(next)
  }
  return new EventWatch({ newest } as unknown as GuardPort)
}

async function toldOf(watch: EventWatch): Promise<number> {
  let told = 0
  watch.listen(() => (told += 1))
  await watch.begun
  expect(told).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  watch.close()
  return told
}

test('what was there before somebody listens is no news, and what comes after it is', async () => {
  expect(await toldOf(watching(7))).toBe(0)
  expect(await toldOf(watching(7, 7))).toBe(0)
  expect(await toldOf(watching(7, 9, 9, 10))).toBe(2)
})

test('a Guard that was away has news, also for who began to listen meanwhile', async () => {
  expect(await toldOf(watching(null, null, 7))).toBe(1)
  expect(await toldOf(watching(7, null, 7, 7))).toBe(1)
})
