import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import { Decimal as Exact } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { botCloid, openOrder, orderUpdate, restingEntry, stopOrder } from './account.fixture.ts'
import { OrderBook } from './orderBook.ts'
import type { SentOrder } from './orderBook.ts'
import { isSameOrder } from './sameOrder.ts'

const coins = ['ETH', 'SOL'] as const
const cloidOf = (oid: number): string => botCloid(oid)

/** On the venue a child has one parent for life, whether or not a list names it. */
const motherOf: { readonly [child: number]: number } = { 4: 1, 5: 1, 6: 2 }

/** One order as a list may show it: an entry, an exit or a stop, whoever's child. */
const listedOrder = fc
  .record({
    oid: fc.integer({ min: 1, max: 6 }),
    isBuy: fc.boolean(),
    size: fc.integer({ min: 1, max: 3 }),
    price: fc.constantFrom('90', '100'),
    kind: fc.constantFrom('entry', 'entry', 'exit', 'stop', 'stop'),
    trigger: fc.constantFrom('80', '120'),
    named: fc.uniqueArray(fc.constantFrom(4, 5, 6), { maxLength: 3 }),
  })
  .map(({ kind, trigger, named, size, ...rest }): OpenOrder =>
    openOrder({
      ...rest,
      coin: coins[rest.oid % coins.length] ?? coins[0],
      ...{ size: `${size}`, originalSize: '3', cloid: cloidOf(rest.oid) },
      isReduceOnly: kind !== 'entry',
      ...(kind === 'stop' ? { trigger: { price: trigger } } : {}),
      children: kind === 'entry' ? named.filter((child) => motherOf[child] === rest.oid) : [],
    }),
  )

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      orders: fc.uniqueArray(listedOrder, { maxLength: 6, selector: ({ oid }) => oid }),
      source: fc.constantFrom('stream' as const, 'read' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      order: listedOrder,
      status: fc.constantFrom('open', 'open', 'triggered', 'filled', 'canceled'),
    }),
  },
  fc.record({ kind: fc.constant('fill' as const), oid: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('again' as const) }),
)

/** Everything the book answers, as text; the order of a coin's orders is nobody's business. */
function shown(book: OrderBook): unknown {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, each: unknown) =>
      each instanceof Exact ? each.rounded(12, 'down').toString() : each,
    )
  const sum = (value: Decimal): string => value.toString()
  return {
    risk: sum(book.entryRisk),
    value: sum(book.entryValue),
    bare: [...book.coinsWithoutStop].sort(),
    coins: coins.map((name) => {
      const orders = book.coin(coin(name))
      if (orders === null) return null
      return {
        entries: orders.entries.map(text).sort(),
        stops: orders.stops.map(text).sort(),
        orders: orders.orders.map(text).sort(),
        risk: sum(orders.entryRisk),
        value: [true, false].map((isBuy) => sum(orders.valueOf(isBuy))),
        withoutStop: orders.withoutStop,
      }
    }),
  }
}

test('whatever a list leaves as it was counts as if everything had been counted anew', () => {
  const sent = fc.constantFrom<SentOrder | null>(null, {
    entryStop: Exact.of('70'),
    trigger: null,
    kin: cloidOf(2),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), sent, (steps, record) => {
      const book = new OrderBook(
        (id) => (id === cloidOf(1) ? record : null),
        () => undefined,
      )
      let at = 1_000_000
      let last: readonly OpenOrder[] = []
      for (const each of steps) {
        at += 20_000
        if (each.kind === 'update') {
          book.applyUpdate(orderUpdate(each.order, each.status, at), millis(at))
        } else if (each.kind === 'fill') book.applyFill(each.oid, Exact.one, millis(at))
        else {
          if (each.kind === 'list') last = each.orders
          const source = each.kind === 'list' ? each.source : 'stream'
          book.applySnapshot(last, source, millis(at), at)
          for (const order of last) {
            const { size, ...known } = book.get(order.oid) ?? order
            expect({ ...known, size: order.size }).toEqual(order)
            expect(size.lte(order.size)).toBe(true)
          }
          const before = shown(book)
          for (let oid = 1; oid <= 6; oid += 1) book.refreshCloid(cloidOf(oid))
          expect(shown(book)).toEqual(before)
        }
      }
    }),
    { numRuns: 4_000 },
  )
})

