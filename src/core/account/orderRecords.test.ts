import { describe, expect, test } from 'vitest'
import type { OrderRef } from '../protocol/action.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  entryInFlight,
  fill,
  fixtureNow,
  inFlight,
  later,
  openOrder,
  orderUpdate,
  restingEntry,
  stopOrder,
  venueState,
} from './account.fixture.ts'
import type { Account } from './account.ts'
import { OrderRecords } from './orderRecords.ts'

const eth = coin('ETH')
const order = (spec: {
  oid: number
  size?: string
  original?: string
  cloid?: string
}): OpenOrder =>
  openOrder({
    ...{ coin: 'ETH', isBuy: true, price: '2400', size: spec.size ?? '2', oid: spec.oid },
    ...{ originalSize: spec.original ?? '2', cloid: spec.cloid ?? null },
  })

function told(account: Account, ms: number, shown: OpenOrder, status: string): void {
  const updates = [orderUpdate(shown, status, fixtureNow + ms)]
  account.apply({ kind: 'order_updates', updates, at: later(ms) })
}
function listed(account: Account, ms: number, orders: readonly OpenOrder[]): void {
  account.apply({ kind: 'orders', orders, source: 'read', askedAt: later(ms), at: later(ms) })
}
function filled(account: Account, ms: number, oid: number, size: string, start = '0'): void {
  const spec = { coin: 'ETH', isBuy: true, price: '2400', size, start, oid, tid: ms }
  const fills = [fill({ ...spec, at: fixtureNow + ms })]
  account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(ms) })
}
/** An entry of 2 ETH with its stop is on its way under `id`. */
function sent(account: Account, id: string): void {
  const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
  account.reserve(id, inFlight(entryInFlight({ price: '2400', stop: '2300', ...ids })), later(1))
}

describe('what is known of the fills of an order', () => {
  type Step = (account: Account) => void
  const open: Step = (account) => listed(account, 1, [order({ oid: 7 })])
  const rows: { what: string; steps: readonly Step[]; filled: string; isFinal: boolean }[] = [
    { what: 'nobody knows it', steps: [], filled: '0', isFinal: false },
    { what: 'open', steps: [open], filled: '0', isFinal: false },
    {
      what: 'listed with less than was asked for',
      steps: [(account) => listed(account, 1, [order({ oid: 7, size: '1.5' })])],
      ...{ filled: '0.5', isFinal: false },
    },
    {
      what: 'a fill',
      ...{ steps: [open, (account) => filled(account, 2, 7, '0.25')], filled: '0.25' },
      isFinal: false,
    },
    {
      what: 'a fill of an order that nobody has shown',
      ...{ steps: [(account) => filled(account, 2, 7, '0.25')], filled: '0.25', isFinal: false },
    },
    {
      what: 'ended with a part, of which no fill has come',
      steps: [open, (account) => told(account, 2, order({ oid: 7, size: '1.5' }), 'canceled')],
      ...{ filled: '0.5', isFinal: true },
    },
    {
      what: 'filled by its fills',
      ...{ steps: [open, (account) => filled(account, 2, 7, '2')], filled: '2', isFinal: true },
    },
  ]
  test.each(rows)('$what', ({ steps, filled: most, isFinal }) => {
    const account = accountWith()
    for (const step of steps) step(account)
    const filling = account.fillingOf(7)
    expect([filling.filled.toString(), filling.isFinal]).toEqual([most, isFinal])
  })
})

