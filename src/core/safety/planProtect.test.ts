import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fill,
  fixtureNow,
  inFlight,
  markets,
  openOrder,
  orderUpdate,
  reductionInFlight,
  restingEntry,
  stopInFlight,
  stopOrder,
  vectorMeta,
} from '../account/account.fixture.ts'
import type { AccountSpec } from '../account/account.fixture.ts'
import { Account } from '../account/account.ts'
import type { Reservation } from '../account/reservation.ts'
import type { StopPromise } from '../account/stopPromise.ts'
import type { Order } from '../protocol/action.ts'
import { coin } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { guardId } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'

const eth = coin('ETH')

function shown(order: Order) {
  return {
    asset: order.asset,
    side: order.isBuy ? 'buy' : 'sell',
    price: order.price.toString(),
    size: order.size.toString(),
    isReduceOnly: order.isReduceOnly,
    type:
      order.type.kind === 'limit'
        ? order.type.tif
        : `${order.type.isMarket ? 'market' : 'limit'} ${order.type.tpsl} ${order.type.triggerPrice.toString()}`,
  }
}

/** A whole ETH of the position was promised to be stopped out here. */
const judged = (price: string): ReadonlyMap<Coin, StopPromise> =>
  new Map([
    [eth, { stops: [{ trigger: Decimal.of(price), size: Decimal.one }], rest: Decimal.zero }],
  ])

const recorded = (price: string): ReadonlyMap<Coin, Decimal> => new Map([[eth, Decimal.of(price)]])

describe('an uncovered position gets Guard’s stop', () => {
  // ETH at 2486.35: 0.98 x is 2436.623, 1.02 x is 2536.077; 5 significant figures.
  const cases = [
    { why: 'long', size: '1.5', side: 'sell', trigger: '2436.7', price: '2193' },
    { why: 'short', size: '-1.5', side: 'buy', trigger: '2536', price: '2789.6' },
    {
      why: 'long, tighter record',
      size: '1',
      stop: '2470',
      side: 'sell',
      trigger: '2470',
      price: '2223',
    },
    {
      why: 'long, looser record',
      size: '1',
      stop: '2400',
      side: 'sell',
      trigger: '2436.7',
      price: '2193',
    },
    {
      why: 'short, tighter record',
      size: '-1',
      stop: '2500',
      side: 'buy',
      trigger: '2500',
      price: '2750',
    },
    {
      why: 'short, looser record',
      size: '-1',
      stop: '2600',
      side: 'buy',
      trigger: '2536',
      price: '2789.6',
    },
    {
      why: 'long, record off the grid',
      size: '1',
      stop: '2470.123',
      side: 'sell',
      trigger: '2470.2',
      price: '2223.1',
    },
    {
      why: 'short, record off the grid',
      size: '-1',
      stop: '2499.987',
      side: 'buy',
      trigger: '2499.9',
      price: '2749.9',
    },
  ]
  test.each(cases)('$why', ({ size, stop, side, trigger, price }) => {
    const account = accountWith({ positions: { ETH: { size } } })
    const { steps, actions, coins, problems } = plan(
      account,
      stop === undefined ? {} : { recordedStops: recorded(stop) },
    )
    expect(problems).toEqual([])
    expect(coins).toEqual(['ETH'])
    expect(steps).toHaveLength(1)
    const [step] = steps
    if (step?.kind !== 'stop') throw new Error('a stop was expected')
    expect(shown(step.order)).toEqual({
      asset: 1,
      side,
      price,
      size: Decimal.of(size).abs().toString(),
      isReduceOnly: true,
      type: `market sl ${trigger}`,
    })
    expect(step.trigger.toString()).toBe(trigger)
    expect(step.order.cloid).toBe(guardId('stop', 1))
    expect(actions).toEqual([
      { type: 'order', orders: [step.order], grouping: 'na', builder: null },
    ])
  })

  test('in full, also when part of it is covered', () => {
    const account = accountWith({
      positions: { ETH: { size: '2' } },
      orders: [stopOrder({ coin: 'ETH', oid: 5, size: '1.9999', trigger: '2400' })],
    })
    const [step] = plan(account).steps
    expect(step?.kind === 'stop' && step.order.size.toString()).toBe('2')
  })

  test('a mark stands in for a mid, and a record for both', () => {
    const account = accountWith({ positions: { ETH: { size: '1' } }, mids: { BTC: '1' } })
    expect(plan(account).problems).toEqual([
      'ETH: the position is not covered, and there is no price for it',
    ])
    for (const [size, trigger] of [
      ['1', '2470.2'],
      ['-1', '2470.1'],
    ] as const) {
      const unpriced = accountWith({ positions: { ETH: { size } }, mids: { BTC: '1' } })
      const [step] = plan(unpriced, { recordedStops: recorded('2470.123') }).steps
      expect(step?.kind === 'stop' && step.trigger.toString()).toBe(trigger)
    }
    account.apply({ kind: 'mark', coin: eth, mark: Decimal.of('2486.35'), at: fixtureNow })
    const [step] = plan(account).steps
    expect(step?.kind === 'stop' && step.trigger.toString()).toBe('2436.7')
  })

  test('the whole stop lies on the grid of the coarsest coin', () => {
    // One step of 0.000001 is a twelfth of the price: toward the price would be the price itself.
    const account = accountWith({
      markets: markets([{ coin: 'DUST', asset: 9, sizeDecimals: 0, maxLeverage: 3 }]),
      mids: { DUST: '0.000012' },
      positions: { DUST: { size: '1000' } },
    })
    const [step] = plan(account).steps
    expect(step?.kind === 'stop' && step.trigger.toString()).toBe('0.000011')
    const smallest = accountWith({
      markets: markets([{ coin: 'DUST', asset: 9, sizeDecimals: 0, maxLeverage: 3 }]),
      mids: { DUST: '0.000001' },
      positions: { DUST: { size: '1000' } },
    })
    const [close] = plan(smallest).steps
    expect(close).toMatchObject({
      kind: 'close',
      why: 'no price on the grid lies between it and its stop',
    })
    expect(close?.kind === 'close' && close.order.price.toString()).toBe('0.000001')
  })
})

