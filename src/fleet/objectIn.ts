import type { Json, JsonObject } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'

/** What a store kept as text, as an object; null where it is none. */
export function objectIn(text: unknown): JsonObject | null {
  try {
    const json = typeof text === 'string' ? (JSON.parse(text) as Json) : null
    return isObject(json) ? json : null
  } catch {
    return null
  }
}
