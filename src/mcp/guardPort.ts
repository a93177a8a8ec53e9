import { createClient, errorOf, GuardHttpError } from '../client/client.ts'
import type { DecisionReply, GuardClient, Preview } from '../client/client.ts'
import type { Json, JsonObject, WireAction } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'
import { AgentError, GuardAway } from './agentError.ts'

export type Status = Awaited<ReturnType<GuardClient['status']>>

/** How Guard answered a signed request; `unknown` where nobody can tell whether it arrived. */
export type Delivery =
  | { readonly kind: 'answered'; readonly reply: JsonObject }
  | { readonly kind: 'not_sent'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }

interface EventsPage {
  readonly events: readonly JsonObject[]
  /** The number of the newest event that Guard holds. */
  readonly last: number
}

/** The running Guard's HTTP port: all that the server for agents ever talks to. */
export interface GuardPort {
  readonly url: string
  status(): Promise<Status>
  /** Null when there is no such decision. */
  decision(nonce: number, client: string | null): Promise<DecisionReply | null>
  decisionOn(cloid: string): Promise<DecisionReply | null>
  preview(action: WireAction, client: string | null): Promise<Preview>
  /** Events after `since`, oldest first; `kinds` is a list with commas, or empty for all. */
  events(since: number, kinds: string, limit: number): Promise<EventsPage>
  /** A read of the venue, passed on by Guard. */
  info(request: JsonObject): Promise<Json>
  /** Sends a signed request, once. */
  send(path: '/exchange' | '/guard/kill', request: JsonObject): Promise<Delivery>
  /** Resolves with the number of the newest event, once there is one after `since` or time is up. */
  newest(since: number, waitSeconds: number, signal: AbortSignal): Promise<number>
}

interface PortOptions {
  readonly url: string
  /** Only where Guard listens beyond its machine. */
  readonly token: string | null
  readonly fetch?: typeof fetch
}

/** Guard waits 5 s for the venue, and some more for its disk. */
const readMs = 10_000
const sendMs = 20_000

export function openGuardPort({ url, token, fetch: given = fetch }: PortOptions): GuardPort {
  const base = url.replace(/\/+$/, '')
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const timed: typeof fetch = (input, init) =>
    given(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(readMs) })
  const client = createClient({
    baseUrl: base,
    fetch: timed,
    ...(token === null ? {} : { token }),
  })
  const told = <T>(ask: () => Promise<T>): Promise<T> => inWords(base, ask)
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...authorization, ...(init.headers as Record<string, string> | undefined) }
    const response = await timed(`${base}${path}`, { ...init, headers })
    if (response.ok) return response
    throw await errorOf(response)
  }
  return {
    url: base,
    status: () => told(() => client.status()),
    decision: (nonce, who) => told(() => client.decision(nonce, who ?? undefined)),
    decisionOn: (cloid) => told(() => client.decisionOn(cloid)),
    preview: (action, who) => told(() => client.preview(action, who ?? undefined)),
    events: (since, kinds, limit) =>
      told(async () => {
        const kind = kinds === '' ? '' : `&kind=${kinds}`
        const page = `since=${String(since)}&source=journal&limit=${String(limit)}${kind}`
        const response = await ask(`/guard/events?${page}`)
        const last = Number(response.headers.get('X-Guard-Last-Seq') ?? 0)
        return { events: (await response.json()) as readonly JsonObject[], last }
      }),
    info: (request) =>
      told(async () => (await (await ask('/info', posted(request))).json()) as Json),
    send: (path, request) => deliver(given, `${base}${path}`, request),
    newest: async (since, waitSeconds, signal) => {
      const path = `/guard/events?since=${String(since)}&wait=${String(waitSeconds)}&limit=1`
      const both = AbortSignal.any([signal, AbortSignal.timeout(readMs + waitSeconds * 1_000)])
      const response = await ask(path, { signal: both })
      await response.arrayBuffer()
      return Number(response.headers.get('X-Guard-Last-Seq') ?? 0)
    },
  }
}

function posted(body: JsonObject): RequestInit {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

async function deliver(given: typeof fetch, url: string, request: JsonObject): Promise<Delivery> {
  try {
    const init = { ...posted(request), signal: AbortSignal.timeout(sendMs) }
    const response = await given(url, init)
    const text = await response.text()
    if (response.status === 429)
      return { kind: 'not_sent', why: 'too many refusals; wait a second' }
    if (response.status === 503) return { kind: 'not_sent', why: 'Guard has no room for it now' }
    const reply = JSON.parse(text) as Json
    if (response.ok && isObject(reply)) return { kind: 'answered', reply }
    const why = `Guard answered HTTP ${String(response.status)}`
    // Who fails while answering, or answers nonsense, may have sent it before.
    const isRefused = response.status >= 400 && response.status < 500
    return { kind: isRefused ? 'not_sent' : 'unknown', why }
  } catch (error) {
    if (isUnreachable(error)) return { kind: 'not_sent', why: 'no Guard answers there' }
    return { kind: 'unknown', why: 'the connection to Guard broke before its answer came' }
  }
}

/** The same failure as an agent should hear it, with what to do next. */
async function inWords<T>(url: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AgentError) throw error
    if (error instanceof GuardHttpError) throw worded(error)
    if (isUnreachable(error)) {
      throw new GuardAway(
        `No Guard answers at ${url}: it is not running, or it is just starting`,
        'Nothing was sent now. Ask the person at the machine to start it with `guard run`, or try again in some seconds.',
      )
    }
    throw new GuardAway(
      'Guard did not answer in time',
      'Nothing was sent now. It may be restarting: try again in some seconds; stops that rest at the venue stay there meanwhile.',
    )
  }
}

function worded({ status, code, message }: GuardHttpError): AgentError {
  switch (status) {
    case 401:
    case 403:
      return new AgentError(
        `Guard does not let this server read (${code})`,
        'The person who started `guard mcp` has to give it the right --url and --guard-token-file.',
      )
    case 429:
      return new AgentError('Guard has no request weight left for reads', 'Wait some seconds.')
    case 502:
      return new AgentError(
        'The venue does not answer Guard',
        'Prices and books cannot be read now. guard_status still works, and close_position still goes.',
      )
    case 503:
      return new GuardAway('Guard is not ready yet', 'It is recovering; try again in some seconds.')
    default:
      return new AgentError(`Guard refused the read (${code})`, hintOf(message))
  }
}

const hintOf = (message: string): string =>
  /unknown_(nonce|cloid)/.test(message)
    ? 'Check the number: guard_events lists the decisions.'
    : 'Check the arguments.'

/** Nobody took the connection, so nothing can have arrived. */
function isUnreachable(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : null
  const codes = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']
  if (cause instanceof AggregateError) return cause.errors.every((each) => hasCode(each, codes))
  return hasCode(cause, codes)
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
