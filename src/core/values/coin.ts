import type { Brand } from './brand.ts'
import { limits } from './limits.ts'
import { err, ok } from './result.ts'
import type { Result } from './result.ts'

/** A market's name as the venue spells it: `BTC`, `kPEPE`, `dex:TSLA`, `@107`; an odd one is escaped. */
export type Coin = Brand<string, 'Coin'>

const pattern = /^[A-Za-z0-9@#+/:_.-]{1,40}$/
const escaped = /^[A-Za-z0-9@#+/:_.%-]+$/

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

/**
 * What Guard calls the market that the venue calls so. One odd name must not keep anything else from
 * being read: every character that a name should not have becomes `%` and its code, `A&B` is `A%0026B`.
 * Of one that is too long the beginning stands, and a sum over the rest.
 */
export function coinCalled(name: string): Coin {
  if (pattern.test(name)) return name as Coin
  const { coinCharsMax: most } = limits
  const rest = name.length > most || name === '' ? `%${sumOf(name)}` : ''
  const kept = name.slice(0, most).replace(/[^A-Za-z0-9@#+/:_.-]/g, codeOf)
  return `${kept}${rest}` as Coin
}

/** Whether a text can be a name that Guard gave a market and wrote down, odd ones included. */
export function isWrittenCoin(text: unknown): text is Coin {
  return typeof text === 'string' && escaped.test(text)
}

/** Whether the venue spells it in another way: it must not be asked for by this name. */
export function isOddCoin(name: Coin): boolean {
  return name.includes('%')
}

// Without the flag `u` each match is one UTF-16 unit, so that any text has a name of its own.
function codeOf(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function sumOf(text: string): string {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) >>> 0
  return sum.toString(16)
}
