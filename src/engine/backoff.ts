import type { Clock, WeightBudget } from './ports.ts'

const firstMsUsual = 250
const mostMsUsual = 5_000
/** Where the venue has too little request weight: some of it comes free with every second. */
const mostMsWithoutWeight = 1_000

interface Wait {
  /** How long it was waited after the last failure that counts; undefined when there was none. */
  readonly waitMs: number | undefined
  readonly untilMs: number
}

/** The longest pause between two tries of what closes or protects, in milliseconds. */
export function urgentPauseMs(budget: Pick<WeightBudget, 'heldMs'>): () => number {
  return () => (budget.heldMs('entry') > 0 ? mostMsWithoutWeight : mostMsUsual)
}

/**
 * When something that failed may be tried again: usually 250 ms after the first failure, then twice
 * as long each time, up to a bound. By the monotonic clock: a close must not wait an hour because somebody
 * set the other one back by an hour.
 */
export class Backoff {
  private readonly clock: Pick<Clock, 'monotonicMs'>
  private readonly mostMs: () => number
  private readonly firstMs: number
  private readonly byKey = new Map<string, Wait>()

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    mostMs: number | (() => number) = mostMsUsual,
    firstMs = firstMsUsual,
  ) {
    this.clock = clock
    this.mostMs = typeof mostMs === 'number' ? () => mostMs : mostMs
    this.firstMs = firstMs
  }

  mayTry(key: string): boolean {
    return this.clock.monotonicMs() >= (this.byKey.get(key)?.untilMs ?? -Infinity)
  }

  /** Returns after how many milliseconds it may be tried again. */
  failed(key: string): number {
    const before = this.byKey.get(key)?.waitMs
    const waitMs = before === undefined ? this.firstMs : Math.min(this.mostMs(), before * 2)
    this.byKey.set(key, { waitMs, untilMs: this.clock.monotonicMs() + waitMs })
    return waitMs
  }

  /** The same where the next try is another one: the shortest wait, and later ones are no longer for it. */
  failedOnce(key: string): number {
    const waitMs = this.byKey.get(key)?.waitMs
    this.byKey.set(key, { waitMs, untilMs: this.clock.monotonicMs() + this.firstMs })
    return this.firstMs
  }

  reset(key: string): void {
    this.byKey.delete(key)
  }

  clear(): void {
    this.byKey.clear()
  }
}
