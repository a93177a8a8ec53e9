import { limits } from '../core/values/limits.ts'
import type { ChangeRecord, EventKind, GuardEvent } from '../core/events/guardEvent.ts'
import type { Json, WireAction } from '../core/protocol/action.ts'
import type { StatusView } from '../engine/statusView.ts'
import { SseParser } from './sseParser.ts'

/**
 * Reads a Guard: its events without missing one, its status, its decisions. Needs nothing but
 * `fetch`, so it runs in Node and in a browser.
 */
export interface GuardClient {
  /**
   * Every event after `since`, then each new one as it comes, for ever. Connects again by itself
   * and goes on where it was; throws `GapError` when events are missing, and `GuardHttpError` when
   * Guard refuses the request.
   */
  follow(since: number, options?: FollowOptions): AsyncGenerator<GuardEvent, void, undefined>
  status(): Promise<StatusView>
  /** Null when there is no such decision. */
  decision(nonce: number, client?: string): Promise<DecisionReply | null>
  /** The decision that an order with this client order id came from; null when there is none. */
  decisionOn(cloid: string): Promise<DecisionReply | null>
  /** What Guard would decide now; nothing is sent, reserved or recorded. */
  preview(action: WireAction, client?: string): Promise<Preview>
}

export interface FollowOptions {
  /** Ends the loop, without an error. */
  readonly signal?: AbortSignal
  /** Only these; the numbering then has holes by request, and gaps cannot be told. */
  readonly kinds?: readonly EventKind[]
  /** `poll` where a proxy does not let streams through. */
  readonly transport?: 'sse' | 'poll'
}

export interface DecisionReply {
  readonly decision: GuardEvent & { readonly kind: 'decision' }
  readonly sent: readonly (GuardEvent & { readonly kind: 'sent' })[]
}

export interface Preview {
  readonly verdict: 'allow' | 'resize' | 'veto'
  readonly code: string
  readonly text: string
  readonly changes: readonly string[]
  readonly change_records: readonly ChangeRecord[]
  readonly request: Json
  readonly pre: readonly WireAction[]
  readonly forward: WireAction | null
  readonly forward_more: readonly WireAction[]
  readonly post: readonly WireAction[]
  readonly entries: readonly PreviewEntry[]
  readonly account_age_ms: number | null
}

export interface PreviewEntry {
  readonly coin: string
  readonly side: string
  readonly requested_size: string
  readonly size: string
  readonly worst_price: string | null
  readonly stop: string | null
  readonly leverage: number | null
  readonly risk: string | null
  readonly verdict: 'allow' | 'resize' | 'veto'
  readonly code: string
  /** Of a builder dex's market what is known of it; left out on the main dex. */
  readonly dex?: PreviewDex
}

export interface PreviewDex {
  readonly name: string
  readonly stop_gap: string
  readonly stop_gap_usd: string | null
  readonly mark: string | null
  readonly oracle: string | null
  readonly mark_from_oracle: string | null
  readonly told_age_ms: number | null
  readonly at_cap: boolean | null
  readonly halted: boolean | null
  readonly documented_session: string | null
}

export interface ClientOptions {
  /** `http://127.0.0.1:8547` unless told otherwise. */
  readonly baseUrl?: string
  /** Only where Guard listens beyond its machine. */
  readonly token?: string
  readonly fetch?: typeof fetch
  /** Resolves after `ms`, or at once when the signal aborts; for tests. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Guard answered with an error: what it said. */
export class GuardHttpError extends Error {
  override readonly name = 'GuardHttpError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, text: string) {
    super(`Guard answered ${String(status)} ${code}: ${text}`)
    this.status = status
    this.code = code
  }
}

/**
 * Events are missing, or the numbering went back: this is another journal than before. Following
 * can go on from `received`, once whoever reads has decided what the gap means.
 */
export class GapError extends Error {
  override readonly name = 'GapError'
  readonly expected: number
  readonly received: number

  constructor(expected: number, received: number) {
    super(`expected event ${String(expected)}, and Guard is at ${String(received)}`)
    this.expected = expected
    this.received = received
  }
}

const backoffMs = [250, 500, 1_000, 2_000, 5_000, 10_000]
/** Guard says something every 15 s; a stream that says nothing for three times that is dead. */
const silenceMs = 45_000
const pollSeconds = 25
const pageMax = limits.eventsPageMax

async function findDecision(http: Http, query: string): Promise<DecisionReply | null> {
  try {
    return (await http.json(`/guard/decision?${query}`)) as DecisionReply
  } catch (error) {
    if (error instanceof GuardHttpError && error.status === 404) return null
    throw error
  }
}

export function createClient(options: ClientOptions = {}): GuardClient {
  const http = new Http(options)
  return {
    follow: (since, follow = {}) => followEvents(http, since, follow),
    status: async () => (await http.json('/guard/status')) as StatusView,
    decision: (nonce, client) => {
      const whose = client === undefined ? '' : `&client=${encodeURIComponent(client)}`
      return findDecision(http, `nonce=${String(nonce)}${whose}`)
    },
    decisionOn: (cloid) => findDecision(http, `cloid=${encodeURIComponent(cloid)}`),
    preview: async (action, client) => {
      const body = JSON.stringify(client === undefined ? { action } : { action, client })
      return (await http.json('/guard/preview', { method: 'POST', body })) as Preview
    },
  }
}

