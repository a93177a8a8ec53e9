import { describe, expect, test } from 'vitest'
import type { AccountMode } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import {
  inFlight,
  reductionInFlight,
  accountWith,
  botCloid,
  fill,
  fixtureNow,
  later,
  openOrder,
  orderUpdate,
  restingEntry,
  stopOrder,
  venueState,
} from './account.fixture.ts'
import { Account } from './account.ts'
import type { AccountEvent } from './accountEvent.ts'

const eth = coin('ETH')
const sol = coin('SOL')
const dec = (text: string): Decimal => Decimal.of(text)

test('before anything was seen nothing is known', () => {
  const account = new Account()
  expect(account).toMatchObject({
    equity: null,
    confirmedAt: null,
    mode: 'unknown',
    stream: 'down',
    openOrderCount: 0,
    orderCount: 0,
  })
  expect(account.cash).toBeNull()
  expect(account.mid(eth)).toBeNull()
  expect(account.leverage(eth)).toBeNull()
  expect(account.market(eth)).toBeNull()
  expect(account.cover(eth)).toBeNull()
  expect(account.ordersOf(eth)).toEqual([])
  expect(account.exposure().openValue.toString()).toBe('0')
})

test('open risk and value of a covered position are those of the worked vector', () => {
  const account = accountWith({
    positions: {
      SOL: { size: '20', leverage: { type: 'isolated', value: 5 }, liquidation: '100' },
    },
    orders: [stopOrder({ coin: 'SOL', oid: 11, size: '20', trigger: '120' })],
  })
  expect(account.exposure().openRisk.toString()).toBe('348.4')
  expect(account.exposure().openValue.toString()).toBe('2748.4')
  expect(account.exposure().uncoveredPositions).toEqual([])
  expect(account.coinExposure(sol, true).sideValue.toString()).toBe('2748.4')
  expect(account.coinExposure(sol, false).sideValue.toString()).toBe('0')
})

test.each(['a mark', 'a context'])('without a mid a position is worth its mark: %s', (told) => {
  const account = accountWith({ mids: {}, positions: { SOL: { size: '20', entry: '100' } } })
  const worth = () => account.exposure().openValue.toString()
  const mark = (price: string): void => {
    const [at, context] = [later(1), { mark: dec(price), oracle: dec(price), mid: null }]
    if (told === 'a mark') account.apply({ kind: 'mark', coin: sol, mark: dec(price), at })
    else account.apply({ kind: 'contexts', contexts: new Map([[sol, context]]), at })
  }
  expect(worth()).toBe('2000')
  mark('110')
  expect(worth()).toBe('2200')
  mark('120')
  expect(worth()).toBe('2400')
  account.apply({ kind: 'mids', mids: new Map([[sol, dec('105')]]), at: later(2) })
  expect(worth()).toBe('2100')
  mark('130')
  expect(worth()).toBe('2100')
})

test('resting entries count at their limit and their stop, on their side', () => {
  const account = accountWith({
    orders: [
      ...restingEntry({
        coin: 'ETH',
        oid: 10,
        isBuy: true,
        price: '2400',
        size: '2',
        stop: '2352',
      }),
      ...restingEntry({
        coin: 'ETH',
        oid: 20,
        isBuy: false,
        price: '2600',
        size: '1',
        stop: '2650',
      }),
      openOrder({
        coin: 'ETH',
        oid: 30,
        isBuy: false,
        price: '2700',
        size: '9',
        isReduceOnly: true,
      }),
    ],
  })
  expect(account.exposure().openRisk.toString()).toBe('146')
  expect(account.exposure().openValue.toString()).toBe('7572.7')
  expect(account.coinExposure(eth, true).sideValue.toString()).toBe('4972.7')
  expect(account.coinExposure(eth, false).sideValue.toString()).toBe('2600')
  expect(
    account.restingEntries(eth).map(({ oid, stop }) => `${oid ?? ''}:${stop?.toString() ?? ''}`),
  ).toEqual(['10:2352', '20:2650'])
  expect(account.openOrderCount).toBe(5)
  expect(account.parentOf(11) !== null).toBe(true)
  expect(account.stopRow(eth, false).list()).toEqual([])
})

