import { expect, test } from 'vitest'
import { bar, bound, brokenBounds } from './report.ts'
import type { Bar } from './report.ts'

const reportOf = (...bars: Bar[]) => ({
  parts: [{ name: 'soak', title: 'Soak', notes: [], tables: [], bars, figures: null }],
})

test.each([
  [
    'a bound that is broken',
    bound('disk', 'at most 1', '2', false),
    ['disk: 2 (wanted at most 1)'],
  ],
  ['a bound that holds', bound('disk', 'at most 1', '1', true), []],
  ['a bound that nobody could measure', bound('disk', 'at most 1', 'not measured', null), []],
  ['a bar that is missed', bar('speed', 'at most 1', '2', false), []],
])('%s', (_, one, broken) => {
  expect(brokenBounds(reportOf(one))).toEqual(broken)
})
