import { bestPrice, take } from './book.ts'
import { Exact } from './exact.ts'
import { end, tell, toBook } from './life.ts'
import { closable } from './margin.ts'
import { capFault, isReached, marginFault } from './place.ts'
import type { ModelOrder, ModelState } from './state.ts'
import { couldHold } from './trade.ts'

/** When the triggers that the mark has reached are next looked at; never where nothing waits for it. */
export function nextLook(state: ModelState): number {
  const { now, rules, open } = state
  const step = rules.triggersEveryMs
  const isAnyReached = open.some((order) => isDue(state, order))
  return step === 0 || !isAnyReached ? Infinity : Math.ceil(now / step) * step
}

/**
 * Fires what the mark has reached until nothing is left: market by market, in each the one that
 * watches longest first.
 */
export function fireReached(state: ModelState): void {
  const step = state.rules.triggersEveryMs
  if (step > 0 && state.now % step !== 0) return
  for (;;) {
    const reached = state.open
      .filter((order) => isDue(state, order))
      .sort((one, two) => one.market.asset - two.market.asset || one.place - two.place)
    const [first] = reached
    if (first === undefined) return
    fire(state, first)
  }
}

/** By one reading market triggers wait while only post-only orders are taken. */
function isDue(state: ModelState, order: ModelOrder): boolean {
  const isHeldBack = isStoppedByUpgrade(state, order) && state.rules.firedPostOnly === 'wait'
  return order.where === 'watching' && isReached(state, order) && !isHeldBack
}

const isStoppedByUpgrade = (state: ModelState, { trigger }: ModelOrder): boolean =>
  state.isPostOnly && trigger?.isMarket === true

function fire(state: ModelState, fired: ModelOrder): void {
  const { owner, market, isBuy } = fired
  fired.where = 'arriving'
  tell(fired, 'triggered')
  const order = state.rules.newNumberWhenFired ? renumbered(state, fired) : fired
  let most: Exact | null = null
  if (order.isReduceOnly) {
    const most = closable(owner, market, isBuy)
    order.left = order.wanted.sign() === 0 ? most : Exact.least(order.left, most)
    if (most.sign() === 0) {
      end(state, order, 'reduceOnlyCanceled')
      return
    }
  }
  if (isStoppedByUpgrade(state, order)) {
    end(state, order, 'iocCancelRejected')
    return
  }
  if (!order.isReduceOnly) {
    const fault = capFault(state, order) ?? marginFault(state, order)
    if (fault !== null) {
      const [why, status] = fault
      const isPart = why === 'noMargin' && state.rules.firedWithoutMargin === 'part'
      const part = isPart ? largestPart(state, order) : Exact.zero
      if (part.sign() === 0) {
        end(state, order, status)
        return
      }
      most = part
    }
  }
  const wasEmpty = bestPrice(state, market, !isBuy) === null
  const taken = take(state, order, most ?? order.left)
  if (order.left.sign() === 0) end(state, order, 'filled')
  else if (taken.isShort || most !== null) {
    end(state, order, taken.size.sign() === 0 ? 'perpMarginRejected' : 'marginCanceled')
  } else if (order.trigger?.isMarket !== true || state.rules.unmatchedMarketTrigger === 'rest') {
    toBook(state, order)
  } else if (taken.size.sign() > 0) end(state, order, 'canceled')
  else end(state, order, wasEmpty ? 'marketOrderNoLiquidityRejected' : 'iocCancelRejected')
}

/** A new order under the next number, younger than all; the old number keeps what was told of it. */
function renumbered(state: ModelState, fired: ModelOrder): ModelOrder {
  const order: ModelOrder = { ...fired, id: state.orders.length + 1, story: [] }
  fired.where = 'gone'
  state.orders.push(order)
  state.open = [...state.open.filter((each) => each !== fired), order]
  return order
}

/** As many lots as the account could still hold if they were bought or sold at the best price. */
function largestPart(state: ModelState, order: ModelOrder): Exact {
  const { market, isBuy, left } = order
  const price = bestPrice(state, market, !isBuy) ?? market.mark
  const lot = Exact.one.over(Exact.of(10 ** market.sizeDecimals))
  let [fits, tooMany] = [0, Number(left.over(lot).toString()) + 1]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (couldHold(order, lot.times(Exact.of(middle)), price)) fits = middle
    else tooMany = middle
  }
  return lot.times(Exact.of(fits))
}
