import { expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  fill,
  fixtureNow,
  later,
  orderUpdate,
  stopOrder,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import { coin } from '../values/coin.ts'

const eth = coin('ETH')
const stop = stopOrder({ coin: 'ETH', oid: 7, size: '1', trigger: '2400' })
const profit = { ...stop, trigger: { ...stop.trigger, tpsl: 'tp' } } as typeof stop

/** The list of open orders, as the stream tells it after so many milliseconds. */
function listed(account: Account, orders: readonly (typeof stop)[], ms: number): void {
  account.apply({ kind: 'orders', orders, source: 'stream', at: later(ms) })
}

function withStop(order = stop): Account {
  return accountWith({ positions: { ETH: { size: '2' } }, orders: [order] })
}

test('a stop that a list lacks is lost until something tells its end or its fill', () => {
  const account = withStop()
  expect(account.stopLostAt(eth)).toBeNull()
  listed(account, [], 10_000)
  expect(account.stopLostAt(eth)).toBe(later(10_000))
  expect(account.stopLostAt(coin('BTC'))).toBeNull()
})

test.each<[string, (account: Account) => void]>([
  [
    'its end',
    (account) => {
      const updates = [orderUpdate(stop, 'canceled', fixtureNow + 1)]
      account.apply({ kind: 'order_updates', updates, at: later(10_001) })
    },
  ],
  [
    'a fill of it',
    (account) => {
      const told = { coin: 'ETH', isBuy: false, price: '2400', size: '1', start: '2' }
      const fills = [fill({ ...told, oid: 7, tid: 1, at: fixtureNow + 1 })]
      account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(10_001) })
    },
  ],
])('%s is told', (_, tell) => {
  const before = withStop()
  tell(before)
  listed(before, [], 10_000)
  expect(before.stopLostAt(eth)).toBeNull()
  const after = withStop()
  listed(after, [], 10_000)
  tell(after)
  expect(after.stopLostAt(eth)).toBeNull()
})

test('one that is listed again is not lost', () => {
  const account = withStop()
  listed(account, [], 10_000)
  listed(account, [stop], 20_000)
  expect(account.stopLostAt(eth)).toBeNull()
})

test.each([3_600_000, -3_600_000])('a clock that is set by %i ms makes it no older', (ms) => {
  const account = withStop()
  listed(account, [], 10_000)
  account.clockStepped(ms)
  expect(account.stopLostAt(eth)).toBe(later(10_000 + ms))
})

test('one whose cancel is on its way is not lost, nor is a take profit', () => {
  const account = withStop()
  account.reserve('b', [{ kind: 'cancel', coin: eth, oid: 7, cloid: null }], fixtureNow)
  listed(account, [], 10_000)
  expect(account.stopLostAt(eth)).toBeNull()
  const other = withStop(profit)
  listed(other, [], 10_000)
  expect(other.stopLostAt(eth)).toBeNull()
})

test('of several the last counts, and of very many the first are forgotten', () => {
  const many = Array.from({ length: 65 }, (_, at) => ({
    ...stopOrder({ coin: 'ETH', oid: 100 + at, size: '0.01', trigger: '2400' }),
    cloid: botCloid(at),
  }))
  const account = accountWith({ positions: { ETH: { size: '2' } }, orders: [...many, stop] })
  listed(account, [stop], 10_000)
  listed(account, [], 20_000)
  expect(account.stopLostAt(eth)).toBe(later(20_000))
})
