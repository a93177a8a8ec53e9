import { assetKind } from '../../protocol/assetId.ts'
import type { Market } from '../../protocol/market.ts'
import { allowsMarket, dexesNamed, namesDex } from '../../rules/marketNames.ts'
import type { Rules } from '../../rules/rules.ts'
import { err, ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { marketOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'

/** The market of an entry: a perp that is listed, of a dex and with a name that the rules admit. */
export function checkMarket(input: JudgeInput, asset: number): Result<Market, Refusal> {
  const kind = assetKind(asset)
  if (kind === 'spot' || kind === 'outcome') {
    return refuse(
      'unsupported_market',
      `asset ${asset} is ${kind === 'spot' ? 'a spot' : 'an outcome'} market; Guard opens only perps`,
    )
  }
  const market = marketOf(input, asset)
  if (kind === 'builder_dex') {
    const refusal = checkDex(input, asset, market)
    if (refusal !== null) return err(refusal)
  }
  if (input.account.markets.byAsset.size === 0) {
    return refuse('account_stale', "the venue's markets have not been seen yet, so nothing opens")
  }
  if (market === null) {
    return refuse('unknown_market', `asset ${asset} is no perp that the venue lists`)
  }
  if (market.isDelisted) {
    const code = market.builder === undefined ? 'unknown_market' : 'market_state'
    return refuse(code, `${market.coin} (asset ${asset}) is delisted`)
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

/** Why nothing opens on the builder dex of an asset; null where the rules name it, or nobody knows it. */
function checkDex(input: JudgeInput, asset: number, market: Market | null): Refusal | null {
  const code = 'dex_not_allowed'
  const rules = input.rulesFor(input.client, market?.coin ?? null)
  if (market?.builder === undefined) return unknownDex(rules, asset)
  const { coin, builder } = market
  if (!builder.isPaidInUsdc) {
    const text = `${coin} belongs to the builder dex ${builder.dex}, whose collateral is not USDC; Guard sizes in USDC alone`
    return { code, text }
  }
  if (namesDex(rules, builder.dex)) return null
  const text = `${coin} belongs to the builder dex ${builder.dex}, which the rules do not name; "${builder.dex}:*" or "${coin}" in markets would allow it`
  return { code, text }
}

/** Where the rules name no dex at all it is none of those, whichever it is. */
function unknownDex(rules: Rules, asset: number): Refusal | null {
  if (dexesNamed(rules).length > 0) return null
  const text = `asset ${asset} belongs to a builder dex, and the rules name none; the name of the dex in markets ("xyz:*") would allow it`
  return { code: 'dex_not_allowed', text }
}
