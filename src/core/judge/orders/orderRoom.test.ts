import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  reductionInFlight,
  stopOrder,
} from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { Json } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import { judged, limitOrder, orderAction, triggerOrder } from '../judge.fixture.ts'

const stop = (oid: number, trigger: string, extra = {}) =>
  stopOrder({ coin: 'ETH', oid, size: '1', trigger, ...extra })
const covered = accountWith({ positions: { ETH: { size: '1' } }, orders: [stop(21, '2440')] })
const short = accountWith({
  positions: { ETH: { size: '-1' } },
  orders: [stop(21, '2530', { isBuy: true })],
})
const half = accountWith({
  positions: { ETH: { size: '1' } },
  orders: [stop(21, '2440', { size: '0.5' })],
})
/** Nothing covers the position, though one order is open. */
const bare = accountWith({
  positions: { ETH: { size: '1' } },
  orders: [stopOrder({ coin: 'SOL', oid: 21, size: '1', trigger: '130' })],
})
const sell = (tif: string, isReduceOnly = true): Json =>
  limitOrder(1, false, '1', '2600', tif, isReduceOnly)
const sl = (trigger: string, size = '1'): Json => triggerOrder(1, false, size, trigger, '2000')
const goes = (account: Account, order: Json, maxOpenOrders = 1): boolean => {
  const decision = judged(orderAction([order]), { account, rules: { maxOpenOrders } })
  if (decision.forward !== null) return true
  expect(decision).toMatchObject({ verdict: 'veto', code: 'too_many_orders' })
  expect(decision.text).toContain('the account has 1 orders open or on their way')
  return false
}

describe('at max_open_orders, of what can only reduce', () => {
  test.each<[string, Account, Json, boolean]>([
    ['what is immediate goes', covered, sell('Ioc'), true],
    ['a market order goes', covered, sell('FrontendMarket'), true],
    ['what closes at once goes', covered, sell('Ioc', false), true],
    ['what rests stays', covered, sell('Gtc'), false],
    ['what only rests stays', covered, sell('Alo'), false],
    ['what closes and rests stays', covered, sell('Gtc', false), false],
    ['a take profit stays', covered, triggerOrder(1, false, '1', '2600', '2500', 'tp'), false],
    [
      'a stop-limit stays',
      covered,
      triggerOrder(1, false, '1', '2450', '2200', 'sl', false),
      false,
    ],
    ['a stop that is only tighter stays', covered, sl('2440.1'), false],
    ['a stop that is as tight stays', covered, sl('2440'), false],
    ['a stop that is looser stays', covered, sl('2439.9'), false],
    ['a stop of a short that is only tighter stays', short, buyStop('2529.9'), false],
    ['a stop of a short that is as tight stays', short, buyStop('2530'), false],
    ['a stop that covers the rest goes, however loose', half, sl('2300'), true],
    ['a stop of what is bare goes', bare, sl('2300'), true],
    ['a stop of the other side stays', bare, buyStop('2600'), false],
    ['a stop without a position stays', covered, triggerOrder(0, false, '1', '80000', '1'), false],
    [
      'a stop on a perp that Guard does not know stays',
      bare,
      triggerOrder(9, false, '1', '5', '4'),
      false,
    ],
  ])('%s', (_, account, order, isGoing) => {
    expect(account.orderCount).toBe(1)
    expect(goes(account, order)).toBe(isGoing)
    // With one place left everything goes.
    expect(goes(account, order, 2)).toBe(true)
  })

  test('a stop that the liquidation comes before covers nothing, and stays', () => {
    const account = accountWith({
      positions: { ETH: { size: '1', liquidation: '2400' } },
      orders: [stopOrder({ coin: 'SOL', oid: 21, size: '1', trigger: '130' })],
    })
    expect(goes(account, sl('2400.1'))).toBe(true)
    expect(goes(account, sl('2400'))).toBe(false)
  })

  test('each order of an action takes its place, and those without one stay', () => {
    const orders = [sell('Gtc'), sell('Ioc'), sell('Gtc'), sl('2450'), sell('Ioc')]
    const decision = judged(orderAction(orders), { account: bare, rules: { maxOpenOrders: 2 } })
    expect(decision).toMatchObject({ verdict: 'resize', code: 'resized', lane: 'exit' })
    const status = (index: number) => ({ kind: 'status', action: 0, index })
    expect(decision.reply.slots).toEqual([
      status(0),
      status(1),
      {
        kind: 'veto',
        text: expect.stringContaining(
          'Guard veto [too_many_orders]: the account has 2 orders open or on their way',
        ),
      },
      status(2),
      status(3),
    ])
    expect(decision.exits.map(({ at, size }) => [at, size.toString()])).toEqual([
      [0, '1'],
      [1, '1'],
      [2, '0'],
      [3, '1'],
      [4, '1'],
    ])
    expect(decision.reservations[0]).toMatchObject(
      [true, false, true, false].map((mayRest, index) => ({ index, mayRest })),
    )
  })

  test.each(['normalTpsl', 'positionTpsl'])('a %s group goes whole or not at all', (grouping) => {
    const group = orderAction(
      [sl('2450'), triggerOrder(1, false, '1', '2600', '2500', 'tp')],
      grouping,
    )
    const at = (maxOpenOrders: number) =>
      judged(group, { account: covered, rules: { maxOpenOrders } })
    expect(at(2)).toMatchObject({ verdict: 'veto', code: 'too_many_orders', forward: null })
    expect(at(3).verdict).not.toBe('veto')
  })
})

