import type { Json } from '../../core/protocol/action.ts'
import { holdsTooManyValues } from '../../core/protocol/jsonValues.ts'
import type { ReadFailure } from '../../engine/ports.ts'
import { readBody } from '../http/readBody.ts'
import { retryHeaders, sendBytes, sendError } from '../http/reply.ts'
import type { HttpError } from '../http/reply.ts'
import type { Handler } from '../http/router.ts'
import type { InfoRequest } from '../info/infoPolicy.ts'
import type { InfoReader } from '../info/infoReader.ts'
import { notKept } from './judgedRoutes.ts'

/** `POST /info`: the venue's own reads. */
export function infoRoute(info: InfoReader): Handler {
  return async ({ request, response, room }) => {
    const body = await readBody(request, room)
    if (body.kind === 'gone') return
    if (body.kind !== 'whole') {
      sendError(response, notKept[body.kind])
      return
    }
    const asked = parseInfoRequest(body.bytes.toString('utf8'))
    if (asked === null) {
      sendError(response, notARead)
      return
    }
    const answer = await info.read(asked)
    if (!answer.ok) {
      sendError(response, errorOf(answer.error))
      return
    }
    // The venue's own refusal does not say when to come again.
    const later = retryHeaders(answer.status)
    if (answer.status !== 200 && typeof answer.value === 'string') {
      // The venue says what is wrong with a request in plain text.
      sendBytes(response, answer.status, 'text/plain; charset=utf-8', answer.value, later)
    } else sendBytes(response, answer.status, 'application/json', answer.bytes, later)
  }
}

/** Where Guard did not ask for want of weight, the client is told when to come again. */
function errorOf(failure: ReadFailure): HttpError {
  if (failure.kind === 'unreachable') {
    const text = `the venue did not answer the read: ${failure.text}`
    return { status: 502, code: 'venue_unreachable', text }
  }
  const seconds = Math.max(1, Math.ceil(failure.retryMs / 1_000))
  return {
    status: 429,
    code: 'rate_limited',
    text: failure.text,
    headers: { 'Retry-After': String(seconds) },
  }
}

/** Null when it is not a JSON object with a `type`, or one that holds more than any read does. */
function parseInfoRequest(text: string): InfoRequest | null {
  if (holdsTooManyValues(text)) return null
  try {
    return asInfoRequest(JSON.parse(text) as Json)
  } catch {
    return null
  }
}

export function asInfoRequest(value: Json): InfoRequest | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  const request = value as { readonly [key: string]: Json }
  return typeof request['type'] === 'string' ? (request as InfoRequest) : null
}

const notARead: HttpError = {
  status: 400,
  code: 'malformed',
  text: 'a read is one JSON object with a type, such as {"type":"allMids"}',
}