describe('a position whose stop cannot be placed is closed', () => {
  const cases = [
    { why: 'long, record at the mid', size: '1', stop: '2486.35' },
    { why: 'long, record above the mid', size: '1', stop: '2500' },
    { why: 'short, record at the mid', size: '-1', stop: '2486.35' },
    { why: 'short, record below the mid', size: '-1', stop: '2480' },
    { why: 'long, record above the mark', size: '1', stop: '2481', mark: '2480' },
    { why: 'short, record below the mark', size: '-1', stop: '2490', mark: '2495' },
  ]
  test.each(cases)('$why', ({ size, stop, mark }) => {
    const account = accountWith({ positions: { ETH: { size } } })
    if (mark !== undefined) {
      account.apply({ kind: 'mark', coin: eth, mark: Decimal.of(mark), at: fixtureNow })
    }
    const [step] = plan(account, { recordedStops: recorded(stop) }).steps
    expect(step).toMatchObject({ kind: 'close', why: `its stop ${stop} is already crossed` })
    // 5% beyond 2486.35: 2362.0325 and 2610.6675, rounded outward.
    expect(step?.kind === 'close' && shown(step.order)).toEqual({
      asset: 1,
      side: size === '1' ? 'sell' : 'buy',
      price: size === '1' ? '2362' : '2610.7',
      size: '1',
      isReduceOnly: true,
      type: 'Ioc',
    })
  })

  test('the venue refused its stop', () => {
    const account = accountWith({ positions: { ETH: { size: '1' } } })
    const { steps } = plan(account, { refusedStops: new Set([eth]) })
    expect(steps).toMatchObject([{ kind: 'close', why: 'the venue refused its stop' }])
    const unpriced = accountWith({ positions: { ETH: { size: '1' } }, mids: { BTC: '1' } })
    expect(plan(unpriced, { refusedStops: new Set([eth]) }).problems).toHaveLength(1)
  })
})

