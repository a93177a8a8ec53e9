import type { Json } from '../../../../src/core/protocol/action.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import { parseCloid } from '../../../../src/core/values/cloid.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'

/**
 * A typed reader as the venue has one: it takes JSON and gives the canonical form back, keys in
 * schema order, decimals plain, unknown keys dropped; undefined when the JSON does not fit.
 */
export type Schema = (json: Json | undefined) => Json | undefined

type Fields = { readonly [key: string]: Json }

export function isObject(json: Json | undefined): json is Fields {
  return json !== undefined && json !== null && typeof json === 'object' && !Array.isArray(json)
}

export const uint: Schema = (json) =>
  typeof json === 'number' && Number.isSafeInteger(json) && json >= 0 ? json : undefined

export const int: Schema = (json) =>
  typeof json === 'number' && Number.isSafeInteger(json) ? json : undefined

export const bool: Schema = (json) => (typeof json === 'boolean' ? json : undefined)

export const text: Schema = (json) => (typeof json === 'string' ? json : undefined)

export const anything: Schema = (json) => json

export const decimal: Schema = (json) => {
  const parsed = Decimal.parse(json)
  return parsed.ok ? parsed.value.toString() : undefined
}

export const cloid: Schema = (json) => {
  const parsed = parseCloid(json)
  return parsed.ok ? parsed.value : undefined
}

export const addressText: Schema = (json) => {
  const parsed = parseAddress(json)
  return parsed.ok ? parsed.value : undefined
}

export function literal(...values: readonly string[]): Schema {
  return (json) => (typeof json === 'string' && values.includes(json) ? json : undefined)
}

export function oneOf(...schemas: readonly Schema[]): Schema {
  return (json) => {
    for (const schema of schemas) {
      const read = schema(json)
      if (read !== undefined) return read
    }
    return undefined
  }
}

export function nullable(schema: Schema): Schema {
  return (json) => (json === null ? null : schema(json))
}

export function array(schema: Schema): Schema {
  return (json) => {
    if (!Array.isArray(json)) return undefined
    const read = (json as readonly Json[]).map(schema)
    return read.some((each) => each === undefined) ? undefined : (read as Json[])
  }
}

/** Keys in the order given; a key ending in `?` may be absent or null, and is then left out. */
export function object(fields: { readonly [key: string]: Schema }): Schema {
  const entries = Object.entries(fields).map(([key, schema]) => {
    const isOptional = key.endsWith('?')
    return { name: isOptional ? key.slice(0, -1) : key, schema, isOptional }
  })
  return (json) => {
    if (!isObject(json)) return undefined
    const built: { [key: string]: Json } = {}
    for (const { name, schema, isOptional } of entries) {
      const given = Object.hasOwn(json, name) ? json[name] : undefined
      if (isOptional && (given === undefined || given === null)) continue
      const read = schema(given)
      if (read === undefined) return undefined
      built[name] = read
    }
    return built
  }
}
