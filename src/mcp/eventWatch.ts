import type { GuardPort } from './guardPort.ts'

const pollSeconds = 25
/** Between two looks, so that a storm of events is one update. */
const restMs = 250
const retryMs = 2_000

/** Tells listeners that Guard has new events, as long as anybody listens. */
export class EventWatch {
  readonly #port: GuardPort
  readonly #listeners = new Set<() => void>()
  #running: AbortController | null = null

  constructor(port: GuardPort) {
    this.#port = port
  }

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#running === null) {
      this.#running = new AbortController()
      void this.#watch(this.#running.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    this.#running?.abort()
    this.#running = null
    this.#listeners.clear()
  }

  async #watch(signal: AbortSignal): Promise<void> {
    let last: number | null = null
    while (!signal.aborted) {
      try {
        const newest: number = await this.#port.newest(
          last ?? 0,
          last === null ? 0 : pollSeconds,
          signal,
        )
        const isNew: boolean = last !== null && newest !== last
        last = newest
        if (isNew) for (const each of [...this.#listeners]) each()
        await rest(restMs, signal)
      } catch {
        // Guard is away for a moment; what it will say then is new to everybody.
        await rest(retryMs, signal)
      }
    }
  }
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    timer.unref()
    signal.addEventListener('abort', end)
  })
}
