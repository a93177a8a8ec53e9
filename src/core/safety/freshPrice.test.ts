import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { freshPrices } from './freshPrice.ts'

const at = (price: number, ms: number) => ({ price: Decimal.whole(price), at: millis(ms) })

test.each<[string, readonly [number, number] | null, readonly [number, number] | null, string]>([
  ['of one age both count', [100, 5_000], [101, 5_000], '100 101'],
  ['a little older is as young', [100, 5_000], [101, 4_000], '100 101'],
  ['an old mark is none', [100, 5_001], [101, 4_000], '100 null'],
  ['an old mid gives way to the mark', [100, 4_000], [101, 5_001], '101 101'],
  ['without a mid the mark counts', null, [101, 0], '101 101'],
  ['without a mark the mid counts', [100, 0], null, '100 null'],
  ['without either there is none', null, null, 'null null'],
])('%s', (_, mid, mark, expected) => {
  const [midAt, told] = [mid && at(...mid), mark && at(...mark)]
  const account = {
    mid: () => midAt,
    mark: () => told?.price ?? null,
    markAt: () => told?.at ?? null,
  }
  const fresh = freshPrices(account, coin('ETH'))
  expect(`${fresh.price?.toString() ?? null} ${fresh.mark?.toString() ?? null}`).toBe(expected)
})
