import { dayMs } from '../core/values/millis.ts'
import type { Urgency } from '../engine/ports.ts'

const hourMs = dayMs / 24
/** A rolling day in hours: the running one, and the 24 before it. */
const hoursKept = 25
/** What unified and portfolio accounts may do in a day, by the venue's documentation. */
const dailyCap = 50_000

/**
 * The share of an allowance a lane may fill up to. What closes, stops or reduces passes while
 * anything is left, and is tried after that: nothing but the venue's own word holds it up.
 */
const sharePercent = {
  safety: Infinity,
  exit: Infinity,
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

  constructor(monotonicMs: () => number) {
    this.monotonicMs = monotonicMs
    this.newest = this.hour()
  }

  /** The venue's own count for the lifetime (`userRateLimit`), read now and then; corrects Guard's. */
  setLifetime(cap: number, used: number): void {
    this.lifetime = { cap, used }
  }

  setCappedByDay(isCapped: boolean): void {
    this.isCappedByDay = isCapped
  }

  /** Why a lane may not do this many actions now, for a person; null when it may. */
  shortage(lane: Urgency, actions: number): string | null {
    const { lifetime } = this
    if (lifetime !== null && lifetime.used + actions > shareOf(lifetime.cap, lane)) {
      return `the account has used ${lifetime.used} of the ${lifetime.cap} actions that the venue allows it; ${kept(lane)}; each USDC traded adds one`
    }
    if (!this.isCappedByDay) return null
    const used = this.today()
    const most = shareOf(dailyCap, lane)
    if (used + actions <= most) return null
    return `the account has used ${used} of the ${dailyCap} actions that the venue allows it in a day; ${kept(lane)}; it may again in about ${this.hoursUntil(used + actions - most)} h`
  }

  take(actions: number): void {
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

function kept(lane: Urgency): string {
  const what =
    lane === 'entry'
      ? 'nothing is sent that opens, or that has nothing to reduce,'
      : 'no cancel is sent,'
  return `from ${sharePercent[lane]}% on ${what} and the rest is kept for what is more urgent`
}

function shareOf(whole: number, lane: Urgency): number {
  return Math.floor((whole * sharePercent[lane]) / 100)
}
