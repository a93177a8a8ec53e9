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
  #begun: Promise<void> = Promise.resolve()

  constructor(port: GuardPort) {
    this.#port = port
  }

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#running === null) {
      const { signal } = (this.#running = new AbortController())
      this.#begun = new Promise((begun) => void this.#watch(signal, begun))
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  /** Resolves once it has looked for the first time: who listens hears of every event from then on. */
  get begun(): Promise<void> {
    return this.#begun
  }

  close(): void {
    this.#running?.abort()
    this.#running = null
    this.#listeners.clear()
  }

  async #watch(signal: AbortSignal, begun: () => void): Promise<void> {
    let last: number | null = null
    let wasAway = false
    while (!signal.aborted) {
      try {
        const newest: number = await this.#port.newest(
          last ?? 0,
          last === null ? 0 : pollSeconds,
          signal,
        )
        // What Guard says after it was away is new to everybody.
        const isNew: boolean = wasAway || (last !== null && newest !== last)
        last = newest
        wasAway = false
        begun()
        if (isNew) for (const each of [...this.#listeners]) each()
        await rest(restMs, signal)
      } catch {
        wasAway = true
        begun()
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
