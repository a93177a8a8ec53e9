import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'

/** A control call that cannot be done; its message names the field and what it should be. */
export class ControlProblem extends Error {}

export type Fields = { readonly [key: string]: Json }

function problem(path: string, expected: string, given: Json | undefined): never {
  const shown = given === undefined ? 'nothing' : JSON.stringify(given)
  throw new ControlProblem(`${path} must be ${expected}, got ${shown.slice(0, 200)}`)
}

export function readFields(json: Json | undefined, path: string): Fields {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) {
    return problem(path, 'an object', json)
  }
  return json as Fields
}

/** Refuses fields that nobody reads: a misspelt one would otherwise be ignored in silence. */
export function onlyFields(fields: Fields, path: string, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw new ControlProblem(`${path}.${unknown} is not known; known are ${known.join(', ')}`)
}

export function readList(json: Json | undefined, path: string): readonly Json[] {
  if (json === undefined || json === null) return []
  return Array.isArray(json) ? (json as readonly Json[]) : problem(path, 'an array', json)
}

export function readAddress(json: Json | undefined, path: string): Address {
  const parsed = parseAddress(json)
  return parsed.ok ? parsed.value : problem(path, 'an address, 0x and 40 hex digits', json)
}

/** Odd ones too: a venue may list a market under any name. */
export function readCoinName(json: Json | undefined, path: string): Coin {
  const isName = typeof json === 'string' && json !== '' && json.length <= 40
  return isName ? (json as Coin) : problem(path, "a market's name", json)
}

/** A decimal as text; a JSON number is taken too where it is exact as written. */
export function readDecimal(json: Json | undefined, path: string): Decimal {
  const parsed = Decimal.parse(typeof json === 'number' ? String(json) : json)
  return parsed.ok ? parsed.value : problem(path, 'a decimal string', json)
}

export function readOptionalDecimal(json: Json | undefined, path: string): Decimal | null {
  return json === undefined || json === null ? null : readDecimal(json, path)
}

export function readCount(
  json: Json | undefined,
  path: string,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const range = max === Number.MAX_SAFE_INTEGER ? '0 or more' : `from 0 to ${String(max)}`
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= 0 && json <= max
    ? json
    : problem(path, `a whole number, ${range}`, json)
}

export function readOptionalCount(json: Json | undefined, path: string): number | null {
  return json === undefined || json === null ? null : readCount(json, path)
}

export function readFlag(json: Json | undefined, path: string): boolean {
  if (json === undefined || json === null) return false
  return typeof json === 'boolean' ? json : problem(path, 'true or false', json)
}

export function readOptionalText(json: Json | undefined, path: string): string | null {
  if (json === undefined || json === null) return null
  return typeof json === 'string' ? json : problem(path, 'a text', json)
}

export function readChoice<Choice extends string>(
  json: Json | undefined,
  path: string,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((choice) => choice === json)
  return found ?? problem(path, `one of ${choices.join(', ')}`, json)
}
