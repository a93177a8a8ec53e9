import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import { Backoff } from '../backoff.ts'
import { pictureParts } from './picture.ts'
import type { Picture, PicturePart } from './picture.ts'
import type { Clock, Urgency, Timers } from '../ports.ts'

interface FirstReadsDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly picture: Picture
  readonly read: (part: PicturePart, lane: Urgency) => Promise<Result<unknown>>
  /** What became of a question; `ok` also when the stream has told the part meanwhile. */
  readonly noted: (part: PicturePart, result: Result<unknown>) => void
  /** The markets of an earlier run are known: what is held can be acted upon without a read of them. */
  readonly areMarketsKnown: () => boolean
  readonly isStopped: () => boolean
}

/** A question that has no answer by then is asked again; its answer still counts when it comes. */
const patienceMs = 2_000

/** The longest pause between two questions for a part. */
const pauseMsMax = {
  ...{ state: 1_000, mids: 1_000, spot: 2_000, orders: 5_000 },
  ...{ markets: 8_000, mode: 8_000, ledger: 8_000 },
} as const satisfies Record<PicturePart, number>

/** Without the markets nothing can be sent, and what protects needs them. */
const missingMarketsPauseMs = 2_000

/**
 * Asks for each part of the picture by itself until it has been told, by a read or by the stream. A
 * part that fails delays no other one, and its own pause stays short.
 */
export class FirstReads {
  readonly #deps: FirstReadsDeps

  constructor(deps: FirstReadsDeps) {
    this.#deps = deps
  }

  /** Resolves when every part has been told, or Guard stops. */
  async run(): Promise<void> {
    // What a transfer means depends on the mode, so the ledger is asked for after it.
    const others = pictureParts.filter((part) => part !== 'ledger')
    const told = others.map((part) => this.#known(part))
    await this.#deps.picture.when('mode')
    await Promise.all([...told, this.#known('ledger')])
  }

  #known(part: PicturePart): Promise<void> {
    this.#askUntilTold(part).catch(() => undefined)
    return this.#deps.picture.when(part)
  }

  async #askUntilTold(part: PicturePart): Promise<void> {
    const { clock, picture, isStopped, noted } = this.#deps
    const backoff = new Backoff(clock, this.#pauseMsMaxOf(part))
    while (!isStopped() && !picture.has(part)) {
      const result = await this.#asked(part)
      noted(part, picture.has(part) ? ok(null) : result)
      if (picture.has(part)) break
      await this.#paused(part, backoff.failed(part))
    }
  }

  async #asked(part: PicturePart): Promise<Result<unknown>> {
    const answered = this.#deps.read(part, this.#laneOf(part))
    return await new Promise((resolve) => {
      const cancel = this.#deps.timers.after(patienceMs, () => {
        resolve(err(`no answer about ${part} within ${patienceMs} ms`))
      })
      const done = (result: Result<unknown>): void => {
        cancel()
        resolve(result)
      }
      answered.then(done, (error: unknown) => {
        done(err(error instanceof Error ? error.message : String(error)))
      })
    })
  }

  /** Ends early where the stream tells the part. */
  async #paused(part: PicturePart, ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#deps.timers.after(ms, resolve)
      this.#deps.picture.when(part).then(
        () => {
          cancel()
          resolve()
        },
        () => undefined,
      )
    })
    if (this.#deps.picture.has(part)) this.#deps.noted(part, ok(null))
  }

  #pauseMsMaxOf(part: PicturePart): number {
    const isMissing = part === 'markets' && !this.#deps.areMarketsKnown()
    return isMissing ? missingMarketsPauseMs : pauseMsMax[part]
  }

  /** Until the positions are shown, what does not show them leaves the weight to what does. */
  #laneOf(part: PicturePart): Urgency {
    const { picture, areMarketsKnown } = this.#deps
    if (picture.has('state') && picture.has('orders')) return 'watch'
    if (part === 'mode' || part === 'ledger') return 'entry'
    return part === 'markets' && areMarketsKnown() ? 'entry' : 'watch'
  }
}
