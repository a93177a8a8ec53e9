import * as z from 'zod'
import type { JsonObject } from '../../core/protocol/action.ts'
import { roundPrice, roundPriceToward, roundSizeDown } from '../../core/protocol/grid.ts'
import type { Market } from '../../core/protocol/market.ts'
import { roundOutward, stopLimit } from '../../core/protocol/marketStop.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import { AgentError } from '../agentError.ts'
import type { AgentContext } from '../context.ts'
import type { Status } from '../guardPort.ts'
import { marketNamed, midOf } from '../marketNames.ts'
import { shownName } from '../plainNames.ts'
import { guardStop, tighterStop } from '../tighterStop.ts'
import { orderOutput, sentPart, sentShape, whyOf } from '../orderAnswer.ts'
import { outcomeOf } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import { madeOrder, order, plain, positive } from '../orderWish.ts'
import { placeOnce, signing } from '../placeOnce.ts'
import type { Prepared } from '../placeOnce.ts'
import { amount, coinName, idempotencyKey, inputOf, untrusted, untrustedText } from '../schemas.ts'
import { counted, quoted } from '../answer.ts'
import { tool } from '../tool.ts'
import { decimalIn, openOrders, wholeIn } from './marketData.ts'
import { orderShape } from './preview.ts'

const oid = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

export const placeOrderTool = tool({
  name: 'place_order',
  title: 'Place an order',
  description:
    'Places an order as this client; Guard judges it like any bot. Without price it is a market order. Guard may make it smaller, add a stop or pull its limit in, and the answer says what was really placed and why it differs. Give an idempotency_key and repeat it on a retry. A veto is an answer with what would pass.',
  effect: 'acts',
  isIdempotent: false,
  input: inputOf({ ...orderShape, idempotency_key: idempotencyKey }),
  output: orderOutput,
  run: (context, { idempotency_key: key, ...wish }, signal) =>
    placeOnce(
      context,
      {
        tool: 'place_order',
        key,
        given: wish as JsonObject,
        make: async (cloid, status) => {
          const made = await madeOrder(context, status, wish, cloid)
          const { coin, side } = wish
          return { coin: shownName(coin), side, askedSize: plain(made.size), action: made.action }
        },
      },
      signal,
    ),
})

export const closePositionTool = tool({
  name: 'close_position',
  title: 'Close a position',
  description:
    'Closes the position in one coin, or a part of it, at once: a reduce-only order that no rule refuses, also while Guard is halted or killed.',
  effect: 'acts',
  isIdempotent: false,
  input: inputOf({
    coin: coinName,
    size: amount('coins to close; all of it unless told').optional(),
    idempotency_key: idempotencyKey,
  }),
  output: orderOutput,
  run: (context, { idempotency_key: key, ...given }, signal) =>
    placeOnce(
      context,
      {
        tool: 'close_position',
        key,
        given: given as JsonObject,
        make: (cloid, status) => closingOrder(context, status, given, cloid),
      },
      signal,
    ),
})

/** Where Guard's own closes are, too: 5% beyond the price. */
const [closeAbove, closeBelow] = [Decimal.of('1.05'), Decimal.of('0.95')]

