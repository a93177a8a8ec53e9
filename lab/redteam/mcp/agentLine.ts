import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { isObject } from '../../../src/core/protocol/fields.ts'
import { breach } from '../breach.ts'
import { ask, parsed } from '../talk.ts'
import type { Answer } from '../talk.ts'

/** What a tool gave back, and everything that came with it. */
export interface Called {
  readonly status: number
  readonly isError: boolean
  readonly text: string
  readonly data: Json
  readonly raw: string
}

/** A model gone bad, behind a host that passes on whatever it says: raw messages over HTTP. */
export class AgentLine {
  readonly url: string
  readonly #token: string
  #session: string | null = null
  #id = 0
  /** Everything that was heard since this was last asked. */
  #heard: string[] = []

  constructor(url: string, token: string) {
    this.url = url
    this.#token = token
  }

  /** Everything that was heard since, once. */
  takeHeard(): readonly string[] {
    const heard = this.#heard
    this.#heard = []
    return heard
  }

  /** Sends a body as it is; the session goes along unless another is named. */
  async post(body: string, headers: { readonly [name: string]: string } = {}): Promise<Answer> {
    const session = this.#session === null ? {} : { 'mcp-session-id': this.#session }
    const { origin, pathname } = new URL(this.url)
    const answer = await ask(origin, pathname, {
      body,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
        ...headers,
      },
    })
    this.#heard.push(answer.text, JSON.stringify(answer.headers))
    return answer
  }

  async open(): Promise<void> {
    this.#session = null
    const clientInfo = { name: 'red team', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const answer = await this.post(message('initialize', params, (this.#id += 1)))
    const session = answer.headers['mcp-session-id']
    if (typeof session !== 'string') breach('there is no session')
    else this.#session = session
    await this.post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  }

  /** One request of the protocol; the message that came back. */
  async ask(method: string, params: Json): Promise<{ answer: Answer; message: JsonObject }> {
    const answer = await this.post(message(method, params, (this.#id += 1)))
    return { answer, message: messageIn(answer) }
  }

  async call(name: string, given: Json): Promise<Called> {
    const { answer, message: said } = await this.ask('tools/call', { name, arguments: given })
    const { result, error } = said
    if (!isObject(result)) {
      const text = isObject(error) ? String(error['message']) : answer.text
      return { status: answer.status, isError: true, text, data: null, raw: answer.text }
    }
    const [first] = Array.isArray(result['content']) ? (result['content'] as readonly Json[]) : []
    return {
      status: answer.status,
      isError: result['isError'] === true,
      text: isObject(first) ? String(first['text']) : '',
      data: result['structuredContent'] ?? null,
      raw: answer.text,
    }
  }
}

function message(method: string, params: Json, id: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** The last message of an answer, which may be a stream of them. */
function messageIn({ text, json }: Answer): JsonObject {
  if (isObject(json)) return json
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'))
  const last = parsed(lines.at(-1)?.slice('data: '.length) ?? '')
  return isObject(last) ? last : {}
}
