import { expect, test } from 'vitest'
import { allowanceIn } from './allowanceRefusal.ts'
import type { Action } from './action.ts'

const words = (counts: string): string =>
  `Too many cumulative requests sent (${counts}) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.`

const told = { cap: 10_000, used: 10_003 }
const cases: readonly [Action['type'], string, typeof told | null][] = [
  ['order', words('10003 > 10000'), told],
  ['batchModify', words('10003 > 10000'), told],
  ['cancel', words('20120 > 20000'), null],
  ['cancelByCloid', words('20120 > 20000'), null],
  ['twapCancel', words('20120 > 20000'), null],
  ['order', words('9000 > 10000'), null],
  ['order', words('1e9 > 10000'), null],
  ['order', 'Too many user actions', null],
]
test.each(cases)('%s: %s', (type, text, expected) => {
  expect(allowanceIn({ type }, text)).toEqual(expected)
})
