import { expect, test } from 'vitest'
import { limits } from '../core/values/limits.ts'
import { checkedReason } from './killReason.ts'

test.each(['x', 'ü', '\u{1f6d1}'])('a reason may have as many %s as Guard takes', (letter) => {
  const longest = letter.repeat(limits.killReasonCharsMax)
  expect(checkedReason(` ${longest} `)).toBe(longest)
  expect(() => checkedReason(`${longest}${letter}`)).toThrow('1 to 200 printable characters')
})

test.each(['', ' ', 'a\nb', 'a\u{1b}b', 'a\u{85}b'])('%j is no reason', (text) => {
  expect(() => checkedReason(text)).toThrow('1 to 200 printable characters')
})
