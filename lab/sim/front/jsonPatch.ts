import type { Json } from '../../../src/core/protocol/action.ts'
import { isObject } from '../../../src/core/protocol/fields.ts'
import { isDeepStrictEqual } from 'node:util'

/**
 * A value with a patch laid over it: a list is a JSON patch (RFC 6902), anything else a merge patch
 * (RFC 7396: null takes a field away). A path that is not there changes nothing; a `test` that
 * fails leaves the whole value as it was.
 */
export function patched(value: Json, patch: Json): Json {
  if (!Array.isArray(patch)) return merged(value, patch)
  let result = value
  for (const step of patch as readonly Json[]) {
    if (!isObject(step) || typeof step['path'] !== 'string') continue
    const done = stepped(result, step, keysOf(step['path']))
    if (done === 'failed') return value
    result = done.value
  }
  return result
}

const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test']

/** What is wrong with a JSON patch, by the step; null where nothing is. */
export function patchProblem(patch: Json): string | null {
  if (!Array.isArray(patch)) return null
  for (const [index, step] of (patch as readonly Json[]).entries()) {
    const path = `patch[${String(index)}]`
    if (!isObject(step)) return `${path} must be an object`
    const { op, path: to, from } = step
    if (typeof op !== 'string' || !operations.includes(op)) {
      return `${path}.op must be one of ${operations.join(', ')}, got ${JSON.stringify(op)}`
    }
    if (!isPointer(to)) return `${path}.path must be empty or begin with a slash`
    const isMoved = op === 'move' || op === 'copy'
    if (isMoved && !isPointer(from)) return `${path}.from must be empty or begin with a slash`
    const needsValue = op === 'add' || op === 'replace' || op === 'test'
    if (needsValue && step['value'] === undefined) return `${path}.value must be given`
  }
  return null
}

function isPointer(json: Json | undefined): boolean {
  return typeof json === 'string' && (json === '' || json.startsWith('/'))
}

type Keys = readonly string[]

function stepped(
  value: Json,
  step: { readonly [key: string]: Json },
  keys: Keys,
): { readonly value: Json } | 'failed' {
  const given = step['value'] ?? null
  switch (step['op']) {
    case 'test':
      return isDeepStrictEqual(at(value, keys), given) ? { value } : 'failed'
    case 'remove':
      return { value: removed(value, keys) }
    case 'replace':
      return { value: at(value, keys) === undefined ? value : written(value, keys, given, false) }
    case 'copy':
    case 'move': {
      const from = keysOf(typeof step['from'] === 'string' ? step['from'] : '')
      const moved = at(value, from)
      if (moved === undefined) return { value }
      const rest = step['op'] === 'move' ? removed(value, from) : value
      return { value: written(rest, keys, moved, true) }
    }
    default:
      return { value: written(value, keys, given, true) }
  }
}

function merged(value: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const fields: { [key: string]: Json } = isObject(value) ? { ...value } : {}
  for (const [key, each] of Object.entries(patch)) {
    if (each === null) delete fields[key]
    else fields[key] = merged(fields[key] ?? null, each)
  }
  return fields
}

/** What stands there; undefined where nothing does. */
function at(value: Json, keys: Keys): Json | undefined {
  let found: Json | undefined = value
  for (const key of keys) {
    if (Array.isArray(found)) found = (found as readonly Json[])[Number(key)]
    else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
    if (found === undefined) return undefined
  }
  return found
}

/** A value written to a place; into a list it is put before what stands there, or in its stead. */
function written(value: Json, keys: Keys, to: Json, isAdded: boolean): Json {
  const [key, ...rest] = keys
  if (key === undefined) return to
  if (Array.isArray(value)) {
    const list = [...(value as readonly Json[])]
    const index = key === '-' ? list.length : Number(key)
    if (!Number.isInteger(index) || index < 0 || index > list.length) return value
    if (rest.length > 0) list[index] = written(list[index] ?? null, rest, to, isAdded)
    else list.splice(index, isAdded ? 0 : 1, to)
    return list
  }
  if (!isObject(value)) return value
  const next = rest.length === 0 ? to : written(value[key] ?? null, rest, to, isAdded)
  return { ...value, [key]: next }
}

function removed(value: Json, keys: Keys): Json {
  const parent = keys.slice(0, -1)
  const key = keys.at(-1)
  const around = at(value, parent)
  if (key === undefined || at(value, keys) === undefined) return value
  if (Array.isArray(around)) {
    const list = around.filter((_, index) => index !== Number(key)) as readonly Json[]
    return written(value, parent, list, false)
  }
  const { [key]: _gone, ...left } = around as { readonly [key: string]: Json }
  return written(value, parent, left, false)
}

function keysOf(path: string): Keys {
  return path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}
