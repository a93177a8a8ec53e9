import { limits } from '../values/limits.ts'
import { parseAddress } from '../values/address.ts'
import type { Address } from '../values/address.ts'
import { parseCloid } from '../values/cloid.ts'
import type { Cloid } from '../values/cloid.ts'
import { Decimal } from '../values/decimal.ts'
import { keepOptimised } from '../values/keepOptimised.ts'
import { quotedText, shownText } from '../values/shownText.ts'
import type { Json, JsonObject } from './action.ts'

const problemsMax = limits.problemsMax

/**
 * Reads a request's fields and remembers everything that is wrong with them, so that a person gets
 * the whole list at once. A field that is wrong reads as a neutral value that nobody will use.
 */
export class Fields {
  readonly problems: string[] = []
  private more = 0

  /** All problems, the last line counting those beyond what anyone would read. */
  listed(): string[] {
    return this.more === 0 ? this.problems : [...this.problems, `and ${this.more} more problems`]
  }

  problem(path: string, key: string, expected: string, received: Json | undefined): void {
    this.note(`${join(path, key)} must be ${expected}, not ${shownJson(received)}`)
  }

  note(text: string): void {
    if (this.problems.length < problemsMax) this.problems.push(text)
    else this.more += 1
  }

  /** The object at `path` with all of `required`, perhaps some of `optional`, and nothing else. */
  object(
    value: Json | undefined,
    path: string,
    required: readonly string[],
    optional: readonly string[] = [],
  ): JsonObject | null {
    if (!isObject(value)) {
      this.note(`${path} must be an object, not ${shownJson(value)}`)
      return null
    }
    let found = 0
    for (const key of Object.keys(value)) {
      if (required.includes(key)) found += 1
      else if (!optional.includes(key))
        this.note(`${join(path, quotedText(key))} is not a known field`)
    }
    if (found < required.length) {
      for (const key of required) {
        if (!Object.hasOwn(value, key)) this.note(`${join(path, key)} is missing`)
      }
    }
    return value
  }

  list(from: JsonObject, key: string, path: string, max: number): readonly Json[] {
    const value = from[key]
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.problem(path, key, 'a list', value)
      return []
    }
    const list = value as readonly Json[]
    if (list.length < 1 || list.length > max) {
      this.note(`${join(path, key)} must have 1 to ${max} elements, not ${list.length}`)
      return []
    }
    return list
  }

  /** A plain decimal that is not negative: no sign, no exponent, no space. */
  decimal(from: JsonObject, key: string, path: string): Decimal {
    const value = from[key]
    if (value === undefined) return Decimal.zero
    const parsed = Decimal.parse(value)
    if (parsed.ok && (value as string).charCodeAt(0) !== 0x2d) return parsed.value
    this.problem(path, key, 'a plain decimal as a string, such as "12.5"', value)
    return Decimal.zero
  }

  whole(from: JsonObject, key: string, path: string, least: number, most: number): number {
    const value = from[key]
    if (value === undefined) return 0
    if (
      typeof value === 'number' &&
      Number.isSafeInteger(value) &&
      value >= least &&
      value <= most
    ) {
      return value
    }
    this.problem(path, key, `a whole number from ${least} to ${most}`, value)
    return 0
  }

  boolean(from: JsonObject, key: string, path: string): boolean {
    const value = from[key]
    if (typeof value === 'boolean') return value
    if (value !== undefined) this.problem(path, key, 'true or false', value)
    return false
  }

  /** One of a closed list of words; the first where it is wrong. */
  word<T extends string>(
    from: JsonObject,
    key: string,
    path: string,
    words: readonly [T, ...T[]],
  ): T {
    const value = from[key]
    const known = words.find((word) => word === value)
    if (known !== undefined) return known
    if (value !== undefined) {
      this.problem(path, key, `one of ${words.map((word) => `"${word}"`).join(', ')}`, value)
    }
    return words[0]
  }

  address(from: JsonObject, key: string, path: string): Address {
    const parsed = parseAddress(from[key])
    if (parsed.ok) return parsed.value
    if (from[key] !== undefined)
      this.problem(path, key, 'an address: 0x and 40 hex digits', from[key])
    return '' as Address
  }

  cloid(from: JsonObject, key: string, path: string): Cloid {
    const parsed = parseCloid(from[key])
    if (parsed.ok) return parsed.value
    if (from[key] !== undefined) {
      this.problem(path, key, 'a client order id: 0x and 32 hex digits', from[key])
    }
    return '' as Cloid
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as a message quotes it: short, and on one line. */
export function shownJson(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return shownText(JSON.stringify(value), limits.shownNameCharsMax)
}

/** The whole ("the action", "the request") is not part of its fields' names. */
function join(path: string, key: string): string {
  return path === '' || path.startsWith('the ') ? key : `${path}.${key}`
}

keepOptimised(new Fields())