describe('modes', () => {
  test.each<[AccountMode, string | null]>([
    ['default', '7350.25'],
    ['disabled', '7350.25'],
    ['unifiedAccount', '7350.25'],
    ['portfolioMargin', null],
    ['dexAbstraction', null],
    ['unknown', null],
  ])('%s has equity %s', (mode, equity) => {
    const account = accountWith({ mode })
    expect(account.equity?.toString() ?? null).toBe(equity)
    expect(account.mode).toBe(mode)
  })

  test('a unified account is its spot balance, whatever the perp side shows', () => {
    const account = accountWith({ mode: 'unifiedAccount', equity: '5000' })
    const spot = { usdcTotal: dec('6000.5'), usdcHold: dec('10') }
    account.apply({ kind: 'spot', spot, source: 'stream', at: later(1) })
    expect(account.equity?.toString()).toBe('6000.5')
    const paid = fill({
      coin: 'ETH',
      isBuy: true,
      price: '2486',
      size: '1',
      start: '0',
      oid: 1,
      tid: 1,
      at: fixtureNow + 2,
      fee: '1.1',
    })
    account.apply({ kind: 'fills', fills: [paid], isSnapshot: false, at: later(2) })
    expect(account.equity?.toString()).toBe('5999.4')
    account.apply({ kind: 'spot', spot, source: 'stream', at: later(3) })
    expect(account.equity?.toString()).toBe('6000.5')
  })

  test('a unified account without its spot side is not known', () => {
    const account = accountWith()
    account.apply({ kind: 'mode', mode: 'unifiedAccount', at: later(1) })
    expect(account.equity).toBeNull()
    expect(account.confirmedAt).toBeNull()
  })
})

describe('ages', () => {
  test('the oldest of state and orders counts; a live stream vouches for orders', () => {
    const account = accountWith()
    const state: AccountEvent = {
      kind: 'state',
      state: venueState({}, fixtureNow + 5),
      source: 'stream',
      at: later(5),
    }
    account.apply(state)
    expect(account.confirmedAt).toBe(later(5))
    account.apply({ kind: 'stream', state: 'stale', at: later(6) })
    expect(account.confirmedAt).toBe(fixtureNow)
    account.apply({ kind: 'orders', orders: [], source: 'read', at: later(7) })
    expect(account.confirmedAt).toBe(later(5))
    expect(account.venueTime).toBe(fixtureNow + 5)
  })

  test('a state that is older than the one known confirms nothing and changes nothing', () => {
    const account = accountWith({ positions: { SOL: { size: '20' } } })
    const old = venueState({ positions: { ETH: { size: '1' } } }, fixtureNow - 1)
    for (const source of ['stream', 'read'] as const) {
      account.apply({ kind: 'state', state: old, source, at: later(9) })
      expect(account.confirmedAt).toBe(fixtureNow)
      expect(account.venueTime).toBe(fixtureNow)
      expect([...account.positions.keys()]).toEqual(['SOL'])
    }
  })

  test('a clock that is set back leaves everything its age', () => {
    const account = accountWith({ leverage: { ETH: { type: 'isolated', value: 3 } } })
    account.clockStepped(-3_600_000)
    const then = millis(fixtureNow - 3_600_000)
    expect(account.mid(eth)).toEqual({ price: dec('2486.35'), at: then })
    expect(account.leverage(eth)?.at).toBe(then)
    expect(account.confirmedAt).toBe(then)
    const at = millis(then + 500)
    account.apply({ kind: 'mids', mids: new Map([[eth, dec('1')]]), at })
    expect(account.mid(eth)).toEqual({ price: dec('1'), at })
    // Set ahead, it may be that the machine slept: prices are as old as they look.
    account.clockStepped(9_000)
    expect(account.mid(eth)?.at).toBe(at)
    expect(account.confirmedAt).toBe(then)
  })

  test('a unified balance and what was told of it are set back with the clock', () => {
    const account = accountWith({ mode: 'unifiedAccount' })
    account.clockStepped(-5_000)
    expect(account.confirmedAt).toBe(fixtureNow - 5_000)
    expect(account.ordersAt).toBe(fixtureNow - 5_000)
    // The state is younger than the balance, whose age was kept.
    const state = venueState({}, fixtureNow + 1)
    account.apply({ kind: 'state', state, source: 'stream', at: later(-4_000) })
    expect(account.confirmedAt).toBe(fixtureNow - 5_000)
  })

  test('when TWAPs were last listed is set back with the clock, and not ahead', () => {
    const account = accountWith()
    account.clockStepped(-1)
    expect(account.twaps.toldAt).toBeNull()
    account.apply({ kind: 'twaps', twaps: [], source: 'read', at: later(10) })
    account.clockStepped(-5)
    expect(account.twaps.toldAt).toBe(later(5))
    account.clockStepped(5)
    expect(account.twaps.toldAt).toBe(later(5))
  })

  test('an order that has ended is not believed to be open again, for as long as before', () => {
    const order = openOrder({ coin: 'ETH', oid: 1, isBuy: true, price: '2400', size: '1' })
    const account = accountWith({ orders: [order] })
    const ended = [orderUpdate(order, 'canceled', fixtureNow)]
    account.apply({ kind: 'order_updates', updates: ended, at: fixtureNow })
    account.clockStepped(-60_000)
    const listed = (ms: number): number => {
      const read = { source: 'read', askedAt: later(ms), at: later(ms) } as const
      account.apply({ kind: 'orders', orders: [order], ...read })
      return account.openOrderCount
    }
    expect(listed(-60_000 + 10_000)).toBe(0)
    expect(listed(-60_000 + 10_001)).toBe(1)
  })

  test('an order that the venue no longer lists is gone also when it was seen before the clock was set back', () => {
    const stop = stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2440' })
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders: [stop] })
    const orders = (ms: number) => {
      account.apply({ kind: 'orders', orders: [], source: 'stream', at: millis(fixtureNow + ms) })
      return account.openOrderCount
    }
    account.clockStepped(-6_000)
    expect(orders(-6_000 + 999)).toBe(1)
    expect(orders(-6_000 + 1_000)).toBe(0)
  })

  test('leverage is known with its age, by data, by position and by an accepted update', () => {
    const account = accountWith({
      positions: { SOL: { size: '1', leverage: { type: 'cross', value: 7 } } },
      leverage: { ETH: { type: 'isolated', value: 3 } },
    })
    expect(account.leverage(eth)).toEqual({
      leverage: { type: 'isolated', value: 3 },
      at: fixtureNow,
    })
    expect(account.leverage(sol)?.leverage).toEqual({ type: 'cross', value: 7 })
    account.reserve(
      'l',
      [{ kind: 'leverage', coin: eth, leverage: { type: 'isolated', value: 5 } }],
      later(1),
    )
    expect(account.leverage(eth)).toBeNull()
    account.settle('l', { outcome: 'accepted' }, later(2))
    expect(account.leverage(eth)).toEqual({
      leverage: { type: 'isolated', value: 5 },
      at: later(2),
    })
    expect(account.inFlight).toBe(0)
    account.reserve(
      'm',
      [{ kind: 'leverage', coin: eth, leverage: { type: 'isolated', value: 5 } }],
      later(3),
    )
    expect(account.leverage(eth)?.leverage.value).toBe(5)
    account.settle('m', { outcome: 'refused' }, later(4))
    expect(account.leverage(eth)?.leverage.value).toBe(5)
  })
})

