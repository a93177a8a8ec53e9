import { createKeccak } from 'hash-wasm'
import type { Keccak256 } from '../core/protocol/crypto.ts'

/** Keccak-256 on one kept WASM instance; a call runs to its end before the next can start. */
export async function loadKeccak(): Promise<Keccak256> {
  const hasher = await createKeccak(256)
  return (bytes) => hasher.init().update(bytes).digest('binary')
}
