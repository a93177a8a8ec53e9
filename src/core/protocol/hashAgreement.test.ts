import { createL1ActionHash } from '@nktkas/hyperliquid/signing'
import ccxt from 'ccxt'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { bytesToHex } from '../values/hex.ts'
import { anyText as anyUnicode } from '../values/text.fixture.ts'
import { anyAction, anyAddress } from './action.fixture.ts'
import type { WireAction } from './action.ts'
import { encodeAction } from './encodeAction.ts'
import { hashAction } from './hashAction.ts'

const { keccak256 } = await loadCrypto({ prefer: 'wasm' })
const other = new ccxt.hyperliquid()

function ours(
  action: WireAction,
  nonce: number,
  vault: string | null,
  expires: number | null,
): string {
  return bytesToHex(hashAction(keccak256, action, nonce, vault, expires))
}

function ccxts(
  action: WireAction,
  nonce: number,
  vault: string | null,
  expires: number | null,
): string {
  const bytes = other.actionHash(
    action,
    (vault ?? undefined)?.slice(2) as never,
    nonce as never,
    (expires ?? undefined) as never,
  ) as Uint8Array
  return bytesToHex(bytes)
}

function nktkass(
  action: WireAction,
  nonce: number,
  vault: string | null,
  expires: number | null,
): string {
  const hash = createL1ActionHash({
    action,
    nonce,
    ...(vault === null ? {} : { vaultAddress: vault as `0x${string}` }),
    ...(expires === null ? {} : { expiresAfter: expires }),
  })
  return hash.slice(2)
}

/** Times as clients make them: ccxt writes a nonce in eleven hex digits and no other number. */
const anyTime = fc.integer({ min: 1_200_000_000_000, max: 3_000_000_000_000 })

test('ccxt, nktkas and Guard hash any action alike', () => {
  fc.assert(
    fc.property(
      anyAction,
      anyTime,
      fc.option(anyAddress),
      fc.option(anyTime),
      (action, nonce, vault, expires) => {
        const wire = encodeAction(action)
        const hash = ours(wire, nonce, vault, expires)
        expect(nktkass(wire, nonce, vault, expires)).toBe(hash)
        expect(ccxts(wire, nonce, vault, expires)).toBe(hash)
      },
    ),
    { numRuns: 1_000 },
  )
})

const anyText = fc.oneof(
  anyUnicode(40),
  fc.string({ maxLength: 300 }),
  fc.constantFrom('x'.repeat(31), 'x'.repeat(32), 'x'.repeat(255), 'x'.repeat(256), 'é'.repeat(16)),
)
const anyEdge = fc.constantFrom(
  ...[0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER],
  ...[-1, -32, -33, -128, -129, -32_768, -32_769, -(2 ** 31), -(2 ** 31) - 1],
)

test('any other action hashes as nktkas hashes it', () => {
  const anyField = fc.oneof(
    anyText,
    anyEdge,
    fc.maxSafeInteger().map((value) => value + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.oneof(anyEdge, anyText), { maxLength: 20 }),
    fc.dictionary(
      anyText.map((key) => `k${key}`),
      anyEdge,
      { maxKeys: 20 },
    ),
  )
  const anyOther = fc.dictionary(
    anyText.map((key) => `k${key}`),
    anyField,
    { maxKeys: 20 },
  )
  fc.assert(
    fc.property(anyOther, anyTime, (fields, nonce) => {
      const action = { type: 'new', ...fields } as WireAction
      expect(ours(action, nonce, null, null)).toBe(nktkass(action, nonce, null, null))
    }),
    { numRuns: 1_000 },
  )
})

test('long lists and texts hash alike', () => {
  const action = {
    type: 'cancel',
    cancels: Array.from({ length: 70_000 }, (_, oid) => oid),
    text: 'é'.repeat(70_000),
  }
  expect(ours(action, 1_700_000_000_000, null, null)).toBe(
    nktkass(action, 1_700_000_000_000, null, null),
  )
})
