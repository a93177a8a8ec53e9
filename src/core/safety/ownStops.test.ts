import { expect, test } from 'vitest'
import { accountWith, stopOrder } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { OwnStop } from '../account/stopPromise.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import { coin } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { closesInPlace, ownStops } from './ownStops.ts'
import { plan } from './planProtect.fixture.ts'

const eth = coin('ETH')

function shown({ isLong, size, trigger, isWhole }: OwnStop): string {
  const which = isWhole ? 'all' : 'an addition'
  return `${isLong ? 'long' : 'short'} ${size.toString()} at ${trigger.toString()}, ${which}`
}
function promisesOf(account: Account): ReadonlyMap<Coin, StopPromise> {
  const promise = account.promise(eth)
  return new Map(promise === null ? [] : [[eth, promise]])
}
/** The first stops of what an account needs, each promised from then on. */
function decided(account: Account): readonly string[] {
  const found = ownStops(account, plan(account, { promises: promisesOf(account) }).steps)
  for (const stop of found) account.promises.promiseOwn(stop)
  return found.map(shown)
}
const midIs = (account: Account, price: string): void => {
  const mids = new Map([[eth, Decimal.of(price)]])
  account.apply({ kind: 'mids', mids, at: (account.mid(eth)?.at ?? 0) as never })
  account.apply({ kind: 'mark', coin: eth, mark: Decimal.of(price), at: 0 as never })
}
const steps = (account: Account): readonly string[] => {
  return plan(account, { promises: promisesOf(account) }).steps.map((step) =>
    step.kind === 'stop' ? `stop ${step.trigger.toString()}` : `${step.kind}: ${step.why}`,
  )
}

test.each([
  ['4', 'long 4 at 2450, all'],
  ['-4', 'short 4 at 2550, all'],
])('of a position of %s opened elsewhere it is: %s; asked again there is none', (size, is) => {
  const account = accountWith({ positions: { ETH: { size } }, mids: { ETH: '2500' } })
  expect(decided(account)).toEqual([is])
  expect(decided(account)).toEqual([])
})

test('refused and refused, it stays where it was as the price falls, and crossed it closes', () => {
  const account = accountWith({ positions: { ETH: { size: '4' } }, mids: { ETH: '2500' } })
  decided(account)
  midIs(account, '2480')
  expect(steps(account)).toEqual(['stop 2450'])
  midIs(account, '2460')
  expect(steps(account)).toEqual(['stop 2450'])
  midIs(account, '2440')
  expect(steps(account)).toEqual(['close: its stop 2450 is already crossed'])
  // A price that rises may only tighten it.
  midIs(account, '2600')
  expect(steps(account)).toEqual(['stop 2548'])
})

test('what is covered, cancelled or promised already decides nothing', () => {
  const orders = [stopOrder({ coin: 'ETH', oid: 1, size: '4', trigger: '2450', isBuy: false })]
  expect(decided(accountWith({ positions: { ETH: { size: '4' } }, orders }))).toEqual([])
  const cancel = { kind: 'cancel_entry', coin: eth, oids: [1], why: 'rests', action: null as never }
  expect(ownStops(accountWith(), [cancel as never])).toEqual([])
})

test('a close of a part is noted for the stop in whose place it is, one of all for none', () => {
  const dec = (text: string): Decimal => Decimal.of(text)
  // The price has passed 2510, the stop of one unit; 2400 stands for the others where it rests.
  const closes = (orders: ReturnType<typeof stopOrder>[]): readonly string[] => {
    const account = accountWith({
      positions: { ETH: { size: '4' } },
      mids: { ETH: '2500' },
      orders,
    })
    const stops = [
      { trigger: dec('2510'), size: dec('1') },
      { trigger: dec(orders.length > 0 ? '2400' : '2510'), size: dec('3') },
    ]
    const promises = new Map([[eth, { stops, rest: Decimal.zero }]])
    const { steps: planned } = plan(account, { promises })
    expect(planned.map(({ kind }) => kind)).toEqual(['close'])
    return closesInPlace(planned).map(([cloid, trigger]) => `${cloid.slice(0, 10)} ${trigger}`)
  }
  expect(closes([stopOrder({ coin: 'ETH', oid: 1, size: '3', trigger: '2400' })])).toEqual([
    '0x67756172 2510',
  ])
  expect(closes([])).toEqual([])
})
