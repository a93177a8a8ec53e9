import { describe, expect, test } from 'vitest'
import type { Json } from '../core/protocol/action.ts'
import type { Crypto, Signature } from '../core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../core/protocol/hashAction.ts'
import { bytesToHex } from '../core/values/hex.ts'
import { bytesOf, clientAddress, clientKey, readFixture } from './crypto.fixture.ts'
import { loadCrypto } from './loadCrypto.ts'

interface L1Vector {
  id: string
  kind: string
  privateKey: string | null
  action: Json
  nonce: number
  vaultAddress: string | null
  expiresAfter: number | null
  connectionId?: string
  computedActionHash: string
  expected: { mainnet: Signature | null; testnet: Signature | null }
  signer?: string
}

const published = readFixture<{ vectors: L1Vector[] }>('signing.json').vectors.filter((each) =>
  each.kind.startsWith('l1'),
)
const generated = readFixture<{
  vectors: (Omit<L1Vector, 'expected'> & {
    actionHash_ccxt: string
    signature_ccxt_mainnet: Signature
  })[]
}>('signing_generated_ccxt.json').vectors

/** Clients drop leading zeros: signatures are compared as numbers. */
function asNumbers(signature: Signature): { r: bigint; s: bigint; v: number } {
  return { r: BigInt(signature.r), s: BigInt(signature.s), v: signature.v }
}

const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

async function available(): Promise<Crypto[]> {
  const wasm = await loadCrypto({ prefer: 'wasm' })
  const native = await loadCrypto({ prefer: 'native' }).catch(() => null)
  return native === null ? [wasm] : [wasm, native]
}

describe.each((await available()).map((crypto) => [crypto.name, crypto] as const))(
  'the %s curve',
  (_name, crypto) => {
    const { keccak256, secp256k1 } = crypto

    test.each(published.map((each) => [each.id, each] as const))(
      'signs as published: %s',
      (_id, v) => {
        const hash =
          v.connectionId === undefined
            ? hashAction(keccak256, v.action, v.nonce, v.vaultAddress, v.expiresAfter)
            : bytesOf(v.connectionId)
        expect(`0x${bytesToHex(hash)}`).toBe(v.connectionId ?? v.computedActionHash)
        for (const network of ['mainnet', 'testnet'] as const) {
          const signature = v.expected[network]
          if (signature === null || v.privateKey === null) continue
          const digest = phantomDigest(keccak256, hash, network)
          const signed = secp256k1.sign(digest, bytesOf(v.privateKey))
          expect(asNumbers(signed)).toEqual(asNumbers(signature))
          expect(secp256k1.recover(digest, signature)).toBe(v.signer)
          expect(secp256k1.addressOf(bytesOf(v.privateKey))).toBe(v.signer)
        }
      },
    )

    test.each(generated.map((each) => [each.id, each] as const))(
      'signs as ccxt does: %s',
      (_id, v) => {
        const hash = hashAction(keccak256, v.action, v.nonce, v.vaultAddress, v.expiresAfter)
        expect(`0x${bytesToHex(hash)}`).toBe(v.actionHash_ccxt)
        const digest = phantomDigest(keccak256, hash, 'mainnet')
        const signed = secp256k1.sign(digest, bytesOf(v.privateKey ?? ''))
        expect(asNumbers(signed)).toEqual(asNumbers(v.signature_ccxt_mainnet))
        expect(secp256k1.recover(digest, v.signature_ccxt_mainnet)).toBe(
          secp256k1.addressOf(bytesOf(v.privateKey ?? '')),
        )
      },
    )

    test('hashes nothing to the known value', () => {
      expect(bytesToHex(keccak256(new Uint8Array()))).toBe(
        'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
      )
    })

    test('signs with the lower s, in 64 digits', () => {
      for (let at = 0; at < 200; at++) {
        const digest = keccak256(Uint8Array.of(at))
        const { r, s, v } = secp256k1.sign(digest, clientKey)
        expect(BigInt(s) <= halfOrder).toBe(true)
        expect([r.length, s.length]).toEqual([66, 66])
        expect([27, 28]).toContain(v)
        expect(secp256k1.recover(digest, { r, s, v })).toBe(clientAddress)
      }
    })

    test.each([
      ['zero r and s', { r: '0x0', s: '0x0', v: 27 }],
      ['r of the field size', { r: `0x${'f'.repeat(64)}`, s: '0x1', v: 27 }],
      ['r too long', { r: `0x${'1'.repeat(65)}`, s: '0x1', v: 27 }],
      ['v 26', { r: '0x1', s: '0x1', v: 26 }],
      ['v 29', { r: '0x1', s: '0x1', v: 29 }],
      ['not hex', { r: '0xzz', s: '0x1', v: 27 }],
    ])('recovers no key from %s', (_what, signature) => {
      expect(secp256k1.recover(keccak256(new Uint8Array()), signature)).toBeNull()
    })

    test.each([
      ['zero', new Uint8Array(32)],
      ['beyond the order', new Uint8Array(32).fill(255)],
      ['too short', new Uint8Array(31).fill(1)],
    ])('refuses the key %s without naming it', (_what, key) => {
      const digest = keccak256(new Uint8Array())
      expect(() => secp256k1.sign(digest, key)).toThrow('the private key is not a valid key')
      expect(() => secp256k1.addressOf(key)).toThrow('the private key is not a valid key')
    })
  },
)

test('the environment may force a curve, and nothing else', async () => {
  const before = process.env['GUARD_CRYPTO']
  try {
    process.env['GUARD_CRYPTO'] = 'wasm'
    expect((await loadCrypto()).name).toBe('wasm')
    process.env['GUARD_CRYPTO'] = 'fast'
    await expect(loadCrypto()).rejects.toThrow(
      'GUARD_CRYPTO must be "native" or "wasm", not "fast"',
    )
  } finally {
    if (before === undefined) delete process.env['GUARD_CRYPTO']
    else process.env['GUARD_CRYPTO'] = before
  }
})
