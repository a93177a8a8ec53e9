import { coinKind } from '../protocol/coinKind.ts'
import type { SpotQuotes } from '../protocol/decodeSpotMeta.ts'
import type { Fill } from '../protocol/venueState.ts'
import { Decimal } from '../values/decimal.ts'
import type { CashElsewhere } from './accountEvent.ts'

/** Whether the token that a fill's pair is paid in is known, or need not be. */
export function isQuoteKnown({ coin }: Fill, quotes: SpotQuotes): boolean {
  return coinKind(coin) !== 'spot' || coin.includes('/') || quotes.has(coin)
}

/**
 * What a fill on another market did to the USDC of a unified account; null where it did nothing. The
 * USDC that a spot trade moves is a flow: the account has a token for it. What a builder dex's perp
 * realises is profit or loss.
 */
export function cashElsewhere(fill: Fill, quotes: SpotQuotes): CashElsewhere | null {
  const isFlow = coinKind(fill.coin) !== 'builder_dex'
  const usdc = (isFlow ? paidFor(fill, quotes) : fill.closedPnl).minus(usdcFee(fill))
  if (usdc.isZero()) return null
  const id = `${fill.coin}:${fill.tid}:${fill.oid}:${fill.at}`
  return { id, usdc, at: fill.at, isFlow }
}

function paidFor({ coin, price, size, isBuy }: Fill, quotes: SpotQuotes): Decimal {
  const value = price.times(size)
  const named = coin.includes('/') ? coin.slice(coin.indexOf('/') + 1) : 'USDC'
  // An outcome's contracts are paid in USDC.
  if ((quotes.get(coin) ?? named) !== 'USDC') return Decimal.zero
  return isBuy ? value.negated() : value
}

/** A purchase pays its fee in the token that it buys. */
function usdcFee({ fee, feeToken }: Fill): Decimal {
  return (feeToken ?? 'USDC') === 'USDC' ? fee : Decimal.zero
}
