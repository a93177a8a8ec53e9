import { request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { EventBody, EventKind, GuardEvent } from '../core/events/guardEvent.ts'
import type { Json } from '../core/protocol/action.ts'
import { limits } from '../core/values/limits.ts'
import { millis } from '../core/values/millis.ts'
import type { Reply } from '../engine/guard.ts'
import type { Clock, EventReader, Log, ReadFailure, Timers } from '../engine/ports.ts'
import type { StatusView } from '../engine/statusView.ts'
import { openSocket } from '../venue/socket.ts'
import { gatherMs } from './events/eventHub.ts'
import { startGateway } from './gateway.ts'
import type { GatewayGuard } from './gatewayGuard.ts'
import type { Gateway, GatewayOptions } from './gatewayOptions.ts'
import { createMetrics } from './metrics/guardMetrics.ts'
import { account, fakeStatus } from './status.fixture.ts'

/** Builders for tests of the gateway: everything real but Guard, the journal and time. */

export class FakeTime implements Clock, Timers {
  ms = 1_794_700_000_000
  #setByMs = 0
  readonly #tasks = new Set<{
    at: number
    readonly every: number | null
    readonly task: () => void
  }>()

  now() {
    return millis(this.ms + this.#setByMs)
  }
  /** Somebody sets the clock, ahead or back; no time passes. */
  setBy(ms: number) {
    this.#setByMs += ms
  }
  monotonicMs() {
    return this.ms
  }
  after(ms: number, task: () => void) {
    return this.#add({ at: this.ms + ms, every: null, task })
  }
  every(ms: number, task: () => void) {
    return this.#add({ at: this.ms + ms, every: ms, task })
  }
  /** Moves time forward, running what falls due, in order. */
  advance(ms: number) {
    const end = this.ms + ms
    for (;;) {
      const [due] = [...this.#tasks].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (!due) break
      this.ms = due.at
      if (due.every === null) this.#tasks.delete(due)
      else due.at += due.every
      due.task()
    }
    this.ms = end
  }
  #add(entry: { at: number; readonly every: number | null; readonly task: () => void }) {
    this.#tasks.add(entry)
    return () => {
      this.#tasks.delete(entry)
    }
  }
}

/** A journal in memory whose window for readers is as small as a test wants it. */
export class FakeReader implements EventReader {
  readonly all: GuardEvent[] = []
  readonly #listeners = new Set<(event: GuardEvent) => void>()
  readonly window: number
  pages = 0
  /** Called before a page is answered, as if the disk took its time. */
  beforePage: () => Promise<void> = () => Promise.resolve()

  constructor(window: number = limits.eventsInMemory) {
    this.window = window
  }
  get firstSeq() {
    return Math.max(1, this.all.length - this.window + 1)
  }
  get lastSeq() {
    return this.all.length
  }
  since(since: number) {
    return this.all.slice(Math.max(since, this.firstSeq - 1))
  }
  async page(since: number, limit: number, kinds: readonly EventKind[] | null) {
    this.pages += 1
    await this.beforePage()
    return this.all
      .slice(since)
      .filter(({ kind }) => kinds === null || kinds.includes(kind))
      .slice(0, limit)
  }
  subscribe(listener: (event: GuardEvent) => void) {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }
  decision(nonce: number, client: string | null) {
    const decision = this.all.findLast(
      (event) =>
        event.kind === 'decision' &&
        event.nonce === nonce &&
        (client === null || event.client === client),
    )
    return this.#found(decision)
  }
  decisionOn(cloid: string) {
    return this.#found(
      this.all.findLast(
        (event) => event.kind === 'decision' && JSON.stringify(event).includes(cloid),
      ),
    )
  }
  #found(decision: GuardEvent | undefined) {
    if (!decision) return Promise.resolve(null)
    const sent = this.all.filter(
      (event) => event.kind === 'sent' && event.decision === decision.seq,
    )
    return Promise.resolve({ decision, sent })
  }
  add(body: EventBody) {
    const event = { seq: this.all.length + 1, at_ms: 1_794_700_000_000, ...body }
    this.all.push(event)
    this.emit(event)
    return event
  }
  /** Tells the followers about an event that is in `all` already. */
  emit(event: GuardEvent) {
    for (const listener of this.#listeners) listener(event)
  }
  addErrors(count: number, text = 'x') {
    for (let index = 0; index < count; index += 1) this.add({ kind: 'error', text })
  }
}

class FakeGuard implements GatewayGuard {
  readonly bodies: { readonly body: string; readonly via: string }[] = []
  /** The ids of the requests that reached Guard. */
  readonly requests: (string | undefined)[] = []
  overlong: string[] = []
  readonly notServed: string[] = []
  overlongReply: Reply = {
    status: 413,
    body: { status: 'err', response: 'Guard veto [malformed]: too long', code: 'malformed' },
  }
  reply: Reply = { status: 200, body: { status: 'ok', response: { type: 'default' } } }
  notReady: string | null = null
  accountReads: ((request: Json) => Json | null) | null = null
  beforeReply: () => Promise<void> = () => Promise.resolve()
  statusChanges: Partial<StatusView> = {}

