import type { Clock, SpentBefore, Urgency, WeightBudget, WeightShare } from '../engine/ports.ts'
import { ActionAllowances } from './actionAllowances.ts'

const windowSeconds = 60

/**
 * The share of the limit a lane may fill up to. What lies above a lane's ceiling is the reserve of
 * the lanes before it: a flood of entries and reads always leaves room to get out, to protect, and
 * to see what there is to protect. An exit goes while anything but the last is left, which is for
 * Guard's own stops, closes and cancels alone: those go in any case, and the venue must have room for
 * them also beside a bot that sends exits as fast as it can.
 */
const ceilingPercent = {
  safety: 100,
  clear: 100,
  exit: 95,
  watch: 92,
  cancel: 90,
  entry: 85,
  read: 70,
} as const satisfies Record<Urgency, number>

/** What bots ask for; the rest is Guard's own, or gets them out. */
const botLanes: ReadonlySet<Urgency> = new Set(['cancel', 'entry', 'read'])

/** In how long what was taken is told to the other Guards of the host, about. */
const tellMs = 50

/** How long others wait after the venue last refused a request for its weight. */
const holdMs = 10_000

/** A sliding minute in one-second buckets: what was spent in the current second 60 s ago is free again. */
export class SlidingWeightBudget implements WeightBudget {
  readonly venueLimit: number
  private readonly clock: Clock
  private readonly share: WeightShare | null
  private readonly buckets = new Array<number>(windowSeconds + 1).fill(0)
  private newest: number
  private total = 0
  private readonly heldUntilMs = new Map<Urgency, number>()
  private readonly allowances: ActionAllowances

  /** `share`: what of the limit is this Guard's, where others on its host spend it too. */
  constructor(limit: number, clock: Clock, share: WeightShare | null = null) {
    this.venueLimit = limit
    this.clock = clock
    this.share = share
    this.newest = this.second()
    this.allowances = new ActionAllowances(() => clock.monotonicMs())
    share?.follow(() => this.history())
  }

  get limit(): number {
    return this.share === null ? this.venueLimit : Math.min(this.share.limit(), this.venueLimit)
  }

  used(): number {
    this.roll()
    return this.total
  }

  tryTake(lane: Urgency, weight: number, actions = 0): boolean {
    this.roll()
    const fits = this.fits(lane, weight) && this.actionShortage(lane, actions) === null
    // Protection that waits for weight is a position without a stop: it goes, and is counted.
    if (!fits && lane !== 'safety') return false
    this.add(weight, this.newest)
    this.allowances.take(actions, lane)
    return true
  }

  reserve(lane: Urgency, most: number): ((spent: number) => void) | null {
    // What can cost more than the lane may have in all would never be asked.
    const reserved = Math.min(most, this.ceilingOf(lane), this.untold(lane)?.untoldMost() ?? most)
    if (!this.tryTake(lane, reserved)) return null
    const taken = this.newest
    return (spent) => {
      this.roll()
      // What was taken more than a minute ago is free again by itself.
      if (this.newest - taken <= windowSeconds) this.add(spent - reserved, taken)
    }
  }

  history(): readonly number[] {
    this.roll()
    return this.buckets.map((_, ago) => this.buckets[this.placeOf(this.newest - ago)] ?? 0)
  }

  spentBefore(history: readonly number[] | 'unknown', agoMs: number): () => void {
    this.roll()
    const last = this.newest - Math.floor(agoMs / 1_000)
    const spent =
      history === 'unknown' ? [Math.max(this.ceilingOf('read') - this.total, 0)] : history
    const addAll = (sign: 1 | -1): void => {
      this.roll()
      for (const [ago, weight] of spent.entries()) {
        if (this.newest - (last - ago) <= windowSeconds) this.add(sign * weight, last - ago)
      }
    }
    addAll(1)
    return () => {
      addAll(-1)
    }
  }

  knownBefore(): SpentBefore | null {
    return this.share?.spentBefore() ?? null
  }

