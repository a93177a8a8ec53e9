import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fill,
  fixtureNow,
  later,
  orderUpdate,
  restingEntry,
  venueState,
  inFlight,
} from './account.fixture.ts'

const eth = coin('ETH')
const pair = { coin: 'ETH', isBuy: true, size: '2', cloid: botCloid(1) } as const

/** An entry rests and is to be cancelled and placed again under its own id, 10 USD lower. */
function replacing() {
  const orders = restingEntry({ ...pair, oid: 50, price: '2400', stop: '2352' })
  const account = accountWith({ orders })
  const ids = { cloid: botCloid(1), stopCloid: botCloid(3) }
  const entry = entryInFlight({ price: '2390', stop: '2342', ...ids })
  account.reserve('e', inFlight(entry), later(1))
  const [old] = orders
  const fresh = restingEntry({
    ...{ ...pair, oid: 60, price: '2390', stop: '2342', stopCloid: botCloid(3) },
  })
  const [placed] = fresh
  if (old === undefined || placed === undefined) throw new Error('no order')
  const update = (order: typeof old, status: string, at: number): void => {
    const updates = [orderUpdate(order, status, fixtureNow + at)]
    account.apply({ kind: 'order_updates', updates, at: later(at) })
  }
  return { account, old, placed, fresh, update }
}

type Replacing = ReturnType<typeof replacing>

const sizes = ({ account }: Replacing) =>
  account.restingEntries(eth).map(({ size, price }) => `${size.toString()} at ${price.toString()}`)

describe('an entry that is placed again under its own id', () => {
  test('counts beside the one that makes way for it, whatever is told of that one', () => {
    const world = replacing()
    expect(sizes(world)).toEqual(['2 at 2400', '2 at 2390'])
    world.account.apply({
      kind: 'orders',
      orders: restingEntry({ ...pair, oid: 50, price: '2400', stop: '2352' }),
      ...{ source: 'stream', at: later(5) },
    })
    expect(sizes(world)).toEqual(['2 at 2400', '2 at 2390'])
  })

  test.each<[string, (world: Replacing) => void]>([
    ['its cancel', ({ update, old }) => update(old, 'canceled', 10)],
    [
      'its fill',
      ({ account }) => {
        const filled = fill({ ...pair, oid: 50, price: '2400', start: '0', tid: 1, at: 10 })
        account.apply({ kind: 'fills', fills: [filled], isSnapshot: false, at: later(10) })
      },
    ],
  ])('is not let go by %s', (_, end) => {
    const world = replacing()
    end(world)
    expect(sizes(world)).toEqual(['2 at 2390'])
    expect(world.account.coinExposure(eth, true).sideValue.gte(Decimal.of('4780'))).toBe(true)
  })

  test('is let go once it is listed itself, before or after the end of the other is told', () => {
    for (const isFirst of [true, false]) {
      const world = replacing()
      const { account, update, old, placed, fresh } = world
      account.settle('e', { outcome: 'accepted' }, later(9))
      if (isFirst) update(old, 'canceled', 10)
      update(placed, 'open', 11)
      if (!isFirst) update(old, 'canceled', 12)
      // The entry and its stop.
      expect(account.inFlight).toBe(2)
      const told = { source: 'stream', at: later(20) } as const
      account.apply({ kind: 'state', state: venueState({}, fixtureNow + 20), ...told })
      account.apply({ kind: 'orders', orders: fresh, ...told })
      expect(account.inFlight).toBe(0)
      expect(sizes(world)).toEqual(['2 at 2390'])
    }
  })

  test('is let go by its own end', () => {
    const { account, update, old, placed } = replacing()
    account.settle('e', { outcome: 'accepted' }, later(9))
    update(old, 'canceled', 10)
    update(placed, 'open', 11)
    update(placed, 'canceled', 12)
    expect(account.restingEntries(eth)).toEqual([])
  })
})
