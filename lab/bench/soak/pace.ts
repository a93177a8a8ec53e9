/** Holds whoever sends to so many a second, counted from its making; null lets everything go at once. */
export class Pace {
  readonly #perSecond: number | null
  readonly #begun = performance.now()
  #sent = 0

  constructor(perSecond: number | null) {
    this.#perSecond = perSecond
  }

  /** Counts these as sent, and resolves when the pace allows the next request. */
  async sent(count: number): Promise<void> {
    if (this.#perSecond === null) return
    this.#sent += count
    const aheadMs = (this.#sent / this.#perSecond) * 1_000 - (performance.now() - this.#begun)
    if (aheadMs >= 1) await new Promise((resolve) => setTimeout(resolve, aheadMs))
  }
}
