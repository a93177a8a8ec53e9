import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  openOrder,
  restingEntry,
  stopOrder,
} from '../account/account.fixture.ts'
import type { OrderSpec } from '../account/account.fixture.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fitStep, roomForStops } from './fitSteps.ts'
import { countingMint } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'
import { coverlessOrders } from './planRoom.ts'
import { RefusedTries } from './refusedTries.ts'

const at = (age: number): number => fixtureNow - age
const reducing = (spec: Partial<OrderSpec> & { oid: number }): OpenOrder =>
  openOrder({
    ...{ coin: 'ETH', isBuy: false, price: '2600', size: '0.1', isReduceOnly: true },
    ...spec,
  })
const oids = (list: readonly { readonly oid: number }[]): number[] => list.map(({ oid }) => oid)

describe('orders that cover nothing', () => {
  const account = accountWith({
    positions: { ETH: { size: '1' } },
    orders: [
      stopOrder({ coin: 'ETH', oid: 1, size: '0.6', trigger: '2450' }),
      stopOrder({ coin: 'ETH', oid: 2, size: '0.6', trigger: '2440' }),
      stopOrder({ coin: 'ETH', oid: 3, size: '0.6', trigger: '2400' }),
      reducing({ oid: 4, at: at(40) }),
      reducing({ oid: 5, at: at(10), trigger: { price: '2600', tpsl: 'tp' } }),
      reducing({ oid: 6, at: at(30), trigger: { price: '2300', isMarket: false } }),
      reducing({ oid: 7, at: at(20), coin: 'SOL', price: '140' }),
      ...restingEntry({
        coin: 'BTC',
        oid: 8,
        isBuy: true,
        price: '80000',
        size: '1',
        stop: '79000',
      }),
      openOrder({ coin: 'SOL', oid: 20, isBuy: true, price: '130', size: '1' }),
    ],
  })

  test('are the reduce-only ones, the youngest first, stops beyond the cover last', () => {
    // The stop-limit of number 6 covers nothing; the stop of number 3 is beyond what is needed.
    expect(oids(coverlessOrders(account, 100))).toEqual([5, 7, 6, 4, 3])
    expect(oids(coverlessOrders(account, 2))).toEqual([5, 7])
    expect(coverlessOrders(account, 0)).toEqual([])
  })

  test('of a short position: what would buy back more than it, and what faces the other way', () => {
    const short = accountWith({
      positions: { ETH: { size: '-1' } },
      orders: [
        stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2500', isBuy: true }),
        stopOrder({ coin: 'ETH', oid: 2, size: '1', trigger: '2550', isBuy: true }),
        stopOrder({ coin: 'ETH', oid: 3, size: '1', trigger: '2450' }),
      ],
    })
    expect(oids(coverlessOrders(short, 100)).sort()).toEqual([2, 3])
  })

  test('all that stand without a position; none while an entry may have filled', () => {
    const stop = stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2450' })
    const flat = accountWith({ orders: [stop] })
    expect(oids(coverlessOrders(flat, 100))).toEqual([1])
    const spec = { price: '2480', stop: '2440', cloid: botCloid(1), stopCloid: null }
    flat.reserve('r', inFlight(entryInFlight(spec)), fixtureNow)
    expect(coverlessOrders(flat, 100)).toEqual([])
  })

  test('a position stop without a size takes all that is left: what lies beyond it may go', () => {
    const account = accountWith({
      positions: { ETH: { size: '1' } },
      orders: [
        stopOrder({ coin: 'ETH', oid: 1, size: '0', trigger: '2450', isPositionTpsl: true }),
        stopOrder({ coin: 'ETH', oid: 2, size: '1', trigger: '2440' }),
      ],
    })
    expect(oids(coverlessOrders(account, 100))).toEqual([2])
  })

  test('none of a market that is not listed', () => {
    const account = accountWith({ orders: [reducing({ oid: 1, coin: 'GONE', price: '1' })] })
    expect(coverlessOrders(account, 100)).toEqual([])
  })

  test('none is asked for twice', () => {
    const again = accountWith({ orders: [reducing({ oid: 4 }), reducing({ oid: 5 })] })
    const cancel = { kind: 'cancel', coin: coin('ETH'), oid: 5, cloid: null } as const
    again.reserve('r', [cancel], fixtureNow)
    expect(oids(coverlessOrders(again, 100))).toEqual([4])
  })
})

