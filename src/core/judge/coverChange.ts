import type { Cover, Stop } from '../account/accountView.ts'
import { coverOf, lossPerUnit, stopOf } from '../account/cover.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { openRiskBudget } from './context.ts'
import type { JudgeInput } from './decision.ts'
import type { Refusal } from './refusal.ts'
import { usd } from './text.ts'

/** What a request takes away from the orders that rest, and which stops it puts there. */
export interface StopsChange {
  readonly removed: ReadonlyMap<number, OpenOrder>
  readonly added: readonly { readonly coin: Coin; readonly stop: Stop }[]
  /** A cancel must leave positions covered; a modify must also leave no stop looser or smaller. */
  readonly kind: 'cancel' | 'modify'
}

/** Judges a cancel or a modify by its result: what covers each position and entry afterwards. */
export function checkCoverChange(input: JudgeInput, change: StopsChange): Refusal | null {
  const coins = new Set<Coin>()
  for (const order of change.removed.values()) {
    const refusal = checkRemoved(input, change, order)
    if (refusal !== null) return refusal
    if (isProtective(order)) coins.add(order.coin)
  }
  let raised = Decimal.zero
  for (const coin of coins) {
    const covers = coversOf(input, change, coin)
    if (covers === null) continue
    const refusal = checkCovers(change, coin, covers)
    if (refusal !== null) return refusal
    // A modify leaves no stop looser: what its cover risks more was not covered at all before.
    if (change.kind === 'modify') continue
    raised = raised.plus(covers.after.risk).minus(covers.before.risk)
  }
  return raised.isPositive() ? checkBudget(input, change, raised) : null
}

interface Covers {
  readonly isLong: boolean
  readonly before: Cover
  readonly after: Cover
}

function isProtective(order: OpenOrder): boolean {
  return stopOf(order) !== null
}

/** Guard's own stop of an open position, and the stop of an entry that stays, are not removed. */
function checkRemoved(input: JudgeInput, change: StopsChange, order: OpenOrder): Refusal | null {
  const stop = stopOf(order)
  if (stop === null) return null
  const { account } = input
  if (account.isWaiting(order.oid)) {
    const parent = account.ordersOf(order.coin).find((each) => each.children.includes(order.oid))
    if (parent === undefined || change.removed.has(parent.oid)) return null
    return {
      code: 'stop_removed',
      text: `order ${order.oid} is the stop of the ${order.coin} entry ${parent.oid}, which would rest without it; cancel the entry, and its stop goes with it`,
    }
  }
  const position = account.positions.get(order.coin)
  if (position === undefined || stop.owner !== 'guard') return null
  if (order.isBuy === position.size.isPositive()) return null
  return {
    code: 'guard_stop',
    text: `order ${order.oid} is Guard's own stop for the open ${order.coin} position; a tighter stop of yours over all ${position.size.abs().toString()}, or closing the position, makes Guard remove it`,
  }
}

function coversOf(input: JudgeInput, change: StopsChange, coin: Coin): Covers | null {
  const { account } = input
  const position = account.positions.get(coin)
  const before = account.cover(coin)
  if (position === undefined || before === null) return null
  const kept = account
    .stops(coin)
    .filter(({ oid }) => !change.removed.has(oid) && account.cancellingSince(oid) === null)
  const added = change.added.filter((each) => each.coin === coin).map((each) => each.stop)
  const price = account.mid(coin)?.price ?? account.mark(coin) ?? position.entryPrice
  const after = coverOf(position.size, [...kept, ...added], price)
  return { isLong: position.size.isPositive(), before, after }
}

function checkCovers(change: StopsChange, coin: Coin, covers: Covers): Refusal | null {
  const { before, after } = covers
  if (after.uncovered.gt(before.uncovered)) {
    return {
      code: change.kind === 'cancel' ? 'stop_removed' : 'stop_loosened',
      text: `${after.uncovered.toString()} of the ${coin} position would be without a market stop; place the other stop first, or close the position`,
    }
  }
  if (change.kind === 'cancel') return null
  const weaker = weakened(covers)
  if (weaker === null) return null
  return {
    code: 'stop_loosened',
    text: `the stops of the ${coin} position would cover less at ${weaker.toString()} or tighter than they do now; a stop may only be tightened, stays a reduce-only market stop with 5% of room, and never gets smaller`,
  }
}

/** A trigger at which less would be covered than before; null when there is none. */
function weakened({ isLong, before, after }: Covers): Decimal | null {
  for (const { stop } of before.stops) {
    const had = coveredBy(before, stop.trigger, isLong)
    if (coveredBy(after, stop.trigger, isLong).lt(had)) return stop.trigger
  }
  return null
}

/** How much of a position is stopped out before the price is worse than `trigger`. */
function coveredBy(cover: Cover, trigger: Decimal, isLong: boolean): Decimal {
  let sum = Decimal.zero
  for (const { stop, covers } of cover.stops) {
    const isTight = isLong ? stop.trigger.gte(trigger) : stop.trigger.lte(trigger)
    if (isTight) sum = sum.plus(covers)
  }
  return sum
}

/** A looser cover must still fit into the open-risk budget, what is cancelled with it left out. */
function checkBudget(input: JudgeInput, change: StopsChange, raised: Decimal): Refusal | null {
  let risk = input.account.exposure().openRisk.plus(raised)
  for (const order of change.removed.values()) {
    const resting = input.account.restingEntries(order.coin).find((each) => each.oid === order.oid)
    if (resting === undefined || resting.stop === null) continue
    const loss = lossPerUnit(resting.isBuy, resting.price, resting.stop)
    risk = risk.minus(resting.size.times(loss))
  }
  const rules = input.rulesFor(input.client, null)
  const budget = openRiskBudget(input, rules)
  if (risk.lte(budget)) return null
  return {
    code: 'stop_loosened',
    text: `open risk would rise by ${usd(raised)} to ${usd(risk)}, beyond the ${usd(budget)} of open_risk`,
  }
}
