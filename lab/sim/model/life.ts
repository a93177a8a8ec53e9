import { Exact } from './exact.ts'
import { closable } from './margin.ts'
import type { ModelAccount, ModelMarket, ModelOrder, ModelState } from './state.ts'

/** How orders wait, end, and take others with them. */

export function tell(order: ModelOrder, status: string): void {
  if (order.story.at(-1) !== status) order.story.push(status)
}

export function toBook(state: ModelState, order: ModelOrder): void {
  order.where = 'book'
  order.place = state.nextPlace++
  tell(order, 'open')
}

/** The order begins to watch the mark. */
export function toWatch(state: ModelState, order: ModelOrder): void {
  order.where = 'watching'
  order.place = state.nextPlace++
}

function family(state: ModelState, order: ModelOrder): ModelOrder[] {
  if (order.group === null) return []
  return state.open.filter(({ group, id }) => group === order.group && id !== order.id)
}

/** The venue ends these of an account all at once: each for the same reason, children too. */
export function endAll(state: ModelState, orders: readonly ModelOrder[], status: string): void {
  for (const order of orders) leave(state, order, status)
}

function leave(state: ModelState, order: ModelOrder, status: string): void {
  order.where = 'gone'
  state.open = state.open.filter((each) => each !== order)
  tell(order, status)
}

/** Ends one order, and what depends on it. */
export function end(state: ModelState, order: ModelOrder, status: string): void {
  if (order.where === 'gone') return
  leave(state, order, status)
  const others = family(state, order)
  if (order.isParent) {
    const keeps = status === 'filled' || (status === 'marginCanceled' && order.filled.sign() > 0)
    for (const child of others) {
      if (child.where !== 'waiting for parent') continue
      if (keeps) activate(state, order, child)
      else end(state, child, 'canceled')
    }
  } else if (status === 'filled') {
    for (const sibling of others) {
      if (!sibling.isParent) end(state, sibling, 'siblingFilledCanceled')
    }
  }
}

/** A child of a parent that is done begins to work, if there is anything that it can reduce. */
export function activate(state: ModelState, parent: ModelOrder, child: ModelOrder): void {
  const isPart = parent.story.at(-1) === 'marginCanceled'
  if (isPart && state.rules.childrenAfterMarginCancel === 'filled size') child.left = parent.filled
  toWatch(state, child)
  fitReduceOnly(state, child.owner, child.market)
}

/** After a position changed: orders that can reduce nothing end, those in the book shrink. */
export function fitReduceOnly(state: ModelState, account: ModelAccount, market: ModelMarket): void {
  for (const order of state.open) {
    if (order.owner !== account || order.market !== market || !order.isReduceOnly) continue
    if (order.where !== 'book' && order.where !== 'watching') continue
    const most = closable(account, market, order.isBuy)
    if (most.sign() === 0) end(state, order, 'reduceOnlyCanceled')
    else if (order.where === 'book') order.left = Exact.least(order.left, most)
  }
}

/** Reduce-only orders of a side that together exceed the position: the oldest end for the newest. */
export function dropExcess(state: ModelState, newest: ModelOrder): void {
  const { reduceOnlyExcess } = state.rules
  if (reduceOnlyExcess === 'none') return
  const counted = state.open.filter(
    ({ owner, market, isBuy, isReduceOnly, where }) =>
      owner === newest.owner &&
      market === newest.market &&
      isBuy === newest.isBuy &&
      isReduceOnly &&
      (where === 'book' || (where === 'watching' && reduceOnlyExcess === 'oldest and triggers')),
  )
  const most = closable(newest.owner, newest.market, newest.isBuy)
  while (Exact.sum(counted.map(({ left }) => left)).isAbove(most)) {
    const oldest = counted.shift()
    if (oldest === undefined || oldest === newest) return
    end(state, oldest, 'reduceOnlyCanceled')
  }
}
