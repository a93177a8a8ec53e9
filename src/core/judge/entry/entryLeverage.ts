import type { PositionView, StoppedEntry } from '../../account/accountView.ts'
import { maxLeverageAt } from '../../protocol/marginTiers.ts'
import { worstFill } from '../../protocol/marketStop.ts'
import type { Market } from '../../protocol/market.ts'
import type { Leverage } from '../../protocol/venueState.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { limits } from '../../values/limits.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { leverageCap } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent } from '../text.ts'
import { overMargined } from './builderMargin.ts'
import type { MarginTerms } from './builderMargin.ts'
import { crossLeverage } from './entryMargin.ts'
import { bearableLeverage, isLiquidationFar, liquidationText } from './liquidation.ts'
import type { StoppedPrice } from './liquidation.ts'

export interface EntryLeverage {
  readonly margin: Leverage['type']
  readonly leverage: number
  /** Whether the venue must be told first. */
  readonly isNew: boolean
}

interface SizedEntry {
  readonly isBuy: boolean
  readonly size: Decimal
  readonly worst: Decimal
  readonly stop: Decimal
  /** What its liquidation is measured from: the price that fires its stop. */
  readonly firing: Decimal
  /** USD that a unit of it counts as. */
  readonly worth: Decimal
}

/** The margin an entry goes with, such that its stop comes before its liquidation. */
export function entryLeverage(
  input: JudgeInput,
  draft: AccountWithRequest,
  market: Market,
  rules: Rules,
  entry: SizedEntry,
): Result<EntryLeverage, Refusal> {
  const cross = crossLeverage(input, market, rules)
  if (!cross.ok) return cross
  if (cross.value === null) return isolatedLeverage(input, draft, market, rules, entry)
  const leverage = { margin: 'cross', leverage: cross.value, isNew: false } as const
  const position = input.account.positions.get(market.coin)
  if (position === undefined || !isAddedTo(position, entry)) return ok(leverage)
  // What the pool bears is looked at apart: here the venue's own price alone counts.
  const stop = looserStop(input, market, entry)
  const end = position.liquidationPrice
  if (end === null || isBeyond(end, stop, entry.isBuy)) return ok(leverage)
  const fill = worstFill(stop, entry.isBuy).toString()
  return refuse(
    'liquidation_too_close',
    `${market.coin} would be liquidated at ${end.toString()}; it must lie beyond ${fill} (the stop at ${stop.toString()} with 10% slippage)`,
  )
}

/** The isolated leverage under which the entry's stop comes before its liquidation. */
function isolatedLeverage(
  input: JudgeInput,
  draft: AccountWithRequest,
  market: Market,
  rules: Rules,
  entry: SizedEntry,
): Result<EntryLeverage, Refusal> {
  const coinMax = coinMaximum(draft, market, entry)
  const position = input.account.positions.get(market.coin)
  if (position !== undefined) {
    return openPosition(input, market, rules, entry, position, coinMax)
  }
  const cap = Math.min(leverageCap(rules), coinMax)
  const { minLiquidationDistance } = rules
  const stretch = { isLong: entry.isBuy, price: entry.worst, stop: entry.stop }
  const others = draft.extremeEntries(market.coin)
  let highest = cap
  for (const other of others) {
    const bearable = bearableLeverage(other, cap, coinMax, minLiquidationDistance)
    highest = Math.min(highest, bearable)
  }
  for (let leverage = highest; leverage >= 1; leverage--) {
    if (isLiquidationFar(stretch, leverage, coinMax, minLiquidationDistance)) {
      const terms = { leverage, cap, coinMax, minDistance: minLiquidationDistance }
      return settled(input, draft, market, { entry, others }, terms)
    }
  }
  return refuse(
    'liquidation_too_close',
    `no leverage from 1 to ${cap} keeps the liquidation of ${market.coin} far enough: ${liquidationText(stretch, 1, coinMax, minLiquidationDistance)}; a tighter stop would pass`,
  )
}

/** The coin's maximum leverage at what would be held on the larger side, by its margin tiers. */
function coinMaximum(draft: AccountWithRequest, market: Market, entry: SizedEntry): number {
  const own = entry.size.times(entry.worth)
  const side = draft.sideValue(market.coin, entry.isBuy).plus(own)
  const other = draft.sideValue(market.coin, !entry.isBuy)
  return maxLeverageAt(market, Decimal.max(side, other))
}

interface Entries {
  readonly entry: SizedEntry
  /** Those that decide which leverage the coin's other entries bear. */
  readonly others: readonly StoppedEntry[]
}

/**
 * Keeps what the coin is known to have when that is isolated, no higher than what fits and, on a builder
 * dex, no lower than puts in the margin that it may. Where even the highest that fits puts in more, since
 * one stop is much wider than another, the entry is refused.
 */
