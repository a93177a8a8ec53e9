import { Decimal } from '../values/decimal.ts'

/** What a tree sums up: each item has a number of its own, a size, and the price it stands at. */
export interface Weighted {
  readonly id: number
  readonly size: Decimal
  readonly price: Decimal
}

/** Sums over some items: of their sizes, and of size x price. */
export interface Sum {
  readonly size: Decimal
  readonly value: Decimal
}

/** The leading items that together reach a size. */
interface Cut<T> {
  /** What they cover: the size asked for, or all there is when that is less. */
  readonly size: Decimal
  /** The sum of covered size x price. */
  readonly value: Decimal
  /** The last of them; null when there is none. */
  readonly last: T | null
}

interface Node<T> {
  readonly item: T
  readonly value: Decimal
  readonly rank: number
  readonly left: Node<T> | null
  readonly right: Node<T> | null
  /** Over the left branch and the item itself: all that comes up to here. */
  readonly lead: Sum
  /** Over both branches and the item. */
  readonly sum: Sum
  /** The largest size among the items that `isMarked` picks; zero when there is none. */
  readonly largest: Decimal
}

type Branches<T> = Pick<Node<T>, 'item' | 'left' | 'right'>

/** The node of an item that goes, and what is left of the tree. */
interface Removed<T> {
  readonly gone: Node<T>
  readonly rest: Node<T> | null
}

export const nothing: Sum = { size: Decimal.zero, value: Decimal.zero }

export interface TreeOrder<T> {
  /** Below zero when the first comes before the second; the tree breaks ties by the items' numbers. */
  readonly compare: (first: T, second: T) => number
  /** The items of which the largest size is kept. */
  readonly isMarked: (item: T) => boolean
}

/**
 * Items in order with the sums of any leading part of them: adding, removing and asking take steps
 * in proportion to the logarithm of their number, so that a thousand orders cost about what ten do.
 * It never changes: `with` and `without` answer another tree, so that a change can be tried.
 * (A treap whose ranks are drawn from the items' own numbers, the same in every run.)
 */
export class SumTree<T extends Weighted> {
  readonly #order: TreeOrder<T>
  readonly #root: Node<T> | null

  constructor(order: TreeOrder<T>, root: Node<T> | null = null) {
    this.#order = order
    this.#root = root
  }

  get isEmpty(): boolean {
    return this.#root === null
  }

  get total(): Sum {
    return this.#root?.sum ?? nothing
  }

  /** The largest size among the marked items; zero when there is none. */
  get largest(): Decimal {
    return this.#root?.largest ?? Decimal.zero
  }

