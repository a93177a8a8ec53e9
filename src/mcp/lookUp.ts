import { isObject } from '../core/protocol/fields.ts'
import { Decimal } from '../core/values/decimal.ts'
import { limits } from '../core/values/limits.ts'
import type { AgentContext } from './context.ts'
import type { DecisionReply } from '../client/client.ts'
import type { Status } from './guardPort.ts'
import type { Outcome } from './outcome.ts'
import { placedOrder } from './outcome.ts'

/** The venue's clock and Guard's may differ by so much. */
const expirySlackMs = 5_000
/** The venue knows of an order for at least so long. */
const forgottenMs = 3_600_000

/**
 * Finds out what became of an order whose answer was lost: from what Guard found out when it started
 * again, else from the venue. Stays unknown where neither can tell.
 */
export async function lookedUp(
  context: AgentContext,
  status: Status,
  record: DecisionReply,
  cloid: string,
  recorded: Outcome,
): Promise<Outcome> {
  if (await didNotHappen(context, record, cloid)) return { ...recorded, state: 'not_sent' }
  const request = { type: 'orderStatus', user: status.account, oid: cloid }
  const answer = await context.reads.infoToAct(request).catch(() => null)
  if (!isObject(answer ?? undefined) || answer === null) return recorded
  if ((answer as { status?: unknown }).status === 'unknownOid' && hasExpired(record, status)) {
    return { ...recorded, state: 'not_sent' }
  }
  const outer = (answer as { order?: unknown }).order as
    { readonly status?: string; readonly order?: { readonly [key: string]: unknown } } | undefined
  const order = outer?.order
  if (outer?.status === undefined || order === undefined) return recorded
  const oid = Number(order['oid'])
  if (outer.status === 'open' || outer.status === 'triggered') {
    return { ...recorded, state: 'done', statuses: [{ kind: 'resting', oid, cloid: null }] }
  }
  const [size, left] = [Decimal.parse(order['origSz']), Decimal.parse(order['sz'])]
  const limit = Decimal.parse(order['limitPx'])
  if (!size.ok || !left.ok || !limit.ok) return recorded
  // An order that ended otherwise may have filled in part before: what it filled counts.
  const totalSize = outer.status === 'filled' ? size.value : size.value.minus(left.value)
  if (!totalSize.isPositive()) return { ...recorded, state: 'venue_refused' }
  const filled = { kind: 'filled', oid, totalSize, averagePrice: limit.value, cloid: null } as const
  return { ...recorded, state: 'done', statuses: [filled], isPriceUnknown: true }
}

/**
 * Whether the venue would not take it any more, so that what it does not know of never arrived. Of
 * what was sent long ago it may have forgotten that it knew it.
 */
function hasExpired({ decision, sent }: DecisionReply, { now_ms: nowMs }: Status): boolean {
  const lastMs = Math.max(decision.at_ms, ...sent.map((each) => each.at_ms))
  const agoMs = nowMs - lastMs
  return agoMs > limits.sendLifeMs + expirySlackMs && agoMs < forgottenMs
}

/** Whether Guard, when it started again, found that the order never reached the venue. */
async function didNotHappen(
  { port }: AgentContext,
  record: DecisionReply,
  cloid: string,
): Promise<boolean> {
  const index = placedOrder(record, cloid)?.index ?? 0
  const page = await port
    .events(record.decision.seq, 'recovered', limits.agentRecoveredMax)
    .catch(() => null)
  return (
    page?.events.some(
      (event) =>
        event['of'] === record.decision.seq &&
        event['index'] === index &&
        event['outcome'] === 'did_not_happen',
    ) === true
  )
}
