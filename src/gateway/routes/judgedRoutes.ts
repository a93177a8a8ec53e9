import type { Reply } from '../../engine/guard.ts'
import type { GatewayGuard } from '../gatewayGuard.ts'
import { readBody } from '../http/readBody.ts'
import { retryHeaders, sendError, sendJson } from '../http/reply.ts'
import type { Call, Handler } from '../http/router.ts'

/** `POST /exchange`: the body's own bytes, because a signature covers them. */
export function exchangeRoute(guard: GatewayGuard, afterWrite: () => void): Handler {
  return async (call) => {
    const body = await readBody(call.request)
    if (body.kind === 'gone') return
    const reply =
      body.kind === 'too_long'
        ? await guard.refuseOverlong('http', call.requestId)
        : await guard.handleExchange(body.bytes, 'http', call.requestId)
    afterWrite()
    answer(call, reply, body.kind === 'too_long')
  }
}

/** `POST /guard/kill`: latches, and can only latch. */
export function killRoute(guard: GatewayGuard): Handler {
  return async (call) => {
    const body = await readBody(call.request)
    if (body.kind === 'whole')
      answer(call, await guard.handleKill(body.bytes, call.requestId), false)
    else if (body.kind === 'too_long') sendError(call.response, tooLarge)
  }
}

/** `POST /guard/preview`: what Guard would decide now; changes nothing. */
export function previewRoute(guard: GatewayGuard): Handler {
  return async (call) => {
    const body = await readBody(call.request)
    if (body.kind === 'whole') answer(call, await guard.preview(body.bytes), false)
    else if (body.kind === 'too_long') sendError(call.response, tooLarge)
  }
}

function answer({ response }: Call, { status, body }: Reply, isCutOff: boolean): void {
  sendJson(response, status, body, {
    ...retryHeaders(status),
    ...(isCutOff ? { Connection: 'close' } : {}),
  })
}

export const tooLarge = {
  status: 413,
  code: 'too_large',
  text: 'a body has at most 1 MiB',
  headers: { Connection: 'close' },
} as const
