import type { Reply } from '../../engine/guard.ts'
import type { GatewayOptions } from '../gatewayOptions.ts'
import { noteAnswer } from '../http/noteAnswer.ts'
import type { LaneOptions } from '../http/orderLane.ts'
import type { RequestTurns } from '../http/requestTurns.ts'
import { errorBody, headOf, internalError, retryHeaders } from '../http/reply.ts'

/** Answers an order of the lane with the very headers it would have had from the server. */
export function laneOrders(
  { guard, metrics, clock, log }: GatewayOptions,
  nextId: () => string,
  turns: RequestTurns,
  afterWrite: () => void,
): LaneOptions['answer'] {
  let date = { second: NaN, text: '' }
  const dateText = (): string => {
    const second = Math.floor(clock.now() / 1_000)
    if (second !== date.second) date = { second, text: new Date(second * 1_000).toUTCString() }
    return date.text
  }
  return async (body, connection) => {
    const startedAt = clock.monotonicMs()
    const requestId = nextId()
    const handle = (): Promise<Reply> => guard.handleExchange(body, 'http', requestId)
    const reply = await turns.exchange(connection, handle).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error)
      log.log('error', 'a request failed', { request: requestId, path: '/exchange', error: text })
      return { status: internalError.status, body: errorBody(internalError) }
    })
    afterWrite()
    const { status } = reply
    return {
      status,
      head: [
        ...headOf({ requestId }, 'application/json', retryHeaders(status)),
        'Date',
        dateText(),
      ],
      body: JSON.stringify(reply.body),
      after: () => {
        const ms = clock.monotonicMs() - startedAt
        noteAnswer(metrics, log, { method: 'POST', route: '/exchange', requestId, status, ms })
      },
    }
  }
}
