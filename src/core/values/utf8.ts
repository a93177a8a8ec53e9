/** Text and bytes. Every host of JavaScript has these two; the language's own library does not. */

declare class TextDecoder {
  constructor(label: string, options: { fatal: boolean; ignoreBOM: boolean })
  decode(bytes: Uint8Array): string
}
declare class TextEncoder {
  encode(text: string): Uint8Array
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Null when the bytes are not UTF-8. A byte order mark is kept, so that a reader can refuse it. */
export function utf8Decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

export function utf8Encode(text: string): Uint8Array {
  return encoder.encode(text)
}
