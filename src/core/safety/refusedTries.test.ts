import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { plainManner } from './manner.ts'
import { RefusedTries } from './refusedTries.ts'

const [btc, eth] = [coin('BTC'), coin('ETH')]
const one = Decimal.one

test('what was refused is told in the venue’s words, by coin, until the venue takes an order', () => {
  const tries = new RefusedTries()
  tries.refusedTogether([btc, eth], 'first')
  tries.refused(eth, 'second', one, 1)
  tries.refused(eth, 'second', one, 1)
  expect(tries.textsOf([eth, btc, eth])).toEqual(['ETH: first', 'ETH: second', 'BTC: first'])
  expect([...tries.refusedCoins()]).toEqual([btc, eth])
  tries.taken(eth)
  expect(tries.textsOf([btc, eth])).toEqual(['BTC: first'])
  expect([...tries.refusedCoins()]).toEqual([btc])
})

test('how a coin is asked for stays after it was taken, and ends with its position', () => {
  const tries = new RefusedTries()
  tries.refused(eth, 'Order value exceeds the maximum for this asset.', one, 1)
  tries.taken(eth)
  expect(tries.mannerOf(eth).shrink).toBe(1)
  tries.taken(btc)
  tries.keepOnly(
    (each) => each === eth,
    () => 1,
  )
  expect(tries.mannerOf(eth).shrink).toBe(1)
  tries.keepOnly(
    (each) => each !== eth,
    () => 1,
  )
  expect(tries.mannerOf(eth)).toEqual(plainManner)
})

test('refused for the band it is asked for at the edge twice, then as usual', () => {
  const tries = new RefusedTries()
  const text = 'Price too far from oracle'
  const isAtEdge = [1, 2, 3, 4].map(() => {
    tries.refused(eth, text, one, 1)
    return tries.isAtEdge(eth, text)
  })
  expect(isAtEdge).toEqual([true, true, false, true])
  expect(tries.isAtEdge(eth, 'Trading is halted')).toBe(false)
  expect(tries.isAtEdge(btc, text)).toBe(false)
})

test('few words are kept, and none of them is long', () => {
  const tries = new RefusedTries()
  for (let at = 0; at < 1_000; at++) tries.refused(eth, `${at} ${'x'.repeat(1_000)}`, one, 1)
  const texts = tries.textsOf([eth])
  expect(texts).toHaveLength(5)
  expect(texts.at(-1)).toMatch(/^ETH: 999 x{200}/)
  for (const text of texts) expect(text.length).toBeLessThan(310)
})

test('only what stays too small at its least value is given up, and only at that size', () => {
  const tries = new RefusedTries()
  const small = 'Order must have minimum value of $10. asset=1'
  tries.refused(eth, small, one, 1)
  expect(tries.givenUp(eth, one)).toBeNull()
  tries.refused(eth, small, one, 1)
  expect(tries.givenUp(eth, one)).toBe(small)
  expect(tries.givenUp(eth, Decimal.of('0.5'))).toBeNull()
  tries.refused(eth, 'Trading is halted', one, 1)
  expect(tries.givenUp(eth, one)).toBeNull()
})

test('what was refused under another id changes nothing of how a coin is asked for', () => {
  const tries = new RefusedTries()
  const always = (): boolean => true
  const text = 'Order price cannot be more than 80% away from the reference price'
  tries.refused(eth, text, one, 1)
  tries.keepOnly(always, () => 1)
  expect(tries.mannerOf(eth).bandStep).toBe(1)
  tries.keepOnly(always, () => 2)
  expect(tries.mannerOf(eth)).toEqual(plainManner)
  expect(tries.textsOf([eth])).toEqual([`ETH: ${text}`])
  tries.refusedTogether([btc], text)
  tries.keepOnly(always, () => null)
  expect(tries.isAlone(btc)).toBe(true)
})

test('a batch without an answer sends its coins by themselves, and says nothing of them', () => {
  const tries = new RefusedTries()
  tries.refused(eth, 'before', one, 1)
  tries.unansweredTogether([btc, eth])
  expect([btc, eth].map((each) => tries.isAlone(each))).toEqual([true, true])
  expect(tries.textsOf([btc, eth])).toEqual(['ETH: before'])
  tries.taken(btc)
  expect(tries.isAlone(btc)).toBe(false)
})
