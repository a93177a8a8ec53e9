import fc from 'fast-check'
import { expect, test } from 'vitest'
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
    coin: fc.constantFrom(...coins),
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
          const before = shown(book)
          for (let oid = 1; oid <= 6; oid += 1) book.refreshCloid(cloidOf(oid))
          expect(shown(book)).toEqual(before)
        }
      }
    }),
    { numRuns: 4_000 },
  )
})

test('only what a list changes is counted anew', () => {
  const touched: string[] = []
  const book = new OrderBook(
    () => null,
    (name) => touched.push(name),
  )
  const pair = (name: string, oid: number): readonly OpenOrder[] =>
    restingEntry({ coin: name, oid, isBuy: true, price: '100', size: '1', stop: '90' })
  const first = [...pair('ETH', 1), ...pair('SOL', 3)]
  book.applySnapshot(first, 'stream', millis(1), 1)
  touched.length = 0
  book.applySnapshot([...pair('ETH', 1), ...pair('SOL', 3)], 'stream', millis(2), 2)
  expect(touched).toEqual([])
  const [entry, stop] = pair('SOL', 3) as [OpenOrder, OpenOrder]
  const tighter = stopOrder({ coin: 'SOL', oid: 4, size: '1', trigger: '95' })
  book.applySnapshot([...pair('ETH', 1), entry, tighter], 'stream', millis(3), 3)
  expect(new Set(touched)).toEqual(new Set(['SOL']))
  expect(book.coin(coin('SOL'))?.entryRisk.toString()).toBe('5')
  expect(isSameOrder(stop, tighter)).toBe(false)
})

test('a list that leaves a child out, or frees it, is told by its parent at once', () => {
  const book = new OrderBook(
    () => null,
    () => undefined,
  )
  const [entry, stop] = restingEntry({
    ...{ coin: 'ETH', oid: 1, isBuy: true, price: '100', size: '1', stop: '90' },
  }) as [OpenOrder, OpenOrder]
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
  const book = new OrderBook(
    () => null,
    () => undefined,
  )
  const pair = (oid: number): readonly OpenOrder[] =>
    restingEntry({ coin: 'ETH', oid, isBuy: true, price: '100', size: '1', stop: '90' })
  const kept = pair(1)
  for (let oid = 3; oid < 10_003; oid += 2) {
    book.applySnapshot([...kept, ...pair(oid)], 'stream', millis(oid), oid)
    for (const each of pair(oid)) {
      book.applyUpdate(orderUpdate(each, 'canceled', oid), millis(oid + 1))
    }
  }
  expect(book.parentOf(2)).toBe(1)
  expect(book.parentOf(10_002)).toBe(10_001)
  expect(book.parentOf(4)).toBeNull()
})