describe('never two', () => {
  const uncovered = (): Account => accountWith({ positions: { ETH: { size: '1' } } })
  const stop = { size: '1', trigger: '2436.7' }

  test('nothing more while Guard’s stop is on its way, whatever became of it', () => {
    const account = uncovered()
    account.reserve('p1', [stopInFlight({ ...stop, cloid: guardId('stop', 1) })], fixtureNow)
    expect(plan(account).steps).toEqual([])
    account.settle('p1', { outcome: 'unknown' }, fixtureNow)
    expect(plan(account).steps).toEqual([])
    account.settle('p1', { outcome: 'accepted' }, fixtureNow)
    expect(plan(account).steps).toEqual([])
    account.settle('p1', { outcome: 'refused' }, fixtureNow)
    expect(plan(account).steps).toHaveLength(1)
  })

  test('the stop that went out with the entry is waited for', () => {
    const account = accountWith()
    const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
    const entry = { ...entryInFlight({ price: '2490', stop: '2440', ...ids }), size: Decimal.one }
    account.reserve('e1', inFlight({ ...entry, mayRest: false }), fixtureNow)
    account.sent('e1')
    const filled = fill({
      coin: 'ETH',
      isBuy: true,
      price: '2487',
      size: '1',
      start: '0',
      oid: 1,
      tid: 1,
      at: fixtureNow + 5,
      cloid: botCloid(1),
    })
    account.apply({ kind: 'fills', fills: [filled], isSnapshot: false, at: millis(fixtureNow + 6) })
    expect(account.positions.get(eth)?.size.toString()).toBe('1')
    expect(plan(account).steps).toEqual([])
    account.settleOrder('e1', 1, { outcome: 'refused' }, millis(fixtureNow + 7))
    expect(plan(account).steps).toMatchObject([{ kind: 'stop' }])
  })

  test.each([
    ['the venue took both, and no list has shown it yet', false, true, []],
    ['nobody knows whether the venue took it', false, false, ['stop']],
    ['it may rest, and another order may have filled', true, true, ['stop']],
  ])('the stop of an entry that left long ago: %s', (_, mayRest, isTaken, kinds) => {
    const account = accountWith({ positions: { ETH: { size: '1' } } })
    const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
    const entry = { ...entryInFlight({ price: '2490', stop: '2440', ...ids }), size: Decimal.one }
    account.reserve('e1', inFlight({ ...entry, mayRest }), millis(fixtureNow - 9_000))
    account.sent('e1')
    if (isTaken) account.settle('e1', { outcome: 'accepted' }, fixtureNow)
    expect(plan(account).steps.map(({ kind }) => kind)).toEqual(kinds)
  })

  test.each([
    ['has not left', false, 0, ['stop']],
    ['has left just now', true, 1_999, []],
    ['has left, and nobody has shown it since', true, 2_000, ['stop']],
  ])('the stop of another entry that %s', (_, hasLeft, ageMs, kinds) => {
    const account = accountWith({ positions: { ETH: { size: '1' } } })
    const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
    const entry = { ...entryInFlight({ price: '2490', stop: '2440', ...ids }), size: Decimal.one }
    account.reserve('e1', inFlight({ ...entry, mayRest: true }), millis(fixtureNow - ageMs))
    if (hasLeft) account.sent('e1')
    expect(plan(account).steps.map(({ kind }) => kind)).toEqual(kinds)
  })

  test('a stop on its way covers no position of the other side', () => {
    const account = accountWith({ positions: { ETH: { size: '-1' } } })
    const id = { cloid: guardId('stop', 1) }
    account.reserve('g1', [stopInFlight({ ...stop, ...id })], fixtureNow)
    expect(plan(account).steps).toMatchObject([{ kind: 'stop', order: { isBuy: true } }])
    const facing = accountWith({ positions: { ETH: { size: '-1' } } })
    facing.reserve('g1', [stopInFlight({ ...stop, ...id, isBuy: true })], fixtureNow)
    expect(plan(facing).steps).toEqual([])
  })

  test('a bot’s own stop on its way is not there', () => {
    const account = uncovered()
    account.reserve('b1', [stopInFlight({ ...stop, cloid: botCloid(1) })], fixtureNow)
    expect(plan(account).steps).toMatchObject([{ kind: 'stop' }])
  })

  test('a bot’s own stop that the venue took is waited for, if it covers everything', () => {
    const account = uncovered()
    account.reserve('b1', [stopInFlight({ ...stop, cloid: botCloid(1) })], fixtureNow)
    account.settle('b1', { outcome: 'accepted' }, fixtureNow)
    expect(plan(account).steps).toEqual([])
    const half = uncovered()
    const part = { ...stop, size: '0.5', cloid: botCloid(1) }
    half.reserve('b1', [stopInFlight(part)], fixtureNow)
    half.settle('b1', { outcome: 'accepted' }, fixtureNow)
    expect(plan(half).steps).toMatchObject([{ kind: 'stop' }])
  })

  test('a stop that gives way to one on its way protects until it is gone', () => {
    const old = stopOrder({ coin: 'ETH', oid: 7, size: '1', trigger: '2400' })
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders: [old] })
    const replacing = [
      stopInFlight({ ...stop, cloid: botCloid(1) }),
      { kind: 'cancel', coin: eth, oid: 7, cloid: null },
    ] as const
    account.reserve('b1', replacing, fixtureNow)
    expect(account.cover(eth)?.isFull).toBe(false)
    expect(plan(account).steps).toEqual([])
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(old, 'canceled', fixtureNow + 1)],
      at: millis(fixtureNow + 1),
    })
    expect(plan(account).steps).toMatchObject([{ kind: 'stop' }])
  })

  describe('one of two stops is moved', () => {
    const [tight, loose] = [
      stopOrder({ coin: 'ETH', oid: 7, size: '0.3', trigger: '2470' }),
      stopOrder({ coin: 'ETH', oid: 8, size: '0.7', trigger: '2400' }),
    ] as const
    const moved = (size: string, more: readonly Reservation[] = []): Account => {
      const account = accountWith({ positions: { ETH: { size: '1' } }, orders: [tight, loose] })
      const anew = stopInFlight({ size, trigger: '2410', cloid: botCloid(1) })
      const gone = { kind: 'cancel', coin: eth, oid: 8, cloid: null } as const
      account.reserve('b1', [anew, gone, ...more], fixtureNow)
      expect(account.cover(eth)?.isFull).toBe(false)
      return account
    }

    test('it protects until the new one is there', () => {
      expect(plan(moved('0.7')).steps).toEqual([])
    })

    test('a new one that is too small is not enough', () => {
      expect(plan(moved('0.6')).steps).toMatchObject([{ kind: 'stop' }])
    })

    test('nor is one of an entry, which is for what that fills', () => {
      const entry = {
        ...entryInFlight({
          price: '2450',
          stop: '2400',
          cloid: botCloid(3),
          stopCloid: botCloid(4),
        }),
      }
      const account = accountWith({ positions: { ETH: { size: '1' } }, orders: [tight, loose] })
      const gone = { kind: 'cancel', coin: eth, oid: 8, cloid: null } as const
      account.reserve('b1', [...inFlight({ ...entry, size: Decimal.of('0.8') }), gone], fixtureNow)
      expect(plan(account).steps).toMatchObject([{ kind: 'stop' }])
    })

    test('nor is it once the old one is gone', () => {
      const account = moved('0.7')
      account.apply({
        kind: 'order_updates',
        updates: [orderUpdate(loose, 'canceled', fixtureNow + 1)],
        at: millis(fixtureNow + 1),
      })
      expect(plan(account).steps).toMatchObject([{ kind: 'stop' }])
    })
  })

  test.each([
    ['1', 499, 0],
    ['1', 500, 1],
    ['-1', 0, 1],
  ])(
    'a stop has ended filled, a position of %s waits for its fill: %s ms after it %s step',
    (size, ms, count) => {
      const fired = stopOrder({ coin: 'ETH', oid: 7, size: '0.4', trigger: '2400' })
      const account = accountWith({ positions: { ETH: { size } }, orders: [fired] })
      const updates = [{ ...orderUpdate(fired, 'filled', fixtureNow + 1), size: Decimal.zero }]
      account.apply({ kind: 'order_updates', updates, at: fixtureNow })
      expect(plan(account, { now: millis(fixtureNow + ms) }).steps).toHaveLength(count)
    },
  )

  test('one of several on their way is enough to take the place of the old one', () => {
    const old = stopOrder({ coin: 'ETH', oid: 7, size: '1', trigger: '2400' })
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders: [old] })
    const items = [
      stopInFlight({ ...stop, size: '0.1', cloid: botCloid(2) }),
      stopInFlight({ ...stop, cloid: botCloid(1), index: 1 }),
      { kind: 'cancel', coin: eth, oid: 7, cloid: null },
    ] as const
    account.reserve('b1', items, fixtureNow)
    expect(plan(account).steps).toEqual([])
  })

  test('a close on its way is left alone for a while', () => {
    const account = uncovered()
    account.reserve('c1', [reductionInFlight('ETH', '1', guardId('close', 1))], fixtureNow)
    const input = { refusedStops: new Set([eth]) }
    expect(plan(account, input).steps).toEqual([])
    const later = { ...input, now: millis(fixtureNow + 3_000) }
    expect(plan(account, later).steps).toMatchObject([{ kind: 'close' }])
  })
})

