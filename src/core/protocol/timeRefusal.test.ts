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
  // Of another action, or words that contradict themselves.
  ['Invalid nonce: nonce too low 1794700000001 < 1794700000500', null],
  ['Invalid nonce: nonce too low 1794700000000 < 1', null],
  ['Invalid nonce: nonce too high 3 > 2', null],
  ['Invalid nonce: nonce too high 1795000000000 > 1895000000000', null],
  ['Order has invalid price.', null],
  ['', null],
])('%s', (text, refusal) => {
  const nonce = text.includes('high') ? 1_795_000_000_000 : 1_794_700_000_000
  expect(timeRefusalIn(text, nonce)).toEqual(refusal)
})
