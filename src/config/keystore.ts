import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  randomUUID,
  scryptSync,
  timingSafeEqual,
} from 'node:crypto'
import type { Keccak256 } from '../core/protocol/crypto.ts'
import type { Address } from '../core/values/address.ts'
import { secretBytes } from '../crypto/secretBytes.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { readKeystoreJson } from './keystoreJson.ts'

/** Web3 Secret Storage, version 3, with scrypt: the form every Ethereum tool reads. */

const aes = 'aes-128-ctr'
const keyBytes = 32
/** 128 MiB and about half a second: a guess has to cost something. */
const scryptCost = { n: 131_072, r: 8, p: 1 } as const

interface ScryptCost {
  readonly n: number
  readonly r: number
  readonly p: number
}

/** Encrypts a private key; the text is the keystore file. */
export function encryptKey(
  keccak256: Keccak256,
  privateKey: Uint8Array,
  address: Address,
  passphrase: string,
  cost: ScryptCost = scryptCost,
): string {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const derived = derive(passphrase, salt, cost)
  const cipher = createCipheriv(aes, derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()])
  const mac = macOf(keccak256, derived, ciphertext).toString('hex')
  derived.fill(0)
  const keystore = {
    version: 3,
    id: randomUUID(),
    address: address.slice(2),
    crypto: {
      ciphertext: ciphertext.toString('hex'),
      cipherparams: { iv: iv.toString('hex') },
      cipher: aes,
      kdf: 'scrypt',
      kdfparams: { dklen: keyBytes, salt: salt.toString('hex'), ...cost },
      mac,
    },
  }
  return `${JSON.stringify(keystore, null, 2)}\n`
}

/** Decrypts a keystore file's text. A wrong passphrase and a damaged file are told apart where they can be. */
export function decryptKey(
  keccak256: Keccak256,
  text: string,
  passphrase: string,
): Result<Uint8Array> {
  const parsed = readKeystoreJson(text)
  if (!parsed.ok) return parsed
  const { salt, cost, iv, ciphertext, mac } = parsed.value
  let derived: Buffer
  try {
    derived = derive(passphrase, salt, cost)
  } catch {
    // OpenSSL keeps to RFC 7914: a large n needs a large enough r.
    return err(`scrypt with n=${cost.n}, r=${cost.r}, p=${cost.p} cannot be computed here`)
  }
  try {
    if (!timingSafeEqual(macOf(keccak256, derived, ciphertext), mac)) {
      return err('the passphrase is wrong, or the keystore is damaged')
    }
    const decipher = createDecipheriv(aes, derived.subarray(0, 16), iv)
    return ok(joined([decipher.update(ciphertext), decipher.final()]))
  } finally {
    derived.fill(0)
  }
}

/** The parts as one array of its own, which is the only one left that holds them. */
function joined(parts: readonly Buffer[]): Uint8Array {
  const whole = secretBytes(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    part.fill(0)
  }
  return whole
}

function derive(passphrase: string, salt: Uint8Array, cost: ScryptCost): Buffer {
  const maxmem = 128 * cost.n * cost.r * 2
  return scryptSync(passphrase, salt, keyBytes, { N: cost.n, r: cost.r, p: cost.p, maxmem })
}

function macOf(keccak256: Keccak256, derived: Buffer, ciphertext: Uint8Array): Buffer {
  const hashed = Buffer.concat([derived.subarray(16, 32), ciphertext])
  const mac = Buffer.from(keccak256(hashed))
  hashed.fill(0)
  return mac
}
