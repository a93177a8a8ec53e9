import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { roundPrice } from '../../src/core/protocol/grid.ts'
import type { Market } from '../../src/core/protocol/market.ts'
import { Decimal } from '../../src/core/values/decimal.ts'

/** Orders as bots and people write them on the wire. */

export function limitOrder(
  market: Market,
  isBuy: boolean,
  price: Decimal,
  size: Decimal,
  tif: 'Gtc' | 'Ioc' | 'Alo',
): JsonObject {
  const order = { a: market.asset, b: isBuy, p: price.toString(), s: size.toString() }
  return { ...order, r: false, t: { limit: { tif } } }
}

/** A reduce-only market trigger whose limit leaves it a tenth of room. */
export function triggerOrder(
  market: Market,
  isBuy: boolean,
  trigger: Decimal,
  size: Decimal,
  tpsl: 'sl' | 'tp' = 'sl',
): JsonObject {
  const limit = times(market, trigger, isBuy ? 1.1 : 0.9)
  const order = { a: market.asset, b: isBuy, p: limit.toString(), s: size.toString() }
  const t = { trigger: { isMarket: true, triggerPx: trigger.toString(), tpsl } }
  return { ...order, r: true, t }
}

/** A multiple of a price, on the market's grid. */
export function times(market: Market, price: Decimal, factor: number): Decimal {
  return roundPrice(market, price.times(share(factor)), 'floor')
}

/** A factor near one as a decimal; chance is a float, the money it multiplies is not. */
export function share(factor: number): Decimal {
  return Decimal.of(factor.toFixed(6))
}

/** An action of orders that stand for themselves. */
export function orders(...list: readonly JsonObject[]): Json {
  return { type: 'order', orders: list, grouping: 'na' }
}

/** The first order with the triggers that wait for its fill. */
export function group(...list: readonly JsonObject[]): Json {
  return { type: 'order', orders: list, grouping: 'normalTpsl' }
}
