import { Decimal } from '../values/decimal.ts'
import { KeptAnswers } from './keptAnswers.ts'

/** What a tree sums up: each item has a number of its own, a size above zero, and the price it stands at. */
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
  /** How many items lie on the longest way down, this one counted. */
  readonly height: number
  readonly left: Node<T> | null
  readonly right: Node<T> | null
  /** Over the left branch and the item itself: all that comes up to here. */
  readonly lead: Sum
  /** The largest size among the items that `isMarked` picks; zero when there is none. */
  readonly largest: Decimal
}

/** What a node is made of; the rest follows from it. */
type Parts<T> = Pick<Node<T>, 'item' | 'value' | 'left' | 'right' | 'lead'>

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
 * (An AVL tree. A node keeps the sum of what comes up to it and not of what comes after, so that an
 * item that comes or goes changes the sums of those nodes alone that it stands before.)
 */
export class SumTree<T extends Weighted> {
  readonly #order: TreeOrder<T>
  readonly #root: Node<T> | null
  /** Over all of them. */
  readonly total: Sum
  readonly #cuts = new KeptAnswers<Decimal, Cut<T>>(isWrittenAlike)

  constructor(order: TreeOrder<T>, root: Node<T> | null = null, total: Sum = nothing) {
    this.#order = order
    this.#root = root
    this.total = total
  }

  get isEmpty(): boolean {
    return this.#root === null
  }

  /** The largest size among the marked items; zero when there is none. */
  get largest(): Decimal {
    return this.#root?.largest ?? Decimal.zero
  }

  /** The first of all; null when there is none. */
  get head(): T | null {
    let node = this.#root
    while (node !== null && node.left !== null) node = node.left
    return node?.item ?? null
  }

  /** The last of all; null when there is none. */
  get tail(): T | null {
    let node = this.#root
    while (node !== null && node.right !== null) node = node.right
    return node?.item ?? null
  }

  with(item: T): SumTree<T> {
    const value = item.size.times(item.price)
    const lead = { size: item.size, value }
    const leaf = this.#node({ item, value, left: null, right: null, lead })
    return new SumTree(this.#order, this.#insert(this.#root, leaf), plus(this.total, lead))
  }

  /** Without the item; it must be the one that was put in, or stand where that stands. */
  without(item: T): SumTree<T> {
    const removed = this.#remove(this.#root, item)
    if (removed === null) return this
    return new SumTree(this.#order, removed.rest, minus(this.total, itself(removed.gone)))
  }

  /** The sums of all leading items for which it is true; those must come before all others. */
  sumWhile(isLeading: (item: T) => boolean): Sum {
    let sum = nothing
    let node = this.#root
    while (node !== null) {
      if (isLeading(node.item)) {
        sum = sum === nothing ? node.lead : plus(sum, node.lead)
        node = node.right
      } else {
        node = node.left
      }
    }
    return sum
  }

  /** Their sizes alone. */
  sizeWhile(isLeading: (item: T) => boolean): Decimal {
    let size: Decimal | null = null
    let node = this.#root
    while (node !== null) {
      if (isLeading(node.item)) {
        size = size === null ? node.lead.size : size.plus(node.lead.size)
        node = node.right
      } else {
        node = node.left
      }
    }
    return size ?? Decimal.zero
  }

  /** The leading items that together reach `size`; of the last one only the part that is needed. */
  cut(size: Decimal): Cut<T> {
    if (!size.isPositive()) return { ...nothing, last: null }
    if (this.total.size.lte(size)) return { ...this.total, last: this.tail }
    return this.#cuts.of(size, () => this.#cutInside(size))
  }

  /** The same where all of them together exceed it: one of them is the last that is needed. */
  #cutInside(size: Decimal): Cut<T> {
    let left = size
    let value: Decimal | null = null
    let last: T | null = null
    let node = this.#root
    while (node !== null) {
      if (node.lead.size.gte(left)) {
        last = node.item
        node = node.left
      } else {
        left = left.minus(node.lead.size)
        value = value === null ? node.lead.value : value.plus(node.lead.value)
        node = node.right
      }
    }
    const part = left.times((last as T).price)
    return { size, value: value === null ? part : value.plus(part), last }
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

  #node({ item, value, left, right, lead }: Parts<T>): Node<T> {
    const own = this.#order.isMarked(item) ? item.size : Decimal.zero
    const largest = larger(larger(own, left), right)
    const height = 1 + Math.max(heightOf(left), heightOf(right))
    return { item, value, height, left, right, lead, largest }
  }

  #insert(node: Node<T> | null, leaf: Node<T>): Node<T> {
    if (node === null) return leaf
    if (this.#compare(leaf.item, node.item) < 0) {
      const left = this.#insert(node.left, leaf)
      return this.#balanced({ ...node, left, lead: plus(node.lead, leaf.lead) })
    }
    return this.#balanced({ ...node, right: this.#insert(node.right, leaf) })
  }

