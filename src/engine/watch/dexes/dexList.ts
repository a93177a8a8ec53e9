import type { BuilderDex } from '../../../core/protocol/decodeDexes.ts'
import type { Market } from '../../../core/protocol/market.ts'
import type { Result } from '../../../core/values/result.ts'
import { Backoff } from '../../backoff.ts'
import type { Clock, Log, Urgency, WeightBudget } from '../../ports.ts'
import { toldTwice } from './toldTwice.ts'

/** What is asked of the venue. */
export interface DexListReads {
  /** The builder dexes, each with its place among the venue's dexes. */
  dexes(lane: Urgency): Promise<Result<readonly BuilderDex[]>>
  /** The perps of these. */
  dexPerps(dexes: readonly BuilderDex[], lane: Urgency): Promise<Result<readonly Market[]>>
}

interface DexListDeps {
  readonly clock: Clock
  readonly log: Log
  readonly reads: DexListReads
  readonly budget: Pick<WeightBudget, 'roomInMs'>
  readonly isStopped: () => boolean
  /** Something is held, rests or runs on a builder dex. */
  readonly isBusy: () => boolean
  /** The dexes are told, and their perps not yet. */
  readonly placed: (dexes: readonly BuilderDex[]) => void
  readonly listed: (dexes: readonly BuilderDex[], markets: readonly Market[]) => void
  readonly unread: () => void
  /** The last list lacks a dex that may still be there. */
  readonly isInDoubt: () => boolean
  /** Dexes that are known have other places in this list. */
  readonly moves: (dexes: readonly BuilderDex[]) => boolean
  /** Perps of these dexes that are known are missing here, or have other ids or lots. */
  readonly alters: (dexes: readonly BuilderDex[], markets: readonly Market[]) => boolean
}

/** A list that fails, or does not tell what is missing, is asked for ever later. */
const firstWaitMs = 1_000
const longestWaitMs = 60_000
/** The same where ids may have become those of other perps. */
const longestDoubtMs = 8_000
/** From then on the list is asked for as rarely as any other where something else goes on to show the dex. */
const soonForMs = 120_000
/**
 * So often the places of the dexes are asked for out of what is kept for stops: no stop on a builder dex
 * is right while its id is another perp's. One question in this time leaves most of it to the stops; one
 * that failed has a second try.
 */
const urgentEveryMs = 60_000
const secondTryMs = 10_000
/**
 * So often at most a close that was refused, or a stop that covers nothing, has the list asked for: it may
 * have another reason, and both lists take 40 of the request weight.
 */
const distrustEveryMs = 15_000
/** What the venue takes for the list, of its request weight. */
const listWeight = 20
const key = 'list'

/** Asks which builder dexes the venue has, and for their perps. */
export class DexList {
  readonly #deps: DexListDeps
  readonly #backoff: Backoff
  readonly #soon: Backoff
  #isWanted = false
  /** Since when every list lacks a dex that something else goes on to show; null while none does. */
  #lackingSinceMs: number | null = null
  /** Dexes that the stream no longer tells of, and those of which the list has said since that they are there. */
  #missing: readonly string[] = []
  #stillThere: readonly string[] = []
  /** Guard's own orders show that ids may be wrong, and no list was read since; and when that was. */
  #isDistrusted = false
  #distrustedMs = -Infinity
  /** How often it was said: a list that was asked for before says nothing of it. */
  #distrusts = 0
  /** The last question that went out of what is kept for stops. */
  #urgent = { atMs: -Infinity, wasRetry: false, hasFailed: false }
  #reading: Promise<void> | null = null

  constructor(deps: DexListDeps) {
    this.#deps = deps
    this.#backoff = new Backoff(deps.clock, longestWaitMs, firstWaitMs)
    this.#soon = new Backoff(deps.clock, longestDoubtMs, firstWaitMs)
  }

  /**
   * A dex is missing in the stream, and no list since has told the places of the others; the last list
   * lacks a dex that may still be there; or what became of Guard's own orders does not fit their ids.
   */
  get arePlacesDoubted(): boolean {
    const isMissed = this.#missing.some((name) => !this.#stillThere.includes(name))
    return this.#isDistrusted || isMissed || this.#deps.isInDoubt()
  }

  /** All ids are those of an earlier run, and no list was read since. */
  remembered(): void {
    this.#isDistrusted = true
    this.#isWanted = true
  }

