import { keyIdOf } from './chainKey.ts'
import type { ChainKey } from './chainKey.ts'
import { JournalError } from './journalError.ts'
import type { RecordPlace } from './journalError.ts'
import { isProven } from './record.ts'
import type { Seal } from './record.ts'

/** A line whose place in the chain has been checked. */
export interface ChainedLine {
  readonly bytes: Buffer
  readonly seal: Seal
  readonly place: RecordPlace
}

/** What of a chain is proven to be written with a key. */
export interface Proofs {
  /** The first record with a proof, and how many there are. */
  readonly from: number
  readonly records: number
  /** How many of them were checked with the key that was given. */
  readonly checked: number
  /** The names of the keys, in the order they were first used. */
  readonly keys: readonly string[]
}

/** Goes along a chain: from the first proof on each record needs one, and those by the given key must hold. */
export class ProofWalk {
  readonly #key: ChainKey | null
  readonly #keys = new Set<string>()
  #from: number | null = null
  #records = 0
  #checked = 0

  constructor(key: ChainKey | null) {
    this.#key = key
  }

  /** Null while no record had a proof. */
  get proofs(): Proofs | null {
    if (this.#from === null) return null
    const [from, records, checked] = [this.#from, this.#records, this.#checked]
    return { from, records, checked, keys: [...this.#keys] }
  }

  /** Throws where a proof is missing or wrong. */
  take({ bytes, seal, place }: ChainedLine): void {
    const { seq, proof } = seal
    if (proof === null) {
      if (this.#from === null) return
      throw new JournalError('damaged', `record ${seq} lacks its proof`, place)
    }
    this.#from ??= seq
    this.#records += 1
    this.#keys.add(keyIdOf(proof))
    if (this.#key === null || keyIdOf(proof) !== this.#key.id) return
    if (!isProven(bytes, seal, this.#key)) {
      const text = `record ${seq} was not written with this Guard's key`
      throw new JournalError('damaged', text, place)
    }
    this.#checked += 1
  }
}