async function closingOrder(
  context: AgentContext,
  status: Status,
  { coin, size }: { readonly coin: string; readonly size?: string | undefined },
  cloid: string,
): Promise<Prepared> {
  const market = await marketNamed(context.reads, coin)
  const position = status.positions.find((each) => each.coin === market.coin)
  if (position === undefined) {
    throw new AgentError(
      'There is no position in this coin',
      'Nothing was sent now; guard_status lists the positions.',
    )
  }
  const isBuy = position.side === 'short'
  const mark = Decimal.parse(position.mark_price)
  const mid = mark.ok ? mark.value : await midOf(context.reads, market)
  if (mid === null) {
    throw new AgentError(
      'There is no price for this market now',
      'Its stop stays at the venue. Try again in some seconds; guard_kill closes everything without a price from here.',
    )
  }
  const price = roundOutward(market, mid.times(isBuy ? closeAbove : closeBelow), isBuy)
  const held = Decimal.of(position.size).abs()
  const asked = size === undefined ? held : roundSizeDown(market, positive('size', size))
  const closed = Decimal.min(held, asked)
  if (!closed.isPositive())
    throw new AgentError('The size is below the lot of this market', 'Give a larger one.')
  const closing = order(market, isBuy, price, closed, true, { limit: { tif: 'Ioc' } }, cloid)
  const action = { type: 'order', orders: [closing], grouping: 'na' }
  const made = { coin: shownName(coin), side: isBuy ? ('buy' as const) : ('sell' as const) }
  const isOpenedAgain = status.twaps.some((twap) => twap.coin === market.coin && !twap.reduce_only)
  return { ...made, askedSize: plain(asked), action, ...(isOpenedAgain ? { then: twapRuns } : {}) }
}

const twapRuns =
  'A TWAP on this coin still runs and may open it again: whoever placed it has to cancel it; guard_kill cancels it and closes everything.'

export const modifyOrderTool = tool({
  name: 'modify_order',
  title: 'Change an open order',
  description:
    "Gives an open order (by the oid of open_orders) a new price, trigger or size. Guard judges the result; a stop can only be tightened. For a stop of Guard's own, trigger places a tighter one of yours over the whole position, and Guard then removes its own.",
  effect: 'acts',
  isIdempotent: false,
  input: inputOf({
    oid,
    price: amount('USD, the new limit').optional(),
    trigger: amount('USD, the new trigger of a stop or take profit').optional(),
    size: amount('coins').optional(),
    idempotency_key: idempotencyKey,
  }),
  output: orderOutput,
  run: (context, { idempotency_key: key, ...given }, signal) =>
    placeOnce(
      context,
      {
        tool: 'modify_order',
        key,
        given: given as JsonObject,
        make: (cloid, status) => changedOrder(context, status, given, cloid),
      },
      signal,
    ),
})

interface ChangeWish {
  readonly oid: number
  readonly price?: string | undefined
  readonly trigger?: string | undefined
  readonly size?: string | undefined
}

async function changedOrder(
  context: AgentContext,
  status: Status,
  wish: ChangeWish,
  cloid: string,
): Promise<Prepared> {
  const row = (await openOrders(context)).find((each) => each['oid'] === wish.oid)
  if (row === undefined) throw notOpen()
  const coin = String(row['coin'])
  const market = await marketNamed(context.reads, coin)
  const own = guardStop(status, wish.oid)
  if (own !== null) return tighterStop(market, own, wish.trigger, cloid)
  const isBuy = row['side'] === 'B'
  const size =
    wish.size === undefined
      ? positive('size', decimalIn(row, 'sz') ?? '')
      : roundSizeDown(market, positive('size', wish.size))
  const isTrigger = row['isTrigger'] === true
  if (
    isTrigger !== (wish.trigger !== undefined) &&
    (wish.price !== undefined || wish.trigger !== undefined)
  ) {
    throw new AgentError(
      isTrigger ? 'This order is a stop or take profit' : 'This order has no trigger',
      isTrigger ? 'Give trigger in place of price.' : 'Give price in place of trigger.',
    )
  }
  const { price, type } = isTrigger
    ? triggerParts(market, row, isBuy, wish)
    : limitParts(market, row, isBuy, wish)
  const changed = order(market, isBuy, price, size, row['reduceOnly'] === true, type, cloid)
  const action = { type: 'modify', oid: wish.oid, order: changed }
  return { coin: shownName(coin), side: isBuy ? 'buy' : 'sell', askedSize: plain(size), action }
}

function limitParts(market: Market, row: JsonObject, isBuy: boolean, wish: ChangeWish) {
  const asked = positive('price', wish.price ?? decimalIn(row, 'limitPx') ?? '')
  const tif = row['tif'] === 'Alo' ? 'Alo' : 'Gtc'
  return { price: roundPrice(market, asked, isBuy ? 'floor' : 'ceil'), type: { limit: { tif } } }
}

