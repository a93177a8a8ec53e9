import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin as coinOf } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Account } from './account.ts'
import { OrderHistory, stepKinds } from './orderHistory.fixture.ts'
import type { Heard, Step } from './orderHistory.fixture.ts'
import { plainSums } from './plainSums.fixture.ts'
import { tradedCoins } from './realVenue.fixture.ts'
import type { RealFill, RealOrder } from './realVenue.fixture.ts'

const seed = 20_241
const steps = fc.array(
  fc.record({
    what: fc.constantFrom(...stepKinds),
    pick: fc.nat(200),
    size: fc.integer({ min: 1, max: 5 }),
    more: fc.nat(60),
    after: fc.constantFrom(0, 0, 3, 40, 40, 300, 900, 2_500, 31_000),
  }),
  { minLength: 1, maxLength: 70, size: 'max' },
)

/** Entries of one side of one coin, each with its stop: the numbers that `OrderHistory` makes them of. */
const entriesOfOneSide = fc.array(
  fc.record({
    what: fc.constantFrom<Step['what']>(
      'send',
      'arrive',
      'fill',
      'fill',
      'deliver',
      'deliver',
      'list',
    ),
    pick: fc.constantFrom(8, 14, 20, 26),
    size: fc.integer({ min: 1, max: 5 }),
    more: fc.constantFrom(1, 4),
    after: fc.constantFrom(0, 3, 40),
  }),
  { minLength: 30, maxLength: 70, size: 'max' },
)

const number = (value: Decimal): number => parseFloat(value.toString())

/** How much of an order the account counts as what may still fill; its price names it. */
function counted(account: Account, { wanted }: RealOrder): number {
  const own = account
    .restingEntries(coinOf(wanted.coin))
    .filter(({ price }) => number(price) === wanted.price)
  return own.reduce((sum, { size }) => sum + number(size), 0)
}

/** What the account has been told, as the laws need it. */
class Told {
  readonly fills = new Set<RealFill>()
  /** By coin, the last fill that the positions include. */
  readonly included = new Map<string, number>()
  readonly #named = new Set<number>()

  /** Whether the account was told the number of an order. */
  isNamed({ oid }: RealOrder): boolean {
    return oid !== null && this.#named.has(oid)
  }

  hear(heard: Heard): void {
    if (heard.kind === 'update') this.#named.add(heard.update.oid)
    if (heard.kind === 'orders') for (const { oid } of heard.look.orders) this.#named.add(oid)
    if (heard.kind === 'reply') for (const oid of heard.oids) this.#named.add(oid)
    if (heard.kind === 'fill') {
      this.fills.add(heard.fill)
      this.#include(heard.fill.order.wanted.coin, heard.fill.seq)
    }
    if (heard.kind === 'state') for (const coin of tradedCoins) this.#include(coin, heard.look.seq)
  }

  #include(coin: string, seq: number): void {
    this.included.set(coin, Math.max(seq, this.included.get(coin) ?? 0))
  }

  has({ order, seq }: RealFill): boolean {
    return seq <= (this.included.get(order.wanted.coin) ?? 0)
  }
}

/** The laws that every moment of a history must keep; the first that is broken, in words. */
function broken(history: OrderHistory, told: Told, heard: Heard, before: Map<RealOrder, number>) {
  const { account, venue } = history
  for (const [order, was] of before) {
    const now = counted(account, order)
    const own = venue.fills.filter((fill) => fill.order === order)
    const unseen = own.filter((fill) => !told.has(fill)).reduce((sum, { size }) => sum + size, 0)
    const seen = own.filter((fill) => told.fills.has(fill)).reduce((sum, { size }) => sum + size, 0)
    const alive = history.isAlive(order) ? order.left : 0
    const name = `entry ${order.wanted.price}`
    if (now < alive + unseen) return `${name} counts ${now}, and may still do ${alive + unseen}`
    const known = told.isNamed(order) ? seen : 0
    if (now > order.wanted.size - known) return `${name} counts ${now}: more than is left of it`
    if (now < was && !isProof(heard, order, was - now)) return `${name} fell without proof`
  }
  return null
}

/** Whether what was heard may let go of so much of an order. */
function isProof(heard: Heard, order: RealOrder, released: number): boolean {
  switch (heard.kind) {
    case 'nothing':
    case 'reserved':
    case 'left':
      return false
    case 'reply':
      return heard.action === order.action
    case 'update':
      return heard.of === order
    case 'fill':
      if (heard.fill.order === order) return released <= heard.fill.size
      // It tells the position with all that ended before it.
      return order.endedAt !== null && order.endedAt < heard.fill.told.at
    // A state is dated by the venue itself; of a list only when it was asked for is certain.
    case 'state':
      return heard.madeAt > order.reservedAt
    case 'orders':
      return heard.from > order.reservedAt
  }
}

