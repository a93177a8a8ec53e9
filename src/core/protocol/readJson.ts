import { parseAddress } from '../values/address.ts'
import type { Address } from '../values/address.ts'
import { parseCloid } from '../values/cloid.ts'
import type { Cloid } from '../values/cloid.ts'
import { coinCalled } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Millis } from '../values/millis.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import { isObject, shownJson } from './fields.ts'

/**
 * For answers of the venue: what is used must be there and be what it should, what is not used is
 * left alone, since the venue adds fields as it likes. A reader stops at the first misfit.
 */
export function decoding<T>(what: string, read: () => T): Result<T> {
  try {
    return ok(read())
  } catch (error) {
    if (error instanceof Misfit) return err(`${what}: ${error.message}`)
    throw error
  }
}

/** Thrown by the readers below and caught by `decoding`; nobody else sees it. */
class Misfit extends Error {}

export function misfit(key: string, expected: string, received: Json | undefined): never {
  throw new Misfit(`${key} must be ${expected}, not ${shownJson(received)}`)
}

export function objectOf(value: Json | undefined, key = 'the answer'): JsonObject {
  return isObject(value) ? value : misfit(key, 'an object', value)
}

export function listOf(value: Json | undefined, key = 'the answer'): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : misfit(key, 'a list', value)
}

/** Reads every element; a misfit says which one. */
export function eachOf<T>(value: Json | undefined, key: string, read: (each: Json) => T): T[] {
  return listOf(value, key).map((each, at) => {
    try {
      return read(each)
    } catch (error) {
      if (error instanceof Misfit) throw new Misfit(`${key}[${at}].${error.message}`)
      throw error
    }
  })
}

export function textOf(from: JsonObject, key: string): string {
  const value = from[key]
  return typeof value === 'string' ? value : misfit(key, 'a text', value)
}

export function decimalOf(from: JsonObject, key: string): Decimal {
  const parsed = Decimal.parse(from[key])
  return parsed.ok ? parsed.value : misfit(key, 'a plain decimal as a string', from[key])
}

export function decimalOrNull(from: JsonObject, key: string): Decimal | null {
  return isAbsent(from[key]) ? null : decimalOf(from, key)
}

export function wholeOf(from: JsonObject, key: string): number {
  const value = from[key]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : misfit(key, 'a whole number', value)
}

export function timeOf(from: JsonObject, key: string): Millis {
  return wholeOf(from, key) as Millis
}

/** Absent means false: the venue leaves flags out when they are not set. */
export function flagOf(from: JsonObject, key: string): boolean {
  const value = from[key]
  if (isAbsent(value)) return false
  return typeof value === 'boolean' ? value : misfit(key, 'true or false', value)
}

export function coinOf(from: JsonObject, key: string): Coin {
  const name = from[key]
  return typeof name === 'string' ? coinCalled(name) : misfit(key, 'a market name', name)
}

export function addressOf(from: JsonObject, key: string): Address {
  const parsed = parseAddress(from[key])
  return parsed.ok ? parsed.value : misfit(key, 'an address', from[key])
}

export function cloidOrNull(from: JsonObject, key: string): Cloid | null {
  if (isAbsent(from[key])) return null
  const parsed = parseCloid(from[key])
  return parsed.ok ? parsed.value : misfit(key, 'a client order id', from[key])
}

/** `B` buys, `A` sells. */
export function isBuyOf(from: JsonObject): boolean {
  const value = from['side']
  if (value === 'B') return true
  return value === 'A' ? false : misfit('side', '"B" or "A"', value)
}

export function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null
}
