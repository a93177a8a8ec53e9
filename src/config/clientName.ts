import { limits } from '../core/values/limits.ts'

/**
 * What is wrong with what a person wants to call a client, as words behind its flag; null where it may
 * be called so.
 */
export function clientNameFault(name: string): string | null {
  if (hasClientNameLength(name) && printable.test(name)) return null
  return `must be 1 to ${limits.clientNameCharsMax} printable characters, not only spaces`
}

/** The one count of a name's characters: an emoji is one, though JavaScript's `length` has it as two. */
export function hasClientNameLength(name: string): boolean {
  const characters = [...name].length
  return characters >= 1 && characters <= limits.clientNameCharsMax
}

/** Nothing that steers a terminal, begins a line, turns the direction of reading or cannot be seen. */
const printable = /^(?=.*\S)[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+$/u
