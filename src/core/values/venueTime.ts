import { limits } from './limits.ts'

/** One word of the venue about its time, in milliseconds. */
export interface TimeTold {
  /** What the venue's clock showed when it was written. */
  readonly venueMs: number
  /** When it was heard, by the machine's monotonic clock. */
  readonly heardMs: number
  /** When the question left that it answers, by the same clock; null for what the stream tells. */
  readonly askedMs: number | null
  /** How much later the venue's clock may have been: a header names whole seconds. */
  readonly coarseMs: number
}

/** Times this close to the one in use are a message's way here, and move the clock by its slew. */
const nearMs = 2_000
/** Times that are this close to each other say the same. */
const agreeMs = 1_500
/** So many words that agree outweigh the time in use. */
const agreeCount = 3
/** That the time in use is ahead is believed only of answers that are at least this far apart. */
const behindSpanMs = 5_000
/** Doubts are forgotten after this. */
const doubtMs = 60_000
/** How often the highest of the times heard is looked for anew, so that drift is followed down too. */
const windowMs = 60_000
/** The clock runs at most this much faster or slower than the machine's to come right. */
const slew = 0.1

interface Doubt {
  readonly aheadMs: number
  readonly heardMs: number
  readonly isAnswer: boolean
}

/**
 * The venue's time, told from the machine's monotonic time by how far it is ahead of it. What was
 * written at the venue was heard later, so the highest of the recent times is the nearest to the
 * truth. One wrong time moves nothing: a time far from the one in use is believed once three words
 * agree. Once it is learned it never goes back, except by such an agreement of answers over time.
 */
export class VenueTime {
  /** By how many milliseconds the venue's time, as `at` tells it, is ahead of the monotonic clock. */
  #inUseMs: number
  /** The offset that the one in use is moved to, a little at a time. */
  #goalMs: number
  #slewedMs: number
  #guessesMs: readonly number[]
  #isLearned = false
  #doubts: readonly Doubt[] = []
  #window = { fromMs: 0, highestMs: -Infinity, beforeMs: -Infinity }

  /** `guessesMs`: what the venue's time may be now, `nowMs` of the monotonic clock; the first is used. */
  constructor(guessesMs: readonly [number, ...number[]], nowMs: number) {
    this.#guessesMs = guessesMs.map((guess) => guess - nowMs)
    this.#inUseMs = guessesMs[0] - nowMs
    this.#goalMs = this.#inUseMs
    this.#slewedMs = nowMs
  }

  /** Whether the venue itself has said it in this run. */
  get isLearned(): boolean {
    return this.#isLearned
  }

  /** Whether more words of the venue are wanted: none was heard, or some contradict. */
  get isInDoubt(): boolean {
    return !this.#isLearned || this.#doubts.length > 0
  }

  /** The venue's time, in whole milliseconds, at a moment of the monotonic clock. */
  at(nowMs: number): number {
    const passedMs = Math.max(nowMs - this.#slewedMs, 0)
    const mostMs = passedMs * slew
    const leftMs = this.#goalMs - this.#inUseMs
    this.#inUseMs += Math.max(-mostMs, Math.min(mostMs, leftMs))
    this.#slewedMs += passedMs
    return Math.max(Math.floor(nowMs + this.#inUseMs), 0)
  }

  /** Takes in what the venue said. Returns by how much the time in use was set by it; mostly 0. */
  hear(told: TimeTold): number {
    this.at(told.heardMs)
    const aheadMs = told.venueMs - told.heardMs
    this.#doubts = this.#doubts.filter(({ heardMs }) => told.heardMs - heardMs < doubtMs)
    if (!this.#isLearned) return this.#hearFirst(told, aheadMs)
    const isEarly = aheadMs > this.#inUseMs + nearMs
    const isLate = aheadMs < this.#inUseMs - nearMs
    if (!isEarly && !isLate) {
      this.#doubts = []
      this.#follow(aheadMs, told.heardMs)
      return 0
    }
    // What the stream tells may have been long on its way, and so may a slow answer.
    if (isLate && latestMs(told) >= this.#inUseMs - nearMs) return 0
    return this.#doubt(told, aheadMs)
  }

  /** The venue's own judgement of its time: it is believed at once. Returns by how much it was set. */
  prove(told: TimeTold): number {
    this.at(told.heardMs)
    const aheadMs = told.venueMs - told.heardMs
    if (this.#isLearned && Math.abs(aheadMs - this.#inUseMs) <= nearMs) return 0
    return this.#set(aheadMs, told.heardMs)
  }

  /** A guess that fits is nearer to the truth than a word that was a while on its way. */
  #hearFirst(told: TimeTold, aheadMs: number): number {
    const guess = this.#guessesMs.find((each) => Math.abs(each - aheadMs) <= nearMs)
    if (guess === undefined) return this.#doubt(told, aheadMs)
    return this.#set(Math.max(aheadMs, guess), told.heardMs)
  }

  #doubt({ askedMs, heardMs }: TimeTold, aheadMs: number): number {
    const doubt = { aheadMs, heardMs, isAnswer: askedMs !== null }
    this.#doubts = [...this.#doubts, doubt].slice(-limits.timeDoubtsMax)
    const agreeing = this.#doubts.filter((each) => Math.abs(each.aheadMs - aheadMs) <= agreeMs)
    const isAhead = aheadMs > this.#inUseMs
    if (!this.#isLearned || isAhead) {
      return agreeing.length < agreeCount ? 0 : this.#set(highestOf(agreeing), heardMs)
    }
    const answers = agreeing.filter(({ isAnswer }) => isAnswer)
    const spanMs = heardMs - (answers[0]?.heardMs ?? heardMs)
    const isProven = answers.length >= agreeCount && spanMs >= behindSpanMs
    return isProven ? this.#set(highestOf(answers), heardMs) : 0
  }

  #set(aheadMs: number, nowMs: number): number {
    const byMs = aheadMs - this.#inUseMs
    this.#inUseMs = aheadMs
    this.#goalMs = aheadMs
    this.#isLearned = true
    this.#doubts = []
    this.#window = { fromMs: nowMs, highestMs: aheadMs, beforeMs: aheadMs }
    return byMs
  }

  /** The goal is the highest time of this window and the one before. */
  #follow(aheadMs: number, nowMs: number): void {
    const { fromMs, highestMs } = this.#window
    if (nowMs - fromMs >= windowMs) {
      this.#window = { fromMs: nowMs, highestMs: aheadMs, beforeMs: highestMs }
    } else if (aheadMs > highestMs) this.#window = { ...this.#window, highestMs: aheadMs }
    this.#goalMs = Math.max(this.#window.highestMs, this.#window.beforeMs)
  }
}

/** How far the venue's clock can have been ahead at most; nobody knows it of what the stream tells. */
function latestMs({ venueMs, askedMs, coarseMs }: TimeTold): number {
  return askedMs === null ? Infinity : venueMs + coarseMs - askedMs
}

function highestOf(doubts: readonly Doubt[]): number {
  return Math.max(...doubts.map(({ aheadMs }) => aheadMs))
}
