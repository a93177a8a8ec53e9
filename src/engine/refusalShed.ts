import { limits } from '../core/values/limits.ts'

/**
 * Bounds what requests without a client may cost: a bucket of 200 that refills with 50 a second.
 * Beyond it a refusal is shed, without an event, and counted for one `error` event a minute.
 */
export class RefusalShed {
  private tokens: number = limits.refusalsBurst
  private refilledAt: number | null = null
  private shedCount = 0

  /** Whether this refusal is answered and recorded; false means it is shed. */
  admit(monotonicMs: number): boolean {
    this.refill(monotonicMs)
    if (this.tokens < 1) {
      this.shedCount += 1
      return false
    }
    this.tokens -= 1
    return true
  }

  /** How many were shed since the last call. */
  takeCount(): number {
    const count = this.shedCount
    this.shedCount = 0
    return count
  }

  private refill(monotonicMs: number): void {
    const elapsed = monotonicMs - (this.refilledAt ?? monotonicMs)
    this.refilledAt = monotonicMs
    const refilled = this.tokens + (elapsed * limits.refusalsPerSecond) / 1_000
    this.tokens = Math.min(limits.refusalsBurst, refilled)
  }
}
