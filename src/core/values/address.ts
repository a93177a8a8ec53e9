import type { Brand } from './brand.ts'
import { err, ok } from './result.ts'
import type { Result } from './result.ts'

/** A 20-byte address, `0x` and 40 hex digits, in lower case however it was written. */
export type Address = Brand<string, 'Address'>

const pattern = /^0x[0-9a-f]{40}$/i

export function parseAddress(text: unknown): Result<Address> {
  if (typeof text !== 'string' || !pattern.test(text)) {
    return err('must be an address: 0x and 40 hex digits')
  }
  return ok(text.toLowerCase() as Address)
}

/** For literals and fixtures; throws on anything that is not an address. */
export function address(text: string): Address {
  const parsed = parseAddress(text)
  if (!parsed.ok) throw new TypeError(`"${text}" ${parsed.error}`)
  return parsed.value
}