async function* followEvents(
  http: Http,
  since: number,
  { signal = new AbortController().signal, kinds, transport = 'sse' }: FollowOptions,
): AsyncGenerator<GuardEvent, void, undefined> {
  let last = since
  let failures = 0
  const isOver = (): boolean => signal.aborted
  while (!isOver()) {
    try {
      const events =
        transport === 'sse' ? stream(http, last, kinds, signal) : poll(http, last, kinds, signal)
      for await (const event of events) {
        failures = 0
        if (event.seq <= last) continue
        if (kinds === undefined && event.seq !== last + 1) throw new GapError(last + 1, event.seq)
        last = event.seq
        yield event
      }
    } catch (error) {
      if (isOver()) return
      if (error instanceof GapError || isRefusal(error)) throw error
    }
    if (isOver()) return
    await http.wait(backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 0, signal)
    failures += 1
  }
}

/** A request that will never be right; everything else is tried again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof GuardHttpError &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429

async function* stream(
  http: Http,
  since: number,
  kinds: readonly EventKind[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<GuardEvent, void, undefined> {
  const connection = new AbortController()
  const end = (): void => {
    connection.abort()
  }
  signal.addEventListener('abort', end)
  try {
    const response = await http.ask(`/guard/events?since=${String(since)}${kindQuery(kinds)}`, {
      headers: { Accept: 'text/event-stream' },
      signal: connection.signal,
    })
    checkRange(response, since)
    const parser = new SseParser()
    const decoder = new TextDecoder()
    for await (const chunk of chunks(http, response, connection)) {
      for (const { data } of parser.push(decoder.decode(chunk, { stream: true }))) {
        yield JSON.parse(data) as GuardEvent
      }
    }
  } finally {
    signal.removeEventListener('abort', end)
    connection.abort()
  }
}

/** The body in pieces, until it ends or says nothing for too long. */
async function* chunks(
  http: Http,
  response: Response,
  connection: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (!reader) return
  for (;;) {
    const heard = new AbortController()
    const silence = http.wait(silenceMs, heard.signal).then(() => null)
    const read = await Promise.race([reader.read(), silence])
    heard.abort()
    if (read === null) connection.abort()
    if (read === null || read.done) return
    yield read.value as Uint8Array
  }
}

async function* poll(
  http: Http,
  since: number,
  kinds: readonly EventKind[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<GuardEvent, void, undefined> {
  let last = since
  let isBehind = true
  for (;;) {
    const page = `since=${String(last)}${kindQuery(kinds)}`
    const memory = await http.ask(
      `/guard/events?${page}&wait=${String(isBehind ? 0 : pollSeconds)}`,
      { signal },
    )
    checkRange(memory, last)
    const { first } = rangeOf(memory)
    // What has left memory is on disk.
    isBehind = first > last + 1
    const answer = isBehind
      ? await http.ask(`/guard/events?${page}&source=journal&limit=${String(pageMax)}`, { signal })
      : memory
    const events = (await answer.json()) as GuardEvent[]
    yield* events
    last = events.at(-1)?.seq ?? last
    // With a filter, a short page only says that nothing older than memory fits.
    if (isBehind && events.length < pageMax) last = Math.max(last, first - 1)
  }
}

const kindQuery = (kinds: readonly EventKind[] | undefined): string =>
  kinds === undefined ? '' : `&kind=${kinds.join(',')}`

function rangeOf({ headers }: Response): { readonly first: number; readonly latest: number } {
  const number = (name: string): number => Number(headers.get(name) ?? 0)
  return { first: number('X-Guard-First-Seq'), latest: number('X-Guard-Last-Seq') }
}

/** A Guard whose last event is older than what was seen keeps another journal. */
function checkRange(response: Response, since: number): void {
  const { latest } = rangeOf(response)
  if (response.headers.has('X-Guard-Last-Seq') && latest < since)
    throw new GapError(since + 1, latest)
}

class Http {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly #base: string
  readonly #fetch: typeof fetch
  readonly #headers: Record<string, string>

  constructor({ baseUrl = 'http://127.0.0.1:8547', token, fetch: given, wait }: ClientOptions) {
    this.#base = baseUrl.replace(/\/+$/, '')
    this.#fetch = given ?? ((input, init) => fetch(input, init))
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    this.wait = wait ?? waitFor
  }

  async json(path: string, init?: RequestInit): Promise<unknown> {
    return (await this.ask(path, init)).json()
  }

  /** Throws `GuardHttpError` on anything but success. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.#headers, ...(init.headers as Record<string, string> | undefined) }
    const response = await this.#fetch(`${this.#base}${path}`, { ...init, headers })
    if (response.ok) return response
    throw await errorOf(response)
  }
}

/** What an answer that is no success says. */
export async function errorOf(response: Response): Promise<GuardHttpError> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { error: { code: string; text: string } }
    return new GuardHttpError(response.status, error.code, error.text)
  } catch {
    return new GuardHttpError(response.status, 'unknown', text.slice(0, 200))
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
