import { lossPerUnit } from '../../account/stopLoss.ts'
import { roundSizeDown } from '../../protocol/grid.ts'
import type { BuilderTerms, Market } from '../../protocol/market.ts'
import type { Rules } from '../../rules/rules.ts'
import { assumptions } from '../../values/assumptions.ts'
import { Decimal } from '../../values/decimal.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import type { AccountWithRequest } from '../accountWithRequest.ts'
import { stopGapOf } from '../context.ts'
import type { FittedStop } from '../fitStop.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { percent, usd } from '../text.ts'
import type { Basis } from './checkAccount.ts'
import { closableLimits } from './closableLimit.ts'
import type { EntryGroup } from './entryGroup.ts'
import type { SizeBound, SizeLimit } from './sizeLimit.ts'
import type { WorstPrice } from './worstPrice.ts'

export interface EntrySize {
  readonly size: Decimal
  /** What is lost at the stop for each unit, fees and slippage both ways included. */
  readonly lossPerUnit: Decimal
  /** What set the size; null when the bot's own size fits. */
  readonly bound: SizeBound | null
}

const feeAndSlippage = assumptions.fee.plus(assumptions.slippage)
const tenthOfBasisPoint = Decimal.of('0.00001')
const two = Decimal.whole(2)

/** Fees are a tenth where a builder dex's perp is to grow. */
const growthShare = Decimal.of('0.1')

/** Of each market's terms, which are the same for thousands of decisions. */
const builderCosts = new WeakMap<BuilderTerms, Decimal>()

/** The venue's fee and slippage, one way: on a builder dex with what the builder takes of it. */
function oneWayCost(market: Market | null): Decimal {
  if (market?.builder === undefined) return feeAndSlippage
  const known = builderCosts.get(market.builder)
  if (known !== undefined) return known
  const cost = builderCost(market.builder)
  builderCosts.set(market.builder, cost)
  return cost
}

function builderCost({ feeScale, isGrowth }: BuilderTerms): Decimal {
  const scale = feeScale.lt(Decimal.one) ? Decimal.one.plus(feeScale) : feeScale.times(two)
  const fee = assumptions.fee.times(scale)
  return (isGrowth ? fee.times(growthShare) : fee).plus(assumptions.slippage)
}

/**
 * Fees and slippage of a round trip on a market, as a share of the value. `priority` is what an exit
 * may pay to be early: it is paid once, on the way out.
 */
export function roundTripCost(
  market: Market | null,
  builderFee: number,
  priority: Decimal,
): Decimal {
  const builders = tenthOfBasisPoint.times(Decimal.whole(builderFee))
  return oneWayCost(market).plus(builders).times(two).plus(priority)
}

/** What is known about an entry before its size. */
interface SizeInputs {
  readonly basis: Basis
  readonly worst: Pick<WorstPrice, 'price' | 'worth'>
  readonly stop: FittedStop
  /** What bounds some entries beside all that bounds every entry. */
  readonly others: readonly SizeLimit[]
}

/** The largest size within every limit: the smallest of them, rounded down to the lot once. */
export function entrySize(
  market: Market,
  rules: Rules,
  draft: AccountWithRequest,
  group: EntryGroup,
  { basis, worst: { price: worst, worth }, stop, others }: SizeInputs,
): Result<EntrySize, Refusal> {
  const { isBuy } = group.entry.order
  const atStop = lossPerUnit(isBuy, worst, stop.trigger, stopGapOf(draft.account, market.coin))
  const cost = worst.times(roundTripCost(market, group.builderFee, rules.maxPriorityFee))
  const loss = atStop.plus(cost)
  const byRisk = riskLimit(market, rules, draft, group, basis, loss)
  if (!byRisk.ok) return byRisk
  const byLeverage = leverageLimit(market, rules, draft, basis, worth)
  if (!byLeverage.ok) return byLeverage
  const byPosition = positionLimit(market, rules, draft, group, basis, worth)
  if (!byPosition.ok) return byPosition
  const used = draft.sideValue(market.coin, isBuy)
  const byVenue = closableLimits(market, { used, worth, stopLimit: stop.limit })
  if (!byVenue.ok) return byVenue
  const asked = roundSizeDown(market, group.entry.order.size)
  let least: SizeLimit = {
    size: asked,
    rule: 'lot',
    text: () => `the venue's lot of ${market.sizeDecimals} decimals`,
  }
  const found = [byRisk.value, ...others, byLeverage.value, byPosition.value, ...byVenue.value]
  for (const each of [...found, ...otherLimits(market, rules, group, worth)]) {
    if (each.size.lt(least.size)) least = each
  }
  const bound = least.size.eq(group.entry.order.size) ? null : least
  return ok({ size: least.size, lossPerUnit: loss, bound })
}

