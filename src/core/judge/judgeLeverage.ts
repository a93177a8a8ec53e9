import { maxLeverageAt } from '../protocol/marginTiers.ts'
import type { Market } from '../protocol/market.ts'
import type { PoolRow } from '../account/accountView.ts'
import type { UpdateLeverageAction } from '../protocol/action.ts'
import type { Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { isAccountFresh, leverageCap, sharesCollateral } from './context.ts'
import type { Decision, JudgeInput } from './decision.ts'
import { checkHalts } from './entry/checkHalts.ts'
import { checkMarket } from './entry/checkMarket.ts'
import { overMargined, tooMuchMargin } from './entry/builderMargin.ts'
import { admitsCross } from './entry/entryMargin.ts'
import { isLiquidationFar, liquidationText } from './entry/liquidation.ts'
import { passed } from './passed.ts'
import { vetoed } from './plan.ts'
import { poolDistance } from './poolDistance.ts'
import { isPoolBorne, poolSums } from './poolSums.ts'
import type { Refusal } from './refusal.ts'

/**
 * A leverage update. Isolated: within the cap, never raised on a position, bearable for what rests.
 * Cross, where the rules admit it: up to the coin's maximum, if the collateral bears what rests.
 */
export function judgeLeverage(input: JudgeInput, action: UpdateLeverageAction): Decision {
  const market = checkMarket(input, action.asset)
  if (!market.ok) return vetoed(market.error)
  const { coin } = market.value
  const position = input.account.positions.get(coin)
  const isLower = position !== undefined && action.leverage < position.leverage.value
  const refusal =
    (isLower ? null : checkHalts(input)) ?? checkUpdate(input, action, market.value, isLower)
  if (refusal !== null) return vetoed(refusal)
  const value = action.leverage
  const type = action.isCross ? 'cross' : 'isolated'
  return passed(
    action,
    [{ kind: 'leverage', coin, leverage: { type, value } }],
    isLower ? 'exit' : 'entry',
    `${type} leverage ${value} on ${coin} is within every rule`,
  )
}

function checkUpdate(
  input: JudgeInput,
  action: UpdateLeverageAction,
  market: Market,
  isLower: boolean,
): Refusal | null {
  const { coin } = market
  const { leverage } = action
  if (action.isCross) {
    const refusal = checkCross(input, action, market)
    if (refusal !== null || isLower) return refusal
  } else {
    const refusal = checkTaken(input, action, market)
    if (refusal !== null) return refusal
    if (isLower) return checkPutIn(input, market, leverage)
  }
  if (!isAccountFresh(input)) {
    return {
      code: 'account_stale',
      text: `the account could not be seen recently enough to raise the leverage of ${coin}`,
    }
  }
  if (action.isCross) return checkShared(input, market)
  const rules = input.rulesFor(input.client, coin)
  const cap = leverageCap(rules)
  if (leverage > cap) {
    return {
      code: 'leverage',
      text: `leverage ${leverage} on ${coin} is above ${cap} (max_leverage ${rules.maxLeverage.toString()})`,
    }
  }
  const position = input.account.positions.get(coin)
  if (position !== undefined && leverage > position.leverage.value) {
    return {
      code: 'leverage',
      text: `leverage ${leverage} on ${coin} would raise an open position's ${position.leverage.value}; it may only go down`,
    }
  }
  return checkResting(input, market, leverage)
}

/**
 * Whether the rules, the market and the position admit cross margin at this leverage. On cross margin
 * the setting is not what is at risk: it may go up to the coin's maximum, also on a position.
 */
function checkCross(
  input: JudgeInput,
  { leverage }: UpdateLeverageAction,
  market: Market,
): Refusal | null {
  const { coin } = market
  const code = 'cross_margin'
  if (input.rulesFor(input.client, coin).margin !== 'cross') {
    const text = `cross margin on ${coin} would put the whole account behind it; only isolated margin is forwarded`
    return { code, text }
  }
  if (!admitsCross(market)) {
    const why = market.onlyIsolated ? 'the venue admits' : 'on a builder dex Guard forwards'
    return { code, text: `${why} only isolated margin on ${coin}` }
  }
  if (input.account.positions.get(coin)?.leverage.type === 'isolated') {
    return { code, text: `the open ${coin} position is on isolated margin and keeps it` }
  }
  const coinMax = maxLeverageAt(market, heldValue(input, coin))
  if (leverage <= coinMax) return null
  return {
    code: 'leverage',
    text: `leverage ${leverage} on ${coin} is above the coin's maximum of ${coinMax} for what is held and resting`,
  }
}

/** Entries that rest on the coin would lean on the collateral that all positions share. */
function checkShared(input: JudgeInput, { coin }: Market): Refusal | null {
  const pool = input.account.crossPool()
  const rows = pool.rows.map((row) => (row.coin === coin ? { ...row, isCross: true } : row))
  if (isPoolBorne(pool, poolSums(rows, input.account), poolDistance(input, rows))) return null
  return {
    code: 'liquidation_too_close',
    text: `what is held and rests on ${coin} would lean on the account's collateral, which does not bear it with all other stops at once`,
  }
}

/**
 * What a coin on isolated margin at this leverage takes is not behind the cross positions any more:
 * the margin of what rests on it, of a position that is on cross margin, and what an isolated one needs
 * more than it has.
 */
function checkTaken(
  input: JudgeInput,
  { leverage }: UpdateLeverageAction,
  market: Market,
): Refusal | null {
  if (!sharesCollateral(input, market)) return null
  const { coin } = market
  const { account } = input
  const held = account.positions.get(coin)?.leverage ?? null
  const pool = account.crossPool()
  const rows = pool.rows.map((row) => (row.coin === coin ? isolated(row, held, leverage) : row))
  const own = rows.find((row) => row.coin === coin)
  const added =
    held?.type === 'isolated' && own !== undefined
      ? moreMargin(own.value.minus(own.entryValue), held, leverage)
      : null
  const left = { ...pool, collateral: pool.collateral?.minus(added ?? Decimal.zero) ?? null }
  if (isPoolBorne(left, poolSums(rows, account), poolDistance(input, rows))) return null
  return {
    code: 'liquidation_too_close',
    text: `${coin} on isolated margin at leverage ${leverage} would leave too little behind the cross positions: they would not bear every stop at once`,
  }
}

/** The row once its coin is isolated at this leverage; a change on its way may come before or after it. */
function isolated(row: PoolRow, held: Leverage | null, leverage: number): PoolRow {
  const isolatedLeverage = Math.min(row.isolatedLeverage ?? leverage, leverage)
  const entryValue = held?.type === 'cross' ? row.value : row.entryValue
  return { ...row, isCross: false, isolatedLeverage, entryValue }
}

/** USD that an isolated position of this worth takes when its leverage goes down. */
function moreMargin(worth: Decimal, held: Leverage, leverage: number): Decimal {
  const before = worth.over(Decimal.whole(held.value), 6, 'floor')
  return Decimal.max(Decimal.zero, worth.over(Decimal.whole(leverage), 6, 'ceil').minus(before))
}

/**
 * What a lower leverage puts in on a builder dex, where all margin may be lost: for the position now, and
 * for the entries that rest beside it once they are filled.
 */
function checkPutIn(input: JudgeInput, market: Market, leverage: number): Refusal | null {
  const position = input.account.positions.get(market.coin)
  if (market.builder === undefined || position === undefined) return null
  const price = input.account.mid(market.coin)?.price ?? position.entryPrice
  const worth = position.size.abs().times(Decimal.max(price, position.entryPrice))
  const added = moreMargin(worth, position.leverage, leverage)
  return (
    tooMuchMargin(input, market, added) ??
    checkMargins(input, market, restingAt(input, market, leverage))
  )
}

/** What is held and resting on the larger side, in USD. */
function heldValue({ account }: JudgeInput, coin: Coin): Decimal {
  const [buys, sells] = [account.coinExposure(coin, true), account.coinExposure(coin, false)]
  return Decimal.max(buys.sideValue, sells.sideValue)
}

/** The entries that rest on the coin, and what bounds the leverage that they would be filled at. */
function restingAt(input: JudgeInput, market: Market, leverage: number) {
  const { coin } = market
  const rules = input.rulesFor(input.client, coin)
  const coinMax = maxLeverageAt(market, heldValue(input, coin))
  const cap = Math.min(leverageCap(rules), coinMax)
  const terms = { leverage, cap, coinMax, minDistance: rules.minLiquidationDistance }
  return { entries: input.account.extremeEntries(coin, []), terms }
}

/** Whether an entry that rests on the coin would put in more margin than it may. */
function checkMargins(
  input: JudgeInput,
  market: Market,
  { entries, terms }: ReturnType<typeof restingAt>,
): Refusal | null {
  const over = overMargined(input, market, entries, terms)
  if (over === null) return null
  return {
    code: 'leverage',
    text: `at leverage ${terms.leverage} the ${market.coin} entry resting at ${over.price.toString()} would put in more margin than twice its risk, and on a builder dex all of that may be lost; a higher leverage would pass`,
  }
}

/** Every entry that rests on the coin would be filled at this leverage. */
function checkResting(input: JudgeInput, market: Market, leverage: number): Refusal | null {
  const resting = restingAt(input, market, leverage)
  const refusal = checkMargins(input, market, resting)
  if (refusal !== null) return refusal
  const { coin } = market
  const { entries, terms } = resting
  for (const { isBuy, price, stop } of entries) {
    const stretch = { isLong: isBuy, price, stop }
    if (!isLiquidationFar(stretch, leverage, terms.coinMax, terms.minDistance)) {
      return {
        code: 'liquidation_too_close',
        text: `the liquidation of the ${coin} entry resting at ${price.toString()} would not stay far enough: ${liquidationText(stretch, leverage, terms.coinMax, terms.minDistance)}; a lower leverage would pass`,
      }
    }
  }
  return null
}
