import { expect, test } from 'vitest'
import { openWords } from './openPositions.ts'

test.each([
  ['nothing could be read', null, /could not be read\. .*closes it no more/],
  ['nothing is open', [], /^The venue shows no open position/],
  [
    'something is open',
    [
      { coin: 'ETH', size: '4' },
      { coin: 'BTC', size: '-0.5' },
    ],
    /^Still open at the venue: ETH 4 long, BTC 0\.5 short\. .*closes it no more/,
  ],
])('what a person is told when %s', (_name, positions, words) => {
  expect(openWords(positions)).toMatch(words)
})
