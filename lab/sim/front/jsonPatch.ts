import type { Json } from '../../../src/core/protocol/action.ts'
import { isObject } from '../../../src/core/protocol/fields.ts'

/**
 * A value with a patch laid over it: a list is a JSON patch (RFC 6902: add, replace and remove), anything
 * else a merge patch (RFC 7396: null takes a field away). A path that is not there changes nothing.
 */
export function patched(value: Json, patch: Json): Json {
  if (!Array.isArray(patch)) return merged(value, patch)
  let result = value
  for (const step of patch as readonly Json[]) {
    if (!isObject(step) || typeof step['path'] !== 'string') continue
    const keys = step['path'].split('/').slice(1).map(unescaped)
    result = changed(result, keys, step['op'] === 'remove' ? undefined : (step['value'] ?? null))
  }
  return result
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

/** `to` undefined takes the place away. */
function changed(value: Json, keys: readonly string[], to: Json | undefined): Json {
  const [key, ...rest] = keys
  if (key === undefined) return to ?? null
  if (Array.isArray(value)) {
    const list = [...(value as readonly Json[])]
    const at = key === '-' ? list.length : Number(key)
    if (rest.length > 0) list[at] = changed(list[at] ?? null, rest, to)
    else if (to === undefined) list.splice(at, 1)
    else list[at] = to
    return list
  }
  if (!isObject(value)) return value
  const fields = { ...value }
  if (rest.length > 0) fields[key] = changed(fields[key] ?? null, rest, to)
  else if (to === undefined) delete fields[key]
  else fields[key] = to
  return fields
}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~')
}
