import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeReader, FakeTime } from '../gateway.fixture.ts'
import { createMetrics } from '../metrics/guardMetrics.ts'
import { EventHub, gatherMs } from './eventHub.ts'
import { Frames } from './frames.ts'

function hubOf(count: number) {
  const time = new FakeTime()
  const reader = new FakeReader()
  const hub = new EventHub(reader, time, time, createMetrics().http)
  const woken: number[] = []
  const ends = Array.from({ length: count }, (_, index) =>
    hub.follow({
      wake: () => void woken.push(index),
      heartbeat: () => undefined,
      end: () => undefined,
    }),
  )
  return { time, reader, hub, woken, ends }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('events that come together are told once, a moment after the first', () => {
  const { time, reader, woken } = hubOf(1)
  reader.addErrors(2)
  time.advance(gatherMs - 1)
  expect(woken).toEqual([])
  reader.addErrors(1)
  time.advance(1)
  expect(woken).toEqual([0])
  time.advance(100)
  expect(woken).toEqual([0])
  reader.addErrors(1)
  time.advance(gatherMs)
  expect(woken).toEqual([0, 0])
})

test('between a few readers and the next few there is a turn for everyone else', async () => {
  const { time, reader, woken, ends } = hubOf(100)
  reader.addErrors(1)
  time.advance(gatherMs)
  expect(woken.length).toBeLessThanOrEqual(10)
  // Someone who goes away meanwhile is not told.
  ends[99]?.()
  let turns = 0
  while (woken.length < 99) {
    const before = woken.length
    await turn()
    turns += 1
    expect(woken.length - before).toBeLessThanOrEqual(10)
    expect(turns).toBeLessThan(100)
  }
  await turn()
  expect(woken).toEqual(Array.from({ length: 99 }, (_, index) => index))
})

test('readers at the same place are given the same bytes', () => {
  const reader = new FakeReader()
  const frames = new Frames(reader)
  expect(frames.after(0, null)).toBeNull()
  reader.addErrors(3)
  const frame = frames.after(1, null)
  expect(frames.after(1, null)?.bytes).toBe(frame?.bytes)
  expect(frames.after(1, ['kill'])?.bytes.length).toBe(0)
  reader.addErrors(1)
  expect(frames.after(1, null)?.upTo).toBe(4)
  expect(frames.after(4, null)).toBeNull()
})

test('frame after frame is every event that was asked for, once, in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.nat(40_000)), { minLength: 1, maxLength: 30 }),
      fc.nat(30),
      fc.boolean(),
      (events, since, isFiltered) => {
        const reader = new FakeReader()
        for (const [isKill, size] of events) {
          const text = 'é'.repeat(size)
          reader.add(isKill ? { kind: 'kill', reason: text } : { kind: 'error', text })
        }
        const frames = new Frames(reader)
        const kinds = isFiltered ? (['kill'] as const) : null
        let told = ''
        let cursor = since
        for (;;) {
          const frame = frames.after(cursor, kinds)
          if (frame === null) break
          expect(frame.upTo).toBeGreaterThan(cursor)
          cursor = frame.upTo
          told += frame.bytes.toString('utf8')
        }
        const wanted = reader.all.filter(
          ({ seq, kind }) => seq > since && (!isFiltered || kind === 'kill'),
        )
        expect(told).toBe(
          wanted
            .map(
              (event) =>
                `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`,
            )
            .join(''),
        )
      },
    ),
  )
})
