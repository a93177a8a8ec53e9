import { assetKind } from '../../protocol/assetId.ts'
import type { Market } from '../../protocol/market.ts'
import { allowsMarket } from '../../rules/marketNames.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { marketOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'

/** The market of an entry: a perp of the main dex that is listed and that the rules admit. */
export function checkMarket(input: JudgeInput, asset: number): Result<Market, Refusal> {
  const kind = assetKind(asset)
  if (kind === 'spot' || kind === 'outcome') {
    return refuse(
      'unsupported_market',
      `asset ${asset} is ${kind === 'spot' ? 'a spot' : 'an outcome'} market; Guard opens only perps of the main dex`,
    )
  }
  if (kind === 'builder_dex') {
    return refuse(
      'dex_not_allowed',
      `asset ${asset} belongs to a builder dex; Guard opens only perps of the main dex`,
    )
  }
  if (input.account.markets.byAsset.size === 0) {
    return refuse('account_stale', "the venue's markets have not been seen yet, so nothing opens")
  }
  const market = marketOf(input, asset)
  if (market === null) {
    return refuse('unknown_market', `asset ${asset} is no perp that the venue lists`)
  }
  if (market.isDelisted) {
    return refuse('unknown_market', `${market.coin} (asset ${asset}) is delisted`)
  }
  const rules = input.rulesFor(input.client, market.coin)
  if (!allowsMarket(rules, market.coin)) {
    return refuse(
      'market_not_allowed',
      `${market.coin} is not among the markets allowed here: ${rules.markets.join(', ')}`,
    )
  }
  return ok(market)
}
