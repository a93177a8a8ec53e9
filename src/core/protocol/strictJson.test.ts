import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../values/text.fixture.ts'
import { utf8Encode } from '../values/utf8.ts'
import type { Json } from './action.ts'
import { isObject } from './fields.ts'
import { parseJson } from './strictJson.ts'

/** Keys an object would reorder are refused, so arbitrary values are made without them. */
const anyKey = anyText().filter((key) => !/^(0|[1-9][0-9]*)$|^__proto__$/.test(key))
const { json: anyJson } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger().map((value) => (Object.is(value, -0) ? 0 : value)),
    anyText(),
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(anyKey, tie('json'), { maxKeys: 6 }).map((value) => ({ ...value })),
  ),
}))

test('what JSON writes is read back, in the same order of keys', () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      for (const body of [text, utf8Encode(text)]) {
        const parsed = parseJson(body)
        if (!parsed.ok) throw new Error(parsed.error)
        expect(JSON.stringify(parsed.value, null, indent)).toBe(text)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('whatever it accepts, JSON.parse reads as the same value', () => {
  const piece = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"b"',
      '"\\u0061"',
      '"',
      '\\',
      ' ',
      '\n',
      '0',
      '1',
      '-',
    ],
    ...[
      '.5',
      'e1',
      '1.5',
      '12',
      'true',
      'false',
      'null',
      'NaN',
      '\u0000',
      'é',
      '"__proto__"',
      '"7"',
    ],
  )
  let accepted = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const parsed = parseJson(text)
      if (!parsed.ok) return
      accepted += 1
      expect(JSON.parse(text)).toEqual(parsed.value)
    }),
    { numRuns: 20_000 },
  )
  expect(accepted).toBeGreaterThan(100)
})

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const list = (items: number): string => `[${Array.from({ length: items }, () => 0).join()}]`

test.each<[string, string, string]>([
  ['a key given twice', '{"a":1,"a":1}', 'key "a" is given twice (at character 10)'],
  ['a key given twice, once escaped', '{"a":1,"\\u0061":2}', 'key "a" is given twice'],
  ['a key given twice, deep down', '{"x":[{"b":{"a":1,"c":2,"a":3}}]}', 'key "a" is given twice'],
  ['a prototype', '{"__proto__":{"a":1}}', 'key "__proto__" is not allowed'],
  ['an escaped prototype', '{"\\u005f_proto__":1}', 'key "__proto__" is not allowed'],
  ['a key that is a number', '{"b":1,"7":1}', 'key "7" must not be a number'],
  ['two values', '{} {}', 'nothing may follow the JSON value'],
  ['trailing text', '{}x', 'nothing may follow'],
  ['an empty body', '', 'a JSON value is expected (at character 0)'],
  ['only space', '  ', 'a JSON value is expected'],
  ['a trailing comma', '{"a":1,}', 'a key in quotes is expected'],
  ['a trailing comma in a list', '[1,]', 'a JSON value is expected'],
  ['a comment', '{/**/}', 'a key in quotes is expected'],
  ['single quotes', "{'a':1}", 'a key in quotes is expected'],
  ['a missing colon', '{"a" 1}', 'a colon is expected after key "a"'],
  ['a missing comma', '[1 2]', 'a comma or a closing bracket is expected'],
  ['an open object', '{"a":1', 'a comma or a closing brace is expected'],
  ['an open list', '[1', 'a comma or a closing bracket is expected'],
  ['an open string', '"abc', 'a string is not closed'],
  ['an open escaped string', '"\\n', 'a string is not closed'],
  ['a raw line end', '"a\nb"', 'a control character must be escaped'],
  ['a raw line end after an escape', '"\\t\n"', 'a control character must be escaped'],
  ['an unknown escape', '"\\x41"', '"\\x" is not an escape'],
  ['an inherited escape', '"\\c"', '"\\c" is not an escape'],
  ['a short unicode escape', '"\\u12"', '"\\u" needs four hex digits'],
  ['half a character', '"\\ud800"', 'a string holds half a character'],
  ['halves in the wrong order', '"\\udc00\\ud800"', 'a string holds half a character'],
  ['a leading zero', '01', 'nothing may follow'],
  ['a plus', '+1', 'a JSON value is expected'],
  ['a bare minus', '-', 'a number is not well formed'],
  ['a bare fraction', '.5', 'a JSON value is expected'],
  ['minus zero', '-0', 'number -0 is not exact in its shortest plain form'],
  ['an exponent', '1e3', 'number 1e3 is not exact in its shortest plain form'],
  ['a trailing zero', '1.0', 'number 1.0 is not exact in its shortest plain form'],
  ['an integer that is not exact', '9007199254740993', 'number 9007199254740993 is not exact'],
  ['an integer beyond the exact ones', '9007199254740992', 'number 9007199254740992 is not exact'],
  [
    'a fraction that is not exact',
    '0.1000000000000000055',
    'is not exact in its shortest plain form',
  ],
  ['infinity', '1e999', 'number 1e999 is not exact in its shortest plain form'],
  ['not a number', 'NaN', 'a JSON value is expected'],
  ['a word with a tail', 'nullx', 'nothing may follow'],
  ['a byte order mark', '\ufeff{}', 'a JSON value is expected'],
  ['other white space', '\u00a0{}', 'a JSON value is expected'],
  ['nesting beyond the bound', nested(33), 'JSON may be nested at most 32 deep'],
  ['values beyond the bound', list(20_000), 'JSON may hold at most 20000 values'],
])('%s is refused', (_what, text, problem) => {
  expect(parseJson(text)).toEqual({ ok: false, error: expect.stringContaining(problem) })
})

