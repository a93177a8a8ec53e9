import { flattenRetryMs } from '../../core/safety/planFlatten.ts'
import { Backoff } from '../backoff.ts'
import type { Clock } from '../ports.ts'

/** The venue lists the running ones every five seconds: one that is still there is cancelled again. */
const listedMs = 12_000

/** When the cancel of a TWAP may be sent, or sent again; by the monotonic clock. */
export class TwapCancels {
  private readonly clock: Pick<Clock, 'monotonicMs'>
  private readonly backoff: Backoff
  private readonly until = new Map<number, number>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.clock = clock
    this.backoff = new Backoff(clock)
  }

  isHeld(id: number): boolean {
    const untilMs = this.until.get(id)
    if (untilMs === undefined) return false
    if (this.clock.monotonicMs() < untilMs) return true
    this.until.delete(id)
    return false
  }

  sent(id: number): void {
    this.hold(id, flattenRetryMs)
  }

  /** The venue says that it is cancelled, or that it was over before. */
  gone(id: number): void {
    this.backoff.reset(String(id))
    this.hold(id, listedMs)
  }

  /** Returns in how many milliseconds it is tried again. */
  failed(id: number): number {
    const waitMs = this.backoff.failed(String(id))
    this.hold(id, waitMs)
    return waitMs
  }

  private hold(id: number, ms: number): void {
    this.until.set(id, this.clock.monotonicMs() + ms)
  }
}
