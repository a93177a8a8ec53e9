import { createHmac } from 'node:crypto'
import type { JsonObject, WireAction } from '../core/protocol/action.ts'
import type { Crypto } from '../core/protocol/crypto.ts'
import { agentCloidPrefix } from '../core/protocol/guardCloid.ts'
import { hashAction, phantomDigest } from '../core/protocol/hashAction.ts'
import { cloid } from '../core/values/cloid.ts'
import type { Cloid } from '../core/values/cloid.ts'
import { limits } from '../core/values/limits.ts'

/** Hex digits of a client order id after the prefix. */
const tailDigits = 24

/**
 * The client key of the agent. It signs, and it makes order ids from the agent's own words; nothing
 * gives the key back.
 */
export class AgentKey {
  readonly address: string
  readonly #crypto: Crypto
  readonly #key: Uint8Array

  constructor(crypto: Crypto, key: Uint8Array) {
    this.#crypto = crypto
    this.#key = key
    this.address = crypto.secp256k1.addressOf(key)
  }

  /** A request as Guard takes it. The signature is made for the test network: it is worth nothing elsewhere. */
  sign(action: WireAction, nonce: number): JsonObject {
    const { keccak256, secp256k1 } = this.#crypto
    const hash = hashAction(keccak256, action, nonce, null, null)
    const { r, s, v } = secp256k1.sign(phantomDigest(keccak256, hash, 'testnet'), this.#key)
    return { action, nonce, signature: { r, s, v } }
  }

  /**
   * The id of the order that this client names with an idempotency key; the same after a restart.
   * Guard knows such ids by how they begin, and lets each through once.
   */
  cloidOf(idempotencyKey: string): Cloid {
    const hex = this.#tag(`cloid:${idempotencyKey}`).toString('hex')
    return cloid(`${agentCloidPrefix}${hex.slice(0, tailDigits)}`)
  }

  /**
   * A number below `limits.agentMarks` made from an idempotency key and its arguments. It is put
   * into the nonce, so that Guard's own record shows later whether the arguments were the same.
   */
  markOf(idempotencyKey: string, arguments_: string): number {
    return this.#tag(`mark:${idempotencyKey}:${arguments_}`).readUInt32BE(0) % limits.agentMarks
  }

  #tag(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest()
  }
}
