import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fixtureNow,
  inFlight,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import type { AccountEvent } from './accountEvent.ts'
import { TinyVenue } from './tinyVenue.fixture.ts'

const eth = coin('ETH')

const step = fc.record({
  what: fc.constantFrom('rest', 'take', 'fill', 'fill', 'cancel', 'reduce', 'state', 'orders'),
  size: fc.integer({ min: 1, max: 5 }),
  pick: fc.nat(20),
  after: fc.constantFrom(0, 0, 1, 40, 300),
})
const delays = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 8, maxLength: 8 })

/** Guard's clock is set by so much at a moment. */
const clockStep = fc.record({
  at: fc.integer({ min: fixtureNow, max: fixtureNow + 6_000 }),
  ms: fc.constantFrom(0, 0, -300, -6_000, -3_600_000, 300, 6_000, 3_600_000),
})
type Clock = (at: number) => number

function clockOf(step: { at: number; ms: number }): Clock {
  return (at) => (at >= step.at ? at + step.ms : at)
}

/** When what was told arrives: channels keep their own order, and know nothing of each other. */
function deliveries(
  venue: TinyVenue,
  delay: readonly number[],
  clock: Clock,
): { at: number; event: AccountEvent }[] {
  const last = new Map<string, number>()
  return venue.told
    .map(({ time, channel, event }, index) => {
      const at = Math.max(time + (delay[index % delay.length] ?? 1), last.get(channel) ?? 0)
      last.set(channel, at)
      return { at, event: event(clock(at)) }
    })
    .sort((left, right) => left.at - right.at)
}

function runVenue(steps: readonly { what: string; size: number; pick: number; after: number }[]) {
  const venue = new TinyVenue(fixtureNow + 1)
  let count = 1
  for (const { what, size, pick, after } of steps) {
    venue.time += after
    const parents = [...venue.orders.values()].filter((order) => !order.isReduceOnly)
    const target = parents[pick % Math.max(parents.length, 1)]
    if (what === 'rest') venue.rest(size, botCloid(count++), botCloid(count++))
    if (what === 'take')
      venue.take(size, Math.min(size, pick), botCloid(count++), botCloid(count++))
    if (what === 'fill' && target !== undefined) {
      venue.fillResting(target.oid, Math.min(size, parseInt(target.size.toString(), 10)))
    }
    if (what === 'cancel' && target !== undefined) venue.cancel(target.oid)
    if (what === 'reduce') venue.reduce(size)
    if (what === 'state') venue.tellState()
    if (what === 'orders') venue.tellOrders()
  }
  return venue
}

function shownOrders(account: Account): string[] {
  return account
    .ordersOf(eth)
    .map((order) => `${order.oid}:${order.size.toString()}`)
    .sort()
}

const runs = fc.array(step, { maxLength: 14 })

test('however messages interleave and the clock is set, the account ends at the venue’s truth', () => {
  fc.assert(
    fc.property(runs, delays, clockStep, fc.boolean(), (steps, delay, set, twice) => {
      const venue = runVenue(steps)
      const account = accountWith()
      let isSet = false
      for (const { at, event } of deliveries(venue, delay, clockOf(set))) {
        if (at >= set.at && !isSet) account.clockStepped(set.ms)
        isSet ||= at >= set.at
        account.apply(event)
        if (twice && event.kind === 'fills') account.apply(event)
      }
      const truth = [...venue.orders.values()].map(
        (order) => `${order.oid}:${order.size.toString()}`,
      )
      expect(account.positions.get(eth)?.size.toString() ?? '0').toBe(`${venue.position}`)
      expect(shownOrders(account)).toEqual(truth.sort())
      // A late read changes nothing that was right, and makes all of it confirmed.
      const at = millis(venue.time + 7_200_000)
      account.apply({ kind: 'orders', orders: venue.list(), source: 'read', at })
      expect(shownOrders(account)).toEqual(truth)
      for (const order of venue.orders.values()) {
        const isChild = venue.orders.has(order.oid - 1) && order.isReduceOnly
        expect(account.parentOf(order.oid) !== null).toBe(isChild)
      }
      expect(account.exposure().uncoveredOrders).toEqual([])
    }),
    { numRuns: 2_500 },
  )
}, 300_000)

test('a state that the venue dates before a fill does not take the fill back', () => {
  const account = accountWith()
  const venue = new TinyVenue(fixtureNow + 10)
  venue.tellState()
  venue.time += 1
  venue.take(3, 3, botCloid(1), botCloid(2))
  const [state, ...rest] = venue.told
  for (const { event } of rest) account.apply(event(fixtureNow + 20))
  if (state === undefined) throw new Error('no state')
  account.apply(state.event(fixtureNow + 30))
  expect(account.positions.get(eth)?.size.toString()).toBe('3')
  account.apply({
    kind: 'state',
    state: venueState({}, fixtureNow + 5),
    source: 'read',
    at: millis(fixtureNow + 40),
  })
  expect(account.positions.get(eth)?.size.toString()).toBe('3')
})

