import type { SpotSell } from '../../account/reservation.ts'
import type { Order } from '../../protocol/action.ts'
import { assetKind } from '../../protocol/assetId.ts'
import type { SpotPair } from '../../protocol/decodeSpotMeta.ts'
import { isOnPriceGrid, roundPrice, roundSizeDown } from '../../protocol/grid.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { limits } from '../../values/limits.ts'
import { ok } from '../../values/result.ts'
import type { Result } from '../../values/result.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { freshMid } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { checkHalts } from '../entry/checkHalts.ts'
import { checkExitMarket } from '../orders/sortOrders.ts'
import { refuse } from '../refusal.ts'
import type { Refusal } from '../refusal.ts'
import { seconds, usd } from '../text.ts'

/** The venue's least value of a spot order, in what the pair is paid with. */
const least = Decimal.whole(10)

/** A sell of what the account holds, as it may go. */
export interface FittingSell {
  readonly order: Order
  readonly pair: SpotPair
  readonly changes: readonly Change[]
}

/** An order with its place in the request, and how a text calls it. */
interface NamedOrder {
  readonly at: number
  readonly order: Order
  readonly name: string
}

/** Whether all orders are on spot pairs, where the rules let what is held be sold. */
export function sellsSpot(input: JudgeInput, orders: readonly Order[]): boolean {
  if (orders.length === 0 || orders.some(({ asset }) => assetKind(asset) !== 'spot')) return false
  return input.rulesFor(input.client, null).spot === 'sell'
}

/** A spot order beside perps, where the rules would let it be sold: the venue takes no action with both. */
export function mixedIn(
  input: JudgeInput,
  { at, order }: { readonly at: number; readonly order: Order },
): Refusal | null {
  if (!sellsSpot(input, [order])) return null
  const text = `orders[${at}]: asset ${order.asset} is a spot market, and the request has perp orders too; send sells of what the account holds in a request of their own`
  return { code: 'unsupported_market', text }
}

/** What the sells before this one, in the same request, have taken of a token. */
export class SoldInRequest {
  private readonly sold = new Map<number, Decimal>()

  of(token: number): Decimal {
    return this.sold.get(token) ?? Decimal.zero
  }

  add(token: number, size: Decimal): void {
    this.sold.set(token, this.of(token).plus(size))
  }
}

/**
 * A sell cut to what the account has and nothing holds. `released` is what the order that it replaces
 * gives back. It opens nothing and closes nothing: a kill or a halt leaves what is held alone.
 */
export function fitSell(
  input: JudgeInput,
  { at, order, name }: NamedOrder,
  taken: SoldInRequest,
  released: Decimal,
): Result<FittingSell, Refusal> {
  const refusal = checkKind(order, at, name) ?? checkHalts(input) ?? input.withheld ?? null
  if (refusal !== null) return refuse(refusal.code, refusal.text)
  const found = pairOf(input, order.asset, name)
  if (!found.ok) return found
  const pair = found.value
  const stale = checkAge(input)
  if (stale !== null) return refuse(stale.code, stale.text)
  const rules = input.rulesFor(input.client, null)
  const most = mostByValue(input, rules, pair, order)
  if (!most.ok) return most
  const free = input.account.spot.free(pair.token).plus(released).minus(taken.of(pair.token))
  const held = Decimal.max(Decimal.zero, free)
  const bound = most.value === null ? held : Decimal.min(held, most.value)
  const size = roundSizeDown(pair, Decimal.min(order.size, bound))
  const priced = onGrid(order, pair, name)
  if (size.times(priced.order.price).lt(least)) {
    return refuse(
      'below_minimum',
      `${name}: of ${order.size.toString()} ${pair.base} asked for, ${size.toString()} may be sold (${held.toString()} is free), worth less than the venue's least of 10 ${pair.quote}`,
    )
  }
  taken.add(pair.token, size)
  const rule = most.value?.lt(held) === true ? 'max_order_value' : 'spot'
  const cut = size.eq(order.size) ? [] : [cutChange(name, order, size, held, pair, rule)]
  return ok({ order: { ...priced.order, size }, pair, changes: [...priced.changes, ...cut] })
}

