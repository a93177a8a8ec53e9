import { expect, test } from 'vitest'
import { actionWeight, infoWeight, rowsWeight, rowsWeightMax } from './requestWeight.ts'

const rows = (count: number): readonly number[] => Array.from({ length: count }, () => 0)

test.each([
  [{ type: 'l2Book', coin: 'BTC' }, 2, 0],
  [{ type: 'clearinghouseState', user: '0x0' }, 2, 0],
  [{ type: 'userRole', user: '0x0' }, 60, 0],
  [{ type: 'meta' }, 20, 0],
  [{ type: 'userFills', user: '0x0' }, 20, 100],
  [{ type: 'candleSnapshot', req: {} }, 20, 84],
  [{ type: 7 }, 20, 0],
  [{}, 20, 0],
  [null, 20, 0],
])('%j costs %i, and its rows at most %i', (request, question, most) => {
  expect([infoWeight(request), rowsWeightMax(request)]).toEqual([question, most])
})

test.each([
  ['userFills', 0, 0],
  ['userFills', 1, 1],
  ['userFills', 20, 1],
  ['userFills', 2_000, 100],
  ['candleSnapshot', 60, 1],
  ['candleSnapshot', 61, 2],
  ['meta', 300, 0],
])('%s with %i rows costs %i more', (type, count, more) => {
  expect(rowsWeight({ type }, rows(count))).toBe(more)
  expect(rowsWeight({ type }, { rows: rows(count) })).toBe(0)
})

test.each([
  [1, 1],
  [39, 1],
  [40, 2],
  [80, 3],
])('an action of %i entries costs %i', (entries, weight) => {
  expect(actionWeight(entries)).toBe(weight)
})
