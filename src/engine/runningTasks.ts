import type { Clock, Timers } from './ports.ts'

/** Counts what is being worked on, so that a stop can wait for it. */
export class RunningTasks {
  private running = 0

  get count(): number {
    return this.running
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    this.running += 1
    try {
      return await task()
    } finally {
      this.running -= 1
    }
  }
}

const lookEveryMs = 5

/** Waits while something is busy, for no longer than the bound. */
export async function waitWhile(
  { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
  isBusy: () => boolean,
  mostMs: number,
): Promise<void> {
  const until = clock.monotonicMs() + mostMs
  while (isBusy() && clock.monotonicMs() < until) {
    await new Promise<void>((resolve) => timers.after(lookEveryMs, resolve))
  }
}
