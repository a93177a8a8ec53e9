import { utf8Encode } from '../values/utf8.ts'
import type { Json } from './action.ts'

/**
 * MessagePack as the venue hashes it: maps in the order of their keys, the shortest header for text
 * and lists, the shortest whole number, eight bytes beyond 32 bits, and a double for a fraction.
 */
export class MsgpackWriter {
  private bytes = new Uint8Array(1024)
  private view = new DataView(this.bytes.buffer)
  private length = 0

  /** Starts over; the memory is kept, so `written` must be used before the next start. */
  reset(): void {
    this.length = 0
  }

  /** What was written since the last start: a view of memory that the next start reuses. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  value(value: Json): void {
    if (typeof value === 'string') this.text(value)
    else if (typeof value === 'number') this.number(value)
    else if (value === null) this.byte(0xc0)
    else if (typeof value === 'boolean') this.byte(value ? 0xc3 : 0xc2)
    else if (Array.isArray(value)) this.list(value as readonly Json[])
    else this.map(value as { readonly [key: string]: Json })
  }

  byte(value: number): void {
    this.room(1)
    this.bytes[this.length++] = value
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Eight bytes, big endian, of a safe whole number that is not negative. */
  uint64(value: number): void {
    this.room(8)
    this.view.setUint32(this.length, Math.floor(value / 0x1_0000_0000))
    this.view.setUint32(this.length + 4, value >>> 0)
    this.length += 8
  }

  private map(value: { readonly [key: string]: Json }): void {
    const keys = Object.keys(value)
    this.header(keys.length, 0x80, 0xde)
    for (const key of keys) {
      this.text(key)
      this.value(value[key] as Json)
    }
  }

  private list(value: readonly Json[]): void {
    this.header(value.length, 0x90, 0xdc)
    for (const each of value) this.value(each)
  }

  private header(count: number, short: number, long: number): void {
    if (count < 16) {
      this.byte(short | count)
    } else if (count < 0x1_0000) {
      this.byte(long)
      this.uint(count, 2)
    } else {
      this.byte(long + 1)
      this.uint(count, 4)
    }
  }

  private text(text: string): void {
    const { length } = text
    this.room(length + 5)
    const start = this.length + textHeaderBytes(length)
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code > 0x7f) {
        const encoded = utf8Encode(text)
        this.textHeader(encoded.length)
        this.raw(encoded)
        return
      }
      this.bytes[start + at] = code
    }
    this.textHeader(length)
    this.length += length
  }

  private textHeader(length: number): void {
    if (length < 32) {
      this.byte(0xa0 | length)
    } else if (length < 0x100) {
      this.byte(0xd9)
      this.byte(length)
    } else if (length < 0x1_0000) {
      this.byte(0xda)
      this.uint(length, 2)
    } else {
      this.byte(0xdb)
      this.uint(length, 4)
    }
  }

  private number(value: number): void {
    if (!Number.isSafeInteger(value)) {
      this.room(9)
      this.byte(0xcb)
      this.view.setFloat64(this.length, value)
      this.length += 8
    } else if (value >= 0) {
      this.positive(value)
    } else {
      this.negative(value)
    }
  }

  private positive(value: number): void {
    if (value < 0x80) {
      this.byte(value)
    } else if (value < 0x100) {
      this.byte(0xcc)
      this.byte(value)
    } else if (value < 0x1_0000) {
      this.byte(0xcd)
      this.uint(value, 2)
    } else if (value < 0x1_0000_0000) {
      this.byte(0xce)
      this.uint(value, 4)
    } else {
      this.byte(0xcf)
      this.uint64(value)
    }
  }

  private negative(value: number): void {
    if (value >= -0x20) {
      this.byte(value & 0xff)
    } else if (value >= -0x80) {
      this.byte(0xd0)
      this.byte(value & 0xff)
    } else if (value >= -0x8000) {
      this.byte(0xd1)
      this.uint(value & 0xffff, 2)
    } else if (value >= -0x8000_0000) {
      this.byte(0xd2)
      this.uint(value >>> 0, 4)
    } else {
      this.room(9)
      this.byte(0xd3)
      this.view.setBigInt64(this.length, BigInt(value))
      this.length += 8
    }
  }

  private uint(value: number, size: 2 | 4): void {
    this.room(size)
    if (size === 2) this.view.setUint16(this.length, value)
    else this.view.setUint32(this.length, value)
    this.length += size
  }

  private room(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more))
    grown.set(this.bytes)
    this.bytes = grown
    this.view = new DataView(grown.buffer)
  }
}

function textHeaderBytes(length: number): number {
  if (length < 32) return 1
  if (length < 0x100) return 2
  return length < 0x1_0000 ? 3 : 5
}