describe('resting entries', () => {
  const bare = restingEntry({ coin: 'ETH', oid: 10, isBuy: true, price: '2400', size: '1' })

  test('one that rests without its stop is cancelled; one with its stop is not', () => {
    const stopped = restingEntry({
      coin: 'ETH',
      oid: 20,
      isBuy: true,
      price: '2400',
      size: '1',
      stop: '2350',
    })
    const { steps, coins } = plan(accountWith({ orders: [...bare, ...stopped] }))
    expect(steps).toMatchObject([
      {
        kind: 'cancel_entry',
        oids: [10],
        action: { type: 'cancel', cancels: [{ asset: 1, oid: 10 }] },
      },
    ])
    expect(coins).toEqual(['ETH'])
  })

  test.each([
    { why: 'a stop-limit', child: { isMarket: false } },
    { why: 'a stop without room', child: { price: '2340' } },
    { why: 'a smaller stop', child: { size: '0.5' } },
    { why: 'a stop on its own side', child: { isBuy: true } },
  ])('$why is not its stop', ({ child }) => {
    const stop = stopOrder({ coin: 'ETH', oid: 11, size: '1', trigger: '2350', ...child })
    const parent = openOrder({
      coin: 'ETH',
      oid: 10,
      isBuy: true,
      price: '2400',
      size: '1',
      children: [11],
    })
    expect(plan(accountWith({ orders: [parent, stop] })).steps).toMatchObject([
      { kind: 'cancel_entry', oids: [10] },
    ])
  })

  test('one that only an update showed may have its stop: the list will tell', () => {
    const account = accountWith()
    const [order] = bare
    if (order === undefined) throw new Error('no order')
    const update = orderUpdate(order, 'open', fixtureNow)
    account.apply({ kind: 'order_updates', updates: [update], at: fixtureNow })
    expect(account.exposure().uncoveredOrders).toEqual(['ETH'])
    expect(plan(account).steps).toEqual([])
  })

  test('a cancel on its way is enough', () => {
    const account = accountWith({ orders: bare })
    account.reserve('x', [{ kind: 'cancel', coin: eth, oid: 10, cloid: null }], fixtureNow)
    expect(plan(account).steps).toEqual([])
  })

  test('many go in batches', () => {
    const orders = Array.from({ length: 41 }, (_, index) =>
      openOrder({ coin: 'ETH', oid: 100 - index, isBuy: true, price: '2400', size: '1' }),
    )
    const { steps } = plan(accountWith({ orders }))
    expect(steps.map((step) => ('oids' in step ? step.oids.length : 0))).toEqual([40, 1])
    const [first] = steps
    expect(first !== undefined && 'oids' in first && first.oids[0]).toBe(60)
  })
})