function emptyBook(): OrderBook {
  return new OrderBook(
    () => null,
    () => undefined,
  )
}

const pair = (name: string, oid: number): [OpenOrder, OpenOrder] =>
  restingEntry({
    ...{ coin: name, oid, isBuy: true, price: '100', size: '3', stop: '90' },
    ...{ cloid: cloidOf(oid), stopCloid: cloidOf(oid + 1) },
  }) as [OpenOrder, OpenOrder]

describe('orders are the same', () => {
  const trigger = { price: Exact.of('90'), isMarket: true, tpsl: 'sl' } as const
  const order = {
    ...openOrder({ coin: 'ETH', oid: 1, isBuy: true, price: '1', size: '2' }),
    trigger,
  }
  test.each<[string, Partial<OpenOrder>]>([
    ['coin', { coin: coin('SOL') }],
    ['side', { isBuy: false }],
    ['price', { price: Exact.of('1.1') }],
    ['size', { size: Exact.of('1') }],
    ['original size', { originalSize: Exact.of('3') }],
    ['number', { oid: 2 }],
    ['client order id', { cloid: botCloid(1) }],
    ['time', { at: millis(2) }],
    ['reducing', { isReduceOnly: true }],
    ['position’s', { isPositionTpsl: true }],
    ['no trigger', { trigger: null }],
    ['trigger’s price', { trigger: { ...trigger, price: Exact.of('91') } }],
    ['trigger’s limit', { trigger: { ...trigger, isMarket: false } }],
    ['trigger’s kind', { trigger: { ...trigger, tpsl: 'tp' } }],
    ['a child', { children: [7] }],
  ])('unless the %s differs', (_, change) => {
    expect(isSameOrder(order, { ...order, ...change })).toBe(false)
    expect(isSameOrder({ ...order, ...change }, order)).toBe(false)
    expect(isSameOrder({ ...order, ...change }, { ...order, ...change })).toBe(true)
  })

  test('however their numbers are written, and unless their children differ', () => {
    expect(isSameOrder(order, { ...order, size: Exact.of('2.00') })).toBe(true)
    const children = (...oids: number[]): OpenOrder => ({ ...order, children: oids })
    expect(isSameOrder(children(7, 8), children(7, 8))).toBe(true)
    expect(isSameOrder(children(7, 8), children(8, 7))).toBe(false)
    expect(isSameOrder(children(7), children(7, 8))).toBe(false)
  })
})

test('only what a list changes is counted anew', () => {
  const touched: string[] = []
  const book = new OrderBook(
    () => null,
    (name) => touched.push(name),
  )
  const first = [...pair('ETH', 1), ...pair('SOL', 3)]
  book.applySnapshot(first, 'stream', millis(1), 1)
  touched.length = 0
  book.applySnapshot([...pair('ETH', 1), ...pair('SOL', 3)], 'stream', millis(2), 2)
  expect(touched).toEqual([])
  const [entry] = pair('SOL', 3)
  const tighter = stopOrder({ coin: 'SOL', oid: 4, size: '3', trigger: '95' })
  book.applySnapshot([...pair('ETH', 1), entry, tighter], 'stream', millis(3), 3)
  expect(new Set(touched)).toEqual(new Set(['SOL']))
  expect(book.coin(coin('SOL'))?.entryRisk.toString()).toBe('15')
})

test('a list that leaves a child out, or frees it, is told by its parent at once', () => {
  const book = emptyBook()
  const [entry, stop] = pair('ETH', 1)
  book.applySnapshot([entry, stop], 'stream', millis(1), 1)
  expect(book.coin(coin('ETH'))?.stops).toHaveLength(0)
  book.applySnapshot([entry], 'read', millis(2), 2)
  expect([...book.coinsWithoutStop]).toEqual(['ETH'])
  book.applySnapshot([entry, stop], 'stream', millis(3), 3)
  expect([...book.coinsWithoutStop]).toEqual([])
  book.applySnapshot([stop], 'read', millis(4), 4)
  expect(book.coin(coin('ETH'))?.stops).toHaveLength(1)
})