describe('a place is taken', () => {
  const countOf = (account: Account): number => account.orderCount
  const flying = (items: Parameters<Account['reserve']>[1]): Account => {
    const account = accountWith()
    account.reserve('a', items, fixtureNow)
    return account
  }
  const entry = entryInFlight({
    ...{ price: '2400', stop: '2350', cloid: botCloid(1), stopCloid: botCloid(2) },
  })

  test('by an entry in flight and by its stop', () => {
    expect(countOf(flying(inFlight(entry)))).toBe(2)
  })

  test('by an order that is immediate until the answer to it', () => {
    const account = flying(inFlight({ ...entry, mayRest: false, stopCloid: null }))
    expect(countOf(account)).toBe(1)
    account.settle('a', { outcome: 'accepted' }, fixtureNow)
    expect(countOf(account)).toBe(0)
    const close = flying([reductionInFlight('ETH', '1', botCloid(3))])
    expect(countOf(close)).toBe(1)
    close.settle('a', { outcome: 'unknown' }, fixtureNow)
    expect(countOf(close)).toBe(0)
  })

  test('by one that may rest until it is refused', () => {
    const account = flying(inFlight({ ...entry, stopCloid: null }))
    for (const outcome of ['accepted', 'unknown'] as const) {
      account.settle('a', { outcome }, fixtureNow)
      expect(countOf(account)).toBe(1)
    }
    account.settle('a', { outcome: 'refused' }, fixtureNow)
    expect(countOf(account)).toBe(0)
  })

  test('of the next entry with its children', () => {
    const small = { ...entry, size: Decimal.of('0.01') }
    const account = flying(inFlight(small))
    const one = orderAction(
      [
        limitOrder(1, true, '0.1', '2400'),
        triggerOrder(1, false, '0.1', '2380', '2142'),
        triggerOrder(1, false, '0.1', '2600', '2500', 'tp'),
      ],
      'normalTpsl',
    )
    const at = (maxOpenOrders: number) => judged(one, { account, rules: { maxOpenOrders } })
    expect(at(4)).toMatchObject({ code: 'too_many_orders' })
    expect(at(4).text).toBe(
      'the account has 2 orders open or on their way, and this would add 3; max_open_orders is 4',
    )
    expect(at(5).verdict).not.toBe('veto')
  })
})

function buyStop(trigger: string): Json {
  return triggerOrder(1, true, '1', trigger, '3000')
}