describe('a partial fill', () => {
  test('gets Guard’s stop while its own one waits', () => {
    const account = accountWith({
      positions: { ETH: { size: '0.4' } },
      orders: restingEntry({
        coin: 'ETH',
        oid: 10,
        isBuy: true,
        price: '2486',
        size: '0.6',
        originalSize: '1',
        stop: '2450',
      }),
    })
    expect(account.cover(eth)?.isFull).toBe(false)
    const { steps } = plan(account, { recordedStops: recorded('2450') })
    expect(steps).toMatchObject([{ kind: 'stop' }])
    expect(steps[0]?.kind === 'stop' && shown(steps[0].order)).toMatchObject({
      size: '0.4',
      type: 'market sl 2450',
    })
  })

  test('and loses it once the fill is complete and its own one works', () => {
    const own = stopOrder({ coin: 'ETH', oid: 11, size: '1', trigger: '2450' })
    const guards = stopOrder({
      coin: 'ETH',
      oid: 12,
      size: '0.4',
      trigger: '2460',
      cloid: guardId('stop', 1),
    })
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders: [own, guards] })
    expect(plan(account).steps).toMatchObject([{ kind: 'remove_stop', oids: [12] }])
    const promises = judged('2450')
    expect(plan(account, { promises }).steps).toMatchObject([{ kind: 'remove_stop' }])
  })

  test.each([
    { size: '1', far: '1500', near: '2460', judged: '2440' },
    { size: '-1', far: '3500', near: '2510', judged: '2530' },
  ])('and keeps it beside one that is looser than the entry was judged with: $size', (each) => {
    const isBuy = each.size.startsWith('-')
    const stop = (oid: number, trigger: string, mine: boolean) =>
      stopOrder({
        ...{ coin: 'ETH', oid, size: '1', trigger, isBuy },
        ...(mine ? { cloid: guardId('stop', 1) } : {}),
      })
    const orders = [stop(11, each.far, false), stop(12, each.near, true)]
    const account = accountWith({ positions: { ETH: { size: each.size } }, orders })
    expect(plan(account, { promises: judged(each.judged) }).steps).toEqual([])
    expect(plan(account, { promises: judged(each.far) }).steps).toMatchObject([
      { kind: 'remove_stop', oids: [12] },
    ])
  })
})

