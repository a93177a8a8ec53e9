import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coinCalled, isOddCoin, isWrittenCoin, parseCoin } from './coin.ts'

test.each([
  ['kPEPE', 'kPEPE'],
  ['xyz:TSLA', 'xyz:TSLA'],
  ['A&B', 'A%0026B'],
  ['AB CD', 'AB%0020CD'],
  ['<b>', '%003cb%003e'],
  ['50%', '50%0025'],
  ['xyz:A&B', 'xyz:A%0026B'],
  ['', '%0'],
  ['\u{1f600}', '%d83d%de00'],
])('the venue’s %j is called %s', (name, called) => {
  expect(coinCalled(name)).toBe(called)
})

test('a name that is too long is cut, and others that begin so are other names', () => {
  const [one, other] = ['1', '2'].map((last) => coinCalled(`${'L'.repeat(4_000)}${last}`))
  expect(one).toMatch(/^L{40}%[0-9a-f]+$/)
  expect(one).not.toBe(other)
})

test('whatever the venue calls a market, its name here is plain, bounded and its own', () => {
  const name = fc.string({ unit: 'binary', maxLength: 40 })
  fc.assert(
    fc.property(name, name, (one, other) => {
      const called = coinCalled(one)
      expect([isWrittenCoin(called), called.length <= 250]).toEqual([true, true])
      expect(isOddCoin(called)).toBe(!parseCoin(one).ok)
      expect(called === coinCalled(other)).toBe(one === other)
    }),
  )
})
