import type { AccountView, PoolRow, PositionView } from '../account/accountView.ts'
import type { Cover } from '../account/stop.ts'
import type { OpeningItem } from '../account/reservation.ts'
import { leansOn } from '../account/poolOf.ts'
import { lossPerUnit } from '../account/stopLoss.ts'
import { worstFill } from '../protocol/marketStop.ts'
import type { Rules } from '../rules/rules.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { sizingEquity, stopGapOf } from './context.ts'
import type { RiskView } from './decision.ts'
import { AccountWithRequest } from './accountWithRequest.ts'
import { checkBookShare } from './entry/checkMarketState.ts'
import { checkHalts } from './entry/checkHalts.ts'
import { roundTripCost } from './entry/entrySize.ts'
import { backingOf, neededAtStops, poolSums } from './poolSums.ts'
import type { Refusal } from './refusal.ts'
import { usd } from './text.ts'

export interface LastLook {
  readonly account: AccountView
  readonly risk: RiskView
  readonly latched: boolean
  readonly rules: Rules
  /** Whether the account's rules admit cross margin, whatever those of the entry's own market say. */
  readonly isShared: boolean
  /** The entry that is about to leave; it is reserved, so every sum includes it. */
  readonly entry: OpeningItem
  /**
   * What of the orders that it replaces, on its coin and side, was filled since it was judged; of one
   * whose end is not told yet all that rested, since any of it may have filled before the cancel came.
   */
  readonly filledMeanwhile: Decimal
  /** A change of its coin's leverage that left before it is not answered: nobody knows what is set. */
  readonly isLeverageUnknown: boolean
}

/** Prices move while a decision is written down: a budget may be passed by 1% before that counts. */
const drift = Decimal.of('1.01')

/**
 * Looks once more at an entry just before it leaves: a latch or a halt may have come, the equity may
 * have fallen, somebody may have traded by hand, and the order that it replaces may have filled. What
 * that one filled, or may have filled, is part of the new one's room, to the last lot.
 */
export function lastLook(look: LastLook): Refusal | null {
  const halted = checkHalts(look)
  if (halted !== null) return halted
  const { account, entry, rules, filledMeanwhile, risk } = look
  const equity = sizingEquity(look, rules)
  if (risk.doubt != null) {
    return { code: 'account_unknown', text: `it was not sent: ${risk.doubt}` }
  }
  if (risk.unseen != null) {
    return { code: 'account_stale', text: `${risk.unseen}, so it was not sent` }
  }
  if (equity === null || risk.holding) {
    const why =
      equity === null ? 'the equity is no longer known' : 'a drop of the equity is being explained'
    return { code: 'account_stale', text: `${why}, so it was not sent` }
  }
  if (look.isLeverageUnknown) {
    const text = `a change of the leverage of ${entry.coin} is not answered yet, so it was not sent; send it again`
    return { code: 'leverage', text }
  }
  // An order that is being cancelled counts in it until its end is told.
  const draft = new AccountWithRequest(account)
  const onTheirWay = riskOnTheWay(draft)
  if (typeof onTheirWay === 'string') {
    const text = `the ${onTheirWay} position is not covered in full by now, so it was not sent`
    return { code: 'unprotected_position', text }
  }
  // What the replaced order has filled is known to the last lot, and so is what is left for this one.
  const slack = filledMeanwhile.isPositive() ? Decimal.one : drift
  const exceeds = (is: Decimal, share: Decimal): boolean => is.gt(equity.times(share).times(slack))
  const openRisk = draft.openRisk.plus(onTheirWay)
  if (exceeds(openRisk, rules.openRisk)) {
    return late('open_risk', 'open risk', openRisk, equity.times(rules.openRisk))
  }
  const trade = tradeRisk(look)
  if (exceeds(trade, rules.riskPerTrade)) {
    const what = filledMeanwhile.isPositive()
      ? `with ${filledMeanwhile.toString()} that the order it replaces has filled meanwhile, or may have, the trade`
      : 'the trade'
    return late('open_risk', what, trade, equity.times(rules.riskPerTrade))
  }
  const { openValue } = draft
  if (exceeds(openValue, rules.maxLeverage)) {
    return late('leverage', 'what is held and resting', openValue, equity.times(rules.maxLeverage))
  }
  const sideValue = draft.sideValue(entry.coin, entry.isBuy)
  if (exceeds(sideValue, rules.maxPosition)) {
    return late('position_cap', entry.coin, sideValue, equity.times(rules.maxPosition))
  }
  const beyondBook = filledMeanwhile.isPositive() ? checkBookShare(draft, rules, entry) : null
  if (beyondBook !== null) return beyondBook
  return look.isShared ? sharedCollateral(draft, entry.coin, slack) : null
}