describe('Guard’s own stops are removed', () => {
  const guardStop = (oid: number, size: string, trigger: string, isBuy = false) =>
    stopOrder({ coin: 'ETH', oid, size, trigger, isBuy, cloid: guardId('stop', oid) })
  const botStop = (oid: number, size: string, trigger: string) =>
    stopOrder({ coin: 'ETH', oid, size, trigger })
  const position = (size: string): Pick<AccountSpec, 'positions'> => ({
    positions: { ETH: { size } },
  })

  test.each([
    { size: '1', triggers: ['2440', '2450'], judged: '2460' },
    { size: '-1', triggers: ['2560', '2550'], judged: '2540' },
  ])('one too many where all are looser than the entry was judged with: $size', (each) => {
    const isBuy = each.size.startsWith('-')
    const orders = each.triggers.map((trigger, at) => guardStop(at + 1, '1', trigger, isBuy))
    const account = accountWith({ ...position(each.size), orders })
    const { steps } = plan(account, { promises: judged(each.judged) })
    // What is one too many goes once the promised one is back.
    expect(steps).toMatchObject([{ kind: 'stop', why: 'without the stop it was promised' }])
    expect(steps[0]?.kind === 'stop' && steps[0].trigger.toString()).toBe(each.judged)
  })

  test('the one on the wrong side, while a stop that faces the position is placed', () => {
    const account = accountWith({ ...position('1'), orders: [guardStop(1, '1', '2560', true)] })
    const { steps } = plan(account, { promises: judged('2440') })
    expect(steps).toMatchObject([{ kind: 'stop' }, { kind: 'remove_stop', oids: [1] }])
  })

  const cases: { why: string; spec: AccountSpec; removed: number[] }[] = [
    {
      why: 'needed: kept',
      spec: { ...position('1'), orders: [guardStop(1, '1', '2440')] },
      removed: [],
    },
    {
      why: 'the bot covers all, looser: removed',
      spec: { ...position('1'), orders: [guardStop(1, '1', '2440'), botStop(2, '1', '2400')] },
      removed: [1],
    },
    {
      why: 'the bot covers a part: kept',
      spec: { ...position('1'), orders: [guardStop(1, '1', '2440'), botStop(2, '0.9', '2400')] },
      removed: [],
    },
    {
      why: 'two of Guard’s, one covers alone: the smaller goes',
      spec: { ...position('1'), orders: [guardStop(1, '1', '2440'), guardStop(2, '0.4', '2450')] },
      removed: [2],
    },
    {
      why: 'two of Guard’s of one size: the looser goes',
      spec: { ...position('1'), orders: [guardStop(1, '1', '2440'), guardStop(2, '1', '2450')] },
      removed: [1],
    },
    {
      why: 'two of Guard’s, the bot covers all: both go, the covering one first',
      spec: {
        ...position('1'),
        orders: [guardStop(1, '1', '2440'), guardStop(2, '1', '2450'), botStop(3, '1', '2400')],
      },
      removed: [2, 1],
    },
    {
      why: 'the same for a short',
      spec: {
        ...position('-1'),
        orders: [
          guardStop(1, '1', '2530', true),
          guardStop(2, '1', '2520', true),
          stopOrder({ coin: 'ETH', oid: 3, size: '1', trigger: '2540', isBuy: true }),
        ],
      },
      removed: [2, 1],
    },
    {
      why: 'equal ones: the older first',
      spec: {
        ...position('1'),
        orders: [guardStop(2, '1', '2440'), guardStop(1, '1', '2440'), botStop(3, '1', '2400')],
      },
      removed: [1, 2],
    },
    { why: 'the position is gone', spec: { orders: [guardStop(1, '1', '2440')] }, removed: [1] },
    {
      why: 'the position turned: the one of the old side goes',
      spec: {
        ...position('-1'),
        orders: [guardStop(1, '1', '2440'), guardStop(2, '1', '2530', true)],
      },
      removed: [1],
    },
    {
      why: 'a bot’s stop without a position is the bot’s',
      spec: { orders: [botStop(1, '1', '2440')] },
      removed: [],
    },
    {
      why: 'a stop that waits for its entry stays',
      spec: {
        orders: restingEntry({
          coin: 'ETH',
          oid: 10,
          isBuy: true,
          price: '2400',
          size: '1',
          stop: '2350',
          stopCloid: guardId('stop', 9),
        }),
      },
      removed: [],
    },
  ]
  test.each(cases)('$why', ({ spec, removed }) => {
    const { steps } = plan(accountWith(spec))
    expect(steps.flatMap((step) => ('oids' in step ? step.oids : [-1]))).toEqual(removed)
    if (removed.length > 0) expect(steps).toMatchObject([{ kind: 'remove_stop' }])
  })

  test('not while the fill it belongs to may be on its way', () => {
    const account = accountWith({ orders: [{ ...guardStop(1, '1', '2440'), at: fixtureNow }] })
    expect(plan(account).steps).toEqual([])
    const flying = accountWith({ orders: [guardStop(1, '1', '2440')] })
    const ids = { cloid: botCloid(1), stopCloid: null }
    const entry = entryInFlight({ price: '2490', stop: '2440', ...ids })
    flying.reserve('e', inFlight({ ...entry, mayRest: false }), fixtureNow)
    expect(plan(flying).steps).toEqual([])
  })

  test('not while the positions were not seen, or not since it was placed', () => {
    const unseen = new Account()
    unseen.apply({ kind: 'markets', markets: markets(), at: fixtureNow })
    const orders = [guardStop(1, '1', '2440')]
    unseen.apply({ kind: 'orders', orders, source: 'read', at: fixtureNow })
    expect(plan(unseen).steps).toEqual([])
    const young = { ...guardStop(1, '1', '2440'), at: fixtureNow }
    const turned = accountWith({
      ...position('-1'),
      orders: [young, guardStop(2, '1', '2530', true)],
    })
    expect(plan(turned).steps).toEqual([])
  })

  test('not twice', () => {
    const account = accountWith({ orders: [guardStop(1, '1', '2440')] })
    account.reserve('x', [{ kind: 'cancel', coin: eth, oid: 1, cloid: null }], fixtureNow)
    expect(plan(account).steps).toEqual([])
  })
})

