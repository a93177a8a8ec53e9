import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCloid } from '../values/cloid.ts'
import {
  guardCloidKind,
  guardCloidPrefix,
  guardCloidTailBytes,
  makeGuardCloid,
} from './guardCloid.ts'

const anyTail = fc.uint8Array({ minLength: guardCloidTailBytes, maxLength: guardCloidTailBytes })

test('an id Guard made is a client order id and tells its kind', () => {
  fc.assert(
    fc.property(fc.constantFrom('stop', 'order', 'close'), anyTail, (kind, tail) => {
      const id = makeGuardCloid(kind, tail)
      expect(parseCloid(id)).toEqual({ ok: true, value: id })
      expect(id.startsWith(guardCloidPrefix)).toBe(true)
      expect(guardCloidKind(id)).toBe(kind)
    }),
  )
})

test('two tails make two ids', () => {
  fc.assert(
    fc.property(anyTail, anyTail, (one, other) => {
      const isSame = one.every((byte, at) => byte === other[at])
      expect(makeGuardCloid('stop', one) === makeGuardCloid('stop', other)).toBe(isSame)
    }),
  )
})

test("any other id is not Guard's", () => {
  expect(guardCloidKind(null)).toBeNull()
  expect(guardCloidKind(`0x${'ab'.repeat(16)}`)).toBeNull()
})

test('a tail of another length is a bug', () => {
  expect(() => makeGuardCloid('stop', new Uint8Array(10))).toThrow('a cloid tail has 11 bytes')
})