describe('a fill counts before the next snapshot', () => {
  const opened = fill({
    coin: 'ETH',
    isBuy: true,
    price: '2480',
    size: '2',
    start: '0',
    oid: 1,
    tid: 1,
    at: fixtureNow + 1,
    fee: '2.232',
  })
  const event = (...fills: (typeof opened)[]): AccountEvent => ({
    kind: 'fills',
    fills,
    isSnapshot: false,
    at: later(2),
  })

  test('in size, entry price, leverage, liquidation and equity', () => {
    const account = accountWith({ leverage: { ETH: { type: 'isolated', value: 4 } } })
    account.apply(event(opened))
    // 2.232 less than before: no mark is as new as the fill; 2480 x (1 - (1/4 - 1/50) / (1 - 1/50)).
    expect(account.equity?.toString()).toBe('7348.018')
    const position = account.positions.get(eth)
    expect(position).toMatchObject({
      coin: 'ETH',
      since: later(2),
      leverage: { type: 'isolated', value: 4 },
    })
    expect(position?.size.toString()).toBe('2')
    expect(position?.entryPrice.toString()).toBe('2480')
    expect(position?.unrealisedPnl.toString()).toBe('0')
    expect(position?.liquidationPrice?.rounded(6, 'down').toString()).toBe('1897.959183')
    expect(account.cash?.cash.toString()).toBe('7348.018')
  })

  test('and once: the snapshot that includes it replaces it', () => {
    const account = accountWith()
    account.apply(event(opened, opened))
    const state = venueState(
      { equity: '7360', positions: { ETH: { size: '2', entry: '2480' } } },
      fixtureNow + 5,
    )
    account.apply({ kind: 'state', state, source: 'stream', at: later(6) })
    account.apply(event(opened))
    expect(account.equity?.toString()).toBe('7360')
    expect(account.positions.get(eth)?.size.toString()).toBe('2')
    expect(account.positions.get(eth)?.since).toBe(later(2))
  })

  test('through growing, shrinking, turning and closing', () => {
    const account = accountWith()
    const next = (isBuy: boolean, size: string, start: string, price: string, tid: number) =>
      fill({ coin: 'ETH', isBuy, price, size, start, oid: tid, tid, at: fixtureNow + tid })
    account.apply(event(next(true, '1', '0', '2400', 1), next(true, '1', '1', '2500', 2)))
    expect(account.positions.get(eth)?.entryPrice.toString()).toBe('2450')
    account.apply(event(next(false, '0.5', '2', '2600', 3)))
    expect(account.positions.get(eth)?.entryPrice.toString()).toBe('2450')
    account.apply(event(next(false, '2', '1.5', '2610', 4)))
    expect(account.positions.get(eth)?.size.toString()).toBe('-0.5')
    expect(account.positions.get(eth)?.entryPrice.toString()).toBe('2610')
    expect(account.positions.get(eth)?.leverage.type).toBe('cross')
    account.apply(event(next(true, '0.5', '-0.5', '2620', 5)))
    expect(account.positions.has(eth)).toBe(false)
  })

  test('there and back in one moment, told the later one first, leaves what was held', () => {
    const account = accountWith({ positions: { ETH: { size: '1' } } })
    const told = { coin: 'ETH', price: '2480', size: '1', at: fixtureNow + 1 }
    const grown = fill({ ...told, isBuy: true, start: '1', oid: 1, tid: 1 })
    const shrunk = fill({ ...told, isBuy: false, start: '2', oid: 2, tid: 2 })
    account.apply({ kind: 'fills', fills: [shrunk, grown], isSnapshot: true, at: later(2) })
    expect(account.positions.get(eth)?.size.toString()).toBe('1')
  })

  test('also after hundreds without a snapshot', () => {
    const account = accountWith()
    for (let tid = 1; tid <= 700; tid++) {
      const each = fill({
        coin: 'ETH',
        isBuy: true,
        price: '2480',
        size: '1',
        start: `${tid - 1}`,
        oid: 1,
        tid,
        at: fixtureNow + tid,
      })
      account.apply(event(each))
    }
    expect(account.positions.get(eth)?.size.toString()).toBe('700')
    expect(account.positions.get(eth)?.entryPrice.toString()).toBe('2480')
    expect(account.equity?.toString()).toBe('7350.25')
  })
})