  async handleExchange(body: Uint8Array, via: 'http' | 'ws', request?: string) {
    this.requests.push(request)
    this.bodies.push({ body: Buffer.from(body).toString('utf8'), via })
    await this.beforeReply()
    return this.reply
  }
  refuseOverlong(via: 'http' | 'ws' | 'kill') {
    this.overlong.push(via)
    return Promise.resolve(this.overlongReply)
  }
  unserved(what: string) {
    this.notServed.push(what)
  }
  handleKill(body: Uint8Array, request?: string) {
    this.requests.push(request)
    this.bodies.push({ body: Buffer.from(body).toString('utf8'), via: 'kill' })
    return Promise.resolve(this.reply)
  }
  preview(body: Uint8Array) {
    return { status: 200, body: { length: body.length } }
  }
  status() {
    return { ...fakeStatus, ...this.statusChanges }
  }
  ready() {
    return this.notReady === null
      ? ({ ok: true } as const)
      : ({ ok: false, reason: this.notReady } as const)
  }
  /** What bots' client order ids name, by those ids. */
  readonly idsOfNames = new Map<string, string>()
  readonly names = {
    idOf: (name: string) => this.idsOfNames.get(name) ?? name,
    nameOf: (id: string) => [...this.idsOfNames].find(([, each]) => each === id)?.[0] ?? null,
  }
  accountRead(request: Json) {
    return this.accountReads?.(request) ?? null
  }
}

class FakeVenue {
  readonly asked: Json[] = []
  answer: (request: { readonly [key: string]: Json }) => Json = (request) => {
    if (request['type'] === 'meta') return { universe: [{ name: 'BTC' }, { name: 'kPEPE' }] }
    if (request['type'] === 'allMids') return { BTC: '100.5', '@107': '3.0' }
    return null
  }
  status = 200
  error: ReadFailure | null = null
  before: () => Promise<void> = () => Promise.resolve()

  async info(request: Json) {
    this.asked.push(request)
    await this.before()
    if (this.error !== null) return { ok: false as const, error: this.error }
    const body = this.answer(request as { readonly [key: string]: Json })
    return { ok: true as const, value: { status: this.status, body } }
  }
}

export interface Rig {
  readonly gateway: Gateway
  readonly guard: FakeGuard
  readonly reader: FakeReader
  readonly venue: FakeVenue
  readonly time: FakeTime
  readonly logged: string[]
  readonly options: GatewayOptions
  ask(path: string, init?: Ask): Promise<Answer>
}

export async function startRig(
  changes: Partial<GatewayOptions> = {},
  window?: number,
): Promise<Rig> {
  const guard = new FakeGuard()
  const reader = new FakeReader(window)
  const venue = new FakeVenue()
  const time = new FakeTime()
  const logged: string[] = []
  const log: Log = { log: (level, message) => void logged.push(`${level} ${message}`) }
  const options: GatewayOptions = {
    listen: { host: '127.0.0.1', port: 0, exposed: null },
    guard,
    reader,
    venue,
    upstreamUrl: 'ws://127.0.0.1:9/ws',
    openSocket,
    account,
    assets: new Map(),
    clock: time,
    timers: time,
    log,
    metrics: createMetrics(),
    version: '0.1.0',
    ...changes,
  }
  const gateway = await startGateway(options)
  gatherSoon(reader, time)
  return {
    gateway,
    guard,
    reader,
    venue,
    time,
    logged,
    options,
    ask: (path, init) => ask(gateway.port, path, init),
  }
}

/** After new events the time passes in which readers are not yet told. */
function gatherSoon(reader: FakeReader, time: FakeTime): void {
  let isDue = false
  reader.subscribe(() => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      time.advance(gatherMs)
    })
  })
}

interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  readonly timeoutMs?: number
}
interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: any
}

/** A plain HTTP request whose path and Host go out exactly as given. */
export function ask(port: number, path: string, init: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = init.method ?? (init.body === undefined ? 'GET' : 'POST')
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, headers: init.headers ?? {}, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: /json/.test(response.headers['content-type'] ?? '') ? JSON.parse(text) : null,
          })
        })
      },
    )
    request.on('error', reject)
    request.end(init.body)
  })
}

/** Resolves as soon as `check` gives something; only real sockets are waited for. */
export async function until<T>(check: () => T | null | undefined | false): Promise<T> {
  const giveUp = performance.now() + 90_000
  while (performance.now() < giveUp) {
    const value = check()
    if (value !== null && value !== undefined && value !== false) return value
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error('it never happened')
}
