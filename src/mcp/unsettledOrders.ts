import type { Cloid } from '../core/values/cloid.ts'
import { limits } from '../core/values/limits.ts'
import { usedBefore } from './agentError.ts'

interface Unsettled {
  readonly nonce: number
  readonly arguments: string
}

/**
 * Orders with an idempotency key of which nobody can tell whether they reached Guard, and the nonce
 * that each went out with. Sent again with that nonce it is the same request, which Guard takes
 * once, whichever of the two comes first.
 */
export class UnsettledOrders {
  readonly #orders = new Map<Cloid, Unsettled>()

  /**
   * The nonce with which this order went out before; null where it did not, or so long ago that
   * Guard would refuse it now. Other arguments than before are an error.
   */
  nonceOf(cloid: Cloid, arguments_: string, nowMs: number): number | null {
    const before = this.#orders.get(cloid)
    if (before === undefined) return null
    if (before.nonce <= nowMs - limits.nonceAgeMsMax) {
      this.#orders.delete(cloid)
      return null
    }
    if (before.arguments !== arguments_) throw usedBefore(before.arguments)
    return before.nonce
  }

  note(cloid: Cloid, order: Unsettled): void {
    this.#orders.set(cloid, order)
    const oldest = this.#orders.keys().next()
    if (this.#orders.size > limits.agentAnswersKeptMax && oldest.done !== true) {
      this.#orders.delete(oldest.value)
    }
  }

  settled(cloid: Cloid): void {
    this.#orders.delete(cloid)
  }
}
