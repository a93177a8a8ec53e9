import type { ReservedOrder, WatchedTrigger } from '../../account/reservation.ts'
import type { Order } from '../../protocol/action.ts'
import { marketStop } from '../../protocol/marketStop.ts'
import type { Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Cloid } from '../../values/cloid.ts'
import { Decimal } from '../../values/decimal.ts'
import { err, ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { firingPrice } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import type { AccountWithRequest, RequestedEntry } from '../accountWithRequest.ts'
import type { FittedStop } from '../fitStop.ts'
import type { OrderIds } from '../orderIds.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { reservedOrder } from '../reserve.ts'
import { sideName } from '../text.ts'
import { awayLimit } from './awayLimit.ts'
import { checkAccount } from './checkAccount.ts'
import type { Basis } from './checkAccount.ts'
import { checkExposure, checkPassedStops } from './checkExposure.ts'
import { checkHalts } from './checkHalts.ts'
import { checkMarket } from './checkMarket.ts'
import { bookLimits, checkMarketState } from './checkMarketState.ts'
import { checkMinimum } from './checkMinimum.ts'
import { checkThrottle } from './checkThrottle.ts'
import type { EntryGroup, EntryTrace, Placed } from './entryGroup.ts'
import { entryLeverage } from './entryLeverage.ts'
import type { EntryLeverage } from './entryLeverage.ts'
import { entrySize } from './entrySize.ts'
import type { EntrySize } from './entrySize.ts'
import { entryStop } from './entryStop.ts'
import { fitLease } from './leaseLimit.ts'
import { fitPool } from './poolLimit.ts'
import type { SizeLimit } from './sizeLimit.ts'
import { triggerPrice, waitsForTrigger } from './triggerPrice.ts'
import { watchedEntry, watchedTrigger } from './watchedEntry.ts'
import { worstPrice } from './worstPrice.ts'
import type { SeenPrices, WorstPrice } from './worstPrice.ts'

/** An entry that may go, as it goes: the entry, the bot's children in its order, Guard's stop last. */
export interface JudgedEntry {
  readonly market: Market
  readonly orders: readonly Order[]
  /** Those of the bot's orders that are among them, in the same order. */
  readonly members: readonly Placed[]
  /** Take profits that stay behind, and why. */
  readonly leftOut: readonly { readonly at: number; readonly refusal: Refusal }[]
  readonly size: Decimal
  /** Lost at the stop with costs. */
  readonly risk: Decimal
  readonly leverage: EntryLeverage
  readonly changes: readonly Change[]
  readonly reservations: readonly ReservedOrder[]
  /** Set where it waits for a trigger: it goes alone, and Guard keeps its stop. */
  readonly watched: WatchedTrigger | null
}

/** What was found out of an entry that nothing refuses for its market, its price or its size. */
export interface MeasuredEntry {
  readonly market: Market
  readonly rules: Rules
  readonly mid: Decimal
  readonly worst: WorstPrice
  readonly stop: FittedStop
  readonly sized: EntrySize
  readonly leverage: EntryLeverage
}

/** How the worst price of an entry is found; a refusal where it cannot be judged at all. */
type WorstOf = (market: Market, rules: Rules, seen: SeenPrices) => Result<WorstPrice, Refusal>

/** Judges one entry in the order of the contract; the first refusal wins. */
export function judgeEntry(
  input: JudgeInput,
  draft: AccountWithRequest,
  ids: OrderIds,
  group: EntryGroup,
  trace: EntryTrace,
): Result<JudgedEntry, Refusal> {
  const { order } = group.entry
  const worstOf: WorstOf = (market, rules, seen) => worstOfOrder(input, market, rules, order, seen)
  const measured = measureEntry(input, draft, group, trace, worstOf)
  if (!measured.ok) return measured
  const { market, rules, mid, worst, stop, sized, leverage } = measured.value
  const { price } = worst
  const orderCount = countOrders(group, worst, sized.size)
  const refused =
    checkMinimum(market, sized, price, stop.limit) ??
    checkThrottle(input, rules, draft, orderCount) ??
    input.withheld ??
    null
  if (refused !== null) return err(refused)
  const changes = [...worst.changes, ...stop.changes]
  const judged = assemble(ids, { market, group, worst, stop, sized, leverage, changes })
  draft.add(drafted(judged, order.isBuy, price, stop.trigger), mid)
  return ok(judged)
}

/** The checks of an entry up to its size, in the order of the contract. */
export function measureEntry(
  input: JudgeInput,
  draft: AccountWithRequest,
  group: EntryGroup,
  trace: EntryTrace,
  worstOf: WorstOf,
): Result<MeasuredEntry, Refusal> {
  const { order } = group.entry
  const halted = checkHalts(input)
  if (halted !== null) return err(halted)
  const market = checkMarket(input, order.asset)
  if (!market.ok) return market
  const rules = input.rulesFor(input.client, market.value.coin)
  const unfit = checkMarketState(input, rules, market.value)
  if (unfit !== null) return err(unfit)
  const basis = checkAccount(input, rules, market.value.coin)
  if (!basis.ok) return basis
  const { mid } = basis.value
  const { isBuy } = order
  const firing = firingPrice(input.account, market.value, isBuy, mid)
  const worst = worstOf(market.value, rules, { mid, firing })
  if (!worst.ok) return worst
  trace.worstPrice = worst.value.price
  const stop = entryStop(market.value, rules, group, worst.value.stopFrom)
  if (!stop.ok) return stop
  const { trigger } = stop.value
  trace.stop = trigger
  const { price, worth } = worst.value
  const exposed =
    checkExposure(draft, input.account.strangeTwaps) ??
    checkPassedStops(input.account, market.value.coin, isBuy, firing)
  if (exposed !== null) return err(exposed)
  const others = otherLimits(input, draft, market.value, rules, basis.value, worst.value, isBuy)
  if (!others.ok) return others
  const known = { basis: basis.value, worst: worst.value, stop: stop.value, others: others.value }
  const own = entrySize(market.value, rules, draft, group, known)
  if (!own.ok) return own
  const leased = { isBuy, worst: price, worth, stopLimit: stop.value.limit }
  const sized = fitLease(input, draft, market.value, own.value, leased)
  if (!sized.ok) return sized
  const entry = { isBuy, size: sized.value.size, worst: price, stop: trigger, firing, worth }
  const leverage = entryLeverage(input, draft, market.value, rules, entry)
  if (!leverage.ok) return leverage
  trace.leverage = leverage.value.leverage
  const margin = { type: leverage.value.margin, value: leverage.value.leverage }
  const { size } = entry
  const stopLimit = stop.value.limit
  // Field by field: spreading an object here costs more than a check.
  const pooled = { isBuy, size, worst: price, stop: trigger, mid, worth, stopLimit, margin }
  const fitted = fitPool(input, draft, market.value, rules, sized.value, pooled)
  if (!fitted.ok) return fitted
  return ok({
    market: market.value,
    rules,
    mid,
    worst: worst.value,
    stop: stop.value,
    sized: fitted.value,
    leverage: leverage.value,
  })
}

/** The worst price of a limit order, or of one that waits for a trigger. */
function worstOfOrder(
  { account }: JudgeInput,
  market: Market,
  rules: Rules,
  order: Order,
  seen: SeenPrices,
): Result<WorstPrice, Refusal> {
  if (!waitsForTrigger(order)) return worstPrice(market, rules, order, seen)
  const mark = account.mark(market.coin) ?? seen.mid
  return triggerPrice(market, rules, order, { ...seen, mark })
}

/** What bounds an entry beside: because it waits for a trigger, or by the book of a builder dex. */
function otherLimits(
  input: JudgeInput,
  draft: AccountWithRequest,
  market: Market,
  rules: Rules,
  basis: Basis,
  { mayWait, worth }: WorstPrice,
  isBuy: boolean,
): Result<readonly SizeLimit[], Refusal> {
  const { mid } = basis
  const byBook = bookLimits(input, draft, market, rules, { isBuy, mid, worth })
  if (!byBook.ok || !mayWait) return byBook
  const byAway = awayLimit(input, draft, market, rules, basis, worth)
  return byAway.ok ? ok([byAway.value, ...byBook.value]) : byAway
}

/** How many orders it comes to; one that waits for a trigger will need a place for its stop alone. */
function countOrders(group: EntryGroup, { trigger }: WorstPrice, size: Decimal): number {
  if (trigger !== null) return 2
  const profits = group.children.filter((child) => !isTooSmall(child, group, size))
  return 1 + profits.length + (group.stop === null ? 1 : 0)
}

/** Field by field: spreading an object here costs more than a check. */
function drafted(
  judged: JudgedEntry,
  isBuy: boolean,
  price: Decimal,
  stop: Decimal,
): RequestedEntry {
  return {
    coin: judged.market.coin,
    isBuy,
    size: judged.size,
    price,
    stop,
    orderCount: judged.orders.length,
    margin: { type: judged.leverage.margin, value: judged.leverage.leverage },
    watched: judged.watched,
  }
}

/** Numbers an entry cannot be judged with; the decoder lets zero through for position TP/SL. */
export function checkNumbers(group: EntryGroup): Result<null, Refusal> {
  for (const { at, order } of [group.entry, ...group.children]) {
    const { type } = order
    const isPositive =
      order.price.isPositive() &&
      order.size.isPositive() &&
      (type.kind === 'limit' || type.triggerPrice.isPositive())
    if (!isPositive) {
      return refuse('invalid', `orders[${at}]: price, size and trigger must be above 0`)
    }
  }
  return ok(null)
}

interface Found {
  readonly market: Market
  readonly group: EntryGroup
  readonly worst: WorstPrice
  readonly stop: FittedStop
  readonly sized: EntrySize
  readonly leverage: EntryLeverage
  readonly changes: readonly Change[]
}

function assemble(ids: OrderIds, found: Found): JudgedEntry {
  const { market, group, worst, stop, sized, leverage } = found
  const { order } = group.entry
  const { size } = sized
  const { price, trigger: waitsFor } = worst
  const risk = size.times(sized.lossPerUnit)
  const changes = [...found.changes, ...sizeChange(market, order, sized)]
  if (waitsFor !== null) {
    const parts = watchedEntry(ids, { market, group, worst, trigger: waitsFor, stop, size })
    const watched = watchedTrigger(group, worst, waitsFor)
    const judged = { market, size, risk, leverage, members: [group.entry], watched }
    return { ...judged, ...parts, changes: [...changes, ...parts.changes] }
  }
  const orders: (Order & { readonly cloid: Cloid })[] = [
    { ...order, price, size, cloid: ids.of(order.cloid, `orders[${group.entry.at}]`) },
  ]
  const members: Placed[] = [group.entry]
  const leftOut: { readonly at: number; readonly refusal: Refusal }[] = []
  for (const child of group.children) {
    if (isTooSmall(child, group, size)) {
      leftOut.push({ at: child.at, refusal: tooSmall(child, size) })
      continue
    }
    const cut = cutChild(child.order, size, ids.of(child.order.cloid, `orders[${child.at}]`))
    members.push(child)
    orders.push(child === group.stop ? withStop(cut, stop) : cut)
    if (!cut.size.eq(child.order.size) && !isCutAlong(child.order, order)) {
      changes.push(childChange(child.order, cut.size))
    }
  }
  if (group.stop === null) {
    const { trigger, limit } = stop
    const cloid = ids.mint('stop')
    orders.push(marketStop(market, { isLong: order.isBuy, size, trigger, limit, cloid }))
  }
  const reservations = orders.map((each, index) =>
    index === 0
      ? {
          ...reservedOrder(market.coin, each, index, null),
          kind: 'entry' as const,
          stop: stop.trigger,
        }
      : reservedOrder(market.coin, each, index, 0),
  )
  return {
    market,
    orders,
    members,
    leftOut,
    size,
    risk,
    leverage,
    changes,
    reservations,
    watched: null,
  }
}

/**
 * In a group the venue cancels the stop as soon as a take profit fills: one that is smaller than the
 * entry would leave the rest of the position bare.
 */
function isTooSmall(child: Placed, group: EntryGroup, size: Decimal): boolean {
  return child !== group.stop && child.order.size.lt(size)
}

function tooSmall({ at, order }: Placed, size: Decimal): Refusal {
  return {
    code: 'invalid',
    text: `orders[${at}]: a take profit of ${order.size.toString()} is smaller than its entry of ${size.toString()}, and the venue would cancel the stop of all of it once it fills; send it once the entry has filled`,
  }
}

function cutChild(child: Order, size: Decimal, cloid: Cloid): Order & { readonly cloid: Cloid } {
  return { ...child, size: Decimal.min(child.size, size), cloid }
}

function withStop<T extends Order>(order: T, stop: FittedStop): T {
  const type = { kind: 'trigger', isMarket: true, triggerPrice: stop.trigger, tpsl: 'sl' } as const
  return { ...order, price: stop.limit, type }
}

/** A child that was as large as the entry asked for is cut with it: that is one change, not two. */
function isCutAlong(child: Order, entry: Order): boolean {
  return child.size.eq(entry.size)
}

function childChange(child: Order, size: Decimal): Change {
  const name = child.type.kind === 'trigger' && child.type.tpsl === 'tp' ? 'take profit' : 'stop'
  return change(
    `the size of the ${name} cut from ${child.size.toString()} to ${size.toString()}, the size of its entry`,
    `${name === 'stop' ? 'stop' : 'profit'}.size`,
    child.size,
    size,
    'entry_size',
  )
}

export function sizeChange(market: Market, order: Order, sized: EntrySize): readonly Change[] {
  if (sized.bound === null) return []
  const { rule, text } = sized.bound
  const from = order.size.toString()
  const to = sized.size.toString()
  return [
    change(
      `the size of the ${market.coin} ${sideName(order.isBuy)} cut from ${from} to ${to} by ${text()}`,
      'size',
      order.size,
      sized.size,
      rule,
    ),
  ]
}