test.each<[string, Json]>([
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['-9007199254740991', Number.MIN_SAFE_INTEGER],
  ['100.5', 100.5],
  ['-0.25', -0.25],
  ['0', 0],
  ['-1', -1],
  ['"\\ud83d\\ude00"', '😀'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
  [' { "a" : [ ] , "b" : { } } ', { a: [], b: {} }],
  [nested(32), JSON.parse(nested(32)) as Json],
  [list(19_999), JSON.parse(list(19_999)) as Json],
  ['{"constructor":1,"toString":2,"":3}', { constructor: 1, toString: 2, '': 3 }],
  ['{"07":1,"-1":2}', { '07': 1, '-1': 2 }],
])('%s is accepted', (text, value) => {
  expect(parseJson(text)).toEqual({ ok: true, value })
})

test.each<[string, number[]]>([
  ['a lone continuation', [0x22, 0x80, 0x22]],
  ['an overlong quote', [0x22, 0xc0, 0xa2, 0x22]],
  ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['beyond Unicode', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
  ['a cut character', [0x22, 0xe2, 0x82, 0x22]],
  ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
])('bytes that are not UTF-8 are refused: %s', (_what, bytes) => {
  expect(parseJson(Uint8Array.from(bytes))).toEqual({
    ok: false,
    error: 'the body must be UTF-8 text',
  })
})

test('a deep body costs no stack', () => {
  expect(parseJson('['.repeat(1_000_000)).ok).toBe(false)
})

test.each([
  ['plain', '', ''],
  ['with an escape', '\\u0041', 'A'],
])('a text that is kept, %s, does not keep the body it came from', (_, written, read) => {
  const [bodies, bodyBytes] = [200, 524_288]
  const kept: Json[] = []
  const before = heldBytes()
  for (let n = 0; n < bodies; n += 1) {
    const cloid = `0x${String(n).padStart(32, '0')}`
    const parsed = parseJson(`{"cloid":"${cloid}${written}"${' '.repeat(bodyBytes)}}`)
    if (!parsed.ok || !isObject(parsed.value)) throw new Error('it was refused')
    kept.push(parsed.value['cloid'] ?? null)
  }
  const grown = heldBytes() - before
  expect(kept.at(-1)).toBe(`0x${String(bodies - 1).padStart(32, '0')}${read}`)
  expect(grown).toBeLessThan((bodies * bodyBytes) / 4)
})

/** What is on the heap once everything that nobody holds is gone. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
