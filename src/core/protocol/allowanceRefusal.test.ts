import { expect, test } from 'vitest'
import { allowanceIn } from './allowanceRefusal.ts'
import type { Action } from './action.ts'

const words = (counts: string): string =>
  `Too many cumulative requests sent (${counts}) for cumulative volume traded $0. Place taker orders to free up 1 request per USDC traded.`

const order = (orders: number): unknown => ({ type: 'order', orders: new Array(orders) })
const cancel = (type: string): unknown => ({ type, cancels: [] })
const cases: readonly [string, unknown, string, object | null][] = [
  ['one order', order(1), words('10001 > 10000'), { cap: 10_000, used: 10_000 }],
  ['a batch that was not done', order(100), words('10050 > 10000'), { cap: 10_000, used: 9_950 }],
  ['a modify', { type: 'modify' }, words('10003 > 10000'), { cap: 10_000, used: 10_002 }],
  ['a cancel', cancel('cancel'), words('20120 > 20000'), null],
  ['a cancel by cloid', cancel('cancelByCloid'), words('20120 > 20000'), null],
  ['a cancel of a TWAP', { type: 'twapCancel' }, words('20120 > 20000'), null],
  ['a contradiction', order(1), words('9000 > 10000'), null],
  ['no number', order(1), words('1e9 > 10000'), null],
  ['other words', order(1), 'Too many user actions', null],
]
test.each(cases)('%s', (_, action, text, expected) => {
  expect(allowanceIn(action as Action, text)).toEqual(expected)
})
