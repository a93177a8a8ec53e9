import type { AccountView } from '../account/accountView.ts'
import { coinKind } from '../protocol/coinKind.ts'
import type { Market } from '../protocol/market.ts'
import type { Rules } from '../rules/rules.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { JudgeInput } from './decision.ts'

/** Whether the account was seen recently enough to be judged against. */
export function isAccountFresh(input: Pick<JudgeInput, 'account' | 'now'>): boolean {
  const { confirmedAt } = input.account
  return confirmedAt !== null && input.now - confirmedAt <= limits.accountAgeMsMax
}

/** The mid of a coin if it is fresh enough to be judged by, else null. */
export function freshMid(input: JudgeInput, coin: Coin): Decimal | null {
  const mid = input.account.mid(coin)
  if (mid === null || input.now - mid.at > limits.priceAgeMsMax) return null
  return mid.price.isPositive() ? mid.price : null
}

/**
 * The price that fires a stop first: for a buy's the lower of mid and mark, for a sell's the higher. The
 * venue fires stops by the mark, and the thin book of a builder dex may put the mid far from it. On the
 * main dex it is the mid: the mark of a coin that nobody asked for in a while may be hours old there.
 */
export function firingPrice(
  account: Pick<AccountView, 'mark'>,
  { coin, builder }: Pick<Market, 'coin' | 'builder'>,
  isBuy: boolean,
  mid: Decimal,
): Decimal {
  const mark = builder === undefined ? null : account.mark(coin)
  return mark === null || (isBuy ? mid.lt(mark) : mid.gt(mark)) ? mid : mark
}

/** What sizes are taken from: the least of what the venue, the risk engine and the cap say. */
export function sizingEquity(
  input: Pick<JudgeInput, 'account' | 'risk'>,
  rules: Rules,
): Decimal | null {
  const { equity } = input.account
  if (equity === null) return null
  const seen = input.risk.lastEquity === null ? equity : Decimal.min(equity, input.risk.lastEquity)
  return rules.equityCap === null ? seen : Decimal.min(seen, rules.equityCap)
}

/** What may be at risk in all; nothing while the equity is not known. */
export function openRiskBudget(input: Pick<JudgeInput, 'account' | 'risk'>, rules: Rules): Decimal {
  return (sizingEquity(input, rules) ?? Decimal.zero).times(rules.openRisk)
}

/** The highest whole isolated leverage the rules admit; at least 1, which borrows nothing. */
export function leverageCap(rules: Rules): number {
  const whole = rules.maxLeverage.over(Decimal.one, 0, 'floor')
  return whole.lt(Decimal.one) ? 1 : smallWhole(whole)
}

/** A whole number that is known to be small, out of a decimal without a fraction. */
export function smallWhole(value: Decimal): number {
  return parseInt(value.toString(), 10)
}

/** Whether the rules let an order wait for a trigger and then open a position, under Guard's watch. */
export function watchesTriggers(input: JudgeInput, asset: number): boolean {
  const coin = marketOf(input, asset)?.coin ?? null
  return input.rulesFor(input.client, coin).triggerEntries === 'watched'
}

/**
 * Whether what a market takes is taken from what cross positions lean on: a builder dex has a balance of
 * its own, unless all of the account is one balance.
 */
export function sharesCollateral(
  { account, client, rulesFor }: Pick<JudgeInput, 'account' | 'client' | 'rulesFor'>,
  market: Pick<Market, 'builder'> | null,
): boolean {
  if (rulesFor(client, null).margin !== 'cross') return false
  return market?.builder === undefined || account.mode === 'unifiedAccount'
}

/** How far beyond its stop a trade may end, as a share of the price; null on the main dex: not at all. */
export function stopGapOf(account: AccountView, coin: Coin): Decimal | null {
  return coinKind(coin) === 'builder_dex' ? account.stopGap(coin) : null
}

/** The perp with this asset id, of any dex; null for any other asset. */
export function marketOf(input: JudgeInput, asset: number): Market | null {
  return input.account.markets.byAsset.get(asset) ?? null
}