describe('whether an order may be open', () => {
  const cloid = botCloid(1)
  const rows: { what: string; steps: readonly ((account: Account) => void)[]; is: boolean[] }[] = [
    { what: 'nobody knows it', steps: [], is: [false, false] },
    {
      what: 'listed',
      steps: [(all) => listed(all, 1, [order({ oid: 7, cloid })])],
      is: [true, true],
    },
    { what: 'one is on its way', steps: [(all) => sent(all, 'a')], is: [true, true] },
    {
      what: 'it has ended',
      steps: [
        (all) => listed(all, 1, [order({ oid: 7, cloid })]),
        (all) => told(all, 2, order({ oid: 7, cloid }), 'canceled'),
      ],
      is: [false, false],
    },
    {
      what: 'it has ended, and one with its id is on its way',
      steps: [
        (all) => listed(all, 1, [order({ oid: 7, cloid })]),
        (all) => told(all, 2, order({ oid: 7, cloid }), 'canceled'),
        (all) => sent(all, 'a'),
      ],
      is: [false, true],
    },
    {
      what: 'those on their way have other numbers',
      steps: [
        (all) => sent(all, 'a'),
        (all) => all.numbered('a', 0, 8),
        (all) => all.numbered('a', 1, 9),
      ],
      is: [false, true],
    },
    {
      what: 'it has ended with a part whose fill has not come',
      steps: [
        (all) => listed(all, 1, [order({ oid: 7, cloid })]),
        (all) => told(all, 2, order({ oid: 7, size: '1', cloid }), 'canceled'),
      ],
      is: [true, true],
    },
  ]
  test.each(rows)('$what', ({ steps, is }) => {
    const account = accountWith()
    for (const step of steps) step(account)
    const refs: readonly OrderRef[] = [{ oid: 7 }, { cloid }]
    expect(refs.map((ref) => account.mayBeOpen(ref))).toEqual(is)
  })
})

test('orders on other markets are open, and take places', () => {
  const account = accountWith({ orders: [order({ oid: 7 })] })
  expect([account.openOrderCount, account.orderCount]).toEqual([1, 1])
  const read = { source: 'read', at: later(9_000) } as const
  account.apply({ kind: 'orders', orders: [order({ oid: 7 })], elsewhere: 3, ...read })
  expect([account.openOrderCount, account.orderCount]).toEqual([4, 4])
  sent(account, 'a')
  expect([account.openOrderCount, account.orderCount]).toEqual([4, 6])
})

test('one of which nobody says that it only reduces may open', () => {
  const account = accountWith()
  const update = { ...orderUpdate(order({ oid: 7 }), 'open', fixtureNow), isReduceOnly: null }
  account.apply({ kind: 'order_updates', updates: [update], at: later(1) })
  expect(account.entryOf(7)?.size.toString()).toBe('2')
})

describe('an answer', () => {
  const inFlightOf = (account: Account): number => account.inFlight

  test.each([
    { index: 0, left: [0, 1] },
    { index: 1, left: [1, 0] },
  ])('of one order is none of the others: $index', ({ index, left }) => {
    const account = accountWith()
    sent(account, 'a')
    account.settleOrder('a', index, { outcome: 'refused' }, later(2))
    const entries = account.restingEntries(eth).length
    expect([entries, account.stopsInFlight(eth).length]).toEqual(left)
  })

  test('that refuses an order which has a number takes nothing away', () => {
    const account = accountWith()
    sent(account, 'a')
    account.numbered('a', 0, 7)
    account.settle('a', { outcome: 'refused' }, later(2))
    expect(inFlightOf(account)).toBe(1)
    expect(account.restingEntries(eth)).toHaveLength(1)
  })

  test('with the number of an order that has ended is another’s', () => {
    const account = accountWith()
    told(account, 1, order({ oid: 7 }), 'canceled')
    sent(account, 'a')
    account.numbered('a', 0, 7)
    expect(account.fillingOf(7).isFinal).toBe(true)
    told(account, 3, order({ oid: 8, cloid: botCloid(1) }), 'open')
    expect(account.entryOf(8)?.size.toString()).toBe('2')
  })

  test('that tells a number again changes nothing', () => {
    const account = accountWith()
    sent(account, 'a')
    account.numbered('a', 0, 7)
    told(account, 2, order({ oid: 7, cloid: botCloid(1) }), 'open')
    account.numbered('a', 0, 7)
    account.numbered('b', 0, 9)
    account.numbered('a', 5, 9)
    expect(account.ordersOf(eth).map(({ oid }) => oid)).toEqual([7])
    expect(account.holderOf(botCloid(1))).toBe('order 7')
  })
})

