import type { Clock, Lane, WeightBudget } from '../engine/ports.ts'

const windowSeconds = 60

/**
 * The share of the limit a lane may fill up to. What lies above a lane's ceiling is the reserve of
 * the lanes before it: a flood of entries and reads always leaves room to get out, to protect, and
 * to see what there is to protect.
 */
const ceilingPercent = {
  safety: 100,
  exit: 95,
  watch: 92,
  cancel: 90,
  entry: 85,
  read: 70,
} as const satisfies Record<Lane, number>

/** A sliding minute in one-second buckets: what was spent in the current second 60 s ago is free again. */
export class SlidingWeightBudget implements WeightBudget {
  readonly limit: number
  private readonly clock: Clock
  private readonly buckets = new Array<number>(windowSeconds + 1).fill(0)
  private newest: number
  private total = 0
  private allowance: { cap: number; used: number } | null = null

  constructor(limit: number, clock: Clock) {
    this.limit = limit
    this.clock = clock
    this.newest = this.second()
  }

  used(): number {
    this.roll()
    return this.total
  }

  tryTake(lane: Lane, weight: number, actions = 0): boolean {
    this.roll()
    const ceiling = Math.floor((this.limit * ceilingPercent[lane]) / 100)
    const fits = this.total + weight <= ceiling && this.allowanceFits(lane, actions)
    // Protection that waits for weight is a position without a stop: it goes, and is counted.
    if (!fits && lane !== 'safety') return false
    this.add(weight)
    if (this.allowance !== null) this.allowance.used += actions
    return true
  }

  roomInMs(lane: Lane, weight: number): number {
    this.roll()
    const ceiling = Math.floor((this.limit * ceilingPercent[lane]) / 100)
    let excess = this.total + weight - ceiling
    for (let second = this.newest - windowSeconds; excess > 0 && second <= this.newest; second++) {
      const index = second % this.buckets.length
      excess -= this.buckets[(index + this.buckets.length) % this.buckets.length] ?? 0
      if (excess > 0) continue
      const freeAt = (second + windowSeconds + 1) * 1_000
      return Math.max(freeAt - this.clock.monotonicMs(), 0)
    }
    // More than the lane can ever have is no sooner than a minute.
    return excess > 0 ? windowSeconds * 1_000 : 0
  }

  /** The venue's own count (`userRateLimit`), read now and then; corrects ours. */
  setAllowance(cap: number, used: number): void {
    this.allowance = { cap, used }
  }

  private allowanceFits(lane: Lane, actions: number): boolean {
    if (this.allowance === null || actions === 0) return true
    const ceiling = Math.floor((this.allowance.cap * ceilingPercent[lane]) / 100)
    return this.allowance.used + actions <= ceiling
  }

  private second(): number {
    // The monotonic clock: a step of the wall clock must not free or freeze the budget.
    return Math.floor(this.clock.monotonicMs() / 1_000)
  }

  private add(weight: number): void {
    const at = this.newest % this.buckets.length
    this.buckets[at] = (this.buckets[at] ?? 0) + weight
    this.total += weight
  }

  private roll(): void {
    const now = this.second()
    const steps = Math.min(now - this.newest, this.buckets.length)
    for (let step = 1; step <= steps; step++) {
      const at = (now - steps + step) % this.buckets.length
      this.total -= this.buckets[at] ?? 0
      this.buckets[at] = 0
    }
    this.newest = Math.max(now, this.newest)
  }
}
