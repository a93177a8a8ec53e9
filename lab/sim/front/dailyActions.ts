import type { Address } from '../../../src/core/values/address.ts'
import { dayMs } from '../../../src/core/values/millis.ts'
import type { VenueReads } from '../engine/venueReads.ts'
import type { FrontOptions } from './options.ts'

type Settings = Pick<
  FrontOptions,
  'dailyActionsMax' | 'dailyActionsReading' | 'dailyActionsWindow' | 'dailyActionsText'
>

/** A rolling day is kept in parts of this length. */
const slotMs = 60_000
/** By the soft reading one action still passes in this time. */
const trickleMs = 10_000

/**
 * What unified and portfolio accounts may do in a day. Only that the cap exists is known: by the
 * hard reading a batch counts as many as it has entries, cancels count, and beyond the cap
 * everything is refused; by the soft one a batch counts once, cancels are spared, and beyond the
 * cap one action passes every ten seconds.
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
    const { dailyActionsMax, dailyActionsReading, dailyActionsText } = this.#settings
    if (dailyActionsMax === null || venue.mode(user) === 'disabled') return null
    const isSoft = dailyActionsReading === 'soft'
    if (isSoft && isCancel) return null
    if (this.used(user, venue.nowMs) + this.#countOf(entries) <= dailyActionsMax) return null
    const last = this.#lastTrickleMs.get(user) ?? Number.NEGATIVE_INFINITY
    if (!isSoft || venue.nowMs - last < trickleMs) return dailyActionsText
    this.#lastTrickleMs.set(user, venue.nowMs)
    return null
  }

  spend(user: Address, entries: number, isCancel: boolean, nowMs: number): void {
    if (isCancel && this.#settings.dailyActionsReading === 'soft') return
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
    const isRolling = this.#settings.dailyActionsWindow === 'rolling'
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
    return this.#settings.dailyActionsReading === 'soft' ? 1 : entries
  }
}
