import type { Json } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'
import { millis } from '../core/values/millis.ts'
import type { Millis } from '../core/values/millis.ts'
import { VenueTime } from '../core/values/venueTime.ts'
import type { TimeTold } from '../core/values/venueTime.ts'
import type { Clock } from './ports.ts'

/**
 * Guard's clock: it shows the venue's time, counted on from the machine's monotonic clock. The
 * machine's wall clock is only what it begins with; set, stepped or wrong, it changes nothing after, but
 * that bots on this machine sign by it (`machineAheadMs`).
 */
export class VenueClock implements Clock {
  private readonly machine: Clock
  private time: VenueTime
  private readonly followers: ((ms: number) => void)[] = []

  constructor(machine: Clock) {
    this.machine = machine
    this.time = new VenueTime([machine.now()], machine.monotonicMs())
  }

  /** The venue's time; before it is learned, what the machine's clock makes likely. */
  now(): Millis {
    return millis(this.time.at(this.machine.monotonicMs()))
  }

  monotonicMs(): number {
    return this.machine.monotonicMs()
  }

  /** Whether the venue has told its time in this run. */
  get isLearned(): boolean {
    return this.time.isLearned
  }

  /** Whether the venue should be asked what time it is. */
  get isInDoubt(): boolean {
    return this.time.isInDoubt
  }

  /** How far the machine's wall clock is ahead of this one, in milliseconds; behind it is negative. */
  machineAheadMs(): number {
    return this.machine.now() - this.now()
  }

  /**
   * Calls `follower` when the time is first learned and whenever a word of the venue sets it, with the
   * step in milliseconds; 0 where it was only confirmed.
   */
  follow(follower: (ms: number) => void): void {
    this.followers.push(follower)
  }

  /** The venue said what time it is: just now, or as the answer to a question that left at `askedMs`. */
  hear(venueMs: number, askedMs: number | null, coarseMs = 0): void {
    const wasLearned = this.isLearned
    this.take(this.time.hear(this.told(venueMs, askedMs, coarseMs)), wasLearned)
  }

  /** The venue refused something by its clock, and said what its clock shows. */
  prove(venueMs: number): void {
    const wasLearned = this.isLearned
    this.take(this.time.prove(this.told(venueMs, null, 0)), wasLearned)
  }

  /** Calls `task` once, when the time is learned; now if it is. */
  whenLearned(task: () => void): void {
    if (this.isLearned) {
      task()
      return
    }
    let isDone = false
    this.follow(() => {
      if (!isDone && this.isLearned) task()
      isDone ||= this.isLearned
    })
  }

  /** What the next run begins with; null while nothing was learned. */
  toJson(): Json {
    if (!this.isLearned) return null
    return { machine_ms: this.machine.now(), venue_ms: this.now() }
  }

  /**
   * What an earlier run had learned: the machine's clock may still be as wrong as it was then, or
   * right by now. The venue's time cannot be before what it was then.
   */
  recall(json: Json): void {
    if (this.isLearned || !isObject(json)) return
    const { machine_ms: machineMs, venue_ms: venueMs } = json
    if (typeof machineMs !== 'number' || typeof venueMs !== 'number') return
    const now = this.machine.now()
    const guesses = [now + venueMs - machineMs, now].filter((guess) => guess >= venueMs)
    const [first = venueMs, ...others] = guesses
    this.time = new VenueTime([first, ...others], this.machine.monotonicMs())
  }

  private told(venueMs: number, askedMs: number | null, coarseMs: number): TimeTold {
    return { venueMs, heardMs: this.machine.monotonicMs(), askedMs, coarseMs }
  }

  private take(byMs: number, wasLearned: boolean): void {
    if (byMs === 0 && wasLearned === this.isLearned) return
    for (const follower of this.followers) follower(Math.round(byMs))
  }
}
