import type { Brand } from './brand.ts'
import { err, ok } from './result.ts'
import type { Result } from './result.ts'

/** A client order id: `0x` and 32 lower-case hex digits. */
export type Cloid = Brand<string, 'Cloid'>

const pattern = /^0x[0-9a-fA-F]{32}$/

export function parseCloid(text: unknown): Result<Cloid> {
  if (typeof text !== 'string' || !pattern.test(text)) {
    return err('must be a client order id: 0x and 32 hex digits')
  }
  return ok(text.toLowerCase() as Cloid)
}

/** For literals and fixtures; throws on anything that is not a cloid. */
export function cloid(text: string): Cloid {
  const parsed = parseCloid(text)
  if (!parsed.ok) throw new TypeError(`"${text}" ${parsed.error}`)
  return parsed.value
}
