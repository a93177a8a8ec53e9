import { describe, expect, test } from 'vitest'
import type { OpenOrder } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { fixtureNow, openOrder, stopOrder } from './account.fixture.ts'
import type { OrderSpec, StopSpec } from './account.fixture.ts'
import { OrderFamilies } from './orderFamilies.ts'
import { OrderIndex } from './orderIndex.ts'
import { OrderLife } from './orderLife.ts'

/** Orders under their numbers, as the venue shows them. */
function setUp(...orders: readonly OpenOrder[]) {
  const index = new OrderIndex()
  const families = new OrderFamilies(index)
  const lives = orders.map((order) => {
    const { isBuy, isReduceOnly, cloid, oid } = order
    const made = { coin: coin('ETH'), isBuy, isReduceOnly, cloid }
    const life = new OrderLife({ action: null, plan: null, ...made }, fixtureNow, 0)
    index.number(life, oid)
    life.shown = order
    return life
  })
  const list = (listed: readonly OpenOrder[]): readonly (number | null)[] =>
    families.take(new Map(listed.map((each) => [each.oid, each]))).map(({ oid }) => oid)
  return { index, families, lives, list }
}
/** The orders with these numbers, in their places. */
function lifeAt(lives: readonly OrderLife[], at: number): OrderLife {
  const life = lives[at]
  if (life === undefined) throw new Error('no order')
  return life
}

const parentOf = (spec: Partial<OrderSpec> = {}): OpenOrder =>
  openOrder({ coin: 'ETH', oid: 1, isBuy: true, price: '100', size: '2', children: [2], ...spec })
const childOf = (spec: Partial<StopSpec> = {}): OpenOrder =>
  stopOrder({ coin: 'ETH', oid: 2, size: '2', trigger: '90', ...spec })

describe('the stop among the children of an order', () => {
  const target = openOrder({
    ...{ coin: 'ETH', oid: 3, isBuy: false, price: '80', size: '2', isReduceOnly: true },
    trigger: { price: '120', tpsl: 'tp' },
  })
  const rows: {
    what: string
    orders: readonly OpenOrder[]
    isOver?: boolean
    is: string | null
  }[] = [
    { what: 'none', orders: [parentOf({ children: [] }), childOf()], is: null },
    { what: 'as large as the order', orders: [parentOf(), childOf()], is: '90' },
    { what: 'larger', orders: [parentOf(), childOf({ size: '3' })], is: '90' },
    { what: 'smaller', orders: [parentOf(), childOf({ size: '1.9' })], is: null },
    { what: 'not shown', orders: [parentOf()], is: null },
    { what: 'over', orders: [parentOf(), childOf()], isOver: true, is: null },
    { what: 'no market stop', orders: [parentOf(), childOf({ isMarket: false })], is: null },
    {
      what: 'of the order’s own side',
      orders: [parentOf(), childOf({ isBuy: true })],
      is: null,
    },
    {
      what: 'beside a target',
      orders: [parentOf({ children: [3, 2] }), childOf(), target],
      is: '90',
    },
  ]
  test.each(rows)('$what', ({ orders, isOver = false, is }) => {
    const { families, lives, index } = setUp(...orders)
    const child = index.get(2)
    if (isOver && child !== null) child.ended = { filled: childOf().size, time: fixtureNow }
    expect(families.childStop(lifeAt(lives, 0))?.toString() ?? null).toBe(is)
  })
})