/** Whether the collateral that cross positions share still bears all stops at once; another dex's is its own. */
function sharedCollateral(draft: AccountWithRequest, coin: Coin, slack: Decimal): Refusal | null {
  const { account, uncoveredPositions } = draft
  const pool = account.crossPool()
  if (!leansOn(pool, coin)) return null
  const rows = pool.rows.map((row) =>
    uncoveredPositions.includes(row.coin) ? withStopOnTheWay(account, row) : row,
  )
  const sums = poolSums(rows, account)
  const needed = neededAtStops(sums.loss, sums.value, sums.maintenance)
  if (sums.value.isZero() || needed.lte(backingOf(pool, sums).times(slack))) return null
  const text =
    'what stands behind all cross positions does not bear every stop at once by now, so it was not sent; place it as a new order to have it sized anew'
  return { code: 'liquidation_too_close', text }
}

/** What no stop covers yet loses down to the one that is on its way, and not all that it is worth. */
function withStopOnTheWay(account: AccountView, row: PoolRow): PoolRow {
  const { isLong, price, uncovered, triggers } = stopsOnTheWay(account, row.coin)
  const losses = triggers.map((each) => lossPerUnit(isLong, price, worstFill(each, isLong), null))
  const spared = uncovered.times(price.minus(Decimal.max(Decimal.zero, ...losses)))
  return { ...row, loss: row.loss.minus(spared) }
}

/** What an entry and the fills of the one it replaces lose together: they are one trade. */
function tradeRisk({ account, entry, filledMeanwhile, rules }: LastLook): Decimal {
  const { coin, isBuy, price, stop, size } = entry
  const cost = roundTripCost(account.market(coin), 0, rules.maxPriorityFee)
  const gap = stopGapOf(account, coin)
  const loss = lossPerUnit(isBuy, price, stop, gap).plus(price.times(cost))
  return size.plus(filledMeanwhile).times(loss)
}

/**
 * What positions risk whose stop is on its way: until it is shown, no sum has it. The coin of a
 * position that has none, not even on its way.
 */
function riskOnTheWay({ account, uncoveredPositions }: AccountWithRequest): Decimal | string {
  let risk = Decimal.zero
  for (const coin of uncoveredPositions) {
    const { isLong, price, uncovered, triggers } = stopsOnTheWay(account, coin)
    const gap = stopGapOf(account, coin)
    const losses = triggers.map((trigger) => lossPerUnit(isLong, price, trigger, gap))
    const [first, ...others] = losses
    if (first === undefined) return coin
    risk = risk.plus(uncovered.times(Decimal.max(first, ...others)))
  }
  return risk
}

/** The stops on their way for a position that is not covered in full, and what of it lacks one. */
function stopsOnTheWay(account: AccountView, coin: Coin) {
  // A coin that is asked about has a position, and a cover that lacks something.
  const position = account.positions.get(coin) as PositionView
  const { uncovered } = account.cover(coin) as Cover
  const isLong = position.size.isPositive()
  const price = account.mid(coin)?.price ?? position.entryPrice
  const facing = account.stopsInFlight(coin).filter(({ isBuy }) => isBuy !== isLong)
  return { isLong, price, uncovered, triggers: facing.map(({ trigger }) => trigger) }
}

function late(code: Refusal['code'], what: string, is: Decimal, most: Decimal): Refusal {
  const text = `${what} would be ${usd(is)} of ${usd(most)} by now, so it was not sent; place it as a new order to have it sized anew`
  return { code, text }
}
