const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** ASCII text as base64url without padding. */
export function encodeBase64url(text: string): string {
  let out = ''
  for (let at = 0; at < text.length; at += 3) {
    const bytes = [at, at + 1, at + 2].map((index) => text.charCodeAt(index) & 255)
    const [first = 0, second = 0, third = 0] = bytes
    const group = (first << 16) | (second << 8) | third
    const chars = Math.min(4, text.length - at + 1)
    for (let sextet = 0; sextet < chars; sextet++) {
      out += alphabet.charAt((group >> (18 - 6 * sextet)) & 63)
    }
  }
  return out
}

/** The ASCII text of base64url without padding; null for anything else. */
export function decodeBase64url(code: string): string | null {
  let out = ''
  let bits = 0
  let held = 0
  for (const char of code) {
    const value = alphabet.indexOf(char)
    if (value < 0) return null
    held = ((held << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    const byte = (held >> bits) & 255
    if (byte > 127) return null
    out += String.fromCharCode(byte)
  }
  const leftover = held & ((1 << bits) - 1)
  return bits >= 6 || leftover !== 0 ? null : out
}