describe('a list', () => {
  test('tells whose parent is another than before', () => {
    const { families, lives, list } = setUp(parentOf(), childOf())
    const child = lifeAt(lives, 1)
    expect([families.parentOf(2), families.motherOf(child)]).toEqual([null, null])
    expect(list([parentOf(), childOf()])).toEqual([2])
    expect([families.parentOf(2), families.motherOf(child)]).toEqual([1, lifeAt(lives, 0)])
    expect(list([parentOf(), childOf()])).toEqual([])
    // The parent names it no more: it works.
    expect(list([parentOf({ children: [] }), childOf()])).toEqual([2])
    expect([families.parentOf(2), families.lastParentOf(2)]).toEqual([null, null])
    expect(families.motherOf(lifeAt(lives, 0))).toBeNull()
  })

  test('tells a parent again that lost its child since the last one, once', () => {
    const { families, list } = setUp(parentOf(), childOf())
    list([parentOf(), childOf()])
    families.part(2)
    expect([families.parentOf(2), families.lastParentOf(2)]).toEqual([null, 1])
    const alone = parentOf({ children: [] })
    expect(list([alone])).toEqual([1])
    expect(list([alone])).toEqual([])
  })

  test('but not one that has ended, or has gone itself', () => {
    const { families, lives, list } = setUp(parentOf(), childOf())
    const parent = lifeAt(lives, 0)
    list([parentOf(), childOf()])
    families.part(2)
    families.leave(parent)
    expect(list([])).toEqual([])
    list([parentOf(), childOf()])
    parent.ended = { filled: parentOf().size, time: fixtureNow }
    families.part(2)
    expect(list([])).toEqual([])
  })
})

describe('a child', () => {
  test('that comes back waits for its parent still', () => {
    const { families, list } = setUp(parentOf(), childOf())
    list([parentOf(), childOf()])
    families.rejoin(2)
    expect(families.parentOf(2)).toBe(1)
    families.part(2)
    families.part(2)
    expect(families.parentOf(2)).toBeNull()
    families.rejoin(2)
    expect(families.parentOf(2)).toBe(1)
    // One that nobody waited for does not wait.
    families.rejoin(9)
    expect([families.parentOf(9), families.lastParentOf(9)]).toEqual([null, null])
  })

  test('that works does not wait when it comes back', () => {
    const { families, list } = setUp(parentOf(), childOf())
    list([parentOf(), childOf()])
    families.free(2)
    families.rejoin(2)
    expect([families.parentOf(2), families.lastParentOf(2)]).toEqual([null, null])
  })

  test.each([
    { isFollowed: true, is: 1 },
    { isFollowed: false, is: null },
  ])('of a parent that is gone waits only if it is followed: $isFollowed', ({ isFollowed, is }) => {
    const { families, lives, list } = setUp(
      ...(isFollowed ? [parentOf(), childOf()] : [parentOf()]),
    )
    list([parentOf(), childOf()])
    families.leave(lifeAt(lives, 0))
    expect(families.parentOf(2)).toBe(is)
  })
})

describe('two that Guard sent together are joined', () => {
  const bare = parentOf({ children: [] })
  const rows: {
    what: string
    parent: Partial<OrderLife>
    child: Partial<OrderLife>
    is: boolean
  }[] = [
    { what: 'both are shown', parent: {}, child: {}, is: true },
    { what: 'the parent has no number', parent: { oid: null }, child: {}, is: false },
    { what: 'the child has no number', parent: {}, child: { oid: null }, is: false },
    { what: 'the parent is not shown', parent: { shown: null }, child: {}, is: false },
    { what: 'the child is not shown', parent: {}, child: { shown: null }, is: false },
    {
      what: 'the parent has ended',
      parent: { ended: { filled: bare.size, time: fixtureNow } },
      ...{ child: {}, is: false },
    },
    { what: 'a list has told of children', parent: { isListed: true }, child: {}, is: false },
  ]
  test.each(rows)('$what: $is', ({ parent, child, is }) => {
    const { families, lives } = setUp(bare, childOf())
    const [first, second] = [lifeAt(lives, 0), lifeAt(lives, 1)]
    Object.assign(first, parent)
    Object.assign(second, child)
    expect(families.link(first, second)).toBe(is)
    expect(families.parentOf(2)).toBe(is ? 1 : null)
    expect(first.shown?.children ?? []).toEqual(is ? [2] : [])
    // Told again, it is the same child.
    families.link(first, second)
    expect(first.shown?.children ?? []).toEqual(is ? [2] : [])
  })
})

test('of children that are gone the last 4,096 are known', () => {
  const oids = Array.from({ length: 4_097 }, (_, at) => at + 2)
  const { families, list } = setUp()
  list([parentOf({ children: oids })])
  for (const oid of oids) families.part(oid)
  expect([2, 3, 4_098].map((oid) => families.lastParentOf(oid))).toEqual([null, 1, 1])
})
