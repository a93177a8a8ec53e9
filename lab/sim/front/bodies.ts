import type { Json } from '../../../src/core/protocol/action.ts'
import { parseJson } from '../../../src/core/protocol/strictJson.ts'
import type { Envelope } from './exchange/readEnvelope.ts'
import type { PostAnswer } from './stream/socketDesk.ts'
import type { HttpReply } from './transport.ts'

/** An answer on the socket: the same body, wrapped; what has another status is an error there. */
export function postAnswer(reply: HttpReply, wrap: (data: Json) => Json): PostAnswer {
  const json = parseBody(reply.body)
  if (reply.status === 200) {
    return json === undefined
      ? { kind: 'raw', text: reply.body }
      : { kind: 'response', response: wrap(json) }
  }
  const payload = reply.body === '' || reply.body === 'null' ? String(reply.status) : reply.body
  return { kind: 'response', response: { type: 'error', payload } }
}

/** Undefined when the text is no JSON; a key given twice is JSON that fits nothing. */
export function parseBody(text: string): Json | undefined {
  const parsed = parseJson(text)
  if (parsed.ok) return parsed.value
  try {
    JSON.parse(text)
    return null
  } catch {
    return undefined
  }
}

/** One, and one more for each forty entries of a batch. */
export function exchangeWeight(envelope: Envelope | null): number {
  const lists = ['orders', 'cancels', 'modifies'].map((name) => envelope?.sent[name])
  const list = lists.find((each) => Array.isArray(each))
  return 1 + Math.floor((Array.isArray(list) ? list.length : 0) / 40)
}