describe('a cancel by the client order id', () => {
  test('that is accepted is over once the order is', () => {
    const cloid = botCloid(9)
    const account = accountWith({ orders: [order({ oid: 7, cloid })] })
    account.reserve('c', [{ kind: 'cancel', coin: null, oid: null, cloid }], later(1))
    account.settle('c', { outcome: 'accepted' }, later(2))
    expect([account.inFlight, account.cancellingSince(7)]).toEqual([1, later(1)])
    told(account, 3, order({ oid: 7, cloid }), 'canceled')
    expect([account.inFlight, account.cancellingSince(7)]).toEqual([0, null])
  })

  test('of an order that nobody shows is over with its answer', () => {
    const account = accountWith()
    const item = { kind: 'cancel', coin: null, oid: null, cloid: botCloid(9) } as const
    account.reserve('c', [item], later(1))
    expect(account.inFlight).toBe(1)
    account.settle('c', { outcome: 'accepted' }, later(2))
    expect(account.inFlight).toBe(0)
  })
})

describe('sizes only fall', () => {
  const sizeOf = (account: Account): string => account.ordersOf(eth)[0]?.size.toString() ?? 'none'

  test('a list of before an update does not raise one', () => {
    const account = accountWith({ orders: [order({ oid: 7 })] })
    told(account, 1, order({ oid: 7, size: '1' }), 'open')
    expect(sizeOf(account)).toBe('1')
    listed(account, 2, [order({ oid: 7, size: '1.5' })])
    expect(sizeOf(account)).toBe('1')
    listed(account, 3, [order({ oid: 7, size: '0.5' })])
    expect(sizeOf(account)).toBe('0.5')
  })

  test('a fill that came before the first list is taken off it', () => {
    const account = accountWith()
    filled(account, 1, 7, '0.5')
    listed(account, 2, [order({ oid: 7 })])
    expect(sizeOf(account)).toBe('1.5')
  })

  test('a fill that is told twice is taken off once', () => {
    const account = accountWith({ orders: [order({ oid: 7 })] })
    filled(account, 1, 7, '0.5')
    filled(account, 1, 7, '0.5')
    expect(sizeOf(account)).toBe('1.5')
  })

  test('the first end that is told stands', () => {
    const account = accountWith()
    sent(account, 'a')
    const ended = (left: string): OpenOrder => order({ oid: 7, size: left, cloid: botCloid(1) })
    told(account, 2, ended('1.2'), 'canceled')
    told(account, 3, ended('0'), 'canceled')
    expect(account.restingEntries(eth).map(({ size }) => size.toString())).toEqual(['0.8'])
  })
})

describe('an entry', () => {
  test('that a list has as an update told it is confirmed', () => {
    const account = accountWith()
    const shown = order({ oid: 7 })
    account.apply({
      ...{ kind: 'order_updates', at: later(1) },
      updates: [orderUpdate(shown, 'open', shown.at)],
    })
    expect(account.hasUnconfirmedEntry(eth)).toBe(true)
    listed(account, 2, [shown])
    expect(account.hasUnconfirmedEntry(eth)).toBe(false)
  })

  test('has no stop from the moment that its child is told to be smaller than it', () => {
    const spec = { coin: 'ETH', oid: 7, isBuy: true, price: '2400', size: '2', stop: '2300' }
    const account = accountWith({ orders: restingEntry(spec) })
    expect(account.coinsWithoutStop()).toEqual([])
    const child = stopOrder({ coin: 'ETH', oid: 8, size: '2', trigger: '2300' })
    told(account, 1, { ...child, size: Decimal.one }, 'open')
    expect(account.coinsWithoutStop()).toEqual([eth])
    expect(account.entryOf(7)?.stop).toBeNull()
  })

  test('the id of an order that has ended is known, though it was told later', () => {
    const account = accountWith()
    told(account, 1, order({ oid: 7 }), 'canceled')
    told(account, 2, order({ oid: 7, cloid: botCloid(3) }), 'open')
    expect([account.cloidOf(7), account.openOrderCount]).toEqual([botCloid(3), 0])
  })
})

