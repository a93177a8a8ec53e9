import type { DecisionBody, Internal } from '../core/events/guardEvent.ts'
import { limits } from '../core/values/limits.ts'

/** Refusals that no journal has taken yet, in order; beyond a bound they are only counted. */
export class WaitingRecords {
  #bodies: (DecisionBody & Internal)[] = []
  #bytes = 0
  #dropped = 0

  get isEmpty(): boolean {
    return this.#bodies.length === 0 && this.#dropped === 0
  }

  add(body: DecisionBody & Internal): void {
    const bytes = JSON.stringify(body).length
    const isFull =
      this.#bodies.length >= limits.waitingRecordsMax ||
      this.#bytes + bytes > limits.waitingRecordBytesMax
    if (isFull) {
      this.#dropped += 1
      return
    }
    this.#bodies.push(body)
    this.#bytes += bytes
  }

  /** All that wait, and how many more there were; from here on none does. */
  takeAll(): { readonly bodies: readonly (DecisionBody & Internal)[]; readonly dropped: number } {
    const taken = { bodies: this.#bodies, dropped: this.#dropped }
    this.#bodies = []
    this.#bytes = 0
    this.#dropped = 0
    return taken
  }
}
