import { expect, test } from 'vitest'
import { guardCloidPrefix } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'
import {
  accountWith,
  botCloid,
  fixtureNow,
  inFlight,
  later,
  stopInFlight,
} from './account.fixture.ts'
import { entryInFlight, stopOrder } from './account.fixture.ts'
import type { Account } from './account.ts'

const eth = coin('ETH')
const guardStop = (nth: number): string => `${guardCloidPrefix}01${'0'.repeat(21)}${nth}`

const own = (account: Account, isLong: boolean): readonly string[] =>
  account
    .ownStopsInFlight(eth, isLong)
    .list()
    .map(({ size, trigger }) => `${size.toString()} at ${trigger.toString()}`)
const others = (account: Account): readonly (string | null)[] =>
  account.otherStopsInFlight(eth).map(({ cloid }) => cloid)

function send(account: Account, id: string, cloid: string, trigger: string, isBuy = false): void {
  account.reserve(id, [stopInFlight({ size: '1', trigger, cloid, isBuy })], fixtureNow)
  account.sent(id)
}

test('Guard’s own stops are on their way from the decision on until the venue shows them', () => {
  const account = accountWith({ positions: { ETH: { size: '1' } } })
  expect([own(account, true), own(account, false)]).toEqual([[], []])
  send(account, 'a', guardStop(1), '2440')
  send(account, 'b', guardStop(2), '2450')
  send(account, 'c', guardStop(3), '2550', true)
  expect(own(account, true)).toEqual(['1 at 2450', '1 at 2440'])
  expect(own(account, false)).toEqual(['1 at 2550'])
  const spec = { coin: 'ETH', oid: 7, size: '1', trigger: '2440', cloid: guardStop(1) }
  account.apply({ kind: 'orders', orders: [stopOrder(spec)], source: 'read', at: later(10) })
  expect(own(account, true)).toEqual(['1 at 2450'])
  account.settle('b', { outcome: 'refused' }, later(11))
  account.settle('c', { outcome: 'refused' }, later(11))
  expect([own(account, true), own(account, false)]).toEqual([[], []])
})

test('a bot’s, and one that goes with an entry, are among the others', () => {
  const account = accountWith()
  send(account, 'a', botCloid(1), '2440')
  send(account, 'b', guardStop(1), '2450')
  const entry = {
    price: '2480',
    stop: '2440',
    cloid: botCloid(2),
    stopCloid: guardStop(2) as never,
  }
  account.reserve('c', inFlight(entryInFlight(entry)), fixtureNow)
  expect(others(account)).toEqual([botCloid(1), guardStop(2)])
  expect(own(account, true)).toEqual(['1 at 2450'])
  expect(account.stopsInFlight(eth).map(({ cloid }) => cloid)).toEqual([
    botCloid(1),
    guardStop(2),
    guardStop(1),
  ])
})
