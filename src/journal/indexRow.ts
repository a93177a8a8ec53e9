import type { EventBody, Internal } from '../core/events/guardEvent.ts'
import type { IndexFilter, IndexRow, OrderDecision, Position } from './eventIndex.ts'
import { orderCloids } from './orderCloids.ts'

/**
 * What the index keeps of a record. Its coins are those it publishes, or those its writer named
 * under `_.coins`, because an action on the wire names assets by number.
 */
export function indexRow(atMs: number, body: EventBody & Internal, position: Position): IndexRow {
  const { seq, segment, offset, length } = position
  const isDecision = body.kind === 'decision'
  return {
    seq,
    segment,
    offset,
    length,
    atMs,
    kind: body.kind,
    code: isDecision ? body.code : null,
    nonce: isDecision ? body.nonce : null,
    client: isDecision ? body.client : null,
    decision: body.kind === 'sent' ? body.decision : null,
    coins: body.kind === 'protect' ? body.coins : namedCoins(body),
    cloids: orderCloids(body),
    isPassed: isDecision && body.verdict !== 'veto',
  }
}

export function matchesFilter(row: IndexRow, filter: IndexFilter): boolean {
  const { kinds, coin, code, fromMs, untilMs } = filter
  if (kinds !== null && !kinds.includes(row.kind)) return false
  if (coin !== null && !row.coins.includes(coin)) return false
  if (code !== null && row.code !== code) return false
  if (fromMs !== null && row.atMs < fromMs) return false
  return untilMs === null || row.atMs <= untilMs
}

/** Whether a row is the decision asked for; without a client, of any. */
export function isDecisionOf(row: IndexRow, nonce: number, client: string | null): boolean {
  return (
    row.kind === 'decision' && row.nonce === nonce && (client === null || row.client === client)
  )
}

/** Of two decisions on one order the one that it came from: what passed, and then what is later. */
export function cameFrom<T extends OrderDecision>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return a ?? b
  if (a.isPassed !== b.isPassed) return a.isPassed ? a : b
  return a.seq > b.seq ? a : b
}

function namedCoins(body: Internal): readonly string[] {
  const coins = body._?.['coins']
  return Array.isArray(coins) ? coins.filter((coin) => typeof coin === 'string') : []
}