  with(item: T): SumTree<T> {
    return new SumTree(this.#order, this.#insert(this.#root, this.#leaf(item)))
  }

  /** Without the item; it must be the one that was put in, or stand where that stands. */
  without(item: T): SumTree<T> {
    const removed = this.#remove(this.#root, item)
    return removed === null ? this : new SumTree(this.#order, removed.rest)
  }

  /** The sums of all leading items for which it is true; those must come before all others. */
  sumWhile(isLeading: (item: T) => boolean): Sum {
    let { size, value } = nothing
    let node = this.#root
    while (node !== null) {
      if (isLeading(node.item)) {
        size = size.plus(node.lead.size)
        value = value.plus(node.lead.value)
        node = node.right
      } else {
        node = node.left
      }
    }
    return { size, value }
  }

  /** The leading items that together reach `size`; of the last one only the part that is needed. */
  cut(size: Decimal): Cut<T> {
    let left = size
    let value = Decimal.zero
    let last: T | null = null
    let node = this.#root
    while (node !== null && left.isPositive()) {
      if (node.left?.sum.size.gte(left) === true) {
        node = node.left
        continue
      }
      last = node.item
      if (node.lead.size.gte(left)) {
        const before = node.left?.sum ?? nothing
        value = value.plus(before.value).plus(left.minus(before.size).times(node.item.price))
        left = Decimal.zero
        break
      }
      left = left.minus(node.lead.size)
      value = value.plus(node.lead.value)
      node = node.right
    }
    return { size: size.minus(left), value, last }
  }

  /** The first marked item that is at least so large; null when none is. */
  firstMarked(size: Decimal): T | null {
    let node = this.#root
    while (node !== null && node.largest.gte(size)) {
      if (node.left !== null && node.left.largest.gte(size)) node = node.left
      else if (this.#order.isMarked(node.item) && node.item.size.gte(size)) return node.item
      else node = node.right
    }
    return null
  }

  /** The first item for which it is true, found by walking in order from the first. */
  first(isWanted: (item: T) => boolean): T | null {
    for (const item of this.items()) if (isWanted(item)) return item
    return null
  }

  /** All items in order. */
  items(): Iterable<T> {
    return walk(this.#root, true)
  }

  /** All items from the last back to the first. */
  fromLast(): Iterable<T> {
    return walk(this.#root, false)
  }

  #compare(first: T, second: T): number {
    return this.#order.compare(first, second) || first.id - second.id
  }

  #leaf(item: T): Node<T> {
    const value = item.size.times(item.price)
    const sum = { size: item.size, value }
    const largest = this.#markedSize(item)
    return { item, value, rank: rankOf(item.id), left: null, right: null, lead: sum, sum, largest }
  }

  #markedSize(item: T): Decimal {
    return this.#order.isMarked(item) ? item.size : Decimal.zero
  }

  /** The item of a node with other branches, added up anew. */
  #node({ item, value, rank }: Node<T>, left: Node<T> | null, right: Node<T> | null): Node<T> {
    const lead = joined({ size: item.size, value }, left)
    const sum = joined(lead, right)
    const largest = larger(larger(this.#markedSize(item), left), right)
    return { item, value, rank, left, right, lead, sum, largest }
  }

  #insert(node: Node<T> | null, leaf: Node<T>): Node<T> {
    if (node === null) return leaf
    if (leaf.rank > node.rank) {
      const [left, right] = this.#split(node, leaf.item)
      return this.#node(leaf, left, right)
    }
    const sum = plus(node.sum, leaf)
    const largest = larger(node.largest, leaf)
    return this.#compare(leaf.item, node.item) < 0
      ? { ...node, left: this.#insert(node.left, leaf), lead: plus(node.lead, leaf), sum, largest }
      : { ...node, right: this.#insert(node.right, leaf), sum, largest }
  }

  /** What comes before the item, and what comes after it. */
  #split(node: Node<T> | null, item: T): readonly [Node<T> | null, Node<T> | null] {
    if (node === null) return [null, null]
    if (this.#compare(item, node.item) < 0) {
      const [before, after] = this.#split(node.left, item)
      return [before, this.#node(node, after, node.right)]
    }
    const [before, after] = this.#split(node.right, item)
    return [this.#node(node, node.left, before), after]
  }

  /** Null when the item is not there. */
  #remove(node: Node<T> | null, item: T): Removed<T> | null {
    if (node === null) return null
    const place = this.#compare(item, node.item)
    if (place === 0) return { gone: node, rest: this.#join(node.left, node.right) }
    const below = this.#remove(place < 0 ? node.left : node.right, item)
    if (below === null) return null
    const { gone, rest } = below
    const branches = place < 0 ? { left: rest } : { right: rest }
    const lead = place < 0 ? minus(node.lead, gone) : node.lead
    const changed = { ...node, ...branches, lead, sum: minus(node.sum, gone) }
    return { gone, rest: { ...changed, largest: this.#largestWithout(gone, node, changed) } }
  }

  #largestWithout(gone: Node<T>, before: Node<T>, { item, left, right }: Branches<T>): Decimal {
    const size = this.#markedSize(gone.item)
    if (size.isZero() || size.lt(before.largest)) return before.largest
    return larger(larger(this.#markedSize(item), left), right)
  }

  #join(left: Node<T> | null, right: Node<T> | null): Node<T> | null {
    if (left === null) return right
    if (right === null) return left
    return left.rank > right.rank
      ? this.#node(left, left.left, this.#join(left.right, right))
      : this.#node(right, this.#join(left, right.left), right.right)
  }
}

function joined(sum: Sum, node: Node<unknown> | null): Sum {
  if (node === null) return sum
  return { size: sum.size.plus(node.sum.size), value: sum.value.plus(node.sum.value) }
}

/** A sum with the item of a node. */
function plus({ size, value }: Sum, of: Node<Weighted>): Sum {
  return { size: size.plus(of.item.size), value: value.plus(of.value) }
}

/** A sum without the item of a node. */
function minus({ size, value }: Sum, of: Node<Weighted>): Sum {
  return { size: size.minus(of.item.size), value: value.minus(of.value) }
}

function larger(size: Decimal, node: Node<unknown> | null): Decimal {
  // Most trees have nothing marked, or nothing else: then there is nothing to compare.
  if (node === null || node.largest.isZero()) return size
  return node.largest.gt(size) ? node.largest : size
}

/** Goes through all items; what is still to come waits in a list, so that each is handed on once. */
function* walk<T>(root: Node<T> | null, isForward: boolean): Generator<T> {
  const waiting: Node<T>[] = []
  let node = root
  for (;;) {
    while (node !== null) {
      waiting.push(node)
      node = isForward ? node.left : node.right
    }
    const next = waiting.pop()
    if (next === undefined) return
    yield next.item
    node = isForward ? next.right : next.left
  }
}

/** A number that looks drawn by chance, and is the same for the same item in every run. */
function rankOf(id: number): number {
  let mixed = Math.imul(id ^ 0x9e3779b9, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  mixed = Math.imul(mixed ^ (id / 0x100000000), 0x27d4eb2f)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