function triggerParts(market: Market, row: JsonObject, isBuy: boolean, wish: ChangeWish) {
  const before = positive('trigger', decimalIn(row, 'triggerPx') ?? '')
  const asked = wish.trigger === undefined ? before : positive('trigger', wish.trigger)
  const trigger = roundPriceToward(market, asked, before)
  const kind = String(row['orderType'])
  const tpsl = kind.startsWith('Take Profit') ? 'tp' : 'sl'
  const isMarket = kind.endsWith('Market')
  const price = isMarket
    ? stopLimit(market, trigger, !isBuy)
    : positive('price', decimalIn(row, 'limitPx') ?? '')
  return { price, type: { trigger: { isMarket, triggerPx: plain(trigger), tpsl } } }
}

function notOpen(): AgentError {
  return new AgentError(
    'No open order of the account has this oid',
    'It has filled, was cancelled, or was changed, which gives it a new oid; open_orders and fills say which.',
  )
}

const cancelOutput = z.strictObject({
  ...sentShape,
  cancelled: z.array(z.number().int()).describe('oids that are gone now'),
  kept: z
    .array(z.number().int())
    .describe('oids that stay: stops that protect, and what was refused'),
  untrusted: untrusted({ venue: z.array(untrustedText) }),
})

export const cancelOrderTool = tool({
  name: 'cancel_order',
  title: 'Cancel an open order',
  description:
    'Cancels one open order by the oid of open_orders. A stop that protects a position is refused (stop_removed, guard_stop).',
  effect: 'acts',
  isIdempotent: true,
  input: inputOf({ oid }),
  output: cancelOutput,
  run: async (context, { oid: wanted }, signal) => {
    const row = (await openOrders(context)).find((each) => each['oid'] === wanted)
    if (row === undefined) throw notOpen()
    return cancelled(context, [row], [], signal)
  },
})

export const cancelAllTool = tool({
  name: 'cancel_all',
  title: 'Cancel all orders but stops',
  description:
    "Cancels every open order of the account, or of one coin, but for stop losses: those stay. This includes other bots' orders on the same account.",
  effect: 'acts',
  isIdempotent: true,
  input: inputOf({ coin: coinName.optional() }),
  output: cancelOutput,
  run: async (context, { coin }, signal) => {
    if (coin !== undefined) await marketNamed(context.reads, coin)
    const rows = (await openOrders(context)).filter(
      (row) => coin === undefined || row['coin'] === coin,
    )
    const isStop = (row: JsonObject): boolean =>
      row['isTrigger'] === true &&
      String(row['orderType']).startsWith('Stop') &&
      (row['reduceOnly'] === true || row['isPositionTpsl'] === true)
    const others = rows.filter((row) => !isStop(row))
    const going = others.slice(0, limits.ordersPerActionMax)
    const answer = await cancelled(
      context,
      going,
      rows.filter((row) => !going.includes(row)),
      signal,
    )
    const left = others.length - going.length
    if (left === 0) return answer
    const next = `${counted(left, 'order')} did not fit into one request: call it again.`
    return { text: `${answer.text} ${next}`, data: { ...answer.data, next } }
  },
})

