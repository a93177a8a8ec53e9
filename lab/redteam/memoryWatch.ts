import type { Attacker } from './attacker.ts'

const everyMs = 250
const gauge = /^process_resident_memory_bytes (\d+(?:\.\d+)?(?:e\+\d+)?)$/m

/** How much memory the attacked Guard uses at its most, by its own metrics; null where it has none. */
export class MemoryWatch {
  readonly #attacker: Attacker
  readonly #timer: NodeJS.Timeout
  #peak: number | null = null

  constructor(attacker: Attacker) {
    this.#attacker = attacker
    this.#timer = setInterval(() => void this.#look(), everyMs)
    this.#timer.unref()
  }

  /** The most since this was last asked, in bytes. */
  async take(): Promise<number | null> {
    await this.#look()
    const peak = this.#peak
    this.#peak = null
    return peak
  }

  end(): void {
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    try {
      const { text } = await this.#attacker.ask('/metrics')
      const found = gauge.exec(text)?.[1]
      if (found !== undefined) this.#peak = Math.max(this.#peak ?? 0, Number(found))
    } catch {
      // It has no time for questions now: the next look tells.
    }
  }
}