  /** Null when the item is not there. */
  #remove(node: Node<T> | null, item: T): Removed<T> | null {
    if (node === null) return null
    const place = this.#compare(item, node.item)
    if (place === 0) return { gone: node, rest: this.#withoutItem(node) }
    const below = this.#remove(place < 0 ? node.left : node.right, item)
    if (below === null) return null
    const { gone, rest } = below
    if (place > 0) return { gone, rest: this.#balanced({ ...node, right: rest }) }
    const lead = minus(node.lead, itself(gone))
    return { gone, rest: this.#balanced({ ...node, left: rest, lead }) }
  }

  /** What is left of a node without its own item: the next one takes its place. */
  #withoutItem(node: Node<T>): Node<T> | null {
    const { left, right } = node
    if (left === null || right === null) return left ?? right
    const { gone: next, rest } = this.#removeFirst(right)
    const lead = plus(minus(node.lead, itself(node)), itself(next))
    return this.#balanced({ item: next.item, value: next.value, left, right: rest, lead })
  }

  #removeFirst(node: Node<T>): Removed<T> {
    if (node.left === null) return { gone: node, rest: node.right }
    const { gone, rest } = this.#removeFirst(node.left)
    const lead = minus(node.lead, itself(gone))
    return { gone, rest: this.#balanced({ ...node, left: rest, lead }) }
  }

  /** A node whose branches differ by at most two in height, turned so that they differ by at most one. */
  #balanced(parts: Parts<T>): Node<T> {
    const { left, right } = parts
    const lean = heightOf(left) - heightOf(right)
    if (left !== null && lean > 1) {
      const isInner = heightOf(left.right) > heightOf(left.left)
      return this.#turnedRight({ ...parts, left: isInner ? this.#turnedLeft(left) : left })
    }
    if (right !== null && lean < -1) {
      const isInner = heightOf(right.left) > heightOf(right.right)
      return this.#turnedLeft({ ...parts, right: isInner ? this.#turnedRight(right) : right })
    }
    return this.#node(parts)
  }

  /** The left branch takes the place of the node, which becomes its right one. */
  #turnedRight(parts: Parts<T>): Node<T> {
    const up = parts.left as Node<T>
    const down = this.#node({ ...parts, left: up.right, lead: minus(parts.lead, up.lead) })
    return this.#node({ ...up, right: down })
  }

  /** The right branch takes the place of the node, which becomes its left one. */
  #turnedLeft(parts: Parts<T>): Node<T> {
    const up = parts.right as Node<T>
    const down = this.#node({ ...parts, right: up.left })
    return this.#node({ ...up, left: down, lead: plus(parts.lead, up.lead) })
  }
}

/** Two numbers of one form: equal ones of another form are only asked of once more. */
export function isWrittenAlike(one: Decimal, other: Decimal): boolean {
  return one.units === other.units && one.scale === other.scale
}

function heightOf(node: Node<unknown> | null): number {
  return node?.height ?? 0
}

/** What an item adds to a sum. */
function itself({ item, value }: Node<Weighted>): Sum {
  return { size: item.size, value }
}

function plus(sum: Sum, { size, value }: Sum): Sum {
  return { size: sum.size.plus(size), value: sum.value.plus(value) }
}

function minus(sum: Sum, { size, value }: Sum): Sum {
  return { size: sum.size.minus(size), value: sum.value.minus(value) }
}

function larger(size: Decimal, node: Node<unknown> | null): Decimal {
  // Most trees have nothing marked, or nothing else: then there is nothing to compare.
  if (node === null || node.largest.isZero()) return size
  return size.isZero() || node.largest.gt(size) ? node.largest : size
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
