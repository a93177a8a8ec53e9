import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { millis } from '../values/millis.ts'
import { botCloid, entryInFlight } from './account.fixture.ts'
import type { Reservation } from './reservation.ts'
import { Reservations } from './reservations.ts'

const eth = coin('ETH')
const [own, stopOwn] = [botCloid(1), botCloid(2)]
const entry = entryInFlight({ price: '100', stop: '98', cloid: own, stopCloid: null })
const reduce: Reservation = { kind: 'reduce', coin: eth, size: Decimal.of('2'), cloid: own }
const nameless: Reservation = { ...reduce, cloid: null }
const stop: Reservation = {
  ...{ kind: 'stop', coin: eth, isBuy: false, trigger: Decimal.of('98') },
  ...{ size: Decimal.of('2'), cloid: own },
}
const cancel: Reservation = { kind: 'cancel', coin: eth, oid: 7, cloid: null }
const leverage: Reservation = {
  ...{ kind: 'leverage', coin: eth, leverage: { type: 'isolated', value: 3 } },
}

type Live = NonNullable<ReturnType<ConstructorParameters<typeof Reservations>[0]['live']>>

/** One item in flight since 1,000; `orders` is what the venue shows as open. */
class Flight {
  readonly orders = new Map<string, Live>()
  readonly open = new Set<number>([7])
  readonly all = new Reservations(
    {
      live: (cloid) => this.orders.get(cloid) ?? null,
      isOpen: (oid) => oid !== null && this.open.has(oid),
    },
    () => undefined,
  )

  constructor(item: Reservation) {
    this.all.reserve('a', [item], millis(1_000))
  }

  accepted(at = 2_000): this {
    this.all.settle('a', { outcome: 'accepted' }, millis(at))
    return this
  }
  unknown(at = 2_000): this {
    this.all.settle('a', { outcome: 'unknown' }, millis(at))
    return this
  }
  state(taken: number, time = 0): this {
    this.all.applyState(millis(time), taken)
    return this
  }
  list(taken: number): this {
    this.all.applyOrders('stream', taken)
    return this
  }
  read(taken: number): this {
    this.all.applyOrders('read', taken)
    return this
  }
  shows(size: string, isConfirmed = true, oid = 9): this {
    const live = { oid, size: Decimal.of(size), originalSize: Decimal.of('2'), isConfirmed }
    this.orders.set(own, live)
    this.all.applySeen(own)
    return this
  }
  filled(size: string, oid = 9): this {
    this.all.applyFill({ cloid: own, oid }, Decimal.of(size))
    return this
  }
  ended(filled: string, time = 1_500, oid = 9): this {
    this.all.applyEnd({ cloid: own, oid }, Decimal.of(filled), millis(time))
    return this
  }
  gone(): this {
    this.open.clear()
    this.all.reviewCancels()
    return this
  }
}

const expires = 2_000 + limits.expiresAfterMsMax
const mayArrive = 1_000 + 2 * limits.expiresAfterMsMax

describe('what is in flight stays until it is shown', () => {
  test.each<[string, Reservation, (flight: Flight) => Flight, 0 | 1]>([
    ['an entry, accepted', entry, (each) => each.accepted(), 1],
    ['listed with its stop', entry, (each) => each.accepted().shows('2'), 0],
    ['seen, and not listed yet', entry, (each) => each.accepted().shows('2', false), 1],
    ['listed, a part of it filled and not told', entry, (each) => each.shows('1.5'), 1],
    ['listed, and that part told', entry, (each) => each.filled('0.5').shows('1.5'), 0],
    ['filled whole', entry, (each) => each.filled('1').filled('1'), 0],
    ['filled in part', entry, (each) => each.filled('1.9'), 1],
    ['ended, none of it filled', entry, (each) => each.ended('0'), 0],
    ['ended, its fills not told', entry, (each) => each.ended('1'), 1],
    ['ended, its fills told', entry, (each) => each.filled('1').ended('1'), 0],
    ['ended, and a later state', entry, (each) => each.ended('1').state(0, 1_501), 0],
    ['ended, and a state of then', entry, (each) => each.ended('1').state(9_999, 1_500), 1],
    ['read, positions and orders', entry, (each) => each.accepted().state(2_001).read(2_001), 0],
    ['read too early', entry, (each) => each.accepted().state(2_001).read(2_000), 1],
    ['a state too early', entry, (each) => each.accepted().state(2_000).read(2_001), 1],
    ['listed without it', entry, (each) => each.accepted().state(2_001).list(9_999), 1],
    ['no answer, and read', entry, (each) => each.unknown().state(expires).read(expires), 1],
    [
      'and later',
      entry,
      (each) =>
        each
          .unknown()
          .state(expires + 1)
          .read(expires + 1),
      0,
    ],
    ['none yet, and read', entry, (each) => each.state(mayArrive).read(mayArrive), 1],
    ['and much later', entry, (each) => each.state(mayArrive + 1).read(mayArrive + 1), 0],

    ['a reduction, accepted', reduce, (each) => each.accepted(), 1],
    ['open', reduce, (each) => each.accepted().shows('2', false), 0],
    ['filled', reduce, (each) => each.filled('2'), 0],
    ['filled in part', reduce, (each) => each.filled('1.9'), 1],
    ['ended, its fills not told', reduce, (each) => each.ended('1'), 1],
    ['ended, its fills told', reduce, (each) => each.ended('1').filled('1'), 0],
    ['ended, and a later state', reduce, (each) => each.ended('1').state(0, 1_501), 0],
    ['ended and listed without it', reduce, (each) => each.ended('1').state(9_999).list(9_999), 1],
    ['positions and orders', reduce, (each) => each.accepted().state(2_001).list(2_001), 0],
    ['positions alone', reduce, (each) => each.accepted().state(2_001), 1],
    ['orders alone', reduce, (each) => each.accepted().list(2_001), 1],

    ['a reduction without an id', nameless, (each) => each, 1],
    ['accepted', nameless, (each) => each.accepted(), 0],
    ['no answer', nameless, (each) => each.unknown(), 1],
    ['no answer, half read', nameless, (each) => each.unknown().state(expires + 1), 1],
    [
      'and read',
      nameless,
      (each) =>
        each
          .unknown()
          .state(expires + 1)
          .list(expires + 1),
      0,
    ],

    ['a stop, accepted', stop, (each) => each.accepted(), 1],
    ['open', stop, (each) => each.shows('2', false), 0],
    ['ended', stop, (each) => each.ended('0'), 0],
    ['listed without it', stop, (each) => each.accepted().list(2_001), 0],
    ['listed too early', stop, (each) => each.accepted().list(2_000), 1],

    ['a cancel, not answered, its order gone', cancel, (each) => each.gone(), 1],
    ['accepted, its order open', cancel, (each) => each.accepted(), 1],
    ['accepted, its order gone', cancel, (each) => each.accepted().gone(), 0],
    ['no answer, its order gone', cancel, (each) => each.unknown().gone(), 0],
    ['listed', cancel, (each) => each.accepted().list(2_001), 0],

    ['a leverage, accepted', leverage, (each) => each.accepted(), 0],
    ['no answer', leverage, (each) => each.unknown(), 1],
    ['half read', leverage, (each) => each.unknown().state(expires + 1), 1],
    ['the other half', leverage, (each) => each.unknown().list(expires + 1), 1],
    [
      'read',
      leverage,
      (each) =>
        each
          .unknown()
          .state(expires + 1)
          .list(expires + 1),
      0,
    ],
  ])('%s', (_, item, happens, left) => {
    const flight = happens(new Flight(item))
    expect(flight.all.count).toBe(left)
    expect([...flight.all.coins()]).toHaveLength(left)
  })

  test.each([entry, reduce, stop, cancel, leverage])('unless it is refused: %o', (item) => {
    const { all } = new Flight(item)
    all.settle('a', { outcome: 'refused' }, millis(2_000))
    expect([all.count, [...all.coins()], all.sent(own)]).toEqual([0, [], null])
  })
})

