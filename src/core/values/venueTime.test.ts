import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayMs } from './millis.ts'
import { VenueTime } from './venueTime.ts'

const start = 1_794_700_000_000

/** A venue, a monotonic clock and what is said between them. */
class Talk {
  /** By the machine's monotonic clock. */
  nowMs = 1_000.25
  /** The venue's true time now. */
  trueMs = start
  readonly time: VenueTime

  constructor(...guesses: readonly [number, ...number[]]) {
    this.time = new VenueTime(guesses, this.nowMs)
  }

  pass(ms: number): void {
    this.nowMs += ms
    this.trueMs += ms
  }

  /** A frame of the stream that was `lateMs` on its way, and lies by `liesMs`. */
  frame(lateMs = 0, liesMs = 0): number {
    return this.hear(this.trueMs - lateMs + liesMs, null, 0)
  }

  /** An answer that took `tookMs`, half of it on its way back. */
  answer(tookMs = 100, liesMs = 0): number {
    const askedMs = this.nowMs
    this.pass(tookMs)
    return this.hear(this.trueMs - tookMs / 2 + liesMs, askedMs, 0)
  }

  /** The date in the head of an answer: whole seconds. */
  date(): number {
    const askedMs = this.nowMs
    this.pass(20)
    return this.hear(Math.floor(this.trueMs / 1_000) * 1_000, askedMs, 1_000)
  }

  /** How far the clock is ahead of the venue's. */
  get errorMs(): number {
    return this.time.at(this.nowMs) - this.trueMs
  }

  private hear(venueMs: number, askedMs: number | null, coarseMs: number): number {
    return this.time.hear({ venueMs, heardMs: this.nowMs, askedMs, coarseMs })
  }
}

test('a right machine: the first word confirms it, and nothing is set', () => {
  const talk = new Talk(start)
  expect(talk.time.isLearned).toBe(false)
  expect(talk.time.isInDoubt).toBe(true)
  expect(talk.frame(80)).toBe(0)
  expect(talk.time.isLearned).toBe(true)
  expect(talk.time.isInDoubt).toBe(false)
  expect(Math.abs(talk.errorMs)).toBeLessThan(2)
})

test.each([-3 * dayMs, -3_600_000, -11_000, 11_000, 3_600_000, 3 * dayMs])(
  'a machine that is wrong by %d ms: three words outweigh it',
  (wrongMs) => {
    const talk = new Talk(start + wrongMs)
    expect(talk.frame(20)).toBe(0)
    expect(talk.answer()).toBe(0)
    expect(talk.time.isLearned).toBe(false)
    expect(Math.abs(talk.date() + wrongMs)).toBeLessThan(1_000)
    expect(talk.time.isLearned).toBe(true)
    expect(Math.abs(talk.errorMs)).toBeLessThan(100)
  },
)

test('a second guess that fits is enough: the machine was set right since the last run', () => {
  const talk = new Talk(start + 3_600_000, start)
  talk.frame(50)
  expect(talk.time.isLearned).toBe(true)
  expect(Math.abs(talk.errorMs)).toBeLessThan(2)
})

test('one time that lies by a day moves nothing, at the start and later', () => {
  const talk = new Talk(start)
  expect(talk.frame(0, dayMs)).toBe(0)
  expect(talk.time.isLearned).toBe(false)
  talk.frame(50)
  expect(Math.abs(talk.errorMs)).toBeLessThan(2)
  for (const lie of [dayMs, -dayMs, dayMs, 10_000, -10_000, dayMs]) {
    talk.pass(500)
    expect(talk.frame(0, lie)).toBe(0)
    expect(talk.answer(20, lie)).toBe(0)
    expect(Math.abs(talk.errorMs)).toBeLessThan(100)
    talk.frame(30)
    expect(talk.time.isInDoubt).toBe(false)
  }
})

test('a machine that slept is behind: what three words agree on is the time', () => {
  const talk = new Talk(start)
  talk.frame()
  talk.trueMs += 7_200_000
  expect(talk.frame(10)).toBe(0)
  expect(talk.time.isInDoubt).toBe(true)
  expect(talk.frame(20)).toBe(0)
  expect(talk.frame(5)).toBeGreaterThan(7_199_000)
  expect(Math.abs(talk.errorMs)).toBeLessThan(20)
})

test('a stream that is late proves nothing; answers over time do', () => {
  const talk = new Talk(start)
  talk.frame()
  for (let at = 0; at < 20; at += 1) {
    talk.pass(1_000)
    expect(talk.frame(9_000)).toBe(0)
  }
  expect(Math.abs(talk.errorMs)).toBeLessThan(2)
  talk.trueMs -= 60_000
  let setBy = 0
  for (let at = 0; at < 8 && setBy === 0; at += 1) {
    talk.pass(1_000)
    setBy = talk.answer()
  }
  expect(Math.round(setBy / 1_000)).toBe(-60)
})

test('a slow answer is no contradiction', () => {
  const talk = new Talk(start)
  talk.frame()
  expect(talk.answer(9_000)).toBe(0)
  expect(talk.time.isInDoubt).toBe(false)
})

test('what the venue judged by is believed at once', () => {
  const talk = new Talk(start + 3 * dayMs)
  talk.time.prove({ venueMs: talk.trueMs, heardMs: talk.nowMs, askedMs: null, coarseMs: 0 })
  expect(talk.time.isLearned).toBe(true)
  expect(Math.abs(talk.errorMs)).toBeLessThan(2)
  const again = { venueMs: talk.trueMs + 500, heardMs: talk.nowMs, askedMs: null, coarseMs: 0 }
  expect(talk.time.prove(again)).toBe(0)
})

test('drift is followed, up and down, by a bounded slew', () => {
  const talk = new Talk(start)
  talk.frame()
  for (const driftMs of [900, -900]) {
    talk.trueMs += driftMs
    let last = talk.time.at(talk.nowMs)
    for (let second = 0; second < 200; second += 1) {
      talk.pass(1_000)
      talk.frame(10)
      const next = talk.time.at(talk.nowMs)
      expect(next - last).toBeGreaterThanOrEqual(899)
      expect(next - last).toBeLessThanOrEqual(1_101)
      last = next
    }
    expect(Math.abs(talk.errorMs)).toBeLessThan(15)
  }
})

test('once learned it never runs backwards and stays near, whatever a minority says', () => {
  const word = fc.record({
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    lateMs: fc.integer({ min: 0, max: 1_500 }),
    lieMs: fc.integer({ min: -3 * dayMs, max: 3 * dayMs }),
    isAnswer: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const talk = new Talk(start)
      talk.frame()
      let last = talk.time.at(talk.nowMs)
      for (const { afterMs, lateMs, lieMs, isAnswer } of words) {
        talk.pass(afterMs)
        // One in two words lies, each by what it likes.
        if (isAnswer) talk.answer(lateMs, lieMs)
        else talk.frame(lateMs, lieMs)
        talk.frame(lateMs)
        const next = talk.time.at(talk.nowMs)
        expect(next).toBeGreaterThanOrEqual(last)
        expect(Math.abs(talk.errorMs)).toBeLessThanOrEqual(4_000)
        last = next
      }
    }),
  )
})