test('of a child that came and went the parent is remembered for a while, of one that is open for good', () => {
  const book = emptyBook()
  const kept = pair('ETH', 1)
  for (let oid = 3; oid < 10_003; oid += 2) {
    book.applySnapshot([...kept, ...pair('ETH', oid)], 'stream', millis(oid), oid)
    for (const each of pair('ETH', oid)) {
      book.applyUpdate(orderUpdate(each, 'canceled', oid), millis(oid + 1))
    }
  }
  expect(book.parentOf(2)).toBe(1)
  expect(book.parentOf(10_002)).toBe(10_001)
  expect(book.parentOf(4)).toBeNull()
  expect(book.cloidOf(2)).toBe(cloidOf(2))
  expect(book.cloidOf(10_002)).toBe(cloidOf(10_002))
  expect(book.cloidOf(4)).toBeNull()
})

test('a child that a list left out and that is told open again waits as before', () => {
  const book = emptyBook()
  const [entry, stop] = pair('ETH', 1)
  book.applySnapshot([entry, stop], 'stream', millis(1), 1)
  book.applySnapshot([entry], 'read', millis(2), 2)
  expect(book.get(2)).toBeNull()
  book.applyUpdate(orderUpdate(stop, 'open', 3), millis(3))
  expect(book.isWaiting(2)).toBe(true)
  expect(book.coin(coin('ETH'))?.stops).toEqual([])
  // A list that shows it without a parent is right.
  book.applySnapshot([entry], 'read', millis(4), 4)
  book.applySnapshot([{ ...entry, children: [] }, stop], 'read', millis(5), 5)
  expect(book.isWaiting(2)).toBe(false)
})

test('a child that is told open after its parent has filled works', () => {
  const book = emptyBook()
  const [entry, stop] = pair('ETH', 1)
  book.applySnapshot([entry], 'stream', millis(1), 1)
  book.applyUpdate(orderUpdate(entry, 'filled', 2), millis(2))
  book.applyUpdate(orderUpdate(stop, 'open', 3), millis(3))
  expect(book.isWaiting(2)).toBe(false)
})

test('an id leads to the order that has it now', () => {
  const book = emptyBook()
  const order = (oid: number): OpenOrder =>
    openOrder({ coin: 'ETH', oid, isBuy: true, price: '1', size: '1', cloid: cloidOf(9) })
  const ended = (oid: number, at: number): void => {
    book.applyUpdate(orderUpdate(order(oid), 'canceled', at), millis(at))
  }
  book.applySnapshot([order(1)], 'read', millis(1), 1)
  book.applyUpdate(orderUpdate(order(2), 'open', 2), millis(2))
  ended(1, 3)
  expect(book.byCloid(cloidOf(9))?.oid).toBe(2)
  ended(2, 4)
  expect(book.byCloid(cloidOf(9))).toBeNull()
  expect([book.cloidOf(1), book.cloidOf(2)]).toEqual([cloidOf(9), cloidOf(9)])
  book.numbered(cloidOf(8), 3)
  expect(book.cloidOf(3)).toBe(cloidOf(8))
})

test('a list makes no order larger that fills have made smaller, and may make it smaller still', () => {
  const book = emptyBook()
  const [entry, stop] = pair('ETH', 1)
  const size = (): string | undefined => book.get(1)?.size.toString()
  book.applySnapshot([entry, stop], 'stream', millis(1), 1)
  book.applyFill(1, Exact.one, millis(2))
  book.applySnapshot([entry, stop], 'stream', millis(3), 3)
  expect(size()).toBe('2')
  book.applySnapshot([{ ...entry, size: Exact.one }, stop], 'stream', millis(4), 4)
  expect(size()).toBe('1')
  // The stop of a whole position has no size of its own, whatever has filled of it.
  const whole = {
    ...stop,
    oid: 5,
    size: Exact.zero,
    originalSize: Exact.zero,
    isPositionTpsl: true,
  }
  book.applyFill(5, Exact.one, millis(5))
  book.applySnapshot([whole], 'read', millis(6), 6)
  expect(book.get(5)?.size.toString()).toBe('0')
})
