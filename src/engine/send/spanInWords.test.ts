import { expect, test } from 'vitest'
import { spanInWords } from './spanInWords.ts'

test.each([
  [0, 'less than a second'],
  [499, 'less than a second'],
  [1_000, '1 second'],
  [11_200, '11 seconds'],
  [59_800, '1 minute'],
  [61_000, '1 minute and 1 second'],
  [3_600_000, '1 hour'],
  [3_601_000, '1 hour'],
  [3_900_000, '1 hour and 5 minutes'],
  [3 * 86_400_000 + 2 * 3_600_000 + 59_000, '3 days and 2 hours'],
])('%d ms is %s', (ms, words) => {
  expect(spanInWords(ms)).toBe(words)
})
