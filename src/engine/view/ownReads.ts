import type { Account } from '../../core/account/account.ts'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import { venueText } from '../../core/protocol/exchangeReply.ts'
import { isObject } from '../../core/protocol/fields.ts'
import type { OpenOrder } from '../../core/protocol/venueState.ts'
import { parseAddress } from '../../core/values/address.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Clock, SnapshotKind, VenueStream } from '../ports.ts'

interface OwnReadsInput {
  readonly account: Account
  readonly address: Address
  readonly stream: Pick<VenueStream, 'latest'>
  readonly clock: Clock
  /** What was told before its last answer is too old; null in paper mode, which sends nothing. */
  readonly dispatcher: { readonly lastAnswerAt: Millis | null } | null
}

/**
 * The account's own reads that the live model can answer in the venue's shape, so that a bot that
 * polls costs no request weight. Null for everything else: the venue is asked.
 */
export function answerOwnRead(input: OwnReadsInput, request: Json): Json | null {
  const { account, address } = input
  const now = input.clock.now()
  if (!isObject(request) || account.stream !== 'live' || account.confirmedAt === null) return null
  // What is on its way may be on the venue already: only the venue can tell.
  if (account.inFlight > 0 || now - account.confirmedAt > limits.accountAgeMsMax) return null
  const user = parseAddress(request['user'])
  if (!user.ok || user.value !== address) return null
  const { dex, type } = request
  if (dex !== undefined && dex !== '') return null
  switch (type) {
    case 'openOrders':
      return openOrders(account)
    case 'frontendOpenOrders':
      return snapshot(input, 'openOrders', now, limits.accountAgeMsMax)
    case 'spotClearinghouseState':
      return snapshot(input, 'spotState', now, limits.accountAgeMsMax)
    case 'clearinghouseState':
      // It carries prices, so it ages as they do.
      return snapshot(input, 'clearinghouseState', now, limits.priceAgeMsMax)
    default:
      return null
  }
}

/** What the stream told whole, unless anything happened since that it cannot know of. */
function snapshot(
  input: OwnReadsInput,
  kind: SnapshotKind,
  now: Millis,
  ageMsMax: number,
): Json | null {
  const found = input.stream.latest(kind)
  // One that lies ahead was told before the clock was set back: nobody knows how old it is.
  if (found === null || found.at < now - ageMsMax || found.at > now) return null
  const lastAnswerAt = input.dispatcher?.lastAnswerAt ?? null
  return lastAnswerAt === null || found.at > lastAnswerAt ? found.body() : null
}

/** Those of the main dex, newest first, as the venue lists them; null where some are on spot pairs. */
function openOrders(account: Account): Json {
  if (account.onOtherMarkets > 0) return null
  const coins = [...account.coinsWithOrders()].filter((coin) => dexOf(coin) === '')
  const orders = coins.flatMap((coin) => account.ordersOf(coin))
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