test('a market that is not listed is a problem, and the others go on', () => {
  const account = accountWith({
    positions: { GONE: { size: '1' }, ETH: { size: '1' } },
    mids: { GONE: '5', ETH: '2486.35' },
    orders: [openOrder({ coin: 'LOST', oid: 1, isBuy: true, price: '1', size: '1' })],
  })
  const { steps, problems, situation } = plan(account)
  expect(steps).toMatchObject([{ kind: 'stop', coin: 'ETH' }])
  expect(problems).toEqual([
    'GONE: the position is not covered, and the market is not listed',
    'LOST: its orders cannot be judged, the market is not listed',
  ])
  expect(situation).toBe(`stop ETH 1; ${problems.join('; ')}`)
})

test('the same situation has the same name however the price moves', () => {
  const account = accountWith({ positions: { ETH: { size: '1' } } })
  const before = plan(account).situation
  const mids = new Map([[eth, Decimal.of('2490')]])
  account.apply({ kind: 'mids', mids, at: fixtureNow })
  expect(plan(account).situation).toBe(before)
  const bare = accountWith({
    orders: [openOrder({ coin: 'ETH', oid: 7, isBuy: true, price: '1', size: '1' })],
  })
  expect(plan(bare).situation).toBe('cancel_entry ETH 7')
})