describe('what is in flight', () => {
  const entry = {
    kind: 'entry',
    coin: eth,
    isBuy: true,
    size: dec('2'),
    price: dec('2498.7'),
    stop: dec('2436.7'),
    cloid: botCloid(1),
    stopCloid: botCloid(2),
    mayRest: true,
  } as const
  const order = restingEntry({
    coin: 'ETH',
    oid: 50,
    isBuy: true,
    price: '2498.7',
    size: '2',
    stop: '2436.7',
    cloid: botCloid(1),
    stopCloid: botCloid(2),
  })
  const orders = (at: number, list = order): AccountEvent => ({
    kind: 'orders',
    orders: list,
    source: 'stream',
    at: later(at),
  })

  test('an entry risks what lies between its limit and its stop, and is worth limit or mid', () => {
    const account = accountWith()
    account.reserve('e', inFlight(entry), later(1))
    // Above the mid its limit is worse: 2 x 62 and 2 x 2498.7.
    expect(account.exposure().openRisk.toString()).toBe('124')
    expect(account.exposure().openValue.toString()).toBe('4997.4')
    const low = {
      ...entry,
      price: dec('2400'),
      stop: dec('2352'),
      cloid: botCloid(3),
      stopCloid: null,
    }
    const other = accountWith()
    other.reserve('e', inFlight(low), later(1))
    // Below the mid it fills at its limit or better, and is then worth the mid: 2 x 2486.35.
    expect(other.exposure().openRisk.toString()).toBe('96')
    expect(other.exposure().openValue.toString()).toBe('4972.7')
    expect(other.coinExposure(eth, true).sideValue.toString()).toBe('4972.7')
    expect(other.coinExposure(eth, false).sideValue.toString()).toBe('0')
    expect(other.restingEntries(eth)).toMatchObject([{ oid: null, isConfirmed: false }])
  })

  test('a short entry is mirrored, and without a price its own counts', () => {
    const short = { ...entry, isBuy: false, price: dec('2474'), stop: dec('2536'), stopCloid: null }
    const account = accountWith()
    account.reserve('e', inFlight(short), later(1))
    expect(account.exposure().openRisk.toString()).toBe('124')
    expect(account.coinExposure(eth, false).sideValue.toString()).toBe('4972.7')
    const unpriced = accountWith({ mids: { BTC: '1' } })
    unpriced.reserve('e', inFlight(short), later(1))
    expect(unpriced.exposure().openValue.toString()).toBe('4948')
  })

  test('a refusal lets it go, an acceptance does not', () => {
    const account = accountWith()
    account.reserve('e', inFlight(entry), later(1))
    account.settle('e', { outcome: 'accepted' }, later(2))
    expect(account.inFlight).toBe(2)
    account.settle('e', { outcome: 'refused' }, later(3))
    expect(account.inFlight).toBe(0)
    expect(account.exposure().openRisk.toString()).toBe('0')
    account.settle('nobody', { outcome: 'refused' }, later(4))
  })

  test('the list that shows it with its stop replaces it, without a moment of neither', () => {
    const account = accountWith()
    account.reserve('e', inFlight(entry), later(1))
    const [parent] = order
    if (parent === undefined) throw new Error('no order')
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(parent, 'open', fixtureNow)],
      at: later(2),
    })
    expect(account.restingEntries(eth)).toMatchObject([{ oid: 50, isConfirmed: false }])
    expect(account.restingEntries(eth)[0]?.stop?.toString()).toBe('2436.7')
    expect(account.exposure().openRisk.toString()).toBe('124')
    expect(account.exposure().uncoveredOrders).toEqual([])
    account.apply(orders(3))
    expect(account.inFlight).toBe(0)
    expect(account.exposure().openRisk.toString()).toBe('124')
  })

  test('its fills replace it one by one', () => {
    const account = accountWith()
    account.reserve('e', inFlight(entry), later(1))
    const part = (size: string, start: string, tid: number): AccountEvent => ({
      kind: 'fills',
      isSnapshot: false,
      at: later(tid + 1),
      fills: [
        fill({
          coin: 'ETH',
          isBuy: true,
          price: '2490',
          size,
          start,
          oid: 50,
          tid,
          at: fixtureNow + tid,
          cloid: botCloid(1),
        }),
      ],
    })
    account.apply(part('0.5', '0', 1))
    // The id alone does not tell whose it is: a bot may use one again.
    expect(account.restingEntries(eth)[0]?.size.toString()).toBe('2')
    account.numbered('e', 0, 50)
    expect(account.restingEntries(eth)[0]?.size.toString()).toBe('1.5')
    account.apply(part('1.5', '0.5', 2))
    expect(account.restingEntries(eth)).toEqual([])
    expect(account.stopsInFlight(eth)).toMatchObject([
      { cloid: botCloid(2), parent: botCloid(1), owner: 'bot' },
    ])
    const stop = stopOrder({
      coin: 'ETH',
      oid: 51,
      size: '2',
      trigger: '1',
      price: '2193.03',
      cloid: botCloid(2),
    })
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(stop, 'open', fixtureNow + 3)],
      at: later(4),
    })
    // The update does not say it is a stop; Guard knows, for it sent it.
    expect(account.cover(eth)).toMatchObject({ isFull: true })
    expect(account.cover(eth)?.loosest?.toString()).toBe('2436.7')
    expect(account.inFlight).toBe(0)
  })

  test('an end says how much was filled, and that much stays until it is seen', () => {
    const account = accountWith()
    account.reserve('e', inFlight({ ...entry, stopCloid: null, mayRest: false }), later(1))
    const ended = openOrder({
      coin: 'ETH',
      oid: 50,
      isBuy: true,
      price: '2498.7',
      size: '1.2',
      originalSize: '2',
      cloid: botCloid(1),
    })
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(ended, 'canceled', fixtureNow + 1)],
      at: later(2),
    })
    expect(account.restingEntries(eth)[0]?.size.toString()).toBe('0.8')
    const show = (time: number, at: number) => {
      const state = venueState({ positions: { ETH: { size: '0.8' } } }, fixtureNow + time)
      account.apply({ kind: 'state', state, source: 'stream', at: later(at) })
      return account.inFlight
    }
    expect(show(1, 1_000)).toBe(1)
    // The same moment once more is no news.
    expect(show(1, 1_003)).toBe(1)
    expect(show(2, 1_004)).toBe(0)
  })

  test('lists of a stream that stands still take nothing away', () => {
    const account = accountWith()
    const stands = (at: number) => {
      const told = { source: 'stream', at: later(at) } as const
      account.apply({ kind: 'state', state: venueState({}, fixtureNow + 5), ...told })
      account.apply({ kind: 'orders', orders: [], ...told })
    }
    stands(10)
    account.reserve('e', inFlight(entry), later(20))
    account.settle('e', { outcome: 'accepted' }, later(30))
    const [order] = restingEntry({ coin: 'ETH', oid: 50, isBuy: true, price: '2400', size: '1' })
    if (order === undefined) throw new Error('no order')
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(order, 'open', fixtureNow + 25)],
      at: later(31),
    })
    for (const at of [1_031, 1_032, 2_900]) stands(at)
    expect([account.inFlight, account.openOrderCount]).toEqual([2, 1])
    const told = { source: 'read', at: later(9_000) } as const
    account.apply({ kind: 'orders', orders: [], ...told })
    expect([account.inFlight, account.openOrderCount]).toEqual([1, 0])
    const state = venueState({}, fixtureNow + 9_001)
    account.apply({ kind: 'state', state, source: 'read', askedAt: later(9_001), at: later(9_002) })
    expect([account.inFlight, account.openOrderCount]).toEqual([0, 0])
  })

  test.each([
    // Of an order that has ended, a list says that it is old: then it ends nothing at all.
    ['with an order that has ended', true, [2, 1]],
    ['without one', false, [1, 1]],
  ])('a list that lacks a newer order, %s', (_, hasEnded, kept) => {
    const account = accountWith()
    const orderOf = (oid: number, cloid: string) => {
      const spec = { coin: 'ETH', oid, isBuy: true, price: '2498.7', size: '2', cloid } as const
      const [order] = restingEntry(spec)
      if (order === undefined) throw new Error('no order')
      return order
    }
    const [old, fresh] = [orderOf(49, botCloid(9)), orderOf(50, entry.cloid)]
    const tell = (at: number, orders: readonly (typeof old)[]) => {
      const told = { source: 'stream', at: later(at) } as const
      account.apply({ kind: 'state', state: venueState({}, fixtureNow + at), ...told })
      account.apply({ kind: 'orders', orders, ...told })
    }
    tell(10, [old])
    account.reserve('e', inFlight(entry), later(20))
    account.settle('e', { outcome: 'accepted' }, later(30))
    // The old one makes way for the new one in one message.
    const updates = [
      orderUpdate(old, 'canceled', fixtureNow + 25),
      orderUpdate(fresh, 'open', fixtureNow + 25),
    ]
    account.apply({ kind: 'order_updates', updates, at: later(31) })
    // The positions are told as they are; the orders, over and over, as they were.
    for (const at of [1_500, 2_500, 6_000]) tell(at, hasEnded ? [old] : [])
    expect([account.inFlight, account.openOrderCount]).toEqual(kept)
    expect(account.order({ oid: 49 })).toBe(null)
    tell(7_000, [fresh])
    expect([account.inFlight, account.openOrderCount]).toEqual([0, 1])
  })

  test('what the venue cut off an order that only reduces is no fill on its way', () => {
    const account = accountWith({ positions: { ETH: { size: '1' } } })
    const [exit] = restingEntry({ coin: 'ETH', oid: 60, isBuy: false, price: '2600', size: '4' })
    if (exit === undefined) throw new Error('no order')
    const order = { ...exit, isReduceOnly: true, children: [] }
    const told = (size: string, status: string, at: number) => {
      const update = orderUpdate({ ...order, size: dec(size) }, status, fixtureNow + at)
      account.apply({ kind: 'order_updates', updates: [update], at: later(at) })
    }
    told('4', 'open', 1)
    // Another exit left one of them; then it had to go altogether.
    told('1', 'open', 2)
    told('1', 'reduceOnlyCanceled', 3)
    expect(account.openOrderCount).toBe(0)
    expect(account.cover(eth)?.isFull).toBe(false)
  })

  test('an unknown outcome waits until it can no longer arrive and both lists were read', () => {
    const account = accountWith()
    account.reserve('e', inFlight(entry), later(1))
    account.settle('e', { outcome: 'unknown' }, later(1_000))
    const read = (at: number): void => {
      account.apply({
        kind: 'state',
        state: venueState({}, fixtureNow + at),
        source: 'read',
        at: later(at),
      })
      account.apply({ kind: 'orders', orders: [], source: 'read', at: later(at) })
    }
    read(36_000)
    expect(account.inFlight).toBe(2)
    read(37_001)
    // Not there by this list; what it filled before it, a state of a later moment shows.
    expect(account.inFlight).toBe(1)
    read(43_001)
    expect(account.inFlight).toBe(1)
    read(43_002)
    expect(account.inFlight).toBe(0)
  })

  test('what an earlier list cannot know stays in flight when the clock is set back', () => {
    const account = accountWith()
    const at = millis(fixtureNow - 60_000)
    account.clockStepped(-60_000)
    account.reserve('e', inFlight(entry), at)
    account.settle('e', { outcome: 'accepted' }, millis(at + 10))
    expect(account.inFlight).toBe(2)
    const show = (ms: number) => {
      const told = { source: 'read', at: millis(at + ms) } as const
      account.apply({ kind: 'state', state: venueState({}, fixtureNow + ms), ...told })
      account.apply({ kind: 'orders', orders: [], ...told })
      return account.inFlight
    }
    expect(show(6_010)).toBe(2)
    expect(show(6_011)).toBe(1)
    expect(show(12_011)).toBe(1)
    expect(show(12_012)).toBe(0)
  })

  test.each([
    { mayRest: true, left: 1 },
    { mayRest: false, left: 0 },
  ])('a read that was asked for after the reply tells: $mayRest', ({ mayRest, left }) => {
    const account = accountWith()
    account.reserve('e', inFlight({ ...entry, mayRest }), later(1))
    account.settle('e', { outcome: 'accepted' }, later(10))
    const read = { source: 'read', askedAt: later(11), at: later(20) } as const
    account.apply({ kind: 'state', state: venueState({}, fixtureNow + 15), ...read })
    expect(account.inFlight).toBe(2)
    account.apply({ kind: 'orders', orders: [], ...read })
    // One that could rest may have filled between the state and the list.
    expect(account.inFlight).toBe(left)
    expect(account.restingEntries(eth)).toHaveLength(left)
    const again = { source: 'read', askedAt: later(21), at: later(30) } as const
    account.apply({ kind: 'state', state: venueState({}, fixtureNow + 25), ...again })
    expect(account.inFlight).toBe(0)
  })

  test('a cancel is done for cover and not done for exposure', () => {
    const account = accountWith({
      positions: { ETH: { size: '1' } },
      orders: [
        stopOrder({ coin: 'ETH', oid: 1, size: '1', trigger: '2440', cloid: botCloid(9) }),
        ...restingEntry({
          coin: 'ETH',
          oid: 10,
          isBuy: true,
          price: '2400',
          size: '2',
          stop: '2352',
        }),
      ],
    })
    const value = account.exposure().openValue.toString()
    account.reserve('a', [{ kind: 'cancel', coin: eth, oid: 10, cloid: null }], later(1))
    expect(account.exposure().openValue.toString()).toBe(value)
    account.reserve('b', [{ kind: 'cancel', coin: null, oid: null, cloid: botCloid(9) }], later(1))
    expect(account.cover(eth)?.isFull).toBe(false)
    expect(account.exposure().uncoveredPositions).toEqual(['ETH'])
    expect(account.cancellingSince(1)).toBe(later(1))
    account.settle('b', { outcome: 'refused' }, later(2))
    expect(account.cover(eth)?.isFull).toBe(true)
    account.settle('a', { outcome: 'accepted' }, later(2))
    expect(account.inFlight).toBe(1)
    const [ended] = account.ordersOf(eth).filter(({ oid }) => oid === 10)
    if (ended === undefined) throw new Error('no order')
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(ended, 'canceled', fixtureNow + 3)],
      at: later(3),
    })
    expect(account.inFlight).toBe(0)
  })

  test('a reduction is found by its id, or let go by a refusal', () => {
    const account = accountWith()
    account.reserve('a', [reductionInFlight('ETH', '1', botCloid(4))], later(1))
    account.reserve('b', [reductionInFlight('ETH', '1', botCloid(5))], later(1))
    expect(account.inFlight).toBe(2)
    account.settle('a', { outcome: 'refused' }, later(2))
    expect(account.inFlight).toBe(1)
    const rests = openOrder({
      coin: 'ETH',
      oid: 7,
      isBuy: false,
      price: '1',
      size: '1',
      isReduceOnly: true,
      cloid: botCloid(5),
    })
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(rests, 'open', fixtureNow)],
      at: later(3),
    })
    expect(account.inFlight).toBe(0)
  })
})