async function cancelled(
  context: AgentContext,
  rows: readonly JsonObject[],
  others: readonly JsonObject[],
  signal: AbortSignal,
) {
  const kept = others.flatMap((row) => wholeIn(row, 'oid') ?? [])
  if (rows.length === 0) {
    const none = { verdict: null, code: null, reason: null, changes: [], next: null, nonce: null }
    const data = {
      outcome: 'done' as const,
      ...none,
      cancelled: [],
      kept,
      untrusted: { venue: [] },
    }
    return { text: `There was nothing to cancel; ${stayWords(kept.length)}.`, data }
  }
  const coins = rows.map((row) => String(row['coin']))
  const markets = await context.reads.marketsWith(coins)
  const cancels = rows.flatMap((row) => {
    const market = [...markets.byAsset.values()].find((each) => each.coin === row['coin'])
    const id = wholeIn(row, 'oid')
    return market === undefined || id === null ? [] : [{ a: market.asset, o: id }]
  })
  const { sender } = signing(context)
  const action = { type: 'cancel', cancels }
  const { nonce, delivery, record } = await sender.send('/exchange', action, signal)
  const outcome = context.inPlainNames(outcomeOf(delivery, record))
  const gone = cancels.filter((_, at) => outcome.statuses[at]?.kind === 'success').map(({ o }) => o)
  const known = [...cancels.map(({ o }) => o).filter((id) => !gone.includes(id)), ...kept]
  // Stops go with the entries that they belong to.
  const open = gone.length === 0 ? null : await openOrders(context).catch(() => null)
  const isOpen = (id: number): boolean => open?.some((row) => row['oid'] === id) ?? true
  const stay = known.filter(isOpen)
  const ended = known.filter((id) => !isOpen(id))
  const told = sentPart(outcome, nonce)
  return {
    text: cancelLine(outcome, told, gone.length + ended.length, stay.length),
    data: {
      ...told,
      cancelled: [...gone, ...ended],
      kept: stay,
      untrusted: { venue: outcome.venueWords.map(quoted) },
    },
  }
}

function stayWords(count: number): string {
  if (count === 0) return 'none is left'
  return `${counted(count, 'order')} ${count === 1 ? 'stays' : 'stay'} (a position keeps its stop)`
}

function cancelLine(
  { state, code }: Outcome,
  { reason, next }: { readonly reason: string | null; readonly next: string | null },
  gone: number,
  kept: number,
): string {
  switch (state) {
    case 'done':
      return `Cancelled ${counted(gone, 'order')}; ${stayWords(kept)}.`
    case 'would':
      return 'Paper mode: this would pass. Nothing was sent.'
    case 'refused':
      return `Refused by Guard (${code ?? 'no code'}): nothing was cancelled. ${whyOf(reason)}${next ?? ''}`
    default:
      return `Nothing was cancelled for certain (${state.replace('_', ' ')}). ${next ?? ''}`
  }
}

export const setLeverageTool = tool({
  name: 'set_leverage',
  title: 'Set the leverage of a coin',
  description:
    'Puts one coin on isolated margin at this leverage, within the rules. Guard sets what an entry needs by itself; this is only needed to lower it.',
  effect: 'acts',
  isIdempotent: true,
  input: inputOf({ coin: coinName, leverage: z.number().int().min(1).max(100) }),
  output: z.strictObject({
    ...sentShape,
    coin: z.string(),
    leverage: z.number().int(),
    untrusted: untrusted({ venue: z.array(untrustedText) }),
  }),
  run: async (context, { coin: named, leverage }, signal) => {
    const market = await marketNamed(context.reads, named)
    const coin = shownName(named)
    await context.status()
    const { sender } = signing(context)
    const action = { type: 'updateLeverage', asset: market.asset, isCross: false, leverage }
    const { nonce, delivery, record } = await sender.send('/exchange', action, signal)
    const outcome = context.inPlainNames(outcomeOf(delivery, record))
    const said =
      outcome.state === 'done'
        ? 'set'
        : outcome.state === 'would'
          ? 'not set: paper mode'
          : `not set (${outcome.state === 'refused' ? (outcome.code ?? 'refused') : outcome.state.replace('_', ' ')})`
    const told = sentPart(outcome, nonce)
    const why = told.next === null ? '' : ` ${whyOf(told.reason)}${told.next}`
    return {
      text: `Isolated leverage ${String(leverage)} of ${coin}: ${said}.${why}`,
      data: {
        ...told,
        coin,
        leverage,
        untrusted: { venue: outcome.venueWords.map(quoted) },
      },
    }
  },
})
