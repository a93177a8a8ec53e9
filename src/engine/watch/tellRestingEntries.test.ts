import { expect, test } from 'vitest'
import { accountWith, openOrder, restingEntry } from '../../core/account/account.fixture.ts'
import type { Account } from '../../core/account/account.ts'
import { tellRestingEntries } from './tellRestingEntries.ts'

function told(account: Account): readonly unknown[] {
  const lines: unknown[] = []
  tellRestingEntries(account, {
    log: (level, message, fields) => lines.push([level, message.slice(0, 15), fields?.['entries']]),
  })
  return lines
}

test('what rests and could open is named, with its stop', () => {
  const rest = { coin: 'ETH', oid: 1, isBuy: true, price: '2400', size: '1', stop: '2300' }
  const sale = openOrder({ coin: 'BTC', oid: 7, isBuy: false, price: '90000', size: '0.1' })
  const account = accountWith({ orders: [...restingEntry(rest), sale] })
  const [[level, message, entries]] = told(account) as [[string, string, string[]]]
  expect([level, message]).toEqual(['warn', 'entries rest on'])
  expect([...entries].sort()).toEqual([
    'BTC: sell 0.1 at 90000, no stop',
    'ETH: buy 1 at 2400, stop 2300',
  ])
})

test('a long list is cut, and an account without entries says nothing', () => {
  const orders = Array.from({ length: 22 }, (_, at) =>
    openOrder({ coin: 'ETH', oid: at + 1, isBuy: true, price: '2400', size: '1' }),
  )
  const [[, , entries]] = told(accountWith({ orders })) as [[string, string, string[]]]
  expect([entries.length, entries.at(-1)]).toEqual([21, 'and 2 more'])
  expect(told(accountWith({}))).toEqual([])
})
