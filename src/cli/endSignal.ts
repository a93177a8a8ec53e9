import { systemClock } from '../system/systemClock.ts'

/** A launcher such as npx passes Ctrl-C on, so that it arrives twice: that is one wish. */
const sameWishMs = 1_000

interface EndSignal {
  readonly first: Promise<NodeJS.Signals>
  /** Gives the signals back to the system. */
  release(): void
}

/** The first SIGINT or SIGTERM; one more, a second later or more, ends the process at once. */
export function endSignal(): EndSignal {
  const signals = ['SIGTERM', 'SIGINT'] as const
  let firstAt: number | null = null
  let resolve: (signal: NodeJS.Signals) => void = () => undefined
  const first = new Promise<NodeJS.Signals>((resolved) => (resolve = resolved))
  const release = (): void => {
    for (const each of signals) process.off(each, take)
  }
  function take(signal: NodeJS.Signals): void {
    const now = systemClock.monotonicMs()
    if (firstAt === null) {
      firstAt = now
      resolve(signal)
    } else if (now - firstAt >= sameWishMs) {
      release()
      process.kill(process.pid, signal)
    }
  }
  for (const each of signals) process.on(each, take)
  return { first, release }
}
