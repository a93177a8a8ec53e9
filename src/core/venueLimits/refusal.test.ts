import { describe, expect, test } from 'vitest'
import { assetIn, isAboutTheAction, refusalKind } from './refusal.ts'
import { venueTexts } from './venueTexts.fixture.ts'

describe('what a refusal means', () => {
  test.each(venueTexts)('%s: %s', (kind, text) => {
    expect(refusalKind(text)).toBe(kind)
    expect(refusalKind(`${text} asset=12`)).toBe(kind)
    expect(refusalKind(`L1 error: ${text.replace(/\.$/, '')}`)).toBe(kind)
  })

  test('a modify names the reason behind its own words', () => {
    const text = 'Error placing new order during modify: Price must be divisible by tick size.'
    expect(refusalKind(text)).toBe('off_grid')
  })

  test('only time, allowance and key are about the action itself', () => {
    const kinds = new Set(venueTexts.map(([kind]) => kind))
    expect([...kinds].filter(isAboutTheAction).sort()).toEqual([
      'allowance',
      'expired',
      'nonce',
      'signer',
    ])
  })
})

test.each([
  ['Price must be divisible by tick size. asset=3', 3],
  ['Too many open orders asset=110001', 110_001],
  ['Order price cannot be more than 80% away from the reference price', null],
  ['asset=3 is not at its end', null],
  ['', null],
])('the asset named in "%s"', (text, asset) => {
  expect(assetIn(text)).toBe(asset)
})
