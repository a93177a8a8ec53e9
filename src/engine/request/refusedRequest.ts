import { hash as digest } from 'node:crypto'
import type { Json } from '../../core/protocol/action.ts'
import { limits } from '../../core/values/limits.ts'

/**
 * A refused action as its record holds it: whole up to 16 KiB; of a longer one the length and
 * SHA-256 of its JSON text, which tell it from every other, and how it begins.
 */
export function refusedRequest(request: Json): Json {
  const text = JSON.stringify(request)
  const bytes = Buffer.byteLength(text)
  if (bytes <= limits.refusedRequestBytesMax) return request
  // A character is never cut in two.
  const head = text.slice(0, limits.refusedHeadCharsMax).replace(/[\ud800-\udbff]$/, '')
  return { bytes, sha256: digest('sha256', text), head: copyOf(head) }
}

/** A part of a text keeps all of it in memory to V8, for as long as the record is there. */
const copyOf = (part: string): string => Buffer.from(part).toString()
