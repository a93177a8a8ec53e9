/** Clocks differ: what was not answered may arrive so much later than it expires. */
const arrivalSlackMs = 2_000

/** The events that no snapshot may pass by: a start has to read them again. */
export class OpenEvents {
  /** Those of which not every outcome is on disk yet, with how many they still wait for. */
  readonly #waiting = new Map<number, number>()
  /** Those with an action that was not answered, and until when it may arrive, monotonic. */
  #unanswered: readonly { readonly seq: number; readonly untilMs: number }[] = []

  count(seq: number, by: 1 | -1): void {
    const left = (this.#waiting.get(seq) ?? 0) + by
    if (left <= 0) this.#waiting.delete(seq)
    else this.#waiting.set(seq, left)
  }

  /** What is in an emergency file has no number yet, and no snapshot passes it by. */
  mayArrive(seq: number, expiresMonotonicMs: number): void {
    if (seq <= 0) return
    this.#unanswered = [...this.#unanswered, { seq, untilMs: expiresMonotonicMs + arrivalSlackMs }]
  }

  oldest(nowMs: number): number | null {
    this.#unanswered = this.#unanswered.filter(({ untilMs }) => untilMs >= nowMs)
    let oldest: number | null = null
    for (const seq of [...this.#waiting.keys(), ...this.#unanswered.map((each) => each.seq)]) {
      if (oldest === null || seq < oldest) oldest = seq
    }
    return oldest
  }
}