function settled(
  input: JudgeInput,
  draft: AccountWithRequest,
  market: Market,
  { entry, others }: Entries,
  terms: MarginTerms,
): Result<EntryLeverage, Refusal> {
  const margin = 'isolated'
  const { leverage } = terms
  const own = aloneOf(entry)
  const overMarginedAt = (at: number): StoppedPrice | null =>
    overMargined(input, market, [own, ...others], { ...terms, leverage: at })
  const known = draft.plannedLeverage(market.coin) ?? knownLeverage(input, market)
  // What is not too much at a lower leverage is none at a higher one: asked once where it is kept.
  if (known !== null && known <= leverage && overMarginedAt(known) === null) {
    return ok({ margin, leverage: known, isNew: false })
  }
  const tooMuch = overMarginedAt(leverage)
  if (tooMuch !== null) return refuse('leverage', tooUnlike(market, own, tooMuch, leverage))
  return ok({ margin, leverage, isNew: true })
}

/** An entry as its margin is judged by its own stop, wherever others stand. */
function aloneOf({ isBuy, worst: price, stop, worth }: SizedEntry) {
  return { isBuy, price, stop, watched: { worth } }
}

/** The refusal's text: `over`, which may be the entry itself, would put in too much margin at this leverage. */
function tooUnlike(
  { coin }: Market,
  entry: StoppedPrice,
  over: StoppedPrice,
  leverage: number,
): string {
  const whose = over === entry ? 'another entry there' : 'this one'
  return `at leverage ${leverage}, which the stop of ${whose} needs, the ${coin} entry at ${over.price.toString()} with its stop at ${over.stop.toString()} would put in more margin than twice its risk, and on a builder dex all of that may be lost; stops that are alike would pass`
}

/** The isolated leverage that the coin is known to have; null where it is another margin, or not known. */
function knownLeverage(input: JudgeInput, { coin }: Market): number | null {
  const known = input.account.leverage(coin)
  if (known === null || input.now - known.at > limits.accountAgeMsMax) return null
  return known.leverage.type === 'isolated' ? known.leverage.value : null
}

/** An open position keeps its leverage, so that must already be good enough for the looser stop. */
function openPosition(
  input: JudgeInput,
  market: Market,
  rules: Rules,
  entry: SizedEntry,
  position: PositionView,
  coinMax: number,
): Result<EntryLeverage, Refusal> {
  const { type, value } = position.leverage
  if (type !== 'isolated') {
    return refuse(
      'cross_margin',
      `the ${market.coin} position is on cross margin; Guard adds only to isolated positions`,
    )
  }
  const cap = leverageCap(rules)
  if (value > cap) {
    return refuse(
      'leverage',
      `the ${market.coin} position has leverage ${value}, above ${cap} (max_leverage ${rules.maxLeverage.toString()}); lower it first`,
    )
  }
  const { isBuy } = entry
  const isAdded = isAddedTo(position, entry)
  const stop = isAdded ? looserStop(input, market, entry) : entry.stop
  const stretch = { isLong: isBuy, price: entry.worst, stop }
  const { minLiquidationDistance } = rules
  if (!isLiquidationFar(stretch, value, coinMax, minLiquidationDistance)) {
    return refuse(
      'liquidation_too_close',
      `leverage ${value} of the open ${market.coin} position does not keep its liquidation far enough: ${liquidationText(stretch, value, coinMax, minLiquidationDistance)}; a tighter stop or a lower leverage would pass`,
    )
  }
  // By its own stop: that of the position may need more, and all of it would be at stake.
  const own = aloneOf(entry)
  const terms = { leverage: value, cap, coinMax, minDistance: minLiquidationDistance }
  if (overMargined(input, market, [own], terms) !== null) {
    return refuse(
      'leverage',
      `the open ${market.coin} position has leverage ${value}, at which an entry puts in more margin than twice its risk, and on a builder dex all of that may be lost; close the position first`,
    )
  }
  const { liquidationPrice } = position
  const kept = { margin: 'isolated', leverage: value, isNew: false } as const
  if (liquidationPrice === null || !isAdded) return ok(kept)
  const distance = entry.firing.times(minLiquidationDistance)
  const isDistant = isBuy
    ? liquidationPrice.lte(entry.firing.minus(distance))
    : liquidationPrice.gte(entry.firing.plus(distance))
  if (isBeyond(liquidationPrice, stop, isBuy) && isDistant) return ok(kept)
  const fill = worstFill(stop, isBuy)
  return refuse(
    'liquidation_too_close',
    `${market.coin} would be liquidated at ${liquidationPrice.toString()}; it must lie beyond ${fill.toString()} (the stop at ${stop.toString()} with 10% slippage) and at least ${percent(minLiquidationDistance)} from the price ${entry.firing.toString()} (min_liquidation_distance)`,
  )
}

/** Whether an entry is on the side of a position; one that waits for a trigger may be against it. */
function isAddedTo({ size }: PositionView, { isBuy }: SizedEntry): boolean {
  return size.isPositive() === isBuy
}

/** The looser of the entry's stop and the one that covers the position now. */
function looserStop(input: JudgeInput, { coin }: Market, { stop, isBuy }: SizedEntry): Decimal {
  const covering = input.account.cover(coin)?.loosest ?? stop
  return isBuy ? Decimal.min(stop, covering) : Decimal.max(stop, covering)
}

/** Whether a stop fills, even at its worst, before a position is liquidated at `end`. */
function isBeyond(end: Decimal, stop: Decimal, isLong: boolean): boolean {
  const fill = worstFill(stop, isLong)
  return isLong ? end.lt(fill) : end.gt(fill)
}
