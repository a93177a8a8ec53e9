import type { Json } from '../../../src/core/protocol/action.ts'
import { patched } from './jsonPatch.ts'
import type { HttpReply } from './transport.ts'

/** The venue's answers that are no answers, with its own texts. */

const plain = (status: number, body: string): HttpReply => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
})

export const jsonReply = (json: Json, status = 200): HttpReply => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(json),
})

export const notJson = plain(400, 'Failed to parse the request body as JSON')
export const unfit = plain(422, 'Failed to deserialize the JSON body into the target type')
export const wrongContentType = plain(415, 'Expected request with `Content-Type: application/json`')
export const wrongMethod: HttpReply = { status: 405, contentType: null, body: '' }
export const notFound = plain(404, 'Not Found')
export const failed: HttpReply = { status: 500, contentType: 'application/json', body: 'null' }

/** A front that gave up waiting: what it had asked for may be done all the same. */
export const timedOut = plain(408, 'Request Timeout')

/** The clock is on its way, and too many wait for it already. */
export const clockMoves = plain(503, 'The clock is being moved')

export const tooManyRequests = (body: string): HttpReply => ({
  status: 429,
  contentType: 'application/json',
  body,
})

/** The same answer with `status` in the place of each of its statuses; one without stays as it is. */
export function withStatuses(reply: HttpReply, status: Json): HttpReply {
  if (reply.status !== 200) return reply
  const json = JSON.parse(reply.body) as { response?: { data?: { statuses?: Json[] } } } | null
  const data = json?.response?.data
  if (!Array.isArray(data?.statuses)) return reply
  data.statuses = data.statuses.map(() => status)
  return { ...reply, body: JSON.stringify(json) }
}

/** The same answer with a patch laid over it; one that is no answer stays as it is. */
export function patchedReply(reply: HttpReply, patch: Json): HttpReply {
  if (reply.status !== 200) return reply
  return { ...reply, body: JSON.stringify(patched(JSON.parse(reply.body) as Json, patch)) }
}

/** What a fault puts in the place of an answer: JSON that breaks off. */
const garbageText = '{"status":"ok","respo'
export const garbage: HttpReply = {
  status: 200,
  contentType: 'application/json',
  body: garbageText,
}
