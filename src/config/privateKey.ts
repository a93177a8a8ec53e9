import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'

const pattern = /^\s*0x([0-9a-fA-F]{64})\s*$/
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Reads a private key as text. The refusal never repeats what was given. */
export function parsePrivateKey(text: string): Result<Uint8Array> {
  const match = pattern.exec(text)
  if (match?.[1] === undefined) return err('must hold one private key: 0x and 64 hex digits')
  const value = BigInt(`0x${match[1]}`)
  if (value === 0n || value >= curveOrder) return err('is not a private key of this curve')
  return ok(Uint8Array.from(Buffer.from(match[1], 'hex')))
}

export function formatPrivateKey(key: Uint8Array): string {
  return `0x${Buffer.from(key).toString('hex')}`
}