describe('a part that is told as filled counts until a state shows it', () => {
  const sizes = (account: Account): readonly string[] =>
    account.restingEntries(eth).map(({ size, oid }) => `${oid ?? 'flying'}: ${size.toString()}`)
  const rests = (left: string): readonly OpenOrder[] =>
    restingEntry({
      ...{ coin: 'ETH', oid: 7, isBuy: true, price: '2400', size: left, originalSize: '2' },
      ...{ stop: '2300', cloid: botCloid(1), stopCloid: botCloid(2) },
    })
  const state = (account: Account, time: number, askedAt: number): readonly string[] => {
    const shown = venueState({ positions: { ETH: { size: '1' } } }, fixtureNow + time)
    const read = { source: 'read', askedAt: later(askedAt), at: later(askedAt) } as const
    account.apply({ kind: 'state', state: shown, ...read })
    return sizes(account)
  }
  const parent = (left: string): OpenOrder => order({ oid: 7, size: left, cloid: botCloid(1) })

  test('of a later moment of the venue than the one it was told for', () => {
    const account = accountWith()
    sent(account, 'a')
    listed(account, 2, rests('2'))
    told(account, 10, parent('1'), 'open')
    expect(sizes(account)).toEqual(['7: 1', 'flying: 1'])
    expect(state(account, 9, 8)).toEqual(['7: 1', 'flying: 1'])
    expect(state(account, 10, 9)).toEqual(['7: 1', 'flying: 1'])
    expect(state(account, 11, 9)).toEqual(['7: 1'])
  })

  test('or that was asked for after it was told', () => {
    const account = accountWith()
    sent(account, 'a')
    listed(account, 2, rests('2'))
    listed(account, 10, rests('1'))
    expect(state(account, 99, 10)).toEqual(['7: 1', 'flying: 1'])
    expect(state(account, 100, 11)).toEqual(['7: 1'])
  })

  test('also of an order that was made elsewhere, or before Guard was started', () => {
    const account = accountWith({ positions: { ETH: { size: '1' } }, orders: rests('1') })
    expect([sizes(account), account.inFlight]).toEqual([['7: 1', 'flying: 1'], 1])
    expect(state(account, 0, 0)).toEqual(['7: 1', 'flying: 1'])
    expect([state(account, 1, 1), account.inFlight]).toEqual([['7: 1'], 0])
    listed(account, 2, rests('1'))
    expect([sizes(account), account.hasEntryInFlight(eth)]).toEqual([['7: 1'], false])
  })

  test('and a list that says the same is no news of it', () => {
    const account = accountWith()
    sent(account, 'a')
    told(account, 2, parent('2'), 'open')
    told(account, 10, parent('1'), 'open')
    listed(account, 12, rests('1'))
    expect(state(account, 11, 11)).toEqual(['7: 1'])
  })
})

test('without orders no coin has an entry without its stop', () => {
  expect(accountWith().hasBareEntry(eth, [])).toBe(false)
})

test('a coin is forgotten with its last order', () => {
  const account = accountWith({ orders: [order({ oid: 7 })] })
  expect([...account.coinsWithOrders()]).toEqual([eth])
  told(account, 1, order({ oid: 7 }), 'canceled')
  expect([...account.coinsWithOrders()]).toEqual([])
  expect(account.parentOf(7)).toBeNull()
})

test('a child waits for its parent while it is open itself', () => {
  const [parent, child] = restingEntry({
    ...{ coin: 'ETH', oid: 20, isBuy: true, price: '2400', size: '2', stop: '2350' },
  })
  if (parent === undefined || child === undefined) throw new Error('no orders')
  expect(accountWith({ orders: [parent, child] }).parentOf(21)).toBe(20)
  expect(accountWith({ orders: [parent] }).parentOf(21)).toBeNull()
})

test('an entry whose child is gone rests without a stop from that list on', () => {
  const [parent, child] = restingEntry({
    ...{ coin: 'ETH', oid: 20, isBuy: true, price: '2400', size: '2', stop: '2350' },
  })
  if (parent === undefined || child === undefined) throw new Error('no orders')
  const account = accountWith({ orders: [parent, child] })
  expect(account.coinsWithoutStop()).toEqual([])
  listed(account, 10_000, [parent])
  expect(account.coinsWithoutStop()).toEqual(['ETH'])
  expect(account.restingEntries(eth).map(({ stop }) => stop)).toEqual([null])
})

