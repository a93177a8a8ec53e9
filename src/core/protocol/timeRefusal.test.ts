import { expect, test } from 'vitest'
import { timeRefusalIn } from './timeRefusal.ts'

test.each([
  ['Action already expired', { kind: 'expired' }],
  [
    'Invalid nonce: nonce too low 1794700000000 < 1794700000500',
    { kind: 'nonce_too_low', least: 1_794_700_000_500 },
  ],
  [
    'Invalid nonce: nonce too high 1795000000000 > 1794786400000',
    { kind: 'nonce_too_high', most: 1_794_786_400_000 },
  ],
  // It does not say that nothing was done: the nonce may be this action's own.
  ['Invalid nonce: duplicate nonce 1794700000000', null],
  ['Invalid nonce: nonce too low', null],
  ['Invalid nonce: nonce too high 1 > 2x', null],
  ['Order has invalid price.', null],
  ['', null],
])('%s', (text, refusal) => {
  expect(timeRefusalIn(text)).toEqual(refusal)
})
