import type { Order } from '../protocol/action.ts'
import { roundPrice } from '../protocol/grid.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import { hasRoom, marketStop, roundOutward, stopLimit, worstFill } from '../protocol/marketStop.ts'
import type { Market } from '../protocol/market.ts'
import { Decimal } from '../values/decimal.ts'
import { sizeOfMinimum } from '../venueLimits/minimumValue.ts'
import { piecesOf } from '../venueLimits/piecesOf.ts'
import {
  bandAround,
  insideBand,
  isInBand,
  sharedBand,
  surestEdge,
} from '../venueLimits/priceBand.ts'
import type { PriceBand } from '../venueLimits/priceBand.ts'
import { plainManner } from './manner.ts'
import type { Manner } from './manner.ts'

/** How far beyond the price a close may fill at first, as a share of the price. */
const closeShare = Decimal.of('0.05')
/** The same by the reach of its manner; behind the last one it is as far as the venue's band. */
const closeShares = [closeShare, ...['0.075', '0.1', '0.15', '0.25', '0.5'].map(Decimal.of)]

/** What the account knows of a coin's price. */
interface KnownPrices {
  /** The mid, or what stands in for it. */
  readonly price: Decimal
  /** What the venue measures its band from, the one or the other; null where it was not told. */
  readonly mark: Decimal | null
  readonly oracle: Decimal | null
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
  const limit = roundOutward(market, beyond(price, closeShare, isBuy), isBuy)
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

/**
 * The mid of a thin book may lie far from all that trades: one absurd offer is enough. And what told the
 * prices may repeat old ones. What found nobody is asked for from the worst of mid, mark and oracle price,
 * and further with each try.
 */
function closePrice(market: Market, isBuy: boolean, prices: KnownPrices, manner: Manner): Decimal {
  const { reach, bandShare } = manner
  const { price, mark, oracle } = prices
  const worse = isBuy ? Decimal.max : Decimal.min
  const worst = reach === 0 ? price : worse(price, mark ?? price, oracle ?? price)
  const wanted = beyond(worst, closeShares[reach] ?? bandShare, isBuy)
  return priceInBand(market, isBuy, roundOutward(market, wanted, isBuy), prices, manner)
}

/**
 * A limit that the venue's band takes, by what was refused before; never one beyond it. Whether the
 * band lies around the mark or around the oracle price nobody has written down: what both take is
 * sure, and where there is no such price each has its turn.
 */
function priceInBand(
  market: Market,
  isBuy: boolean,
  wanted: Decimal,
  { price, mark, oracle }: KnownPrices,
  { bandStep, bandShare, figures }: Manner,
): Decimal {
  const first = bandAround(mark ?? price, bandShare)
  const second = oracle === null ? first : bandAround(oracle, bandShare)
  const band = sharedBand(market, first, second) ?? (bandStep === 2 ? second : first)
  const limit = bandStep === 0 ? insideBand(market, wanted, band) : surestEdge(market, isBuy, band)
  return figures === null ? limit : withFigures(limit, figures, isBuy, band)
}

/** To so many significant figures, also of a whole number: outward, unless that leaves the band. */
function withFigures(price: Decimal, figures: number, isBuy: boolean, band: PriceBand): Decimal {
  const digits = price.units.toString().length - price.scale
  const kept = figures - digits
  const step = kept >= 0 ? new Decimal(1n, kept) : new Decimal(10n ** BigInt(-kept), 0)
  const [outward, inward] = isBuy ? (['ceil', 'floor'] as const) : (['floor', 'ceil'] as const)
  const tried = [price.toStep(step, outward), price.toStep(step, inward)]
  return tried.find((each) => isInBand(each, band)) ?? price
}

/** Guard's own stop for a position of this signed size: full size, market, 10% of room. */
export function stopOrder(market: Market, size: Decimal, trigger: Decimal, mint: CloidMint): Order {
  const isLong = size.isPositive()
  const limit = stopLimit(market, trigger, isLong)
  return marketStop(market, { isLong, size: size.abs(), trigger, limit, cloid: mint('stop') })
}

/**
 * A stop as the venue takes it: in pieces that are not too large, its own limit inside the band.
 * Where that leaves it less room than a stop needs to count as cover, its trigger is tightened until
 * it has the usual room. Without a mark the band is measured from its trigger.
 */
export function stopPieces(
  market: Market,
  { order: stop, trigger: wanted }: { readonly order: Order; readonly trigger: Decimal },
  { mark, oracle }: Omit<KnownPrices, 'price'>,
  mint: CloidMint,
  manner: Manner = plainManner,
): SplitOrders {
  const { isBuy } = stop
  const price = priceInBand(market, isBuy, stop.price, { price: wanted, mark, oracle }, manner)
  const trigger = hasRoom(wanted, price, !isBuy) ? wanted : triggerBefore(market, price, isBuy)
  const type = { kind: 'trigger', isMarket: true, triggerPrice: trigger, tpsl: 'sl' } as const
  const least = manner.isEnlarged ? sizeOfMinimum(market, price) : Decimal.zero
  const dearest = Decimal.max(price, trigger, mark ?? trigger)
  const asked = Decimal.max(stop.size, least)
  const { pieces, left } = piecesOf(asked, dearest, market, manner.shrink)
  const orders = pieces.map((size, at) => ({
    ...stop,
    ...{ price, size, type },
    cloid: at === 0 ? stop.cloid : mint('stop'),
  }))
  return { orders, left }
}

/** The loosest trigger from which a stop with this limit has the usual room. */
function triggerBefore(market: Market, limit: Decimal, isBuy: boolean): Decimal {
  const share = worstFill(Decimal.one, !isBuy)
  const trigger = limit.over(share, triggerScale, isBuy ? 'floor' : 'ceil')
  return roundPrice(market, trigger, isBuy ? 'floor' : 'ceil')
}

const triggerScale = 12
