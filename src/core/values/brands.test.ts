import fc from 'fast-check'
import { expect, test } from 'vitest'
import { address, parseAddress } from './address.ts'
import { cloid, parseCloid } from './cloid.ts'
import { coin, parseCoin } from './coin.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import { dayMs, millis, nextUtcDay, nonce, utcDay } from './millis.ts'
import { anyText } from './text.fixture.ts'
import { assert, unreachable } from './unreachable.ts'
import { utf8Decode, utf8Encode } from './utf8.ts'

test('an address is 0x and 40 hex digits, kept in lower case', () => {
  const mixed = `0x${'aB'.repeat(20)}`
  for (const written of [mixed, mixed.toUpperCase(), `0X${mixed.slice(2)}`]) {
    expect(parseAddress(written)).toEqual({ ok: true, value: mixed.toLowerCase() })
  }
  for (const wrong of [
    mixed.slice(2),
    `${mixed}0`,
    mixed.slice(0, -1),
    `x0${mixed.slice(2)}`,
    ` ${mixed}`,
    `${mixed}\n`,
    null,
    1,
  ]) {
    expect(parseAddress(wrong)).toEqual({
      ok: false,
      error: 'must be an address: 0x and 40 hex digits',
    })
  }
  expect(() => address('0x1')).toThrow('"0x1" must be an address')
})

test('a client order id is 0x and 32 hex digits, kept in lower case', () => {
  const mixed = `0x${'aB'.repeat(16)}`
  expect(cloid(mixed)).toBe(mixed.toLowerCase())
  for (const wrong of [`${mixed}0`, mixed.slice(0, -1), `0x${'g'.repeat(32)}`, undefined]) {
    expect(parseCloid(wrong).ok).toBe(false)
  }
  expect(() => cloid('x')).toThrow('"x" must be a client order id')
})

test('a coin is named as the venue names it', () => {
  for (const name of ['BTC', 'kPEPE', 'xyz:TSLA', '@107', '#12090', '+3', 'PURR/USDC']) {
    expect(coin(name)).toBe(name)
  }
  for (const wrong of ['', 'a b', 'BTC\n', '<b>', 'x'.repeat(41), 7, null]) {
    expect(parseCoin(wrong).ok).toBe(false)
  }
  expect(() => coin('a b')).toThrow('"a b" must be a market name')
})

test('times and nonces are whole and not negative', () => {
  expect([millis(0), nonce(5)]).toEqual([0, 5])
  for (const wrong of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    expect(() => millis(wrong)).toThrow(TypeError)
    expect(() => nonce(wrong)).toThrow(TypeError)
  }
})

test('the next day begins at midnight, after the moment asked for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), (at) => {
      const next = nextUtcDay(millis(at))
      expect(next % dayMs).toBe(0)
      expect(next - at).toBeGreaterThan(0)
      expect(next - at).toBeLessThanOrEqual(dayMs)
      expect(utcDay(millis(next - 1))).toBe(utcDay(millis(at)))
      expect(utcDay(next)).not.toBe(utcDay(millis(at)))
    }),
  )
  expect(utcDay(millis(1_794_700_775_573))).toBe('2026-11-14')
})

test('hex and bytes are each other', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const hex = bytesToHex(bytes)
      expect(hex).toMatch(/^([0-9a-f]{2})*$/)
      expect(hexToBytes(hex)).toEqual(bytes)
      expect(hexToBytes(hex.toUpperCase())).toEqual(bytes)
    }),
  )
  for (const wrong of ['1', 'gg', '0x11', ' 1', '1G', '@@', '`a', 'é1'])
    expect(hexToBytes(wrong)).toBeNull()
})

test('text and UTF-8 are each other', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(utf8Decode(utf8Encode(text))).toBe(text)
    }),
  )
  expect(utf8Decode(Uint8Array.of(0xff))).toBeNull()
  expect(utf8Decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe('\ufeffA')
})

test('what cannot happen is a bug, and says so', () => {
  expect(() => unreachable('x' as never)).toThrow('unreachable: x')
  expect(() => {
    assert(false, 'two is two')
  }).toThrow('assertion failed: two is two')
  assert(true, 'fine')
})
