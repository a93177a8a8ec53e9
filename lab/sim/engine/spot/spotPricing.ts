import type { Decimal } from '../../../../src/core/values/decimal.ts'
import { err, ok } from '../../../../src/core/values/result.ts'
import type { Result } from '../../../../src/core/values/result.ts'
import { touchAt } from '../grid.ts'
import type { SpotMarket, SpotOrder, World } from '../world.ts'
import { checkBalance } from './placeSpot.ts'
import { detachSpot, endSpot, restSpot, tellSpot, waitsForRise } from './spotLife.ts'
import { houseOrder, quote } from './spotMarket.ts'
import { matchSpot } from './spotTrade.ts'

const sweepLots = 10n ** 24n

/** Moves a pair: what the new price has passed is filled at its own price, then the triggers fire. */
export function setSpotPrice(world: World, market: SpotMarket, price: Decimal): Result<void> {
  const touch = touchAt(price, market.priceScale)
  if (touch === null) {
    return err(
      `mid of ${market.coin}: must be a grid price or the middle of two neighbouring ones, got ${price.toString()}`,
    )
  }
  for (const each of market.quotes) if (each.phase === 'resting') market.book.remove(each)
  market.quotes = []
  market.price = price
  matchSpot(world, houseOrder(world, market, false, touch.ask, sweepLots))
  matchSpot(world, houseOrder(world, market, true, touch.bid, sweepLots))
  quote(world, market)
  market.isTouched = true
  world.events.push({ kind: 'price', coin: market.coin })
  return ok(undefined)
}

function isReached(world: World, order: SpotOrder): boolean {
  if (order.trigger === null) return false
  const side = order.market.price.cmp(order.trigger.price)
  if (side === 0) return world.options.trigger_cmp === 'ge'
  return waitsForRise(order) ? side > 0 : side < 0
}

/** A trigger on a pair takes what it may; what is left of a limit rests. */
function fire(world: World, order: SpotOrder): void {
  detachSpot(order)
  order.phase = 'incoming'
  tellSpot(world, order, 'triggered')
  const short = checkBalance(world, order)
  if (short !== null) {
    endSpot(world, order, short.status)
    return
  }
  const { filled } = matchSpot(world, order)
  if (order.size.isZero()) endSpot(world, order, 'filled')
  else if (order.trigger?.isMarket === false) restSpot(world, order)
  else endSpot(world, order, filled.isZero() ? 'iocCancelRejected' : 'canceled')
}

/** After a change: what waits for the price fires, the house restores its quotes, the book is told. */
export function settleSpot(world: World, market: SpotMarket): void {
  for (const order of [...market.watching]) if (isReached(world, order)) fire(world, order)
  market.isTouched = false
  quote(world, market)
  const [bid, ask] = [market.book.best(true), market.book.best(false)]
  const { coin } = market
  world.events.push({ kind: 'book', coin })
  const shown = [bid, ask]
    .map((level) => `${String(level?.price)}x${String(level?.size)}#${String(level?.count)}`)
    .join('|')
  if (shown === market.shownBest) return
  market.shownBest = shown
  world.events.push({ kind: 'bbo', coin, bid, ask })
}
