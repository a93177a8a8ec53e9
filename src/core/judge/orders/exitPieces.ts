import type { Order } from '../../protocol/action.ts'
import { Decimal } from '../../values/decimal.ts'
import { largestMarketOrder } from '../../venueLimits/largestOrder.ts'
import { piecesOf } from '../../venueLimits/piecesOf.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { marketOf } from '../context.ts'
import type { JudgeInput } from '../decision.ts'
import { mayRest } from '../reserve.ts'

interface ExitPieces {
  /** One after the other, all at once; one where the venue takes the order as it is. */
  readonly sizes: readonly Decimal[]
  readonly changes: readonly Change[]
}

/**
 * An exit that takes at once and is worth more than the venue's largest market order goes in pieces
 * that it takes. What may rest is ten times as large, and its number must stay one for the bot.
 */
export function exitPieces(input: JudgeInput, order: Order, name: string): ExitPieces {
  const asSent = { sizes: [order.size], changes: [] }
  const market = marketOf(input, order.asset)
  if (market === null || mayRest(order) || !order.size.isPositive()) return asSent
  const { account } = input
  const mark = account.mark(market.coin) ?? Decimal.zero
  const mid = account.mid(market.coin)?.price ?? Decimal.zero
  const { pieces, left } = piecesOf(order.size, Decimal.max(order.price, mid, mark), market)
  if (pieces.length < 2) return asSent
  const most = largestMarketOrder(market).toString()
  const why = `the venue takes at most ${most} USDC of ${market.coin} in one market order`
  const text = `${name} goes as ${pieces.length} orders: ${why}`
  const split = change(text, 'orders', '1', `${pieces.length}`, 'largest_order')
  if (!left.isPositive()) return { sizes: pieces, changes: [split] }
  const sent = order.size.minus(left)
  const cut = `${name} cut from ${order.size.toString()} to ${sent.toString()}, ten of the largest orders; send the rest again`
  return {
    sizes: pieces,
    changes: [split, change(cut, 'size', order.size, sent, 'largest_order')],
  }
}
