import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import {
  accountWith,
  botCloid,
  fixtureNow,
  markets,
  orderUpdate,
  restingEntry,
  stopOrder,
  inFlight,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import { operations } from './operations.fixture.ts'

const coins = Array.from({ length: 20 }, (_, asset) => ({
  coin: `C${asset}`,
  asset,
  sizeDecimals: 2,
  maxLeverage: 20,
}))

/** An account with this many resting entries, a position and its stop on each of a few coins. */
function accountOf(entries: number): Account {
  const orders = Array.from({ length: entries }, (_, index) =>
    restingEntry({
      coin: `C${index % 10}`,
      oid: 1_000 + 2 * index,
      isBuy: true,
      price: '90',
      size: '1',
      stop: '80',
      cloid: botCloid(index + 1),
    }),
  ).flat()
  const held = ['C0', 'C1', 'C2']
  const account = accountWith({
    markets: markets(coins),
    mids: Object.fromEntries(coins.map((each) => [each.coin, '100'])),
    positions: Object.fromEntries(held.map((name) => [name, { size: '1' }])),
    orders: [
      ...held.map((name, index) =>
        stopOrder({ coin: name, oid: index + 1, size: '1', trigger: '95' }),
      ),
      ...orders,
    ],
  })
  account.exposure()
  return account
}

const c0 = coin('C0')
const tasks: { what: string; run: (account: Account) => void }[] = [
  {
    what: 'a price, then the totals',
    run: (account) => {
      account.apply({ kind: 'mids', mids: new Map([[c0, Decimal.of('101')]]), at: fixtureNow })
      account.exposure()
    },
  },
  {
    what: 'an order that opens, then the totals',
    run: (account) => {
      const [order] = restingEntry({ coin: 'C0', oid: 9, isBuy: true, price: '90', size: '1' })
      if (order === undefined) throw new Error('no order')
      const updates = [orderUpdate(order, 'open', fixtureNow)]
      account.apply({ kind: 'order_updates', updates, at: fixtureNow })
      account.exposure()
    },
  },
  {
    what: 'a reservation, then one coin’s side and the totals',
    run: (account) => {
      const item = {
        kind: 'entry',
        coin: c0,
        isBuy: true,
        size: Decimal.one,
        price: Decimal.of('99'),
        stop: Decimal.of('90'),
        cloid: botCloid(9_999),
        stopCloid: null,
        mayRest: true,
      } as const
      account.reserve('r', inFlight(item), millis(fixtureNow + 1))
      account.coinExposure(c0, true)
      account.exposure()
      account.settle('r', { outcome: 'refused' }, millis(fixtureNow + 2))
      account.exposure()
    },
  },
  {
    what: 'cover',
    run: (account) => {
      account.apply({ kind: 'mids', mids: new Map([[c0, Decimal.of('102')]]), at: fixtureNow })
      account.cover(c0)
    },
  },
]

test.each(tasks)('$what: hardly more with a thousand orders than with ten', ({ run }) => {
  const [few, many] = [accountOf(10), accountOf(1_000)]
  const costFew = operations(() => run(few))
  expect(costFew).toBeGreaterThan(0)
  expect(operations(() => run(many))).toBeLessThanOrEqual(costFew * 1.2)
})

test('asking again costs nothing', () => {
  const account = accountOf(1_000)
  expect(operations(() => account.exposure())).toBe(0)
})
