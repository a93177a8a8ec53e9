import type { Crypto } from '../core/protocol/crypto.ts'
import { loadKeccak } from './keccak.ts'
import { loadNative } from './native.ts'

interface CryptoOptions {
  /** Forces one curve; `native` fails where the accelerator was not built. */
  readonly prefer?: 'native' | 'wasm'
}

/**
 * The curve and the hash, native where the accelerator's binding is really there and WASM
 * otherwise. `GUARD_CRYPTO=wasm|native` forces one; the caller says at start which one it got.
 */
export async function loadCrypto(options: CryptoOptions = {}): Promise<Crypto> {
  const wanted = options.prefer ?? wantedByEnvironment(process.env['GUARD_CRYPTO'])
  const keccak256 = await loadKeccak()
  if (wanted !== 'wasm') {
    const native = loadNative(keccak256)
    if (native !== null) return { keccak256, secp256k1: native, name: 'native' }
    if (wanted === 'native') {
      throw new Error(
        'the native secp256k1 accelerator is not installed here; ' +
          'install it or let Guard use WASM (GUARD_CRYPTO=wasm)',
      )
    }
  }
  // Only here: it is a quarter of a megabyte, in a file of its own (`scripts/build.mjs`).
  const { loadWasm } = await import('./wasm.ts')
  return { keccak256, secp256k1: await loadWasm(keccak256), name: 'wasm' }
}

function wantedByEnvironment(text: string | undefined): 'native' | 'wasm' | null {
  if (text === undefined || text === '') return null
  if (text === 'native' || text === 'wasm') return text
  throw new Error(`GUARD_CRYPTO must be "native" or "wasm", not "${text}"`)
}
