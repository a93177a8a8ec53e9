import type { Reply } from '../../engine/guard.ts'
import type { GatewayGuard } from '../gatewayGuard.ts'
import { readBody } from '../http/readBody.ts'
import type { RequestTurns } from '../http/requestTurns.ts'
import { retryHeaders, sendError, sendJson } from '../http/reply.ts'
import type { Call, Handler } from '../http/router.ts'

/** `POST /exchange`: the body's own bytes, because a signature covers them. */
export function exchangeRoute(
  guard: GatewayGuard,
  turns: RequestTurns,
  afterWrite: () => void,
): Handler {
  return async (call) => {
    const body = await readBody(call.request, call.room)
    if (body.kind === 'gone') return
    if (body.kind === 'no_room') {
      guard.unserved('bodies')
      sendError(call.response, noRoom)
      return
    }
    const reply =
      body.kind === 'too_long'
        ? await guard.refuseOverlong('http', call.requestId)
        : await turns.exchange(call.request.socket, () =>
            guard.handleExchange(body.bytes, 'http', call.requestId),
          )
    afterWrite()
    answer(call, reply, body.kind === 'too_long')
  }
}

/** `POST /guard/kill`: latches, and can only latch. */
export function killRoute(guard: GatewayGuard): Handler {
  return async (call) => {
    const body = await readBody(call.request, call.room)
    if (body.kind === 'whole')
      answer(call, await guard.handleKill(body.bytes, call.requestId), false)
    else if (body.kind === 'no_room') {
      guard.unserved('bodies')
      sendError(call.response, noRoom)
    } else if (body.kind === 'too_long') {
      const reply = await guard.refuseOverlong('kill', call.requestId)
      if (reply.status === 429) answer(call, reply, true)
      else sendError(call.response, tooLarge)
    }
  }
}

/** `POST /guard/preview`: what Guard would decide now; changes nothing. */
export function previewRoute(guard: GatewayGuard): Handler {
  return async (call) => {
    const body = await readBody(call.request, call.room)
    if (body.kind === 'whole') answer(call, await guard.preview(body.bytes), false)
    else if (body.kind !== 'gone') sendError(call.response, notKept[body.kind])
  }
}

function answer({ response }: Call, { status, body }: Reply, isCutOff: boolean): void {
  sendJson(response, status, body, {
    ...retryHeaders(status),
    ...(isCutOff ? { Connection: 'close' } : {}),
  })
}

const tooLarge = {
  status: 413,
  code: 'too_large',
  text: 'a body has at most 1 MiB',
  headers: { Connection: 'close' },
} as const

const noRoom = {
  status: 503,
  code: 'no_room',
  text: 'too many large requests at once; this one was not read',
  headers: { 'Retry-After': '1' },
} as const

/** What a client is told of a body that was not kept. */
export const notKept = { too_long: tooLarge, no_room: noRoom } as const
