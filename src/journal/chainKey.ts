import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Identity } from './identity.ts'

/** What a proof is about: one for a record can never serve as one for something else. */
type ProofOf = 'record' | 'mark' | 'snapshot'

/** A proof as it is written: which key made it, and its code. */
export const proofPattern = '[0-9a-f]{16}-[0-9a-f]{32}'

/**
 * Proves that whoever wrote something had the API wallet key. The key for it is derived from that
 * one, for one journal, and is kept outside JavaScript's own memory; the wallet's key cannot be
 * told from it.
 */
export class ChainKey {
  /** Names the key without telling it. */
  readonly id: string
  readonly #key: KeyObject

  private constructor(key: KeyObject) {
    this.#key = key
    this.id = createHmac('sha256', key).update('guard-journal-key-id\n').digest('hex').slice(0, 16)
  }

  static of(privateKey: Uint8Array, { network, account }: Identity): ChainKey {
    const info = `guard-journal-key-1\n${network}\n${account}\n`
    // HKDF (RFC 5869) by hand: Node's own would keep a copy of the wallet's key until it is collected.
    const extracted = createHmac('sha256', Buffer.alloc(32)).update(privateKey).digest()
    const derived = createHmac('sha256', extracted).update(info).update(Uint8Array.of(1)).digest()
    const key = createSecretKey(derived)
    extracted.fill(0)
    derived.fill(0)
    return new ChainKey(key)
  }

  prove(what: ProofOf, ...parts: readonly (string | Uint8Array)[]): string {
    const code = createHmac('sha256', this.#key).update(`guard-${what}-1\n`)
    for (const part of parts) code.update(part)
    return `${this.id}-${code.digest('hex').slice(0, 32)}`
  }

  proves(proof: string, what: ProofOf, ...parts: readonly (string | Uint8Array)[]): boolean {
    const wanted = Buffer.from(this.prove(what, ...parts))
    const given = Buffer.from(proof)
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }
}

/** The name of the key that made a proof. */
export function keyIdOf(proof: string): string {
  return proof.slice(0, 16)
}
