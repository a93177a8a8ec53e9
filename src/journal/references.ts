import { limits } from '../core/values/limits.ts'
import type { EventBody, Internal } from '../core/events/guardEvent.ts'

/**
 * Emergency records have negative numbers until they join the journal. Later records may refer to
 * them by those; this remembers what they became.
 */
export class References {
  readonly #real = new Map<number, number>()
  /** Records that wait for the disk in the journal's queue while an emergency file has a copy. */
  readonly #queued = new Map<number, number>()

  /**
   * The record waits in the journal's queue under this number. What is queued behind it may name it
   * so: should the disk fail, both are refused.
   */
  expect(emergency: number, seq: number): void {
    this.#queued.set(emergency, seq)
  }

  /** The journal has refused it: its number will be given to another record. */
  forget(emergency: number): void {
    this.#queued.delete(emergency)
  }

  set(emergency: number, seq: number): void {
    this.#queued.delete(emergency)
    this.#real.set(emergency, seq)
    const oldest = this.#real.keys().next()
    if (this.#real.size > referencesMax && oldest.done !== true) this.#real.delete(oldest.value)
  }

  /** The body with its reference to a real number; one that is not known stays as it is. */
  resolve(body: EventBody & Internal): EventBody & Internal {
    return referring(body, (number) => this.#real.get(number))
  }

  /** The same for a record that goes into the journal's queue. */
  resolveQueued(body: EventBody & Internal): EventBody & Internal {
    return referring(body, (number) => this.#real.get(number) ?? this.#queued.get(number))
  }
}

function referring(
  body: EventBody & Internal,
  real: (number: number) => number | undefined,
): EventBody & Internal {
  if (body.kind === 'sent' && body.decision < 0) {
    return { ...body, decision: real(body.decision) ?? body.decision }
  }
  if (body.kind === 'recovered' && body.of < 0) {
    return { ...body, of: real(body.of) ?? body.of }
  }
  return body
}

const referencesMax = limits.emergencyReferencesMax