/** What a sell holds until the venue's balances show it. */
export function soldReservation({ pair, order }: FittingSell, index: number): SpotSell {
  return { kind: 'spot_sell', index, token: pair.token, size: order.size }
}

function checkKind(order: Order, at: number, name: string): Refusal | null {
  if (order.isReduceOnly) return checkExitMarket(order.asset, `orders[${at}]`)
  if (order.isBuy) {
    const text = `${name}: asset ${order.asset} is a spot market, where only what the account holds may be sold (spot = "sell")`
    return { code: 'unsupported_market', text }
  }
  if (order.type.kind === 'trigger') {
    const text = `${name}: a spot order that waits for a trigger price; only limit orders sell what is held`
    return { code: 'unsupported_order', text }
  }
  if (order.price.isPositive() && order.size.isPositive()) return null
  return { code: 'invalid', text: `${name}: price and size must be above 0` }
}

function pairOf(input: JudgeInput, asset: number, name: string): Result<SpotPair, Refusal> {
  const { spot } = input.account
  const pair = spot.pair(asset)
  if (pair !== null) return ok(pair)
  return spot.arePairsKnown
    ? refuse('unknown_market', `${name}: asset ${asset} is no spot pair that the venue lists`)
    : refuse('account_stale', "the venue's spot pairs have not been seen yet, so nothing is sold")
}

function checkAge(input: JudgeInput): Refusal | null {
  const { at } = input.account.spot
  if (at !== null && input.now - at <= limits.spotAgeMsMax) return null
  const when = at === null ? 'have not been seen yet' : `were told ${seconds(input.now - at)} ago`
  const text = `the spot balances ${when}; a sell needs them within ${seconds(limits.spotAgeMsMax)}`
  return { code: 'account_stale', text }
}

/** The largest size by `max_order_value`, at the higher of the limit and the mid; null: no bound. */
function mostByValue(
  input: JudgeInput,
  { maxOrderValue }: Rules,
  { coin, quote, sizeDecimals }: SpotPair,
  order: Order,
): Result<Decimal | null, Refusal> {
  if (maxOrderValue === null) return ok(null)
  if (quote !== 'USDC') {
    const text = `${coin} is paid in ${quote}; with max_order_value (${usd(maxOrderValue)}) only pairs that are paid in USDC can be judged`
    return refuse('unsupported_market', text)
  }
  const mid = freshMid(input, coin)
  if (mid === null) {
    const text = `no mid of ${coin} was seen within the last ${seconds(limits.priceAgeMsMax)}, so its value cannot be held against max_order_value`
    return refuse('no_price', text)
  }
  return ok(maxOrderValue.over(Decimal.max(order.price, mid), sizeDecimals, 'down'))
}

/** A sell's price off the grid goes up to it, the passive way. */
function onGrid(
  order: Order,
  { sizeDecimals }: SpotPair,
  name: string,
): { readonly order: Order; readonly changes: readonly Change[] } {
  const grid = { sizeDecimals, kind: 'spot' } as const
  if (isOnPriceGrid(grid, order.price)) return { order, changes: [] }
  const price = roundPrice(grid, order.price, 'ceil')
  const text = `${name}: price ${order.price.toString()} rounded up to ${price.toString()}, the next on the grid`
  return {
    order: { ...order, price },
    changes: [change(text, 'price', order.price, price, 'grid')],
  }
}

function cutChange(
  name: string,
  order: Order,
  size: Decimal,
  held: Decimal,
  { base }: SpotPair,
  rule: string,
): Change {
  const text = `${name} cut from ${order.size.toString()} to ${size.toString()} ${base} (${held.toString()} is free)`
  return change(text, 'size', order.size, size, rule)
}