/** Every stop that still waits for its parent, and is taken for cover nevertheless. */
function waitingCover({ account, venue }: OrderHistory): readonly number[] {
  const waiting = new Set(
    venue.orders.filter(({ place }) => place === 'waiting').map(({ oid }) => oid),
  )
  return tradedCoins.flatMap((name) =>
    [true, false].flatMap((isLong) =>
      account
        .stopRow(coinOf(name), isLong)
        .list()
        .map(({ oid }) => oid)
        .filter((oid) => waiting.has(oid)),
    ),
  )
}

/** Which orders wait for others, by the venue's own books, and which Guard did not send. */
function originsOf({ venue }: OrderHistory): Parameters<typeof plainSums>[1] {
  const children = new Map<number, number>()
  const elsewhere = new Set<number>()
  for (const order of venue.orders) {
    if (order.action === null && order.oid !== null) elsewhere.add(order.oid)
    if (order.action === null) continue
    for (const { oid } of venue.childrenOf(order)) {
      if (oid !== null) children.set(oid, order.wanted.price)
    }
  }
  return { children, elsewhere }
}

/** Every number that is shown as another order than it is. */
function misnamed({ account, venue }: OrderHistory): readonly number[] {
  return venue.orders.flatMap((order) => {
    const shown = order.oid === null ? null : account.order({ oid: order.oid })
    return shown !== null && number(shown.price) !== order.wanted.price ? [shown.oid] : []
  })
}

function placesTaken(history: OrderHistory): number {
  const { orders } = history.venue
  return orders.filter(
    (order) =>
      (order.action !== null || order.place === 'over') &&
      history.isAlive(order) &&
      (order.place !== 'flight' || order.wanted.mayRest),
  ).length
}

/** Runs a history to its end with every law after every step; how many states it had, and how many early. */
function lawful(list: readonly Step[]): { readonly states: number; readonly early: number } {
  const history = new OrderHistory()
  const told = new Told()
  let [states, early] = [0, 0]
  const check = (run: () => Heard): void => {
    const entries = history.venue.orders.filter(
      ({ action, wanted }) => action !== null && wanted.kind === 'entry',
    )
    const before = new Map(entries.map((order) => [order, counted(history.account, order)]))
    const heard = run()
    told.hear(heard)
    states += 1
    expect(broken(history, told, heard, before)).toBe(null)
    expect(waitingCover(history)).toEqual([])
    expect(misnamed(history)).toEqual([])
    expect(history.account.orderCount).toBeGreaterThanOrEqual(placesTaken(history))
    const { kept, plain, risk } = plainSums(history.account, originsOf(history))
    expect(kept).toEqual(plain)
    expect(risk.kept).toBeGreaterThanOrEqual(risk.least)
    expect(risk.kept).toBeLessThanOrEqual(risk.most)
    if (risk.least > risk.naive) early += 1
  }
  for (const step of list) check(() => history.run(step))
  for (const run of history.toTheEnd()) check(run)
  expect(atRest(history.account)).toEqual(truth(history))
  return { states, early }
}

test('over every history of an account its orders are counted once, and let go of only with proof', () => {
  let states = 0
  fc.assert(
    fc.property(steps, (list) => {
      states += lawful(list).states
    }),
    { seed, numRuns: 450 },
  )
  expect(states).toBeGreaterThan(20_000)
})

test('so they are where one position is built of many entries, whose stops are told before their fills', () => {
  let early = 0
  fc.assert(
    fc.property(entriesOfOneSide, (list) => {
      early += lawful(list).early
    }),
    { seed, numRuns: 400 },
  )
  // Of so many states the risk would be counted too low if a stop covered what is older than it.
  expect(early).toBeGreaterThan(20)
})

function atRest(account: Account): unknown {
  return {
    inFlight: account.inFlight,
    places: account.orderCount,
    orders: tradedCoins.map((name) => listed(account.ordersOf(coinOf(name)))),
    stops: tradedCoins.map((name) =>
      [true, false].map((isLong) =>
        account
          .stopRow(coinOf(name), isLong)
          .list()
          .map(({ oid }) => oid)
          .sort(),
      ),
    ),
    sizes: tradedCoins.map((name) =>
      number(account.positions.get(coinOf(name))?.size ?? Decimal.zero),
    ),
  }
}

function truth({ venue }: OrderHistory): unknown {
  return {
    ...{ inFlight: 0, places: venue.open.length },
    orders: tradedCoins.map((name) =>
      listed(venue.look().orders.filter(({ coin }) => coin === coinOf(name))),
    ),
    stops: tradedCoins.map((name) =>
      [true, false].map((isLong) =>
        venue.open
          .filter(
            ({ place, wanted }) =>
              place === 'working' &&
              wanted.kind === 'stop' &&
              wanted.coin === name &&
              wanted.isBuy !== isLong,
          )
          .map(({ oid }) => oid)
          .sort(),
      ),
    ),
    sizes: tradedCoins.map((name) => venue.sizes.get(name) ?? 0),
  }
}

function listed(orders: readonly OpenOrder[]): readonly string[] {
  return orders
    .map(({ oid, size, price }) => `${oid}: ${size.toString()} at ${price.toString()}`)
    .sort()
}
