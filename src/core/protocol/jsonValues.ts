import { limits } from '../values/limits.ts'

/**
 * Whether a JSON text may hold more values than any request does, told without reading it: a text
 * of a mebibyte can take a hundred times as much memory once it is read. What stands in strings is
 * counted too, since no request has so many commas and brackets there either.
 */
export function holdsTooManyValues(text: string): boolean {
  if (text.length <= limits.jsonValuesMax) return false
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === comma || code === openBracket || code === openBrace) {
      values += 1
      if (values > limits.jsonValuesMax) return true
    }
  }
  return false
}

const comma = 0x2c
const openBracket = 0x5b
const openBrace = 0x7b
