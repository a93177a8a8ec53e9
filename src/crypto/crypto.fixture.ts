import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hexToBytes } from '../core/values/hex.ts'

const fixtures = resolve(import.meta.dirname, '..', 'core', 'protocol', 'fixtures')

export function readFixture<T>(name: string): T {
  return JSON.parse(readFileSync(join(fixtures, name), 'utf8')) as T
}

/** Bytes of `0x` text in a fixture; throws when it is not hex. */
export function bytesOf(hex: string): Uint8Array {
  const bytes = hexToBytes(hex.slice(2))
  if (bytes === null) throw new TypeError(`"${hex}" is not hex`)
  return bytes
}

/** The key every recorded client signed with; published, and never to be funded. */
export const clientKey = bytesOf(
  '0x0123456789012345678901234567890123456789012345678901234567890123',
)
export const clientAddress = '0x14791697260e4c9a71f18484c9f997b308e59325'