describe('children', () => {
  test.each(['parent first', 'child first'])('known by updates alone they wait: %s', (order) => {
    const account = accountWith({ positions: { ETH: { size: '1' } } })
    const entry = {
      kind: 'entry',
      coin: eth,
      isBuy: true,
      size: dec('1'),
      price: dec('2400'),
      stop: dec('2352'),
      cloid: botCloid(1),
      stopCloid: botCloid(2),
      mayRest: true,
    } as const
    account.reserve('e', inFlight(entry), fixtureNow)
    const listed = restingEntry({
      coin: 'ETH',
      oid: 10,
      isBuy: true,
      price: '2400',
      size: '1',
      stop: '2352',
      cloid: botCloid(1),
      stopCloid: botCloid(2),
    })
    const shown = order === 'parent first' ? listed : [...listed].reverse()
    const updates = shown.map((each) => orderUpdate(each, 'open', fixtureNow))
    account.apply({ kind: 'order_updates', updates, at: later(1) })
    expect(account.parentOf(11) !== null).toBe(true)
    expect(account.cover(eth)?.isFull).toBe(false)
    expect(account.restingEntries(eth)).toMatchObject([{ oid: 10, isConfirmed: false }])
    const [parent] = listed
    if (parent === undefined) throw new Error('no order')
    const filled = [orderUpdate({ ...parent, size: dec('0') }, 'filled', fixtureNow + 2)]
    account.apply({ kind: 'order_updates', updates: filled, at: later(2) })
    expect(account.cover(eth)?.isFull).toBe(true)
  })

  test('work once the parent is filled, and never after it was cancelled', () => {
    for (const status of ['filled', 'canceled']) {
      const orders = restingEntry({
        coin: 'ETH',
        oid: 10,
        isBuy: true,
        price: '2486',
        size: '1',
        stop: '2440',
      })
      const account = accountWith({ positions: { ETH: { size: '1' } }, orders })
      expect(account.cover(eth)?.isFull).toBe(false)
      const [parent] = orders
      if (parent === undefined) throw new Error('no order')
      account.apply({
        kind: 'order_updates',
        updates: [orderUpdate(parent, status, fixtureNow)],
        at: later(1),
      })
      expect(account.cover(eth)?.isFull).toBe(status === 'filled')
    }
  })

  test('an unknown status is an end', () => {
    const orders = [openOrder({ coin: 'ETH', oid: 10, isBuy: true, price: '2486', size: '1' })]
    const account = accountWith({ orders })
    const [order] = orders
    if (order === undefined) throw new Error('no order')
    account.apply({
      kind: 'order_updates',
      updates: [orderUpdate(order, 'someNewCanceled', fixtureNow)],
      at: later(1),
    })
    expect(account.openOrderCount).toBe(0)
    account.apply({ kind: 'orders', orders, source: 'stream', at: later(2) })
    expect(account.openOrderCount).toBe(0)
    account.apply({ kind: 'orders', orders, source: 'read', at: later(17_000) })
    expect(account.openOrderCount).toBe(1)
  })
})