describe('a clock that is set', () => {
  test.each([
    ['ahead: what was taken before it shows nothing of what comes', 5_000, 6_800],
    ['back: what was taken before it is as old as it was', -500, 1_400],
  ])('%s', (_, ms, answeredAt) => {
    for (const item of [entry, reduce]) {
      const shown = (flight: Flight, taken: number): Flight =>
        item === entry ? flight.state(taken).read(taken) : flight.state(taken).list(taken)
      const before = shown(new Flight(item), 1_900)
      before.all.shift(ms)
      before.accepted(answeredAt)
      expect(shown(before, 0).all.count).toBe(1)
      expect(shown(before, answeredAt + 1).all.count).toBe(0)
      const half = shown(new Flight(item), 1_900)
      half.all.shift(ms)
      half.accepted(answeredAt)
      expect(half.state(answeredAt + 1).all.count).toBe(1)
    }
  })

  test('leaves what is in flight its age', () => {
    const flight = new Flight(entry).accepted(2_000)
    expect(flight.all.unshownSince).toBe(2_000)
    flight.all.shift(-500)
    expect(flight.all.unshownSince).toBe(1_500)
    expect(flight.state(1_501).read(1_501).all.count).toBe(0)
  })
})

describe('an entry that is sent with its stop', () => {
  const both: Reservation = { ...entry, stopCloid: stopOwn }

  test('is two in flight, each the other’s kin', () => {
    const { all } = new Flight(both)
    expect(all.count).toBe(2)
    expect(all.sent(own)).toEqual({ entryStop: Decimal.of('98'), trigger: null, kin: stopOwn })
    expect(all.sent(stopOwn)).toMatchObject({ entryStop: null, kin: own })
    expect(all.stops(eth)).toMatchObject([{ cloid: stopOwn, parent: own, isAccepted: false }])
  })

  test('is forgotten under both ids', () => {
    const { all } = new Flight(both)
    all.settle('a', { outcome: 'refused' }, millis(2_000))
    expect([all.sent(own), all.sent(stopOwn), all.sent(null)]).toEqual([null, null, null])
    all.settleOrder(stopOwn, { outcome: 'accepted' }, millis(2_000))
    expect(all.count).toBe(0)
  })

  test('may fare better than its stop', () => {
    const flight = new Flight(both).accepted()
    expect(flight.all.stops(eth)).toMatchObject([{ isAccepted: true }])
    flight.all.settleOrder(stopOwn, { outcome: 'refused' }, millis(2_000))
    expect([flight.all.count, flight.all.stops(eth)]).toEqual([1, []])
    expect(flight.all.entries(eth).map(({ size }) => size.toString())).toEqual(['2'])
  })
})

test('of several in flight on a coin each is found for what it is', () => {
  const { all } = new Flight(leverage)
  all.reserve('b', [reduce, cancel, { ...entry, cloid: botCloid(4) }], millis(1_100))
  expect(all.leverageInFlight(eth)).toEqual({ type: 'isolated', value: 3 })
  expect([all.cancellingSince(7, null), all.cancellingSince(8, null)]).toEqual([1_100, null])
  // A close of the bot's own is none of Guard's.
  expect(all.closingSince(eth)).toBe(null)
  expect(all.entries(eth)).toHaveLength(1)
  all.applyFill({ cloid: botCloid(4), oid: 9 }, Decimal.of('3'))
  expect(all.entries(eth)).toEqual([])
})