test('once its plan is done, an account needs nothing more', () => {
  const names = vectorMeta.map((spec) => spec.coin)
  const position = fc.record({
    size: fc.integer({ min: -500, max: 500 }).filter((size) => size !== 0),
    stopShares: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 3 }),
    owners: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    away: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 3, maxLength: 3 }),
    bare: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), position, { maxKeys: 4 }), (generated) => {
      let oid = 1
      const mids: Record<string, string> = {
        BTC: '84213.5',
        ETH: '2486.35',
        SOL: '137.42',
        HYPE: '41.873',
        DOGE: '0.17342',
        kPEPE: '0.0098215',
      }
      const positions: Record<string, { size: string }> = {}
      const orders = Object.entries(generated).flatMap(([name, each]) => {
        positions[name] = { size: `${each.size}` }
        const stops = each.stopShares.map((share, index) => {
          const percent = Decimal.of(
            each.size > 0 ? `${100 - (each.away[index] ?? 1)}` : `${100 + (each.away[index] ?? 1)}`,
          )
          return stopOrder({
            coin: name,
            oid: oid++,
            size: Decimal.whole(Math.abs(each.size))
              .times(Decimal.whole(share))
              .over(Decimal.whole(100), 0, 'up')
              .toString(),
            trigger: Decimal.of(mids[name] ?? '1')
              .times(percent)
              .over(Decimal.whole(100), 8, 'down')
              .toString(),
            isBuy: each.size < 0,
            ...(each.owners[index] === true ? { cloid: guardId('stop', oid) } : {}),
          })
        })
        const bare = openOrder({
          coin: name,
          oid: oid++,
          isBuy: each.size > 0,
          price: mids[name] ?? '1',
          size: '1',
        })
        return each.bare ? [...stops, bare] : stops
      })
      const account = accountWith({ positions, orders })
      const first = plan(account)
      const removed = new Set(first.steps.flatMap((step) => ('oids' in step ? step.oids : [])))
      const placed = first.steps.flatMap((step) =>
        step.kind === 'stop'
          ? [
              openOrder({
                coin: step.coin,
                oid: oid++,
                isBuy: step.order.isBuy,
                price: step.order.price.toString(),
                size: step.order.size.toString(),
                isReduceOnly: true,
                cloid: step.order.cloid,
                trigger: { price: step.trigger.toString() },
              }),
            ]
          : [],
      )
      let left = [...orders.filter((order) => !removed.has(order.oid)), ...placed]
      // From here on only stops go that nothing needs, a few at once; then there is nothing to do.
      for (let round = 0; ; round += 1) {
        expect(round).toBeLessThan(6)
        const done = accountWith({ positions, orders: left })
        expect(done.exposure().uncoveredPositions).toEqual([])
        expect(done.exposure().uncoveredOrders).toEqual([])
        const { steps } = plan(done)
        expect(steps.every((step) => step.kind === 'remove_stop')).toBe(true)
        if (steps.length === 0) break
        const gone = new Set(steps.flatMap((step) => ('oids' in step ? step.oids : [])))
        left = left.filter((order) => !gone.has(order.oid))
      }
    }),
    { numRuns: 2_000 },
  )
})

describe('beside so many orders that the venue would refuse a stop', () => {
  /** Entries of ETH and BTC in turns, each with its stop; the numbers are their parents'. */
  const entries = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      restingEntry({
        ...(n % 2 === 0
          ? { coin: 'ETH', price: '2000', stop: '1990' }
          : { coin: 'BTC', price: '50000', stop: '49000' }),
        ...{ oid: 1_000 + 2 * n, isBuy: true, size: '0.01' },
      }),
    ).flat()
  const positions = { SOL: { size: '5', entry: '150' } }
  const steps = (spec: AccountSpec) =>
    plan(accountWith(spec)).steps.map(({ kind, coin: of, why }) => [kind, of, why])

  test('the youngest entries make room, before the stop goes', () => {
    const account = accountWith({ positions, orders: entries(490) })
    const planned = plan(account)
    expect(planned.steps.map(({ kind, coin: of, why }) => [kind, of, why])).toEqual([
      ['cancel_entry', 'BTC', 'makes room for a stop'],
      ['cancel_entry', 'ETH', 'makes room for a stop'],
      ['stop', 'SOL', 'not covered in full'],
    ])
    expect(planned.problems).toEqual([
      'so many orders are open that the youngest entries make room for a stop',
    ])
    const gone = planned.steps.flatMap((step) => ('oids' in step ? step.oids : []))
    const youngest = Array.from({ length: 40 }, (_, n) => 1_000 + 2 * (489 - n))
    expect([...gone].sort((a, b) => b - a)).toEqual(youngest)
  })

  test('an entry without a stop goes for that reason, and makes no room twice', () => {
    const bare = restingEntry({ coin: 'ETH', oid: 9_000, isBuy: true, size: '0.01', price: '2000' })
    const planned = plan(accountWith({ positions, orders: [...entries(490), ...bare] }))
    const reasons = planned.steps.flatMap((step) =>
      'oids' in step && step.oids.includes(9_000) ? [step.why] : [],
    )
    expect(reasons).toEqual(['rests without its stop'])
  })

  test('those that are being cancelled already are not chosen again', () => {
    const account = accountWith({ positions, orders: entries(490) })
    const oids = Array.from({ length: 40 }, (_, n) => 1_000 + 2 * (489 - n))
    const items = oids.map((oid) => ({ kind: 'cancel', coin: null, oid, cloid: null }) as const)
    account.reserve('1:0', items, fixtureNow)
    const gone = plan(account).steps.flatMap((step) => ('oids' in step ? step.oids : []))
    expect(gone).toHaveLength(40)
    expect(gone.filter((oid) => oids.includes(oid))).toEqual([])
  })

  test('nothing is cancelled while there is room, or nothing needs a stop', () => {
    expect(steps({ positions, orders: entries(489) })).toEqual([
      ['stop', 'SOL', 'not covered in full'],
    ])
    expect(steps({ orders: entries(495) })).toEqual([])
  })
})
