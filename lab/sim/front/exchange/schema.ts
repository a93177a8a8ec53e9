import type { Json } from '../../../../src/core/protocol/action.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import { parseCloid } from '../../../../src/core/values/cloid.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'

/**
 * A typed reader as the venue has one: it takes JSON and gives the canonical form back, keys in
 * schema order, decimals plain, unknown keys dropped; undefined when the JSON does not fit.
 */
export interface Schema {
  (json: Json | undefined): Json | undefined
  /** What it takes, in words. */
  readonly expected: string
  /** Where the JSON does not fit, by the path of its first field that does not; null where it fits. */
  readonly problem: (json: Json | undefined, path: string) => string | null
}

type Read = (json: Json | undefined) => Json | undefined

/** A reader with words for what it takes; those with parts look into them for what is wrong. */
function schema(expected: string, read: Read, within?: Schema['problem']): Schema {
  const problem: Schema['problem'] = (json, path) =>
    read(json) !== undefined
      ? null
      : (within?.(json, path) ?? `${path} must be ${expected}, got ${shown(json)}`)
  return Object.assign((json: Json | undefined) => read(json), { expected, problem })
}

function shown(json: Json | undefined): string {
  return json === undefined ? 'nothing' : JSON.stringify(json).slice(0, 200)
}

type Fields = { readonly [key: string]: Json }

export function isObject(json: Json | undefined): json is Fields {
  return json !== undefined && json !== null && typeof json === 'object' && !Array.isArray(json)
}

export const uint = schema('a whole number, 0 or more', (json) =>
  typeof json === 'number' && Number.isSafeInteger(json) && json >= 0 ? json : undefined,
)

export const int = schema('a whole number', (json) =>
  typeof json === 'number' && Number.isSafeInteger(json) ? json : undefined,
)

export const bool = schema('true or false', (json) =>
  typeof json === 'boolean' ? json : undefined,
)

export const text = schema('a text', (json) => (typeof json === 'string' ? json : undefined))

export const anything = schema('anything', (json) => json)

export const decimal = schema('a decimal string', (json) => {
  const parsed = Decimal.parse(json)
  return parsed.ok ? parsed.value.toString() : undefined
})

export const cloid = schema('a client order id, 0x and 32 hex digits', (json) => {
  const parsed = parseCloid(json)
  return parsed.ok ? parsed.value : undefined
})

export const addressText = schema('an address, 0x and 40 hex digits', (json) => {
  const parsed = parseAddress(json)
  return parsed.ok ? parsed.value : undefined
})

export function literal(...values: readonly string[]): Schema {
  const expected = values.length === 1 ? `"${values.join('')}"` : `one of ${values.join(', ')}`
  return schema(expected, (json) =>
    typeof json === 'string' && values.includes(json) ? json : undefined,
  )
}

export function oneOf(...schemas: readonly Schema[]): Schema {
  return schema(
    schemas.map(({ expected }) => expected).join(', or '),
    (json) => {
      for (const each of schemas) {
        const read = each(json)
        if (read !== undefined) return read
      }
      return undefined
    },
    (json, path) => {
      // The one that comes furthest is the one that was meant.
      const whole = `${path} must be`
      const found = schemas.map((each) => each.problem(json, path) ?? '')
      return found.find((problem) => isObject(json) && isInside(json, path, problem, whole)) ?? null
    },
  )
}

/** Whether a problem is one of a field that the object has. */
function isInside(json: Fields, path: string, problem: string, whole: string): boolean {
  if (problem.startsWith(whole)) return false
  return Object.keys(json).some((key) => problem.startsWith(`${path}.${key}`))
}

export function nullable(inner: Schema): Schema {
  return schema(
    `${inner.expected}, or null`,
    (json) => (json === null ? null : inner(json)),
    (json, path) => {
      const found = inner.problem(json, path)
      return found?.startsWith(`${path} must be`) === true ? null : found
    },
  )
}

export function array(inner: Schema): Schema {
  return schema(
    'an array',
    (json) => {
      if (!Array.isArray(json)) return undefined
      const read = (json as readonly Json[]).map((each) => inner(each))
      return read.some((each) => each === undefined) ? undefined : (read as Json[])
    },
    (json, path) => {
      const problems = Array.isArray(json)
        ? (json as readonly Json[]).map((each, at) => inner.problem(each, `${path}[${String(at)}]`))
        : []
      return problems.find((each) => each !== null) ?? null
    },
  )
}

/** Keys in the order given; a key ending in `?` may be absent or null, and is then left out. */
export function object(fields: { readonly [key: string]: Schema }): Schema {
  const entries = Object.entries(fields).map(([key, each]) => {
    const isOptional = key.endsWith('?')
    return { name: isOptional ? key.slice(0, -1) : key, schema: each, isOptional }
  })
  const given = (json: Fields, name: string): Json | undefined =>
    Object.hasOwn(json, name) ? json[name] : undefined
  const isLeftOut = (json: Json | undefined, isOptional: boolean): boolean =>
    isOptional && (json === undefined || json === null)
  return schema(
    `an object with ${entries.map(({ name }) => name).join(', ')}`,
    (json) => {
      if (!isObject(json)) return undefined
      const built: { [key: string]: Json } = {}
      for (const { name, schema: each, isOptional } of entries) {
        if (isLeftOut(given(json, name), isOptional)) continue
        const read = each(given(json, name))
        if (read === undefined) return undefined
        built[name] = read
      }
      return built
    },
    (json, path) => {
      if (!isObject(json)) return null
      for (const { name, schema: each, isOptional } of entries) {
        if (isLeftOut(given(json, name), isOptional)) continue
        const problem = each.problem(given(json, name), `${path}.${name}`)
        if (problem !== null) return problem
      }
      return null
    },
  )
}
