import type { Brand } from './brand.ts'
import { err, ok } from './result.ts'
import type { Result } from './result.ts'

/** A market's name as the venue spells it: `BTC`, `kPEPE`, `dex:TSLA`, `@107`. */
export type Coin = Brand<string, 'Coin'>

const pattern = /^[A-Za-z0-9@#+/:_.-]{1,40}$/

export function parseCoin(text: unknown): Result<Coin> {
  if (typeof text !== 'string' || !pattern.test(text)) {
    return err('must be a market name of 1 to 40 letters, digits or @ # + / : _ . -')
  }
  return ok(text as Coin)
}

/** For literals and fixtures; throws on anything that is not a coin. */
export function coin(text: string): Coin {
  const parsed = parseCoin(text)
  if (!parsed.ok) throw new TypeError(`"${text}" ${parsed.error}`)
  return parsed.value
}
