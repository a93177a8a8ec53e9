import type { Account } from '../core/account/account.ts'
import type { Json, JsonObject } from '../core/protocol/action.ts'
import { venueText } from '../core/protocol/exchangeReply.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { OpenOrder } from '../core/protocol/venueState.ts'
import { parseAddress } from '../core/values/address.ts'
import type { Address } from '../core/values/address.ts'

/**
 * The account's own reads that the live model can answer in the venue's shape, so that a bot that
 * polls costs no request weight. Null for everything else: the venue is asked.
 */
export function answerOwnRead(account: Account, address: Address, request: Json): Json | null {
  if (!isObject(request) || account.stream !== 'live' || account.confirmedAt === null) return null
  // What is on its way may be on the venue already: only the venue can tell.
  if (account.inFlight > 0) return null
  const user = parseAddress(request['user'])
  if (!user.ok || user.value !== address) return null
  const { dex, type } = request
  if (dex !== undefined && dex !== '') return null
  if (type === 'openOrders') return openOrders(account)
  return null
}

/** Newest first, as the venue lists them. */
function openOrders(account: Account): Json {
  const orders = [...account.coinsWithOrders()].flatMap((coin) => account.ordersOf(coin))
  return [...orders].sort((a, b) => b.oid - a.oid).map(plainOrder)
}

function plainOrder(order: OpenOrder): JsonObject {
  return {
    coin: order.coin,
    side: order.isBuy ? 'B' : 'A',
    limitPx: venueText(order.price),
    sz: venueText(order.size),
    oid: order.oid,
    timestamp: order.at,
    origSz: venueText(order.originalSize),
    ...(order.cloid === null ? {} : { cloid: order.cloid }),
    ...(order.isReduceOnly ? { reduceOnly: true } : {}),
  }
}
