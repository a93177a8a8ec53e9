import type { Market } from '../../protocol/market.ts'
import { assumptions } from '../../values/assumptions.ts'
import { Decimal } from '../../values/decimal.ts'
import { lossPerUnit } from '../../account/stopLoss.ts'
import { leastWorth } from '../../account/worstLoss.ts'
import { stopGapOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import type { Refusal } from '../refusal.ts'
import { usd } from '../text.ts'
import { bearableLeverage } from './liquidation.ts'
import type { StoppedPrice } from './liquidation.ts'

const two = Decimal.whole(2)
/** A stop keeps its liquidation a tenth of its own distance, and 5% of the value, beyond its worst fill. */
const [slack, buffer] = [Decimal.of('1.1'), Decimal.of('0.05')]

/**
 * Whether the isolated margin of an entry on a builder dex is, at this leverage, no more than twice what
 * it risks; `worth` is the USD that a unit of it counts as, `gap` that of the dex. All of that margin may
 * be lost there, so that more is put in only where the liquidation would come before the stop otherwise.
 */
function isMarginSmall(
  { isBuy, price, stop }: StoppedPrice,
  worth: Decimal,
  gap: Decimal | null,
  leverage: number,
): boolean {
  const risk = lossPerUnit(isBuy, price, stop, gap)
  return worth.lte(risk.times(Decimal.whole(2 * leverage)))
}

interface Waiting {
  /** Set where it waits for a trigger price: USD that a unit of it counts as, at least. */
  readonly watched?: { readonly worth: Decimal } | null
}

/** The isolated leverage of a coin, and what bounds how high it may be. */
export interface MarginTerms {
  readonly leverage: number
  readonly cap: number
  readonly coinMax: number
  readonly minDistance: Decimal
}

/**
 * The first of these entries that would put in more than twice its risk at this leverage, although its own
 * stop bears a higher one; null where there is none. A coin has one leverage for all of its entries: a wide
 * stop beside a tight one must not put the whole value of the other at stake. On the main dex margin is no
 * risk, and nothing bounds it.
 */
export function overMargined<Entry extends StoppedPrice & Waiting>(
  input: Pick<JudgeInput, 'account'>,
  market: Market,
  entries: readonly Entry[],
  { leverage, cap, coinMax, minDistance }: MarginTerms,
): Entry | null {
  if (market.builder === undefined) return null
  const mid = input.account.mid(market.coin)?.price ?? Decimal.zero
  const gapThere = stopGapOf(input.account, market.coin)
  const isOver = (entry: Entry): boolean => {
    const worth = Decimal.max(leastWorth(entry), mid)
    if (isMarginSmall(entry, worth, gapThere, leverage)) return false
    return bearableLeverage(entry, cap, coinMax, minDistance) > leverage
  }
  return entries.find(isOver) ?? null
}

/**
 * Why this much margin may not be added to a position on a builder dex: all of it may be lost there. It is
 * at most twice what the position risks, or what keeps its liquidation beyond the worst fill of its stop.
 */
export function tooMuchMargin(
  { account }: Pick<JudgeInput, 'account'>,
  { coin, maxLeverage }: Market,
  amount: Decimal,
): Refusal | null {
  const position = account.positions.get(coin)
  const { loosest, risk } = account.cover(coin) ?? { loosest: null, risk: Decimal.zero }
  if (position === undefined || loosest === null) {
    const text = `margin on ${coin} waits until its position and its stop are seen, which bound it: on a builder dex all of it may be lost; send it again`
    return { code: 'leverage', text }
  }
  const { size, liquidationPrice: liquidation } = position
  const mark = account.mark(coin) ?? loosest
  // At the liquidation what is left of it is the maintenance margin: half of 1/maxLeverage.
  const maintenance = Decimal.one.over(Decimal.whole(2 * maxLeverage), 18, 'ceil')
  const kept = liquidation?.times(maintenance) ?? Decimal.zero
  const lost = liquidation === null ? mark : mark.minus(liquidation).abs()
  const shown = size.abs().times(lost.plus(kept))
  // What is on its way is not in the liquidation price yet.
  const held = shown.plus(account.marginInFlight(coin))
  const beyond = loosest.times(assumptions.stopSlippage)
  const worstFill = size.isPositive() ? loosest.minus(beyond) : loosest.plus(beyond)
  const away = mark.minus(worstFill).abs().times(slack)
  const needed = size.abs().times(away.plus(mark.times(maintenance.plus(buffer))))
  const most = Decimal.max(risk.times(two), needed)
  if (held.plus(amount).lte(most)) return null
  return {
    code: 'leverage',
    text: `${coin} has ${usd(held)} of isolated margin, and ${usd(amount)} more would be beyond ${usd(most)}, twice what it risks or what its stop needs: on a builder dex all of it may be lost`,
  }
}