const request = fc.record({
  size: fc.integer({ min: 1, max: 5 }),
  rests: fc.boolean(),
  filled: fc.integer({ min: 0, max: 5 }),
  outcome: fc.constantFrom('refused', 'accepted', 'accepted', 'accepted', 'unknown'),
  arrives: fc.integer({ min: 1, max: 400 }),
  replies: fc.integer({ min: 401, max: 1_500 }),
  after: fc.integer({ min: 0, max: 700 }),
  cancelled: fc.boolean(),
})

const requestsMade = fc.array(request, { minLength: 1, maxLength: 6 })

test('what is in flight is never counted short, and never held for ever', () => {
  fc.assert(
    fc.property(requestsMade, delays, clockStep, (requests, delay, set) => {
      const clock = clockOf(set)
      const account = accountWith()
      const venue = new TinyVenue(fixtureNow + 1)
      type Turn = { at: number; rank: number; run: () => void }
      const turns: Turn[] = [{ at: set.at, rank: -1, run: () => account.clockStepped(set.ms) }]
      let at = fixtureNow + 1
      let cloids = 1
      requests.forEach((each, index) => {
        at += each.after
        const reservedAt = at
        const [cloid, stopCloid] = [botCloid(cloids++), botCloid(cloids++)]
        const id = `r${index}`
        turns.push({
          at: reservedAt,
          rank: 0,
          run: () =>
            account.reserve(
              id,
              inFlight({
                ...entryInFlight({ price: '2400', stop: '2350', cloid, stopCloid }),
                size: Decimal.whole(each.size),
                mayRest: each.rests,
              }),
              millis(clock(reservedAt)),
            ),
        })
        if (each.outcome !== 'refused') {
          const filled = Math.min(each.filled, each.size)
          turns.push({
            at: reservedAt + each.arrives,
            rank: 1,
            run: () => {
              if (!each.rests) return venue.take(each.size, filled, cloid, stopCloid)
              const oid = venue.rest(each.size, cloid, stopCloid)
              if (filled > 0) venue.fillResting(oid, filled)
              if (each.cancelled) venue.cancel(oid)
            },
          })
        }
        const outcome = each.outcome as 'refused' | 'accepted' | 'unknown'
        turns.push({
          at: reservedAt + each.replies,
          rank: 3,
          run: () => account.settle(id, { outcome }, millis(clock(reservedAt + each.replies))),
        })
      })
      // The venue's side runs first, so that its messages are known; then all of it by the clock.
      const end = at + 3_000
      for (let when = fixtureNow + 50; when < end; when += 350) {
        turns.push({ at: when, rank: 2, run: () => (venue.tellState(), venue.tellOrders()) })
      }
      const venueTurns = turns.filter(({ rank }) => rank === 1 || rank === 2)
      const trueSize = new Map<number, number>()
      for (const turn of venueTurns.sort(
        (left, right) => left.at - right.at || left.rank - right.rank,
      )) {
        venue.time = turn.at
        turn.run()
        const resting = [...venue.orders.values()].filter((order) => !order.isReduceOnly)
        const size = resting.reduce(
          (sum, order) => sum.plus(order.size),
          Decimal.whole(venue.position),
        )
        trueSize.set(turn.at, parseInt(size.toString(), 10))
      }
      const arrivals = deliveries(venue, delay, clock).map((each) => ({
        at: each.at,
        rank: 4,
        run: () => account.apply(each.event),
      }))
      const sorted = [...turns.filter(({ rank }) => rank <= 0 || rank === 3), ...arrivals]
      sorted.sort((left, right) => left.at - right.at || left.rank - right.rank)
      const known = [...trueSize].sort(([left], [right]) => left - right)
      for (const turn of sorted) {
        turn.run()
        const truth = known.filter(([when]) => when < turn.at).at(-1)?.[1] ?? 0
        const counted = account
          .restingEntries(eth)
          .reduce(
            (sum, entry) => sum.plus(entry.size),
            account.positions.get(eth)?.size ?? Decimal.zero,
          )
        expect(counted.gte(Decimal.whole(truth))).toBe(true)
      }
      const later = millis(end + 7_200_000)
      const size = `${venue.position}`
      const state = venueState(venue.position === 0 ? {} : { positions: { ETH: { size } } }, later)
      account.apply({ kind: 'state', state, source: 'read', at: later })
      account.apply({ kind: 'orders', orders: venue.list(), source: 'read', at: later })
      const shown = millis(later + 7_000)
      account.apply({ kind: 'state', state: { ...state, time: shown }, source: 'read', at: shown })
      expect(account.inFlight).toBe(0)
    }),
    { numRuns: 600 },
  )
}, 300_000)
