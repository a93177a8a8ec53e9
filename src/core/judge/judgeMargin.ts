import type { UpdateIsolatedMarginAction } from '../protocol/action.ts'
import type { ReservedMargin } from '../account/reservation.ts'
import { assetKind } from '../protocol/assetId.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { marketOf, sharesCollateral } from './context.ts'
import type { Decision, JudgeInput } from './decision.ts'
import { tooMuchMargin } from './entry/builderMargin.ts'
import { checkMarket } from './entry/checkMarket.ts'
import { poolDistance } from './poolDistance.ts'
import { isPoolBorne, poolSums } from './poolSums.ts'
import { passed } from './passed.ts'
import { vetoed } from './plan.ts'
import type { Refusal } from './refusal.ts'
import { usd } from './text.ts'

/**
 * Isolated margin may be added, never taken away (the liquidation would come closer), and only on a
 * market that Guard handles. Adding to a position lowers its risk, so nothing holds that up but what
 * cross positions need of the same money, and, on a builder dex, that all of it may be lost.
 */
export function judgeMargin(input: JudgeInput, action: UpdateIsolatedMarginAction): Decision {
  const refusal = checkMarginMarket(input, action.asset)
  if (refusal !== null) return vetoed(refusal)
  const market = marketOf(input, action.asset)
  const coin = market?.coin ?? `asset ${action.asset}`
  const amount = new Decimal(BigInt(action.ntli), 6)
  if (!amount.isPositive()) {
    return vetoed({
      code: 'margin_removal',
      text: `${usd(amount)} of isolated margin on ${coin} adds nothing; only more than 0 is forwarded`,
    })
  }
  const taken = sharesCollateral(input, market) ? checkShared(input, coin, amount) : null
  if (taken !== null) return vetoed(taken)
  const much = market?.builder === undefined ? null : tooMuchMargin(input, market, amount)
  if (much !== null) return vetoed(much)
  const onItsWay = market === null ? [] : [marginFor(market.coin, amount)]
  return passed(action, onItsWay, 'exit', `${usd(amount)} of isolated margin added to ${coin}`)
}

/** Until the account shows it, it counts as added, and as taken from what it comes out of. */
function marginFor(coin: Coin, amount: Decimal): ReservedMargin {
  return { kind: 'margin', coin, amount }
}

/** What goes into an isolated position is not behind the cross positions any more. */
function checkShared(input: JudgeInput, coin: string, amount: Decimal): Refusal | null {
  const pool = input.account.crossPool()
  const left = { ...pool, collateral: pool.collateral?.minus(amount) ?? null }
  const sums = poolSums(pool.rows, input.account)
  if (isPoolBorne(left, sums, poolDistance(input, pool.rows))) return null
  return {
    code: 'liquidation_too_close',
    text: `${usd(amount)} of isolated margin on ${coin} would leave too little behind the cross positions: they would not bear every stop at once`,
  }
}

/**
 * A position that is there may get margin whatever the rules say of its market, also one that was
 * opened elsewhere. Without one, the market has to be one that Guard would open on; a perp's id is
 * taken at its word while the venue's markets have not been seen.
 */
function checkMarginMarket(input: JudgeInput, asset: number): Refusal | null {
  const { markets, positions } = input.account
  const market = marketOf(input, asset)
  if (market !== null && positions.get(market.coin) !== undefined) return null
  const isPerp = ['perp', 'builder_dex'].includes(assetKind(asset))
  if (isPerp && markets.byAsset.size === 0) return null
  const checked = checkMarket(input, asset)
  return checked.ok ? null : checked.error
}
