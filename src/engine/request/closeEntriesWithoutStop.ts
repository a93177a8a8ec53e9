import { actionsOf } from '../../core/judge/decision.ts'
import type { Decision } from '../../core/judge/decision.ts'
import type { Order } from '../../core/protocol/action.ts'
import { refusalIn, statusOf } from '../../core/protocol/actionReply.ts'
import type { Markets } from '../../core/protocol/market.ts'
import type { Decimal } from '../../core/values/decimal.ts'
import type { ActionResult } from '../send/dispatcher.ts'
import { opens } from './judgement.ts'
import type { Protector } from '../watch/protector.ts'

interface EntryWithoutStop {
  readonly entry: Order
  /** What of it has filled; null when it rests, or when nobody knows. */
  readonly filled: Decimal | null
  /** The venue's refusal of the stop. */
  readonly why: string
}

/** The entries the venue accepted, or may have accepted, while it refused their stop. */
function entriesWithoutStop(
  decision: Decision,
  results: readonly ActionResult[],
): readonly EntryWithoutStop[] {
  return actionsOf(decision).flatMap((action, place) => {
    const result = results[place]
    if (action.type !== 'order' || result?.kind !== 'answered' || !opens(decision, place)) return []
    const entryAt = action.orders.findIndex((order) => !order.isReduceOnly)
    const entry = action.orders[entryAt]
    const entryStatus = statusOf(result.reply, entryAt)
    if (entry === undefined || refusalIn(entryStatus) !== null) return []
    const refused = action.orders.flatMap((order, index) => {
      const error = isStop(order) ? refusalIn(statusOf(result.reply, index)) : null
      return error === null ? [] : [error]
    })
    const [why] = refused
    if (why === undefined) return []
    const filled = entryStatus.kind === 'filled' ? entryStatus.totalSize : null
    return [{ entry, filled, why }]
  })
}

/** Has each of them closed or cancelled. */
export function closeEntriesWithoutStop(
  decision: Decision,
  results: readonly ActionResult[],
  markets: Markets,
  protector: Pick<Protector, 'entryWithoutStop'>,
): void {
  for (const { entry, filled, why } of entriesWithoutStop(decision, results)) {
    const coin = markets.byAsset.get(entry.asset)?.coin
    if (coin !== undefined) protector.entryWithoutStop(coin, entry, filled, why)
  }
}

function isStop({ isReduceOnly, type }: Order): boolean {
  return isReduceOnly && type.kind === 'trigger' && type.tpsl === 'sl'
}
