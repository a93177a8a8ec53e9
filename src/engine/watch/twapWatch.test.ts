import { expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import { TwapWatch } from './twapWatch.ts'

const startMs = 1_790_000_000_000

/** A watch in time that is moved, over lists that come as told; answers when TWAPs were read. */
function watched() {
  let elapsedMs = 0
  const readAt: number[] = []
  const historyAt: number[] = []
  const lists = {
    toldAt: null as Millis | null,
    doubtfulSince: null,
    isHistoryWanted: false,
    isNumberMissing: false,
    silentSince: null as Millis | null,
  }
  const twaps = { ...lists, isReturning: false }
  const venue = { isFailing: false }
  const watch = new TwapWatch({
    clock: { monotonicMs: () => elapsedMs },
    account: { twaps: twaps as never },
    reads: {
      twaps: () => {
        readAt.push(elapsedMs)
        if (venue.isFailing) return Promise.resolve(err('HTTP 500'))
        twaps.toldAt = millis(startMs + elapsedMs)
        return Promise.resolve(ok(null))
      },
      twapHistory: () => {
        historyAt.push(elapsedMs)
        return Promise.resolve(ok(null))
      },
    },
  })
  const pass = async (ms: number): Promise<void> => {
    for (const endMs = elapsedMs + ms; elapsedMs < endMs; elapsedMs += 250) {
      watch.tick(millis(startMs + elapsedMs))
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  return { watch, readAt, historyAt, twaps, venue, pass }
}

test('after a start they are read once the stream had its time to list them', async () => {
  const { readAt, pass } = watched()
  await pass(10_000)
  expect(readAt).toEqual([2_000])
})

test('where the stream lists them, nothing is read', async () => {
  const { readAt, twaps, pass } = watched()
  twaps.toldAt = millis(startMs)
  await pass(19_000)
  expect(readAt).toEqual([])
  await pass(30_000)
  expect(readAt).toHaveLength(1)
})

test('a read that fails is tried again soon, and ever later up to a bound', async () => {
  const { readAt, venue, pass } = watched()
  venue.isFailing = true
  await pass(50_000)
  expect(readAt).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 48_000])
  venue.isFailing = false
  await pass(30_000)
  expect(readAt).toHaveLength(7)
})

test('one that lists show again is read at once', async () => {
  const { readAt, twaps, pass } = watched()
  twaps.toldAt = millis(startMs)
  await pass(1_000)
  twaps.isReturning = true
  await pass(5_000)
  expect(readAt).toEqual([1_000])
})

test('a number that is missing is asked for at once, then ever later, and anew for the next one', async () => {
  const { watch, readAt, historyAt, twaps, pass } = watched()
  const find = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) {
      watch.find()
      await pass(250)
    }
  }
  twaps.toldAt = millis(startMs)
  twaps.isNumberMissing = true
  await find(10_000)
  expect(historyAt).toEqual([0, 500, 1_500, 3_500, 7_500])
  expect(readAt).toEqual(historyAt)
  twaps.isNumberMissing = false
  await pass(250)
  twaps.isNumberMissing = true
  await find(250)
  expect(historyAt.at(-1)).toBe(10_250)
})

test('a cancelled one that no list shows is looked for in the history as well', () => {
  const { watch, readAt, historyAt, twaps } = watched()
  watch.listAgain()
  twaps.isHistoryWanted = true
  watch.listAgain()
  expect([readAt.length, historyAt.length]).toEqual([2, 1])
})

test('where the stream lists those of a dex no more, the history is read now and then', async () => {
  const { historyAt, readAt, twaps, pass } = watched()
  twaps.silentSince = millis(startMs)
  twaps.toldAt = millis(startMs + 100_000)
  await pass(90_000)
  expect(readAt).toEqual([])
  expect(historyAt).toEqual([20_250, 50_250, 80_250])
})
