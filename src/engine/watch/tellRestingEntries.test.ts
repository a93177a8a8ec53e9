import { describe, expect, test } from 'vitest'
import { accountWith, openOrder, restingEntry } from '../../core/account/account.fixture.ts'
import type { Account } from '../../core/account/account.ts'
import type { TwapView } from '../../core/account/accountView.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { tellRestingEntries, tellWaitingTwaps } from './tellRestingEntries.ts'

interface ErrorBody {
  readonly text: string
}

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

describe('TWAPs that could not be cancelled', () => {
  const judged = { price: Decimal.of('2560'), stop: Decimal.of('2460'), worth: Decimal.of('2560') }
  const twap: TwapView = {
    ...{ id: 7, coin: coin('ETH'), isBuy: true, size: Decimal.of('2'), executed: Decimal.zero },
    ...{ minutes: 30, hasStarted: false, isIdle: false, isOver: false, mayOpen: true, judged },
    owner: 'bot',
  }
  const toldOf = (...views: readonly TwapView[]): readonly string[] => {
    const texts: string[] = []
    const recorder = { record: (body: object) => void texts.push((body as ErrorBody).text) }
    const log = { log: (_: string, text: string) => void texts.push(text) }
    tellWaitingTwaps(views, log, recorder as never)
    return texts
  }

  test('are named in the log and in the journal', () => {
    const [logged, recorded] = toldOf(twap, { ...twap, id: null, isBuy: false })
    expect(logged).toContain(
      'ETH: a TWAP that buys 2, number 7; ETH: a TWAP that sells 2, whose number',
    )
    expect(recorded).toBe(logged)
  })

  test('where none is left nothing is said', () => {
    expect(toldOf()).toEqual([])
  })
})