describe('an entry of Guard’s that a read lacks', () => {
  const accepted = (account: Account): void => {
    sent(account, 'a')
    account.sent('a')
    account.settle('a', { outcome: 'accepted' }, later(2))
  }

  test('has left its id to others where its number is known', () => {
    const account = accountWith()
    accepted(account)
    account.numbered('a', 0, 7)
    listed(account, 3, [order({ oid: 7, cloid: botCloid(1) })])
    expect(account.holderOf(botCloid(1))).toBe('order 7')
    listed(account, 10, [])
    expect(account.holderOf(botCloid(1))).toBeNull()
  })

  test('keeps its id where no number was told: it may be told of after all, and is there then', () => {
    const account = accountWith()
    accepted(account)
    listed(account, 10, [])
    expect(account.holderOf(botCloid(1))).toBe('an order on its way')
    told(account, 11, order({ oid: 7, cloid: botCloid(1) }), 'open')
    expect(account.holderOf(botCloid(1))).toBe('order 7')
    expect(account.restingEntries(eth)).toMatchObject([{ oid: 7, stop: Decimal.of('2300') }])
  })

  test('is not gone any more once it is shown', () => {
    const records = new OrderRecords()
    const [plan] = inFlight(
      entryInFlight({ price: '2400', stop: '2300', cloid: botCloid(1), stopCloid: null }),
    )
    if (plan === undefined) throw new Error('no order')
    const life = records.expect('a', plan, later(1))
    records.vanish(life, later(2))
    expect(life.isGone).toBe(true)
    records.show(life, order({ oid: 7 }), later(3))
    expect(life.isGone).toBe(false)
  })
})

test('only a read can tell of entries that were answered and never shown: their coin is in doubt', () => {
  const account = accountWith()
  sent(account, 'a')
  account.sent('a')
  expect(account.doubtfulSince).toBeNull()
  account.settleOrder('a', 1, { outcome: 'accepted' }, later(2))
  // The stop alone was answered: one that is not there protects nothing, and is nothing to wait for.
  expect(account.doubtfulSince).toBeNull()
  account.settleOrder('a', 0, { outcome: 'accepted' }, later(3))
  expect(account.doubtfulSince).toBe(later(3))
  expect([...account.doubtfulCoins(later(3))]).toEqual([])
  expect([...account.doubtfulCoins(later(4))]).toEqual(['ETH'])
})

test('an order whose number was told is open only once the venue shows it', () => {
  const records = new OrderRecords()
  const [plan] = inFlight(
    entryInFlight({ price: '2400', stop: '2300', cloid: botCloid(1), stopCloid: null }),
  )
  if (plan === undefined) throw new Error('no order')
  const life = records.expect('a', plan, later(1))
  expect(records.openOids()).toEqual([])
  records.index.number(life, 7)
  expect(records.openOids()).toEqual([])
  records.show(life, order({ oid: 7 }), later(3))
  expect(records.openOids()).toEqual([7])
})

test('a stop that the venue lists as nobody’s child works, whatever Guard sent it with', () => {
  const account = accountWith({ positions: { ETH: { size: '2' } } })
  sent(account, 'a')
  const child = { coin: 'ETH', oid: 8, size: '2', trigger: '2300', cloid: botCloid(2) }
  listed(account, 3, [order({ oid: 7, cloid: botCloid(1) }), stopOrder(child)])
  expect(account.cover(eth)?.isFull).toBe(true)
})

test('a stop that has filled is on its way no more, though its fills are still to be shown', () => {
  const account = accountWith({ positions: { ETH: { size: '2' } } })
  sent(account, 'a')
  expect(account.stopsInFlight(eth)).toHaveLength(1)
  const child = { coin: 'ETH', oid: 8, size: '2', trigger: '2300', cloid: botCloid(2) }
  told(account, 3, stopOrder(child), 'filled')
  expect(account.stopsInFlight(eth)).toEqual([])
})

