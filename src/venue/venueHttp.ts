import type { Json } from '../core/protocol/action.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import type {
  Urgency,
  ReadAnswer,
  ReadFailure,
  SignedRequest,
  VenueAnswer,
  VenueHttp,
  WeightBudget,
} from '../engine/ports.ts'
import type { VenueClock } from '../engine/venueClock.ts'
import type { HttpOutcome } from './httpOutcome.ts'
import type { HttpTransport } from './httpTransport.ts'
import { infoWeight, rowsWeight, rowsWeightMax } from '../core/protocol/requestWeight.ts'

/** A header names the second that has begun. */
const dateCoarseMs = 1_000

/** Reads and actions over HTTP, with every outcome told apart; `clock` is told the venue's dates. */
export function createVenueHttp(
  transport: HttpTransport,
  budget: WeightBudget,
  timeoutMs: number,
  clock?: Pick<VenueClock, 'hear' | 'monotonicMs'>,
): VenueHttp {
  const post = async (
    path: '/exchange' | '/info',
    request: Json | SignedRequest,
    lane: Urgency,
    heldBack?: () => string | null,
  ): Promise<HttpOutcome> => {
    const askedMs = clock?.monotonicMs() ?? 0
    const outcome = await transport.post(path, JSON.stringify(request), timeoutMs, lane, heldBack)
    const dateMs = outcome.kind === 'answer' ? outcome.dateMs : undefined
    if (dateMs !== undefined) clock?.hear(dateMs, askedMs, dateCoarseMs)
    if (outcome.kind === 'answer' && outcome.status === 429) budget.refused(lane)
    return outcome
  }
  return {
    exchange: async (request, lane, heldBack) =>
      readAnswer(await post('/exchange', request, lane, heldBack)),
    info: async (request, lane) => {
      const question = infoWeight(request)
      // Many reads of bots are out at once; Guard's own are few, and must find room.
      const most = question + (lane === 'read' ? rowsWeightMax(request) : 0)
      const spent = budget.reserve(lane, most)
      if (spent === null) {
        const text = `the request weight for reads is spent (${budget.used()} of ${budget.limit})`
        return err({ kind: 'no_weight', text, retryMs: budget.roomInMs(lane, most) })
      }
      const outcome = await post('/info', request, lane)
      const answer = readInfo(outcome)
      // What may have been answered may have been counted.
      if (outcome.kind === 'not_sent') spent(0)
      else if (answer.ok) spent(question + rowsWeight(request, answer.value.body))
      return answer
    },
  }
}

/**
 * With these nothing was executed: what was sent is no JSON (400), or no action (422), of the wrong
 * type (415) or too long (413), or it was sent to the wrong place (404, 405) or not let in (401, 403).
 */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422])

function readAnswer(outcome: HttpOutcome): VenueAnswer {
  if (outcome.kind !== 'answer') return outcome
  const { status, body } = outcome
  if (status === 200) {
    const reply = parse(body)
    if (reply.ok) return { kind: 'reply', reply: reply.value }
    return { kind: 'unknown', error: 'the venue answered 200 with a body that is not JSON' }
  }
  if (status === 429) {
    return { kind: 'unknown', error: 'HTTP 429: the request weight is spent', isThrottled: true }
  }
  const text = `HTTP ${status}: ${excerpt(body)}`
  if (refusals.has(status)) return { kind: 'reply', reply: { status: 'err', response: text } }
  // A front that gave up waiting (408, 425, 499, 502 to 504) may have passed it on before.
  return { kind: 'unknown', error: text }
}

function readInfo(outcome: HttpOutcome): Result<ReadAnswer, ReadFailure> {
  const unreachable = (text: string) => err({ kind: 'unreachable', text } as const)
  if (outcome.kind !== 'answer') return unreachable(outcome.error)
  const body = parse(outcome.body)
  if (body.ok) return ok({ status: outcome.status, body: body.value, bytes: outcome.body })
  if (outcome.status === 200)
    return unreachable('the venue answered 200 with a body that is not JSON')
  // Refusals of a read are plain text on the venue.
  return ok({ status: outcome.status, body: excerpt(outcome.body) })
}

function parse(body: Buffer): Result<Json> {
  try {
    return ok(JSON.parse(body.toString('utf8')) as Json)
  } catch {
    return err('not JSON')
  }
}

function excerpt(body: Buffer): string {
  return body.toString('utf8', 0, 300).trim()
}
