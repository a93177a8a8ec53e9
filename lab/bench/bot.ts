import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../../src/core/protocol/hashAction.ts'
import type { Address } from '../../src/core/values/address.ts'
import { parsePrivateKey } from '../../src/config/privateKey.ts'
import { failed } from '../../src/cli/cliError.ts'
import { newClientKey } from '../../src/cli/setup/newClientKey.ts'

/** A bot's key: it signs actions ahead of the measurement, as bodies of `/exchange`. */
export interface Bot {
  readonly address: Address
  /** The key as text, for a Guard that signs with it. */
  readonly text: string
  /** `expiresAfter` is a moment in milliseconds since 1970, none where it is left out. */
  sign(action: JsonObject, expiresAfter?: number): string
  /** Many at once; their nonces are a millisecond apart and end now. */
  signAll(actions: readonly JsonObject[]): string[]
}

/** Bots that sign in turns, as if they were one. */
export function inTurns(bots: readonly [Bot, ...Bot[]]): Bot {
  let turn = 0
  const next = (): Bot => bots[turn++ % bots.length] ?? bots[0]
  return {
    ...bots[0],
    sign: (action, expiresAfter) => next().sign(action, expiresAfter),
    signAll: (actions) => actions.map((action) => next().sign(action)),
  }
}

/** `text` is the key of a bot that is known already; without it a new one is made. */
export function createBot(crypto: Crypto, text = newClientKey(crypto.secp256k1).text): Bot {
  const key = parsePrivateKey(text)
  if (!key.ok) throw failed(`a bot's key ${key.error}`)
  let last = 0
  const signWith = (action: JsonObject, nonce: number, expiresAfter?: number): string => {
    last = nonce
    const hash = hashAction(crypto.keccak256, action, nonce, null, expiresAfter ?? null)
    const digest = phantomDigest(crypto.keccak256, hash, 'testnet')
    const signature: Json = { ...crypto.secp256k1.sign(digest, key.value) }
    return JSON.stringify({ action, nonce, signature, vaultAddress: null, expiresAfter })
  }
  return {
    address: crypto.secp256k1.addressOf(key.value),
    text,
    sign: (action, expiresAfter) => signWith(action, Math.max(Date.now(), last + 1), expiresAfter),
    signAll: (actions) => {
      const first = Math.max(Date.now() - actions.length, last + 1)
      return actions.map((action, index) => signWith(action, first + index))
    },
  }
}
