import { roundPriceToward } from '../core/protocol/grid.ts'
import type { Market } from '../core/protocol/market.ts'
import { stopLimit } from '../core/protocol/marketStop.ts'
import { Decimal } from '../core/values/decimal.ts'
import { AgentError } from './agentError.ts'
import type { Status } from './guardPort.ts'
import { order, plain, positive } from './orderWish.ts'
import type { Prepared } from './placeOnce.ts'
import { shownName } from './plainNames.ts'

type Position = Status['positions'][number]
type Stop = Position['stops'][number]

/** Guard's own stop with this oid, and the position under which it rests; null where none has it. */
export function guardStop(
  status: Status,
  oid: number,
): { readonly position: Position; readonly stop: Stop } | null {
  for (const position of status.positions) {
    const stop = position.stops.find((each) => each.oid === oid && each.owner === 'guard')
    if (stop !== undefined) return { position, stop }
  }
  return null
}

/**
 * A stop of the agent's over the whole position in place of Guard's own, which nobody changes: Guard
 * removes its own once a tighter one covers everything.
 */
export function tighterStop(
  market: Market,
  { position, stop }: { readonly position: Position; readonly stop: Stop },
  asked: string | undefined,
  cloid: string,
): Prepared {
  const isLong = position.side === 'long'
  const before = Decimal.of(stop.price)
  const wanted = asked === undefined ? null : positive('trigger', asked)
  if (wanted === null || (isLong ? wanted.lte(before) : wanted.gte(before))) {
    throw new AgentError(
      `This is Guard's own stop at ${plain(before)}, which can only be made tighter`,
      `Give trigger, ${isLong ? 'above' : 'below'} ${plain(before)}; its size is the position's.`,
    )
  }
  const trigger = roundPriceToward(market, wanted, before)
  const size = Decimal.of(position.size).abs()
  const type = { trigger: { isMarket: true, triggerPx: plain(trigger), tpsl: 'sl' } }
  const limit = stopLimit(market, trigger, isLong)
  const made = order(market, !isLong, limit, size, true, type, cloid)
  return {
    coin: shownName(position.coin),
    side: isLong ? 'sell' : 'buy',
    askedSize: plain(size),
    action: { type: 'order', orders: [made], grouping: 'na' },
  }
}