function riskLimit(
  market: Market,
  rules: Rules,
  draft: AccountWithRequest,
  group: EntryGroup,
  basis: Basis,
  loss: Decimal,
): Result<SizeLimit, Refusal> {
  const used = draft.openRiskFor(market.coin, group.entry.order.isBuy)
  const budget = basis.equity.times(rules.openRisk)
  const left = budget.minus(used)
  if (!left.isPositive()) {
    return refuse(
      'open_risk',
      `open risk is ${usd(used)} of ${usd(budget)} (open_risk ${percent(rules.openRisk)} of ${usd(basis.equity)}); nothing is left for another entry`,
    )
  }
  const perTrade = basis.equity.times(rules.riskPerTrade)
  const isByTrade = perTrade.lte(left)
  const risk = isByTrade ? perTrade : left
  return ok({
    size: risk.over(loss, market.sizeDecimals, 'floor'),
    rule: isByTrade ? 'risk_per_trade' : 'open_risk',
    text: () =>
      isByTrade
        ? `a loss of ${usd(risk)} at the stop (risk_per_trade ${percent(rules.riskPerTrade)} of ${usd(basis.equity)})`
        : `the ${usd(risk)} left of open_risk (${usd(used)} of ${usd(budget)} is used)`,
  })
}

function leverageLimit(
  market: Market,
  rules: Rules,
  draft: AccountWithRequest,
  basis: Basis,
  worth: Decimal,
): Result<SizeLimit, Refusal> {
  const used = draft.openValue
  const most = basis.equity.times(rules.maxLeverage)
  const left = most.minus(used)
  const name = (): string => `max_leverage ${rules.maxLeverage.toString()} x ${usd(basis.equity)}`
  if (!left.isPositive()) {
    return refuse(
      'leverage',
      `positions and resting entries are worth ${usd(used)} of ${usd(most)} (${name()}); nothing is left for another entry`,
    )
  }
  return ok({
    size: left.over(worth, market.sizeDecimals, 'floor'),
    rule: 'max_leverage',
    text: () => `the ${usd(left)} left of ${usd(most)} (${name()})`,
  })
}

function positionLimit(
  market: Market,
  rules: Rules,
  draft: AccountWithRequest,
  group: EntryGroup,
  basis: Basis,
  worth: Decimal,
): Result<SizeLimit, Refusal> {
  const used = draft.sideValue(market.coin, group.entry.order.isBuy)
  const most = basis.equity.times(rules.maxPosition)
  const left = most.minus(used)
  const name = (): string => `max_position ${percent(rules.maxPosition)} of ${usd(basis.equity)}`
  if (!left.isPositive()) {
    return refuse(
      'position_cap',
      `${market.coin} held and resting on that side is worth ${usd(used)} of ${usd(most)} (${name()}); nothing can be added`,
    )
  }
  return ok({
    size: left.over(worth, market.sizeDecimals, 'floor'),
    rule: 'max_position',
    text: () => `the ${usd(left)} left of ${usd(most)} (${name()})`,
  })
}

function otherLimits(
  market: Market,
  rules: Rules,
  group: EntryGroup,
  worth: Decimal,
): readonly SizeLimit[] {
  const found: SizeLimit[] = []
  const { maxOrderValue: most } = rules
  if (most !== null) {
    found.push({
      size: most.over(worth, market.sizeDecimals, 'floor'),
      rule: 'max_order_value',
      text: () => `max_order_value ${usd(most)}`,
    })
  }
  if (group.stop !== null) {
    const { size } = group.stop.order
    found.push({
      size: roundSizeDown(market, size),
      rule: 'stop_size',
      text: () => `the size of its own stop, ${size.toString()}`,
    })
  }
  return found
}