test.each([true, false])(
  'an order has its id again under the number of the answer: shown %s',
  (isShown) => {
    const account = accountWith()
    sent(account, 'a')
    listed(account, 3, [order({ oid: 7, cloid: botCloid(1) })])
    listed(account, 4, [])
    expect(account.holderOf(botCloid(1))).toBeNull()
    if (isShown) told(account, 5, order({ oid: 9, cloid: botCloid(1) }), 'open')
    account.numbered('a', 0, 9)
    expect(account.holderOf(botCloid(1))).toBe('order 9')
    expect(account.order({ oid: 9 }) !== null).toBe(isShown)
    // The entry and its stop, and nothing beside them.
    expect(account.inFlight).toBe(2)
  },
)

test('how much has filled is as old as the first word of it, however often it is told again', () => {
  const account = accountWith({ orders: [order({ oid: 7 })] })
  for (const ms of [2, 8]) told(account, ms, order({ oid: 7, size: '1.5' }), 'open')
  expect(account.inFlight).toBe(1)
  const state = venueState({ positions: { ETH: { size: '0.5' } } }, fixtureNow + 1)
  account.apply({ kind: 'state', state, source: 'read', askedAt: later(5), at: later(9) })
  expect(account.inFlight).toBe(0)
})

test('children work once fills alone have filled their parent', () => {
  const [parent, child] = restingEntry({
    ...{ coin: 'ETH', oid: 20, isBuy: true, price: '2400', size: '2', stop: '2350' },
  })
  if (parent === undefined || child === undefined) throw new Error('no orders')
  const account = accountWith({ orders: [parent, child] })
  filled(account, 2, 20, '2')
  expect(account.cover(eth)?.isFull).toBe(true)
})

test('the end of an order that nobody knew is nothing to wait for where its fills have come', () => {
  const account = accountWith()
  filled(account, 2, 7, '0.5')
  told(account, 3, order({ oid: 7, size: '1.5' }), 'canceled')
  expect(account.inFlight).toBe(0)
  told(account, 4, order({ oid: 8, size: '1.5' }), 'canceled')
  expect(account.fillingOf(7)).toEqual({ filled: Decimal.of('0.5'), isFinal: true })
})

describe('an entry that was accepted and numbered, and is not shown yet, is not gone', () => {
  const accepted = (): Account => {
    const account = accountWith()
    sent(account, 'a')
    account.sent('a')
    account.settle('a', { outcome: 'accepted' }, later(50))
    account.numbered('a', 0, 7)
    return account
  }
  test('by a list from before its answer', () => {
    const account = accepted()
    listed(account, 10, [])
    expect(account.orderCount).toBe(2)
  })
  test('by a list of another dex', () => {
    const account = accepted()
    const list = { kind: 'orders', orders: [], source: 'read', dex: 'xyz' } as const
    account.apply({ ...list, askedAt: later(90), at: later(90) })
    expect(account.orderCount).toBe(2)
    listed(account, 91, [])
    expect(account.orderCount).toBe(0)
  })
})

test('a position’s own stop is as large as the venue says, whatever it was asked for', () => {
  const whole = openOrder({
    ...{ coin: 'ETH', oid: 9, isBuy: false, price: '2070', size: '2', originalSize: '0' },
    ...{ isReduceOnly: true, isPositionTpsl: true, trigger: { price: '2300' } },
  })
  const account = accountWith({ positions: { ETH: { size: '2' } }, orders: [whole] })
  expect(account.ordersOf(eth)).toMatchObject([{ size: Decimal.of('2') }])
})

test('what an entry has filled unseen counts with the stop it had, though that is gone with it', () => {
  const [parent, child] = restingEntry({
    ...{ coin: 'ETH', oid: 20, isBuy: true, price: '2400', size: '2', stop: '2350' },
  })
  if (parent === undefined || child === undefined) throw new Error('no orders')
  const account = accountWith({ orders: [parent, child] })
  told(account, 2, { ...parent, size: Decimal.of('1.5') }, 'canceled')
  told(account, 3, child, 'canceled')
  filled(account, 1, 20, '0.2')
  const left = { size: Decimal.of('0.3'), stop: Decimal.of('2350'), oid: null }
  expect(account.restingEntries(eth)).toMatchObject([left])
})
