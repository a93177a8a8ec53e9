import type { JsonObject, WireAction } from '../core/protocol/action.ts'
import { roundPrice, roundPriceToward, roundSizeDown } from '../core/protocol/grid.ts'
import { stopLimit } from '../core/protocol/marketStop.ts'
import type { Market } from '../core/protocol/market.ts'
import { Decimal } from '../core/values/decimal.ts'
import { AgentError } from './agentError.ts'
import type { AgentContext } from './context.ts'
import type { Status } from './guardPort.ts'
import { marketNamed, midOf } from './marketNames.ts'
import { ownRules } from './ownRules.ts'

/** An order as an agent asks for it: names and decimals, never asset ids. */
interface OrderWish {
  readonly coin: string
  readonly side: 'buy' | 'sell'
  readonly size?: string | undefined
  readonly size_usd?: string | undefined
  /** Without it a market order. */
  readonly price?: string | undefined
  readonly stop?: string | undefined
  readonly take_profit?: string | undefined
  readonly tif?: 'gtc' | 'ioc' | 'alo' | undefined
}

/** The same order on the venue's grid, and the action that asks for it. */
interface MadeOrder {
  readonly market: Market
  readonly size: Decimal
  readonly price: Decimal
  readonly action: WireAction
}

const tifs = { gtc: 'Gtc', ioc: 'Ioc', alo: 'Alo' } as const
const usualDistance = Decimal.of('0.005')

/** Makes the venue's action of a wish; `cloid` is the id of the entry, or null for none. */
export async function madeOrder(
  context: AgentContext,
  status: Status,
  wish: OrderWish,
  cloid: string | null,
): Promise<MadeOrder> {
  const market = await marketNamed(context.reads, wish.coin)
  if (wish.price === undefined && wish.tif !== undefined && wish.tif !== 'ioc') {
    throw new AgentError(
      'Without a price it is a market order, which fills at once or not at all and never rests',
      'Nothing was sent. Give price for a limit order, or leave tif out.',
    )
  }
  const isBuy = wish.side === 'buy'
  const mid = wish.price === undefined ? await midOf(context.reads, market) : null
  const price =
    wish.price === undefined
      ? atTheBound(market, mid, isBuy, ownRules(status, context.key?.address ?? null))
      : onGrid(market, positive('price', wish.price), isBuy)
  const size = sizeOf(market, wish, mid ?? price)
  const tif = wish.price === undefined ? 'Ioc' : tifs[wish.tif ?? 'gtc']
  const entry = order(market, isBuy, price, size, false, { limit: { tif } }, cloid)
  const children = childrenOf(market, wish, mid ?? price, size)
  const grouping = children.length === 0 ? 'na' : 'normalTpsl'
  const action = { type: 'order', orders: [entry, ...children], grouping }
  return { market, size, price, action }
}

/** A market order is an immediate one at the worst price that Guard's rules let an entry have. */
function atTheBound(
  market: Market,
  mid: Decimal | null,
  isBuy: boolean,
  rules: JsonObject,
): Decimal {
  if (mid === null) {
    throw new AgentError(
      'There is no price for this market now, so a market order has no bound',
      'Give a limit price, or try again in some seconds.',
    )
  }
  const told = Decimal.parse(rules['max_distance_from_mid'])
  const distance = mid.times(told.ok ? told.value : usualDistance)
  return roundPriceToward(market, isBuy ? mid.plus(distance) : mid.minus(distance), mid)
}

/** A limit between two prices of the grid goes to the one that is no worse for who asked. */
function onGrid(market: Market, price: Decimal, isBuy: boolean): Decimal {
  const rounded = roundPrice(market, price, isBuy ? 'floor' : 'ceil')
  if (rounded.isPositive()) return rounded
  throw new AgentError('The price is below the smallest one of this market', 'Give a higher one.')
}

function sizeOf(market: Market, { size, size_usd: usd }: OrderWish, price: Decimal): Decimal {
  if ((size === undefined) === (usd === undefined)) {
    throw new AgentError(
      'An order has one size',
      'Give either size (in coins) or size_usd (in USD), not both.',
    )
  }
  const coins =
    size === undefined
      ? positive('size_usd', usd ?? '').over(price, market.sizeDecimals, 'floor')
      : roundSizeDown(market, positive('size', size))
  if (coins.isPositive()) return coins
  throw new AgentError(
    `The size is below the smallest one of this market, ${new Decimal(1n, market.sizeDecimals).toString()} coins`,
    'Give a larger one; the venue takes orders from 10 USD on.',
  )
}

/** A stop and a take profit that belong to the entry: reduce-only market triggers of its size. */
function childrenOf(
  market: Market,
  wish: OrderWish,
  price: Decimal,
  size: Decimal,
): readonly JsonObject[] {
  const isLong = wish.side === 'buy'
  const child = (name: 'stop' | 'take_profit', text: string): JsonObject => {
    const trigger = roundPriceToward(market, positive(name, text), price)
    const isAbove = trigger.gt(price)
    if (name === 'take_profit' && (trigger.eq(price) || isAbove !== isLong)) {
      throw new AgentError(
        `A take profit of a ${wish.side} is ${isLong ? 'above' : 'below'} its price, ${plain(price)}`,
        'Nothing was sent. Give another take_profit, or stop if a loss was to be bounded.',
      )
    }
    const limit = stopLimit(market, trigger, isLong)
    const tpsl = name === 'stop' ? 'sl' : 'tp'
    const type = { trigger: { isMarket: true, triggerPx: plain(trigger), tpsl } }
    return order(market, !isLong, limit, size, true, type, null)
  }
  return [
    ...(wish.take_profit === undefined ? [] : [child('take_profit', wish.take_profit)]),
    ...(wish.stop === undefined ? [] : [child('stop', wish.stop)]),
  ]
}

/** One order in the venue's own form, its keys in the venue's order. */
export function order(
  market: Market,
  isBuy: boolean,
  price: Decimal,
  size: Decimal,
  isReduceOnly: boolean,
  type: JsonObject,
  cloid: string | null,
): JsonObject {
  const made = {
    a: market.asset,
    b: isBuy,
    p: plain(price),
    s: plain(size),
    r: isReduceOnly,
    t: type,
  }
  return cloid === null ? made : { ...made, c: cloid }
}

export function positive(name: string, text: string): Decimal {
  const value = Decimal.parse(text)
  if (value.ok && value.value.isPositive()) return value.value
  throw new AgentError(`${name} must be above zero`, 'Give it as a decimal string, such as "0.5".')
}

/** Without zeros at the end, as the venue hashes it. */
export function plain(value: Decimal): string {
  return value.normalised().toString()
}
