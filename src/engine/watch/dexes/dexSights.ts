import type { ClearinghouseState } from '../../../core/protocol/venueState.ts'
import type { Decimal } from '../../../core/values/decimal.ts'
import { limits } from '../../../core/values/limits.ts'
import type { Millis } from '../../../core/values/millis.ts'
import type { Alerts } from '../../alerts.ts'
import { Backoff } from '../../backoff.ts'
import type { Clock } from '../../ports.ts'

interface DexSightsDeps {
  readonly clock: Clock
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  /** Something is held there, was told of, or is on its way there. */
  readonly isUsed: (dex: string) => boolean
}

/** States as they are told together; null where one could not be read. */
type Told = ReadonlyMap<string, ClearinghouseState | null>

interface Sight {
  /** The venue's time of its state, and of the main dex's that was told with it. */
  readonly time: Millis
  readonly mainTime: Millis
  /** By the monotonic clock. */
  readonly atMs: number
  readonly isHeld: boolean
  readonly value: Decimal
  readonly isRead: boolean
}

/** From this age of its state on, a dex is read by itself, so that it is known again before it is too old. */
const lateMs = 4_000
const retryMs = 1_000

/**
 * When each builder dex was last seen: its state in the stream has another time than before, or a read of
 * it was answered. One whose state repeats itself while those of others go on, or whose read fails, is
 * not seen, however much is told of the rest.
 *
 * By one reading of the venue a dex on which nothing is held and nothing changes is told with its old
 * time. Until one such dex has been told with a new time, those are read now and then beside others, and
 * keep nobody from trading. One to which orders went is no proof: they may have come and gone in between.
 */
export class DexSights {
  readonly #deps: DexSightsDeps
  readonly #seen = new Map<string, Sight>()
  /** Those whose state in the stream stands still, and those whose last read failed. */
  readonly #repeated = new Set<string>()
  readonly #failed = new Set<string>()
  /** A dex on which nothing happened was told with a new time: so the venue tells all of them. */
  #areIdleTold = false
  readonly #backoff: Backoff

  constructor(deps: DexSightsDeps) {
    this.#deps = deps
    this.#backoff = new Backoff(deps.clock, limits.accountAgeMsMax, retryMs)
  }

  /** What is told of builder dexes counts for those that are known. */
  told(states: Told, isKnown: (dex: string) => boolean, isRead: boolean): void {
    const mainTime = states.get('')?.time
    if (mainTime === undefined) return
    for (const [dex, state] of states) {
      if (!isKnown(dex)) continue
      if (state === null) this.#miss(dex)
      else this.#take(dex, state, mainTime, isRead)
    }
    this.tick()
  }

  /**
   * The dexes to read now: the stream repeats their state or their last read failed, what is known of
   * them is older than `lateMs`, and a read that failed was not just now. Nothing need be held there:
   * somebody may have opened something since.
   */
  get late(): readonly string[] {
    return this.#suspects().filter(
      (dex) => !this.#isQuiet(dex) && this.#ageOf(dex) > lateMs && this.#backoff.mayTry(dex),
    )
  }

  /**
   * Up to `most` quiet dexes, the longest unseen first, to be read along with others. Quiet is one on
   * which nothing was held, and whose state the stream repeats: that may mean no more than that nothing
   * changes there, so nothing waits for it.
   */
  quiet(most: number): readonly string[] {
    const quiet = this.#suspects().filter((dex) => this.#isQuiet(dex))
    return quiet.toSorted((one, other) => this.#ageOf(other) - this.#ageOf(one)).slice(0, most)
  }

  /**
   * The dexes that are not quiet and of which nothing was seen for longer than `accountAgeMsMax`: nobody
   * knows what is held there now, and nothing opens on any dex meanwhile.
   */
  get unseen(): readonly string[] {
    return this.#suspects().filter(
      (dex) => !this.#isQuiet(dex) && this.#ageOf(dex) > limits.accountAgeMsMax,
    )
  }

  forget(dex: string): void {
    this.#seen.delete(dex)
    this.#repeated.delete(dex)
    this.#failed.delete(dex)
    this.#backoff.reset(dex)
  }

  tick(): void {
    const { alerts, clock } = this.#deps
    const { unseen } = this
    if (unseen.length === 0) alerts.clear('dex_unread')
    else {
      const text = `the account could not be read on ${unseen.join(', ')}: what is held there is as it was last told, and nothing opens until it is read`
      alerts.raise('dex_unread', text, clock.now())
    }
  }

  #miss(dex: string): void {
    this.#failed.add(dex)
    this.#backoff.failed(dex)
  }

  #take(dex: string, state: ClearinghouseState, mainTime: Millis, isRead: boolean): void {
    const before = this.#seen.get(dex)
    const { time, accountValue: value } = state
    const { clock, isUsed } = this.#deps
    const isHeld = state.positions.length > 0
    if (!isRead && before !== undefined && time <= before.time) {
      if (mainTime > before.mainTime) this.#repeated.add(dex)
      return
    }
    const wasIdle = before?.isRead === false && !before.isHeld && !isHeld && !isUsed(dex)
    if (!isRead && wasIdle && before.value.eq(value)) this.#areIdleTold = true
    const atMs = clock.monotonicMs()
    this.forget(dex)
    this.#seen.set(dex, { time, mainTime, atMs, isHeld, value, isRead })
  }

  #suspects(): readonly string[] {
    return [...new Set([...this.#failed, ...this.#repeated])]
  }

  /** Whether it is quiet, as `quiet` says; none is once the venue has told an idle dex with a new time. */
  #isQuiet(dex: string): boolean {
    if (this.#areIdleTold || this.#failed.has(dex)) return false
    return this.#seen.get(dex)?.isHeld === false
  }

  #ageOf(dex: string): number {
    return this.#deps.clock.monotonicMs() - (this.#seen.get(dex)?.atMs ?? -Infinity)
  }
}
