import type { Address } from '../../../src/core/values/address.ts'
import { dayMs } from '../../../src/core/values/millis.ts'
import type { VenueReads } from '../engine/venueReads.ts'
import type { FrontOptions } from './options.ts'

type Settings = Pick<
  FrontOptions,
  | 'dailyCap.n'
  | 'dailyCap.countBatch'
  | 'dailyCap.includeCancels'
  | 'dailyCap.beyond'
  | 'dailyCap.window'
  | 'dailyCap.text'
>

/** A rolling day is kept in parts of this length. */
const slotMs = 60_000
/** By one reading an action still passes in this time, beyond the cap. */
const trickleMs = 10_000

/**
 * What unified and portfolio accounts may do in a day. Only that the cap exists is known: how a
 * batch counts, whether cancels do, and what happens beyond the cap are options.
 */
export class DailyActions {
  readonly #settings: Settings
  /** How many actions in each part of the day, by account. */
  readonly #slots = new Map<Address, Map<number, number>>()
  readonly #lastTrickleMs = new Map<Address, number>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  clear(): void {
    this.#slots.clear()
    this.#lastTrickleMs.clear()
  }

  /** Why the account may do no more today, or null. A refused action does not count. */
  refusal(venue: VenueReads, user: Address, entries: number, isCancel: boolean): string | null {
    const most = this.#settings['dailyCap.n']
    if (most === null || venue.mode(user) === 'disabled') return null
    if (isCancel && !this.#settings['dailyCap.includeCancels']) return null
    if (this.used(user, venue.nowMs) + this.#countOf(entries) <= most) return null
    const last = this.#lastTrickleMs.get(user) ?? Number.NEGATIVE_INFINITY
    const isOver = this.#settings['dailyCap.beyond'] === 'refuse' || venue.nowMs - last < trickleMs
    if (isOver) return this.#settings['dailyCap.text']
    this.#lastTrickleMs.set(user, venue.nowMs)
    return null
  }

  spend(user: Address, entries: number, isCancel: boolean, nowMs: number): void {
    if (isCancel && !this.#settings['dailyCap.includeCancels']) return
    this.add(user, this.#countOf(entries), nowMs)
  }

  /** Forgets what the account has done, and counts so many as done at this time. */
  set(user: Address, count: number, nowMs: number): void {
    this.#slots.delete(user)
    this.add(user, count, nowMs)
  }

  /** Counts actions as done at this time. */
  add(user: Address, count: number, nowMs: number): void {
    const slots = this.#slots.get(user) ?? new Map<number, number>()
    this.#slots.set(user, slots)
    const slot = Math.floor(nowMs / slotMs)
    slots.set(slot, (slots.get(slot) ?? 0) + count)
  }

  /** How many the account has done in the day that ends now. */
  used(user: Address, nowMs: number): number {
    const isRolling = this.#settings['dailyCap.window'] === 'rolling'
    const from = isRolling ? nowMs - dayMs : Math.floor(nowMs / dayMs) * dayMs - 1
    let sum = 0
    const slots = this.#slots.get(user) ?? new Map<number, number>()
    for (const [slot, count] of slots) {
      if (slot * slotMs <= from) slots.delete(slot)
      else sum += count
    }
    return sum
  }

  #countOf(entries: number): number {
    return this.#settings['dailyCap.countBatch'] ? entries : 1
  }
}