describe('room for a stop', () => {
  const bare = (count: number) =>
    accountWith({
      positions: { ETH: { size: '1' } },
      orders: Array.from({ length: count }, (_, index) => reducing({ oid: 1 + index })),
    })
  const roomIn = (count: number, isWanted = false): number[] => {
    const account = bare(count)
    return roomForStops(account, plan(account).steps, isWanted).flatMap((step) =>
      'oids' in step ? step.oids : [],
    )
  }

  test('is made where the venue would refuse it, or has', () => {
    expect(roomIn(999)).toEqual([])
    expect(roomIn(1_000)).toEqual(Array.from({ length: 21 }, (_, index) => 1_000 - index))
    expect(roomIn(30, true)).toHaveLength(21)
  })

  test('is made for a close that takes the place of a stop as well', () => {
    const account = bare(1_000)
    const { steps } = plan(account, { refusedStops: new Set([coin('ETH')]) })
    expect(steps.map(({ kind }) => kind)).toEqual(['close'])
    const room = roomForStops(account, steps, true)
    expect(room.flatMap((step) => ('oids' in step ? step.oids : []))).toHaveLength(21)
  })

  test('is not made for nothing', () => {
    const account = accountWith({ orders: bare(1_000).ordersOf(coin('ETH')) })
    expect(roomForStops(account, plan(account).steps, true)).toEqual([])
  })
})

test('a planned stop and a planned close are split as the venue takes them', () => {
  const account = accountWith({ positions: { HYPE: { size: '100000' }, SOL: { size: '1' } } })
  const input = {
    account,
    mint: countingMint(),
    stopTries: new RefusedTries(),
    closeTries: new RefusedTries(),
  }
  const steps = (refused: readonly string[]) =>
    plan(account, { refusedStops: new Set(refused.map(coin)) }).steps.map(
      (step) => fitStep(input, step).step,
    )
  // 4.2 million USD at a leverage of ten: two million in one order.
  const sizes = steps([]).map(({ action }) =>
    action.type === 'order' ? action.orders.map(({ size }) => size.toString()) : [],
  )
  expect(sizes).toEqual([['33333.34', '33333.33', '33333.33'], ['1']])
  const [first] = steps(['HYPE'])
  expect(first).toMatchObject({ kind: 'close', action: { orders: [{}, {}, {}] } })
  const huge = accountWith({ positions: { HYPE: { size: '1000000' } } })
  const [stop] = plan(huge).steps
  if (stop === undefined) throw new Error('no step')
  const { problem } = fitStep({ ...input, account: huge }, stop)
  expect(problem).toMatch(/^HYPE: \d+(\.\d+)? of it cannot be covered with ten orders$/)
  expect(Decimal.of(problem?.split(' ')[1] ?? '').gt(Decimal.of('500000'))).toBe(true)
})

test('a short position without a mid is closed by its mark; a cancel stays as it is', () => {
  const account = accountWith({
    positions: { ETH: { size: '-1' } },
    mids: {},
    orders: [openOrder({ coin: 'SOL', oid: 20, isBuy: true, price: '130', size: '1' })],
  })
  account.apply({ kind: 'mark', coin: coin('ETH'), mark: Decimal.of('2500'), at: fixtureNow })
  const input = {
    ...{ account, mint: countingMint() },
    ...{ stopTries: new RefusedTries(), closeTries: new RefusedTries() },
  }
  const { steps } = plan(account, { refusedStops: new Set([coin('ETH')]) })
  const fitted = steps.map((step) => fitStep(input, step).step)
  expect(fitted.map(({ kind }) => kind)).toEqual(['close', 'cancel_entry'])
  const closes = fitted.flatMap(({ action }) => (action.type === 'order' ? action.orders : []))
  expect(closes.map(({ isBuy, price }) => [isBuy, price.toString()])).toEqual([[true, '2625']])
  expect(fitted[1]).toBe(steps[1])
  expect(roomForStops(account, steps, true)).toEqual([])
})
