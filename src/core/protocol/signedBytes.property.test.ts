import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientAddress, clientKey } from '../../crypto/crypto.fixture.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { utf8Encode } from '../values/utf8.ts'
import { anyAction, anyAddress } from './action.fixture.ts'
import { decodeEnvelope } from './decodeEnvelope.ts'
import { encodeAction } from './encodeAction.ts'
import { hashAction, phantomDigest } from './hashAction.ts'
import { recoverSigner } from './recoverSigner.ts'

const crypto = await loadCrypto()
const { keccak256, secp256k1 } = crypto

const anyTime = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 })

/** A signed body as a client would send it. */
const anySigned = fc
  .tuple(anyAction, anyTime, fc.option(anyAddress), fc.option(anyTime), fc.boolean())
  .map(([action, nonce, vaultAddress, expiresAfter, isMainnet]) => {
    const wire = encodeAction(action)
    const hash = hashAction(keccak256, wire, nonce, vaultAddress, expiresAfter)
    const signedAs = isMainnet ? ('mainnet' as const) : ('testnet' as const)
    const signature = secp256k1.sign(phantomDigest(keccak256, hash, signedAs), clientKey)
    const text = JSON.stringify({ action: wire, nonce, signature, vaultAddress, expiresAfter })
    return { bytes: utf8Encode(text), signedAs }
  })

test('what a client signed recovers to it', () => {
  fc.assert(
    fc.property(anySigned, ({ bytes, signedAs }) => {
      const envelope = decodeEnvelope(bytes)
      if (!envelope.ok) throw new Error(envelope.error.join())
      expect(recoverSigner(crypto, envelope.value)).toContainEqual({
        address: clientAddress,
        signedAs,
      })
    }),
    { numRuns: 200 },
  )
})

/** All that an envelope says; the digits of an address are the same number in upper case. */
function sense(envelope: ReturnType<typeof decodeEnvelope>): string {
  const lower = (digits: string): string => digits.toLowerCase()
  return JSON.stringify(envelope).replaceAll(/0x[0-9a-f]{40}\b/gi, lower)
}

test('any single changed byte changes who signed, is refused, or says the very same', () => {
  const seen = { refused: 0, another: 0, same: 0 }
  fc.assert(
    fc.property(anySigned, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ bytes }, place, flip) => {
      const changed = Uint8Array.from(bytes)
      const at = place % changed.length
      changed[at] = (changed[at] as number) ^ flip
      const before = decodeEnvelope(bytes)
      const after = decodeEnvelope(changed)
      if (!after.ok) {
        seen.refused += 1
      } else if (sense(after) === sense(before)) {
        // A hex digit of the signature, the vault or the builder in upper case, or one white space for another.
        seen.same += 1
      } else {
        const signers = recoverSigner(crypto, after.value).map((each) => each.address)
        expect(signers).not.toContain(clientAddress)
        seen.another += 1
      }
    }),
    { numRuns: 2_500 },
  )
  expect(seen.refused).toBeGreaterThan(100)
  expect(seen.another).toBeGreaterThan(100)
  expect(seen.same).toBeLessThan(50)
})
