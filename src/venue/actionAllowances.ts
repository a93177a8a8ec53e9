import { dayMs } from '../core/values/millis.ts'
import type { Urgency } from '../engine/ports.ts'

const hourMs = dayMs / 24
/** A rolling day in hours: the running one, and the 24 before it. */
const hoursKept = 25
/** What unified and portfolio accounts may do in a day, by the venue's documentation. */
const dailyCap = 50_000

/** How long the next exit waits that spends of what is kept for Guard; twice as long each time. */
const firstWaitMs = 10_000

/**
 * The share of an allowance a lane may fill up to. Guard's own stops and closes are tried also after
 * the last: nothing but the venue's own word holds them up. An exit leaves what they may need.
 */
const sharePercent = {
  safety: Infinity,
  clear: Infinity,
  exit: 100,
  watch: Infinity,
  cancel: 95,
  entry: 85,
  read: Infinity,
} as const satisfies Record<Urgency, number>

/**
 * How many actions the venue lets the account do: in its lifetime, as the venue counts them, and in
 * a day, where its account mode has such a cap. The venue does not tell the second count, so that
 * Guard keeps its own; where the cap does not exist, or others act on the account too, it is only
 * a reserve.
 */
export class ActionAllowances {
  private readonly monotonicMs: () => number
  private lifetime: { readonly cap: number; used: number } | null = null
  private isCappedByDay = false
  /** How many actions left in each hour, the newest first. */
  private hours = new Array<number>(hoursKept).fill(0)
  private newest: number
  private needed: () => number = () => 0
  /** When the last exit spent of what is kept, and how long the next one waits; null: none has. */
  private last: { readonly atMs: number; readonly waitMs: number } | null = null

  constructor(monotonicMs: () => number) {
    this.monotonicMs = monotonicMs
    this.newest = this.hour()
  }

  /** The venue's own count for the lifetime (`userRateLimit`), read now and then; corrects Guard's. */
  setLifetime(cap: number, used: number): void {
    // What has traded has paid for itself.
    if (this.lifetime !== null && cap > this.lifetime.cap) this.last = null
    this.lifetime = { cap, used }
  }

  setCappedByDay(isCapped: boolean): void {
    this.isCappedByDay = isCapped
  }

  /** How many actions Guard may need to get out of all there is. */
  keep(needed: () => number): void {
    this.needed = needed
  }

  /** Why a lane may not do this many actions now, for a person; null when it may. */
  shortage(lane: Urgency, actions: number): string | null {
    const shortage = this.missing(lane, actions)
    if (shortage === null || lane !== 'exit') return shortage
    // A single exit goes all the same, and pays for itself where it trades: many do not.
    const waitMs = this.waitMs()
    if (waitMs === 0) return null
    return `${shortage}; one exit may go in ${Math.ceil(waitMs / 1_000)} s, and a kill closes everything at once`
  }

  take(actions: number, lane: Urgency): void {
    if (lane === 'exit' && actions > 0) this.paceExits(actions)
    this.roll()
    this.hours[0] = (this.hours[0] ?? 0) + actions
    if (this.lifetime !== null) this.lifetime.used += actions
  }

  /** What left in each hour of the last day, this one first: for the next run to know. */
  day(): readonly number[] {
    this.roll()
    return [...this.hours]
  }

  /** What an earlier run did in each hour, as it was so long ago. */
  didBefore(day: readonly number[], agoMs: number): void {
    this.roll()
    const passed = Math.floor(agoMs / hourMs)
    for (const [ago, count] of day.entries()) {
      const at = ago + passed
      if (at < hoursKept) this.hours[at] = (this.hours[at] ?? 0) + count
    }
  }

  private missing(lane: Urgency, actions: number): string | null {
    const { lifetime } = this
    if (lifetime !== null && lifetime.used + actions > this.most(lifetime.cap, lane)) {
      return `the account has used ${lifetime.used} of the ${lifetime.cap} actions that the venue allows it; ${this.kept(lane)}; each USDC traded adds one`
    }
    if (!this.isCappedByDay) return null
    const used = this.today()
    const most = this.most(dailyCap, lane)
    if (used + actions <= most) return null
    return `the account has used ${used} of the ${dailyCap} actions that the venue allows it in a day; ${this.kept(lane)}; it may again in about ${this.hoursUntil(used + actions - most)} h`
  }

  /** How many of an allowance may be used once a lane has done what it wants. */
  private most(cap: number, lane: Urgency): number {
    const share = Math.floor((cap * sharePercent[lane]) / 100)
    // What is kept for Guard is never so much that an exit has less than what opens.
    return lane === 'exit' ? Math.max(share - this.needed(), this.most(cap, 'cancel')) : share
  }

  private kept(lane: Urgency): string {
    if (lane === 'exit')
      return `the last ${this.needed()} are kept for Guard's own stops and closes`
    const what =
      lane === 'entry'
        ? 'nothing is sent that opens, or that has nothing to reduce,'
        : 'no cancel is sent,'
    return `from ${sharePercent[lane]}% on ${what} and the rest is kept for what is more urgent`
  }

  private waitMs(): number {
    const { last } = this
    return last === null ? 0 : Math.max(last.atMs + last.waitMs - this.monotonicMs(), 0)
  }

  private paceExits(actions: number): void {
    const isShort = this.missing('exit', actions) !== null
    const waitMs = this.last === null ? firstWaitMs : Math.min(this.last.waitMs * 2, dayMs)
    this.last = isShort ? { atMs: this.monotonicMs(), waitMs } : null
  }

  private today(): number {
    this.roll()
    return this.hours.reduce((sum, count) => sum + count, 0)
  }

  /** In how many hours this many of the day's actions are more than a day ago. */
  private hoursUntil(excess: number): number {
    let left = excess
    for (let ago = hoursKept - 1; ago >= 0; ago -= 1) {
      left -= this.hours[ago] ?? 0
      if (left <= 0) return hoursKept - ago
    }
    return hoursKept
  }

  private hour(): number {
    // The monotonic clock: a step of the wall clock must not free or freeze an allowance.
    return Math.floor(this.monotonicMs() / hourMs)
  }

  private roll(): void {
    const passed = Math.min(Math.max(this.hour() - this.newest, 0), hoursKept)
    if (passed === 0) return
    this.newest = this.hour()
    this.hours = [...new Array<number>(passed).fill(0), ...this.hours].slice(0, hoursKept)
  }
}
