import type { Address } from '../../../../src/core/values/address.ts'
import { dayMs } from '../../../../src/core/values/millis.ts'

const keptMax = 100
const pastMs = 2 * dayMs
const futureMs = dayMs

/** The hundred highest nonces of each signer; an agent has a set of its own. */
export class NonceBook {
  readonly #kept = new Map<Address, number[]>()

  clear(): void {
    this.#kept.clear()
  }

  /** Why this nonce may not be used now, or null. */
  refusal(signer: Address, nonce: number, nowMs: number): string | null {
    const kept = this.#kept.get(signer) ?? []
    if (kept.includes(nonce)) return `Invalid nonce: duplicate nonce ${String(nonce)}`
    const lowest = kept.length < keptMax ? undefined : kept[0]
    const floor = Math.max(nowMs - pastMs, lowest ?? 0)
    if (nonce <= floor) return `Invalid nonce: nonce too low ${String(nonce)} < ${String(floor)}`
    const ceiling = nowMs + futureMs
    if (nonce >= ceiling) {
      return `Invalid nonce: nonce too high ${String(nonce)} > ${String(ceiling)}`
    }
    return null
  }

  use(signer: Address, nonce: number): void {
    const kept = this.#kept.get(signer) ?? []
    const at = kept.findIndex((each) => each > nonce)
    kept.splice(at === -1 ? kept.length : at, 0, nonce)
    if (kept.length > keptMax) kept.shift()
    this.#kept.set(signer, kept)
  }
}
