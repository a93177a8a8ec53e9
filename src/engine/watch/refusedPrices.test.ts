import { expect, test } from 'vitest'
import { coin } from '../../core/values/coin.ts'
import { RefusedPrices } from './refusedPrices.ts'

const [eth, tesla] = [coin('ETH'), coin('xyz:TSLA')]
const price = 'Invalid TP/SL price.'
const words = 'Some words nobody knows'

test.each([
  ['Invalid asset.', eth, [false, false, false]],
  ['Trading is halted', eth, [false, false, false]],
  ['Cross margin disabled', tesla, [false, false, false]],
  ['Too many open orders', tesla, [false, false, false]],
  [price, eth, [true, true, true]],
  [price, tesla, [false, true, true]],
  [words, eth, [false, true, true]],
  [words, tesla, [false, true, true]],
])('%s of a stop on %s, three times: is it closed? %j', (text, of, closed) => {
  const prices = new RefusedPrices()
  expect(closed.map(() => prices.refused(of, text, 1))).toEqual(closed)
  expect(prices.coins.has(of)).toBe(closed[2])
  prices.taken(of)
  expect([prices.coins.size, prices.isUnclear(of)]).toEqual([0, false])
})

test('what was refused under another id says nothing of a coin, and nothing outlives the position', () => {
  const prices = new RefusedPrices()
  prices.refused(tesla, price, 110_000)
  prices.keepOnly(
    () => true,
    () => 110_000,
  )
  expect(prices.isUnclear(tesla)).toBe(true)
  expect(prices.refused(tesla, price, 120_000)).toBe(false)
  expect(prices.refused(tesla, price, 120_000)).toBe(true)
  prices.keepOnly(
    () => true,
    () => 110_000,
  )
  expect([prices.coins.size, prices.isUnclear(tesla)]).toEqual([0, false])
  prices.refused(eth, price, 1)
  prices.keepOnly(
    () => false,
    () => 1,
  )
  expect(prices.coins.size).toBe(0)
})
