import { Decimal } from '../values/decimal.ts'

/** What a tree sums up: each item has a number of its own, a size, and the price it stands at. */
export interface Weighted {
  readonly id: number
  readonly size: Decimal
  readonly price: Decimal
}

/** Sums over some items: of their sizes, and of size x price. */
interface Sum {
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
  readonly sum: Sum
  /** The largest size among the items that `isMarked` picks; zero when there is none. */
  readonly largest: Decimal
}

const nothing: Sum = { size: Decimal.zero, value: Decimal.zero }

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
    return new SumTree(this.#order, this.#remove(this.#root, item))
  }

  /** The sums of all leading items for which it is true; those must come before all others. */
  sumWhile(isLeading: (item: T) => boolean): Sum {
    let { size, value } = nothing
    let node = this.#root
    while (node !== null) {
      if (isLeading(node.item)) {
        const left = node.left?.sum ?? nothing
        size = size.plus(left.size).plus(node.item.size)
        value = value.plus(left.value).plus(node.value)
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
      const before = node.left?.sum ?? nothing
      if (node.left !== null && before.size.gte(left)) {
        node = node.left
        continue
      }
      left = left.minus(before.size)
      value = value.plus(before.value)
      last = node.item
      if (node.item.size.gte(left)) {
        value = value.plus(left.times(node.item.price))
        left = Decimal.zero
        break
      }
      left = left.minus(node.item.size)
      value = value.plus(node.value)
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
    const largest = this.#order.isMarked(item) ? item.size : Decimal.zero
    const sum = { size: item.size, value }
    return { item, value, rank: rankOf(item.id), left: null, right: null, sum, largest }
  }

  #node(of: Node<T>, left: Node<T> | null, right: Node<T> | null): Node<T> {
    const { item, value, rank } = of
    const own = this.#order.isMarked(item) ? item.size : Decimal.zero
    const sum = joined(joined({ size: item.size, value }, left), right)
    return { item, value, rank, left, right, sum, largest: larger(larger(own, left), right) }
  }

  #insert(node: Node<T> | null, leaf: Node<T>): Node<T> {
    if (node === null) return leaf
    if (leaf.rank > node.rank) {
      const [left, right] = this.#split(node, leaf.item)
      return this.#node(leaf, left, right)
    }
    return this.#compare(leaf.item, node.item) < 0
      ? this.#node(node, this.#insert(node.left, leaf), node.right)
      : this.#node(node, node.left, this.#insert(node.right, leaf))
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

  #remove(node: Node<T> | null, item: T): Node<T> | null {
    if (node === null) return null
    const place = this.#compare(item, node.item)
    if (place === 0) return this.#join(node.left, node.right)
    return place < 0
      ? this.#node(node, this.#remove(node.left, item), node.right)
      : this.#node(node, node.left, this.#remove(node.right, item))
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

function larger(size: Decimal, node: Node<unknown> | null): Decimal {
  return node?.largest.gt(size) === true ? node.largest : size
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
