import { maxLeverageAt } from '../protocol/marginTiers.ts'
import type { Market } from '../protocol/market.ts'
import type { UpdateLeverageAction } from '../protocol/action.ts'
import { Decimal } from '../values/decimal.ts'
import { isAccountFresh, leverageCap } from './context.ts'
import type { Decision, JudgeInput } from './decision.ts'
import { checkHalts } from './entry/checkHalts.ts'
import { checkMarket } from './entry/checkMarket.ts'
import { isLiquidationFar } from './entry/liquidation.ts'
import { passed } from './passed.ts'
import { vetoed } from './plan.ts'
import type { Refusal } from './refusal.ts'

/** A leverage update: isolated, within the cap, never raised on a position, bearable for what rests. */
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
  return passed(
    action,
    [{ kind: 'leverage', coin, leverage: { type: 'isolated', value } }],
    isLower ? 'exit' : 'entry',
    `isolated leverage ${value} on ${coin} is within every rule`,
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
    return {
      code: 'cross_margin',
      text: `cross margin on ${coin} would put the whole account behind it; only isolated margin is forwarded`,
    }
  }
  if (isLower) return null
  if (!isAccountFresh(input)) {
    return {
      code: 'account_stale',
      text: `the account could not be seen recently enough to raise the leverage of ${coin}`,
    }
  }
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

/** Every entry that rests on the coin would be filled at this leverage. */
function checkResting(input: JudgeInput, market: Market, leverage: number): Refusal | null {
  const { coin } = market
  const rules = input.rulesFor(input.client, coin)
  const { account } = input
  const value = Decimal.max(
    account.coinExposure(coin, true).sideValue,
    account.coinExposure(coin, false).sideValue,
  )
  const coinMax = maxLeverageAt(market, value)
  for (const { isBuy, price, stop } of account.extremeEntries(coin, [])) {
    const stretch = { isLong: isBuy, price, stop }
    if (!isLiquidationFar(stretch, leverage, coinMax, rules.minLiquidationDistance)) {
      return {
        code: 'liquidation_too_close',
        text: `at leverage ${leverage} the liquidation of the ${coin} entry resting at ${price.toString()} would not stay beyond its stop at ${stop.toString()}; a lower leverage would pass`,
      }
    }
  }
  return null
}