  /**
   * An order was refused as if its id were another perp's, or a stop was taken and covers nothing; `isSign`:
   * a perp has ended, and its dex may have with it.
   */
  distrust(isSign: boolean): void {
    const nowMs = this.#deps.clock.monotonicMs()
    if (!isSign && nowMs - this.#distrustedMs < distrustEveryMs) return
    this.#distrustedMs = nowMs
    this.#distrusts += 1
    this.#isDistrusted = true
    this.demand()
  }

  /** Dexes that the stream does not tell of: where one is gone the ids of the others may be other perps'. */
  miss(dexes: readonly string[]): void {
    this.#missing = dexes
    this.#stillThere = this.#stillThere.filter((name) => dexes.includes(name))
    if (dexes.length > 0) this.demand()
  }

  demand(): void {
    if (this.#mayAsk()) this.#ask()
    else this.#isWanted = true
  }

  /** The last answer had news, and more may follow: the next question does not wait longer. */
  reset(): void {
    this.#backoff.reset(key)
  }

  tick(): void {
    if (this.#isWanted && this.#mayAsk()) this.#ask()
  }

  refresh(lane: Urgency): Promise<void> {
    this.#reading ??= this.#read(lane).finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  #mayAsk(): boolean {
    if (this.#backoff.mayTry(key)) return true
    const sinceMs = this.#lackingSinceMs
    const isLong = sinceMs !== null && this.#deps.clock.monotonicMs() - sinceMs >= soonForMs
    return this.arePlacesDoubted && !isLong && this.#soon.mayTry(key)
  }

  #ask(): void {
    this.#isWanted = false
    this.#backoff.failed(key)
    this.#soon.failed(key)
    this.refresh('watch').catch((error: unknown) => {
      this.#deps.log.log('error', 'the builder dexes could not be read', { error: String(error) })
    })
  }

  async #read(lane: Urgency): Promise<void> {
    const { reads, isStopped, placed, listed } = this.#deps
    // What is missed while the answer is on its way may have been there when it was made.
    const missing = this.#missing
    const distrusts = this.#distrusts
    const isUrgent = this.#isUrgent(lane)
    const dexes = await toldTwice({
      ask: () => reads.dexes(isUrgent ? 'safety' : lane),
      isOther: this.#deps.moves,
      written: (told) => JSON.stringify(told.map(({ name, index }) => [name, index])),
    })
    if (isStopped()) return
    if (isUrgent) this.#urgent.hasFailed = !dexes.ok
    if (!dexes.ok) return this.#failed(dexes.error)
    this.#stillThere = missing
    // Until the perps of the new places are told, too, one list alone says so.
    if (this.#deps.moves(dexes.value)) this.#isDistrusted = true
    placed(dexes.value)
    if (this.#deps.isInDoubt()) {
      this.#isWanted = true
      this.#lackingSinceMs ??= this.#deps.clock.monotonicMs()
    } else {
      this.#soon.reset(key)
      this.#lackingSinceMs = null
    }
    const markets = await toldTwice({
      ask: () => reads.dexPerps(dexes.value, isUrgent ? 'safety' : lane),
      isOther: (told) => this.#deps.alters(dexes.value, told),
      written: (told) =>
        JSON.stringify(told.map(({ coin, asset, sizeDecimals }) => [coin, asset, sizeDecimals])),
    })
    if (isStopped()) return
    if (!markets.ok) return this.#failed(markets.error)
    this.#isDistrusted = distrusts !== this.#distrusts
    if (this.#isDistrusted) this.#isWanted = true
    listed(dexes.value, markets.value)
  }

  #failed(error: string): void {
    this.#isWanted = true
    this.#deps.log.log('warn', 'the builder dexes could not be read', { error })
    this.#deps.unread()
  }

  /**
   * Something is covered or closed by ids that may be wrong, the lane has no weight for the question, and
   * nobody has asked like this just now.
   */
  #isUrgent(lane: Urgency): boolean {
    if (this.#deps.budget.roomInMs(lane, listWeight) === 0) return false
    if (!this.arePlacesDoubted || !this.#deps.isBusy()) return false
    const nowMs = this.#deps.clock.monotonicMs()
    const { atMs, wasRetry, hasFailed } = this.#urgent
    const passedMs = nowMs - atMs
    const isTriedAgain = hasFailed && !wasRetry && passedMs >= secondTryMs
    if (passedMs < urgentEveryMs && !isTriedAgain) return false
    this.#urgent = { atMs: nowMs, wasRetry: passedMs < urgentEveryMs, hasFailed: false }
    return true
  }
}
