import type { Order } from '../protocol/action.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import { hasRoom, marketStop, roundOutward, stopLimit } from '../protocol/marketStop.ts'
import type { Market } from '../protocol/market.ts'
import { Decimal } from '../values/decimal.ts'
import { sizeOfMinimum } from '../venueLimits/minimumValue.ts'
import { piecesOf } from '../venueLimits/piecesOf.ts'
import { bandAround, insideBand, surestEdge } from '../venueLimits/priceBand.ts'
import { plainManner } from './manner.ts'
import type { Manner } from './manner.ts'

/** How far beyond the price a close may fill, by the reach of its manner; no further than a stop. */
const closeShares = [Decimal.of('0.05'), Decimal.of('0.075'), Decimal.of('0.1')] as const
const three = Decimal.whole(3)

/** What the account knows of a coin's price. */
interface KnownPrices {
  /** The mid, or what stands in for it. */
  readonly price: Decimal
  /** What the venue measures its band from; null where it has not been told. */
  readonly mark: Decimal | null
}

export interface SplitOrders {
  readonly orders: readonly Order[]
  /** What is not among them: ten of the largest orders do not do. */
  readonly left: Decimal
}

function beyond(price: Decimal, share: Decimal, isBuy: boolean): Decimal {
  return price.times(isBuy ? Decimal.one.plus(share) : Decimal.one.minus(share))
}

/** Closes a position of this signed size: reduce-only, at once or not at all, 5% beyond the price. */
export function closeOrder(market: Market, size: Decimal, price: Decimal, mint: CloidMint): Order {
  const isBuy = size.isNegative()
  const limit = roundOutward(market, beyond(price, closeShares[0], isBuy), isBuy)
  return immediate(market, isBuy, size.abs(), limit, mint)
}

/** The same in as many orders as the venue takes it in, each of a size and price that it takes. */
export function closeOrders(
  market: Market,
  size: Decimal,
  prices: KnownPrices,
  mint: CloidMint,
  manner: Manner = plainManner,
): SplitOrders {
  const isBuy = size.isNegative()
  const limit = closePrice(market, isBuy, prices, manner)
  const least = manner.isEnlarged ? sizeOfMinimum(market, limit) : Decimal.zero
  const asked = Decimal.max(size.abs(), least)
  const dearest = Decimal.max(limit, prices.price, prices.mark ?? limit)
  const { pieces, left } = piecesOf(asked, dearest, market, manner.shrink)
  const orders = pieces.map((piece) => immediate(market, isBuy, piece, limit, mint))
  return { orders, left }
}

function immediate(
  market: Market,
  isBuy: boolean,
  size: Decimal,
  price: Decimal,
  mint: CloidMint,
): Order {
  const type = { kind: 'limit', tif: 'Ioc' } as const
  const cloid = mint('close')
  return { asset: market.asset, isBuy, price, size, isReduceOnly: true, type, cloid }
}

function closePrice(
  market: Market,
  isBuy: boolean,
  { price, mark }: KnownPrices,
  manner: Manner,
): Decimal {
  const share = closeShares[manner.reach]
  const wanted = roundOutward(market, beyond(price, share, isBuy), isBuy)
  return priceInBand(market, isBuy, wanted, mark ?? price, manner)
}

/** A limit as the venue's band around the reference price takes it, by what was refused before. */
function priceInBand(
  market: Market,
  isBuy: boolean,
  wanted: Decimal,
  reference: Decimal,
  { bandStep, bandShare, figures }: Manner,
): Decimal {
  const band = bandAround(reference, bandShare)
  if (bandStep === 0) return withFigures(insideBand(market, wanted, band), figures, isBuy)
  if (bandStep === 1) return withFigures(surestEdge(market, isBuy, band), figures, isBuy)
  const factor = power(three, bandStep - 1)
  const edge = isBuy ? band.high.times(factor) : band.low.over(factor, edgeScale, 'up')
  return withFigures(roundOutward(market, edge, isBuy), figures, isBuy)
}

const edgeScale = 12

function power(base: Decimal, exponent: number): Decimal {
  let result = Decimal.one
  for (let at = 0; at < exponent; at += 1) result = result.times(base)
  return result
}

/** Outward to so many significant figures, also of a whole number. */
function withFigures(price: Decimal, figures: number | null, isBuy: boolean): Decimal {
  if (figures === null) return price
  const digits = price.units.toString().length - price.scale
  const kept = figures - digits
  const step = kept >= 0 ? new Decimal(1n, kept) : new Decimal(10n ** BigInt(-kept), 0)
  return price.toStep(step, isBuy ? 'ceil' : 'floor')
}

/** Guard's own stop for a position of this signed size: full size, market, 10% of room. */
export function stopOrder(market: Market, size: Decimal, trigger: Decimal, mint: CloidMint): Order {
  const isLong = size.isPositive()
  const limit = stopLimit(market, trigger, isLong)
  return marketStop(market, { isLong, size: size.abs(), trigger, limit, cloid: mint('stop') })
}

/**
 * A stop as the venue takes it: in pieces that are not too large, its own limit inside the band as
 * long as it keeps the room without which it would not count as cover. `mark` is what the band is
 * measured from; null where it is not known.
 */
export function stopPieces(
  market: Market,
  { order: stop, trigger }: { readonly order: Order; readonly trigger: Decimal },
  mark: Decimal | null,
  mint: CloidMint,
  manner: Manner = plainManner,
): SplitOrders {
  const { isBuy } = stop
  const inside = priceInBand(market, isBuy, stop.price, mark ?? trigger, manner)
  const price = hasRoom(trigger, inside, !isBuy) ? inside : stop.price
  const least = manner.isEnlarged ? sizeOfMinimum(market, price) : Decimal.zero
  const dearest = Decimal.max(price, trigger, mark ?? trigger)
  const asked = Decimal.max(stop.size, least)
  const { pieces, left } = piecesOf(asked, dearest, market, manner.shrink)
  const orders = pieces.map((size, at) => ({
    ...stop,
    ...{ price, size },
    cloid: at === 0 ? stop.cloid : mint('stop'),
  }))
  return { orders, left }
}