describe('discrepancies', () => {
  test('a position, an order and a stop that did not go through Guard are named', () => {
    const account = accountWith({
      positions: { ETH: { size: '-2' } },
      orders: [
        openOrder({ coin: 'ETH', oid: 10, isBuy: true, price: '2400', size: '1' }),
        stopOrder({ coin: 'ETH', oid: 11, size: '2', trigger: '2540', isBuy: true }),
        openOrder({
          coin: 'ETH',
          oid: 12,
          isBuy: true,
          price: '2300',
          size: '2',
          isReduceOnly: true,
          trigger: { price: '2300', tpsl: 'tp' },
        }),
      ],
    })
    expect(account.discrepancies()).toEqual([
      "ETH: the venue shows a position of 2 short, Guard's record none",
      'ETH: order 10 (buy 1 at 2400) did not go through Guard',
      'ETH: stop 11 (buy 2 at 2540) did not go through Guard',
      'ETH: trigger 12 (buy 2 at 2300) did not go through Guard',
    ])
  })

  test('what Guard sent is explained, with its children and fills, also after a restart', () => {
    const account = accountWith()
    const entry = {
      kind: 'entry',
      coin: eth,
      isBuy: true,
      size: dec('2'),
      price: dec('2400'),
      stop: dec('2352'),
      cloid: botCloid(1),
      stopCloid: null,
      mayRest: true,
    } as const
    account.reserve('e', inFlight(entry), fixtureNow)
    const orders = restingEntry({
      coin: 'ETH',
      oid: 10,
      isBuy: true,
      price: '2400',
      size: '1',
      originalSize: '2',
      stop: '2352',
      cloid: botCloid(1),
    })
    account.apply({ kind: 'orders', orders, source: 'stream', at: later(1) })
    const part = fill({
      coin: 'ETH',
      isBuy: true,
      price: '2400',
      size: '1',
      start: '0',
      oid: 10,
      tid: 1,
      at: fixtureNow + 1,
    })
    account.apply({ kind: 'fills', fills: [part], isSnapshot: false, at: later(2) })
    expect(account.discrepancies()).toEqual([])
    const again = new Account()
    again.restoreRecord(account.record())
    again.apply({
      kind: 'state',
      state: venueState({ positions: { ETH: { size: '1' } } }, fixtureNow + 9),
      source: 'read',
      at: later(9),
    })
    again.apply({ kind: 'orders', orders, source: 'read', at: later(9) })
    again.apply({ kind: 'fills', fills: [], isSnapshot: true, at: later(9) })
    expect(again.discrepancies()).toEqual([])
    const foreign = fill({
      coin: 'ETH',
      isBuy: false,
      price: '2400',
      size: '0.4',
      start: '1',
      oid: 77,
      tid: 2,
      at: fixtureNow + 10,
    })
    again.apply({ kind: 'fills', fills: [foreign], isSnapshot: false, at: later(10) })
    expect(again.discrepancies()).toEqual([
      "ETH: the venue shows a position of 0.6 long, Guard's record 1 long",
    ])
    again.apply({
      kind: 'state',
      state: venueState({}, fixtureNow + 20),
      source: 'read',
      at: later(20),
    })
    expect(again.record().sizes).toEqual({})
    expect(again.discrepancies()).toEqual([])
  })

  test('a long list is cut', () => {
    const orders = Array.from({ length: 25 }, (_, index) =>
      openOrder({ coin: 'ETH', oid: index + 1, isBuy: true, price: '1', size: '1' }),
    )
    const found = accountWith({ orders }).discrepancies()
    expect(found).toHaveLength(21)
    expect(found.at(-1)).toBe('and 5 more orders that did not go through Guard')
  })
})
