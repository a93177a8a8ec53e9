import { expect, test } from 'vitest'
import { limits } from '../values/limits.ts'
import { holdsTooManyValues } from './jsonValues.ts'

const max = limits.jsonValuesMax

test.each([
  ['a short text', '[[],[]]', false],
  ['one long string', `"${'x'.repeat(1_000_000)}"`, false],
  ['as many as may be', `[${'0 ,'.repeat(max - 2)}0]`, false],
  ['one more', `[${'0 ,'.repeat(max - 1)}0]`, true],
  ['nested empties', `[${'[],'.repeat(300_000)}[]]`, true],
  ['empty objects', `[${'{},'.repeat(300_000)}{}]`, true],
  ['brackets alone', '['.repeat(1_000_000), true],
])('%s', (_what, text, expected) => {
  expect(holdsTooManyValues(text)).toBe(expected)
})
