import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountWith,
  fixtureNow,
  markets,
  openOrder,
  reductionInFlight,
  restingEntry,
  stopOrder,
  vectorMids,
} from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { countingMint, guardId } from './mint.fixture.ts'
import { planFlatten } from './planFlatten.ts'
import type { FlattenPlan } from './planFlatten.ts'
import { rational } from './rational.fixture.ts'

function plan(account: Account, after = 0): FlattenPlan {
  return planFlatten({ account, now: millis(fixtureNow + after), mint: countingMint() })
}

test('a flat account needs nothing', () => {
  expect(plan(accountWith())).toEqual({ actions: [], coins: [], problems: [], isFlat: true })
})

test('an order that could open is not flat, though nothing is held', () => {
  const orders = restingEntry({ coin: 'ETH', oid: 10, isBuy: true, price: '2400', size: '1' })
  expect(plan(accountWith({ orders }))).toMatchObject({ coins: ['ETH'], isFlat: false })
  const stop = stopOrder({ coin: 'ETH', oid: 11, size: '1', trigger: '2400' })
  expect(plan(accountWith({ orders: [stop] }))).toMatchObject({ actions: [], isFlat: true })
})

test('every order that could open goes, then every position; stops stay', () => {
  const account = accountWith({
    positions: { ETH: { size: '1.5' }, SOL: { size: '-20' } },
    orders: [
      ...restingEntry({
        coin: 'ETH',
        oid: 10,
        isBuy: true,
        price: '2400',
        size: '1',
        stop: '2350',
      }),
      stopOrder({ coin: 'ETH', oid: 1, size: '1.5', trigger: '2440' }),
      openOrder({
        coin: 'ETH',
        oid: 2,
        isBuy: false,
        price: '2600',
        size: '1',
        isReduceOnly: true,
      }),
      openOrder({
        coin: 'BTC',
        oid: 3,
        isBuy: false,
        price: '90000',
        size: '0.1',
        trigger: { price: '90000' },
      }),
    ],
  })
  expect(JSON.parse(JSON.stringify(plan(account)))).toEqual({
    actions: [
      {
        type: 'cancel',
        cancels: [
          { asset: 0, oid: 3 },
          { asset: 1, oid: 10 },
        ],
      },
      {
        type: 'order',
        grouping: 'na',
        builder: null,
        orders: [
          // 2486.35 x 0.95 = 2362.0325, down; 137.42 x 1.05 = 144.291, up.
          {
            asset: 1,
            isBuy: false,
            price: '2362',
            size: '1.5',
            isReduceOnly: true,
            type: { kind: 'limit', tif: 'Ioc' },
            cloid: guardId('close', 1),
          },
          {
            asset: 2,
            isBuy: true,
            price: '144.3',
            size: '20',
            isReduceOnly: true,
            type: { kind: 'limit', tif: 'Ioc' },
            cloid: guardId('close', 2),
          },
        ],
      },
    ],
    coins: ['BTC', 'ETH', 'SOL'],
    problems: [],
    isFlat: false,
  })
})

test('what cannot be priced is a problem, and the others go on', () => {
  const account = accountWith({
    positions: { ETH: { size: '1' }, SOL: { size: '1' }, GONE: { size: '-2' } },
    mids: { ETH: '2486.35', GONE: '3' },
    orders: [openOrder({ coin: 'LOST', oid: 9, isBuy: true, price: '1', size: '1' })],
  })
  const { actions, problems, coins } = plan(account)
  expect(actions).toHaveLength(1)
  expect(coins).toEqual(['ETH'])
  expect(problems).toEqual([
    'LOST: order 9 cannot be cancelled, the market is not listed',
    'GONE: the position of -2 cannot be closed, the market is not listed',
    'SOL: the position of 1 cannot be closed, there is no price for it',
  ])
  account.apply({ kind: 'mark', coin: coin('SOL'), mark: Decimal.of('137.42'), at: fixtureNow })
  expect(plan(account).coins).toEqual(['ETH', 'SOL'])
})

describe('what is in flight', () => {
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    orders: [openOrder({ coin: 'ETH', oid: 9, isBuy: true, price: '2400', size: '1' })],
  })
  const eth = coin('ETH')
  account.reserve(
    'f',
    [
      { kind: 'cancel', coin: eth, oid: 9, cloid: null },
      reductionInFlight('ETH', '1', guardId('close', 7)),
    ],
    fixtureNow,
  )
  test('is left alone for three seconds, and the account is not flat', () => {
    expect(plan(account, 2_999)).toEqual({ actions: [], coins: [], problems: [], isFlat: false })
  })
  test('is done again after that', () => {
    expect(plan(account, 3_000).actions).toHaveLength(2)
  })
})

test('any account becomes flat: at most 40 an action, every close reduces and reaches 5% beyond', () => {
  const many = Array.from({ length: 90 }, (_, asset) => ({
    coin: `C${asset}`,
    asset,
    sizeDecimals: asset % 4,
    maxLeverage: 10,
  }))
  const listed = markets(many)
  const each = fc.record({
    size: fc.integer({ min: -9_999, max: 9_999 }),
    mid: fc.integer({ min: 100, max: 99_999_999 }),
    orders: fc.nat(2),
  })
  fc.assert(
    fc.property(fc.array(each, { maxLength: 90 }), (coins) => {
      const mids: Record<string, string> = {}
      const positions: Record<string, { size: string }> = {}
      const orders = coins.flatMap(({ size, mid, orders: count }, index) => {
        mids[`C${index}`] = Decimal.whole(mid).times(Decimal.of('0.001')).toString()
        if (size !== 0) positions[`C${index}`] = { size: `${size}` }
        return Array.from({ length: count }, (_, at) =>
          openOrder({
            coin: `C${index}`,
            oid: 1 + index * 3 + at,
            isBuy: true,
            price: '1',
            size: '1',
            isReduceOnly: at === 1,
          }),
        )
      })
      const account = accountWith({ markets: listed, mids, positions, orders })
      const { actions, problems } = plan(account)
      expect(problems).toEqual([])
      const left = new Map(Object.entries(positions))
      const open = new Set(orders.filter((order) => !order.isReduceOnly).map((order) => order.oid))
      for (const action of actions) {
        if (action.type === 'cancel') {
          expect(action.cancels.length).toBeLessThanOrEqual(40)
          for (const { oid } of action.cancels) expect(open.delete(oid)).toBe(true)
        }
        if (action.type !== 'order') continue
        expect(action.orders.length).toBeLessThanOrEqual(40)
        for (const order of action.orders) {
          const name = `C${order.asset}`
          const size = left.get(name)?.size ?? '0'
          expect(order.isReduceOnly && order.isBuy === size.startsWith('-')).toBe(true)
          expect(order.size.toString()).toBe(size.replace('-', ''))
          const bound = rational(mids[name] ?? '0').times(rational(order.isBuy ? '1.05' : '0.95'))
          const price = rational(order.price.toString())
          expect(order.isBuy ? price.lt(bound) : bound.lt(price)).toBe(false)
          left.delete(name)
        }
      }
      expect([...left, ...open]).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('the markets of the worked vectors all close', () => {
  const positions = Object.fromEntries(Object.keys(vectorMids).map((name) => [name, { size: '1' }]))
  expect(plan(accountWith({ positions })).coins).toHaveLength(6)
})
