import { expect, test } from 'vitest'
import type { PromiseRecord } from '../../core/account/promises.ts'
import type { Json } from '../../core/protocol/action.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'
import { promisesJson, readPromises } from './promiseMemory.ts'

const written: PromiseRecord = {
  plans: [['0x01', true, '90', 'guard']],
  positions: [
    {
      ...{ coin: 'ETH', isLong: true },
      covers: [
        ['2499', '0.1'],
        ['2450', '3.1'],
      ],
      lots: [['2450', '3.1', false, true]],
    },
  ],
}

test('what was promised and covered is read as it was written', () => {
  expect(readPromises(JSON.parse(JSON.stringify(promisesJson(written))))).toEqual(written)
})

test('so are stops that records tell of, each with its time', () => {
  const stop = {
    coin: coin('ETH'),
    isLong: false,
    trigger: Decimal.of('98.5'),
    size: Decimal.of('4'),
  }
  const later: PromiseRecord = {
    ...written,
    own: [{ ...stop, isWhole: true, at: 7 as Millis }],
    covering: [{ ...stop, at: 9 as Millis }],
  }
  expect(readPromises(JSON.parse(JSON.stringify(promisesJson(later))))).toEqual(later)
  const bad = { own: [null, [7], ['7', []]], covering: [[7, ['ETH', false, 'x', '4']]] }
  expect(readPromises(bad as Json)).toMatchObject({ own: [], covering: [] })
})

test('a cover that an earlier version wrote was for all that is held', () => {
  const positions = [{ coin: 'ETH', long: true, covered: '2450', lots: [] }]
  expect(readPromises({ plans: [], positions }).positions).toEqual([
    { coin: 'ETH', isLong: true, covers: [['2450', '1000000000000']], lots: [] },
  ])
})

test.each([null, 'much', [['2450']], [['2450', '0']], [['-1', '2']], [[1, 2]]])(
  'a cover that cannot be read is left out: %j',
  (covers) => {
    const positions = [{ coin: 'ETH', long: true, covers, lots: [] }]
    expect(readPromises({ plans: [], positions }).positions).toMatchObject([{ covers: [] }])
  },
)
