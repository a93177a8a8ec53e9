import { guardCloidKind } from './guardCloid.ts'
import type { ExchangeReply, ReplyStatus } from './exchangeReply.ts'

/**
 * One status for each of the `count` orders or cancels of an action. The venue may answer a whole
 * batch once (a refusal before it looked at the orders); every order then carries that answer.
 */
export function statusesFor(reply: ExchangeReply, count: number): readonly ReplyStatus[] {
  if (reply.kind === 'err') return repeated({ kind: 'error', text: reply.text }, count)
  if (reply.kind === 'default') return repeated({ kind: 'success' }, count)
  if (reply.kind === 'statuses') {
    if (reply.statuses.length === count) return reply.statuses
    const [only] = reply.statuses
    if (reply.statuses.length === 1 && only?.kind === 'error') return repeated(only, count)
  }
  const json = reply.kind === 'unreadable' ? reply.json : `${reply.kind} for ${count} entries`
  return repeated({ kind: 'unreadable', json }, count)
}

function repeated(status: ReplyStatus, count: number): readonly ReplyStatus[] {
  return Array.from({ length: count }, () => status)
}

/** The statuses of one action Guard sent, and where each belongs in the bot's own order. */
export interface StatusPart {
  readonly statuses: readonly ReplyStatus[]
  /** The bot's index of each status; null for an order that Guard added, which is left out. */
  readonly places: readonly (number | null)[]
}

/** Puts the statuses of several actions into the bot's order; `missing` fills a place nobody took. */
export function placeStatuses(
  parts: readonly StatusPart[],
  count: number,
  missing: (place: number) => ReplyStatus,
): readonly ReplyStatus[] {
  const placed = new Map<number, ReplyStatus>()
  for (const { statuses, places } of parts) {
    for (const [at, place] of places.entries()) {
      const status = statuses[at]
      if (place !== null && status !== undefined) placed.set(place, status)
    }
  }
  return Array.from({ length: count }, (_, place) => placed.get(place) ?? missing(place))
}

/** The status without a client order id that Guard gave to an order which came without one. */
export function withoutGuardCloid(status: ReplyStatus): ReplyStatus {
  if (status.kind !== 'resting' && status.kind !== 'filled') return status
  return guardCloidKind(status.cloid) === null ? status : withoutCloid(status)
}

/** The status without its client order id. */
export function withoutCloid(status: ReplyStatus): ReplyStatus {
  return status.kind === 'resting' || status.kind === 'filled' ? { ...status, cloid: null } : status
}

/** Whether the venue accepted the action whole: no refusal in it, and nothing that cannot be read. */
export function isAcceptedWhole(reply: ExchangeReply): boolean {
  if (reply.kind === 'statuses') {
    return reply.statuses.every((each) => each.kind !== 'error' && each.kind !== 'unreadable')
  }
  return reply.kind !== 'err' && reply.kind !== 'twapError' && reply.kind !== 'unreadable'
}
