/** Hex text and bytes, without the `0x`. */

const digits: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

export function bytesToHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += digits[byte] as string
  return hex
}

/** Null when the text is not an even number of hex digits. */
export function hexToBytes(hex: string): Uint8Array | null {
  if (hex.length % 2 !== 0) return null
  const bytes = new Uint8Array(hex.length / 2)
  for (let at = 0; at < bytes.length; at++) {
    const high = digitOf(hex.charCodeAt(2 * at))
    const low = digitOf(hex.charCodeAt(2 * at + 1))
    if (high < 0 || low < 0) return null
    bytes[at] = high * 16 + low
  }
  return bytes
}

function digitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
