import { limits } from '../core/values/limits.ts'
import type { EventBody, Internal } from '../core/events/guardEvent.ts'

/**
 * Emergency records have negative numbers until they join the journal. Later records may refer to
 * them by those; this remembers what they became.
 */
export class References {
  readonly #real = new Map<number, number>()

  set(emergency: number, seq: number): void {
    this.#real.set(emergency, seq)
    const oldest = this.#real.keys().next()
    if (this.#real.size > referencesMax && oldest.done !== true) this.#real.delete(oldest.value)
  }

  /** The body with its reference to a real number; one that is not known stays as it is. */
  resolve(body: EventBody & Internal): EventBody & Internal {
    if (body.kind === 'sent' && body.decision < 0) {
      return { ...body, decision: this.#real.get(body.decision) ?? body.decision }
    }
    if (body.kind === 'recovered' && body.of < 0) {
      return { ...body, of: this.#real.get(body.of) ?? body.of }
    }
    return body
  }
}

const referencesMax = limits.emergencyReferencesMax