  refused(lane: Urgency): void {
    const untilMs = this.clock.monotonicMs() + holdMs
    this.heldUntilMs.set('read', untilMs)
    if (lane === 'safety' || lane === 'clear' || lane === 'exit')
      this.heldUntilMs.set('entry', untilMs)
  }

  heldMs(lane: Urgency): number {
    const untilMs = this.heldUntilMs.get(lane)
    return untilMs === undefined ? 0 : Math.max(untilMs - this.clock.monotonicMs(), 0)
  }

  roomInMs(lane: Urgency, weight: number): number {
    this.roll()
    let excess = this.total + weight - this.ceilingOf(lane)
    const heldMs = this.heldMs(lane)
    for (let second = this.newest - windowSeconds; excess > 0 && second <= this.newest; second++) {
      excess -= this.buckets[this.placeOf(second)] ?? 0
      if (excess > 0) continue
      const freeAt = (second + windowSeconds + 1) * 1_000
      return Math.max(freeAt - this.clock.monotonicMs(), heldMs)
    }
    // More than the lane can ever have is no sooner than a minute.
    if (excess > 0) return windowSeconds * 1_000
    return this.isUntoldFull(lane, weight) ? Math.max(heldMs, tellMs) : heldMs
  }

  /** The venue's own count (`userRateLimit`), read now and then; corrects ours. */
  setAllowance(cap: number, used: number): void {
    this.allowances.setLifetime(cap, used)
  }

  setCappedByDay(isCapped: boolean): void {
    this.allowances.setCappedByDay(isCapped)
  }

  keepActions(needed: () => number): void {
    this.allowances.keep(needed)
  }

  actionShortage(lane: Urgency, actions: number): string | null {
    return actions === 0 ? null : this.allowances.shortage(lane, actions)
  }

  actionsOfDay(): readonly number[] {
    return this.allowances.day()
  }

  actedBefore(day: readonly number[], agoMs: number): void {
    this.allowances.didBefore(day, agoMs)
  }

  private ceilingOf(lane: Urgency): number {
    const ceiling = shareOf(this.limit, lane)
    if (this.share === null || (lane !== 'exit' && lane !== 'watch')) return ceiling
    // A share that has shrunk below what bots have spent must still leave a way out, and a look.
    const kept = this.limit - ceiling
    return Math.max(Math.min(this.share.exitLimit(), this.venueLimit) - kept, ceiling)
  }

  private fits(lane: Urgency, weight: number): boolean {
    const hasRoom = this.total + weight <= this.ceilingOf(lane)
    return this.heldMs(lane) === 0 && hasRoom && !this.isUntoldFull(lane, weight)
  }

  /** Should this Guard end now, the others must not know of much less than it has spent. */
  private isUntoldFull(lane: Urgency, weight: number): boolean {
    return weight > (this.untold(lane)?.untoldRoom() ?? Infinity)
  }

  private untold(lane: Urgency): WeightShare | null {
    return botLanes.has(lane) ? this.share : null
  }

  private second(): number {
    // The monotonic clock: a step of the wall clock must not free or freeze the budget.
    return Math.floor(this.clock.monotonicMs() / 1_000)
  }

  /** A monotonic clock may begin at zero: a second of the minute before is then negative. */
  private placeOf(second: number): number {
    const { length } = this.buckets
    return ((second % length) + length) % length
  }

  private add(weight: number, second: number): void {
    const at = this.placeOf(second)
    this.buckets[at] = (this.buckets[at] ?? 0) + weight
    this.total += weight
    this.share?.taken(weight)
  }

  private roll(): void {
    const now = this.second()
    const steps = Math.min(now - this.newest, this.buckets.length)
    for (let step = 1; step <= steps; step++) {
      const at = this.placeOf(now - steps + step)
      this.total -= this.buckets[at] ?? 0
      this.buckets[at] = 0
    }
    this.newest = Math.max(now, this.newest)
  }
}

function shareOf(whole: number, lane: Urgency): number {
  return Math.floor((whole * ceilingPercent[lane]) / 100)
}
