import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { SumTree } from './sumTree.ts'
import type { Weighted } from './sumTree.ts'

interface Item extends Weighted {
  readonly own: boolean
}

const byPrice = {
  compare: (first: Item, second: Item): number => first.price.cmp(second.price),
  isMarked: (item: Item): boolean => item.own,
}

const items = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 2 ** 40 }),
    size: fc.integer({ min: 1, max: 50 }).map((value) => Decimal.whole(value)),
    price: fc.integer({ min: 1, max: 30 }).map((value) => Decimal.whole(value)),
    own: fc.boolean(),
  }),
  { selector: ({ id }) => id, maxLength: 60 },
)

function treeOf(list: readonly Item[]): SumTree<Item> {
  return list.reduce((tree, item) => tree.with(item), new SumTree<Item>(byPrice))
}

function inOrder(list: readonly Item[]): Item[] {
  return [...list].sort((a, b) => a.price.cmp(b.price) || a.id - b.id)
}

function sumOf(list: readonly Item[]): { size: string; value: string } {
  let [size, value] = [Decimal.zero, Decimal.zero]
  for (const item of list) {
    size = size.plus(item.size)
    value = value.plus(item.size.times(item.price))
  }
  return { size: size.toString(), value: value.toString() }
}

const shown = ({ size, value }: { size: Decimal; value: Decimal }) => ({
  size: size.toString(),
  value: value.toString(),
})

test('holds its items in order with their sums, however they came and went', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 0, max: 60 }), (list, gone) => {
      const kept = list.slice(gone)
      let tree = treeOf(list)
      for (const item of list.slice(0, gone)) tree = tree.without(item)
      expect([...tree.items()]).toEqual(inOrder(kept))
      expect([...tree.fromLast()]).toEqual(inOrder(kept).reverse())
      expect(shown(tree.total)).toEqual(sumOf(kept))
      expect(tree.isEmpty).toBe(kept.length === 0)
      const own = kept.filter((item) => item.own).map(({ size }) => size)
      expect(tree.largest.toString()).toBe(Decimal.max(Decimal.zero, ...own).toString())
      expect(tree.head).toEqual(inOrder(kept)[0] ?? null)
      expect(tree.tail).toEqual(inOrder(kept).at(-1) ?? null)
    }),
  )
})

test('sums any leading part, as adding up does', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 0, max: 31 }), (list, bound) => {
      const isLeading = (item: Item): boolean => item.price.lt(Decimal.whole(bound))
      const [sum, hand] = [treeOf(list).sumWhile(isLeading), sumOf(list.filter(isLeading))]
      expect(shown(sum)).toEqual(hand)
      expect(treeOf(list).sizeWhile(isLeading).toString()).toBe(hand.size)
    }),
  )
})

test('cuts where the sizes reach what is asked for', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 0, max: 400 }), (list, size) => {
      let left = Decimal.whole(size)
      let value = Decimal.zero
      let last: Item | null = null
      for (const item of inOrder(list)) {
        if (left.isZero()) break
        const part = Decimal.min(item.size, left)
        value = value.plus(part.times(item.price))
        left = left.minus(part)
        last = item
      }
      const cut = treeOf(list).cut(Decimal.whole(size))
      expect(shown(cut)).toEqual(shown({ size: Decimal.whole(size).minus(left), value }))
      expect(cut.last).toEqual(last)
    }),
  )
})

test('finds the first marked item that is large enough', () => {
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 50 }), (list, size) => {
      const isWanted = (item: Item): boolean => item.own && item.size.gte(Decimal.whole(size))
      const found = treeOf(list).firstMarked(Decimal.whole(size))
      expect(found).toEqual(inOrder(list).find(isWanted) ?? null)
    }),
  )
})

test.each([
  { what: 'in their order', place: (nth: number) => nth },
  { what: 'against it', place: (nth: number) => -nth },
  { what: 'from both ends', place: (nth: number) => (nth % 2 === 0 ? nth : 2_000 - nth) },
  { what: 'in no order', place: (nth: number) => (nth * 7_919) % 1_009 },
])('a thousand that come $what, and half of which go, make no deep tree', ({ place }) => {
  const list = Array.from({ length: 1_000 }, (_, nth) => ({
    id: nth + 1,
    size: Decimal.one,
    price: Decimal.whole(place(nth)),
    own: false,
  }))
  let tree = treeOf(list)
  for (const item of inOrder(list).slice(0, 500)) tree = tree.without(item)
  for (const bound of list.slice(0, 100)) {
    let steps = 0
    tree.sumWhile((item) => {
      steps += 1
      return item.price.lt(bound.price)
    })
    // 1.44 x log2(500) is an AVL tree's greatest depth.
    expect(steps).toBeLessThanOrEqual(12)
  }
})
