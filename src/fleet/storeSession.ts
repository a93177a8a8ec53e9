import type { Socket } from 'node:net'
import postgres from 'postgres'
import type { Timers } from '../engine/ports.ts'
import { within } from '../engine/within.ts'
import { openStoreSocket } from './storeSocket.ts'
import { placeOf } from './storeUrl.ts'
import type { StoreAddress } from './storeUrl.ts'

type StoreValue = string | number | boolean | null
/** Numbers of 64 bits come as text. */
export type StoreRow = Readonly<Record<string, unknown>>

/**
 * Why the store did not do what it was asked. `unreachable`: it was never asked; `refused`: it said
 * no, and nothing was done; `unknown`: no answer came, it may have been done or not.
 */
export class StoreError extends Error {
  readonly kind: 'unreachable' | 'refused' | 'unknown'
  /** The server's own code for its refusal, five characters; null where it did not refuse. */
  readonly code: string | null

  constructor(kind: StoreError['kind'], message: string, code: string | null = null) {
    super(message)
    this.name = 'StoreError'
    this.kind = kind
    this.code = code
  }
}

/** One connection to the store, until it breaks; it is never made again by itself. */
export interface StoreSession {
  /** Rejects with a `StoreError`. After one that is not `refused` the session has ended. */
  query(text: string, values?: readonly StoreValue[]): Promise<readonly StoreRow[]>
  readonly isOpen: boolean
  /** Ends it at once, whatever the server does. */
  close(): void
}

interface SessionOptions {
  readonly timers: Pick<Timers, 'after'>
  /** How long the store may take to let us in, and for each answer. */
  readonly openMs?: number
  readonly answerMs?: number
  /** Told of each notification: channel, and what was said. */
  readonly onNotify?: (channel: string, payload: string) => void
}

/** What a server says that starts, stops or is full: it lets nobody in now, whoever it is. */
const awayCodes: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300'])
const usualOpenMs = 5_000
const usualAnswerMs = 5_000

export type OpenSession = (address: StoreAddress, options: SessionOptions) => Promise<StoreSession>

/** Connects and speaks once, so that who is not let in hears it here. */
export const openSession: OpenSession = async (address, options) => {
  const session = new Session(address, options)
  await session.greet(options.openMs ?? usualOpenMs)
  return session
}

class Session implements StoreSession {
  readonly #address: StoreAddress
  readonly #options: SessionOptions
  readonly #sql: postgres.Sql
  /** The connection, and what encrypts it. */
  readonly #sockets: Socket[] = []
  #isOpen = true

  constructor(address: StoreAddress, options: SessionOptions) {
    this.#address = address
    this.#options = options
    const { host, port, database, user, password } = address
    const told = options.onNotify
    this.#sql = postgres({
      ...{ host, port, database, user, password: password ?? '', max: 1 },
      ssl: false,
      ...{ fetch_types: false, idle_timeout: 0, max_lifetime: null, connect_timeout: 0 },
      ...{ keep_alive: 30, backoff: false, prepare: true, sslnegotiation: null, debug: false },
      onnotice: () => undefined,
      connection: { application_name: 'guard' },
      // A socket of our own: it can be destroyed while the server hangs, and there is no second one.
      // It is encrypted already where it has to be.
      socket: () => this.#connect(),
      ...(told === undefined ? {} : { onnotify: told }),
      onclose: () => {
        this.close()
      },
    } as postgres.Options<Record<string, never>>)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  async greet(waitMs: number): Promise<void> {
    const greeted = await within(this.#options.timers, this.#sql.unsafe('select 1'), waitMs)
    if (greeted.kind === 'done') return
    this.close()
    const place = placeOf(this.#address)
    if (greeted.kind === 'late') {
      throw new StoreError('unreachable', `${place} has not answered within ${waitMs} ms`)
    }
    const { code, text } = serverError(greeted.error)
    const isAway = code === null || awayCodes.has(code)
    throw new StoreError(isAway ? 'unreachable' : 'refused', `${place}: ${text}`, code)
  }

  async query(text: string, values: readonly StoreValue[] = []): Promise<readonly StoreRow[]> {
    if (!this.#isOpen) throw new StoreError('unreachable', 'the connection has ended')
    const { timers, answerMs = usualAnswerMs } = this.#options
    const asked = this.#sql.unsafe(text, [...values], { prepare: values.length > 0 })
    const answered = await within(timers, asked, answerMs)
    if (answered.kind === 'done') return answered.value as unknown as readonly StoreRow[]
    if (answered.kind === 'late') {
      this.close()
      throw new StoreError('unknown', `no answer within ${answerMs} ms`)
    }
    const { code, text: why, isFinal } = serverError(answered.error)
    if (code !== null && !isFinal) throw new StoreError('refused', why, code)
    this.close()
    throw new StoreError('unknown', why, code)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    for (const socket of this.#sockets) socket.destroy()
    this.#sql.end({ timeout: 0 }).catch(() => undefined)
  }

  async #connect(): Promise<Socket> {
    if (this.#sockets.length > 0 || !this.#isOpen) throw new Error('the connection has ended')
    return await openStoreSocket(this.#address, (socket) => {
      this.#sockets.push(socket)
      if (!this.#isOpen) socket.destroy()
    })
  }
}

/** What the server said; `isFinal` where it ended the connection with it, and more than that is unknown. */
function serverError(error: unknown): {
  readonly code: string | null
  readonly text: string
  readonly isFinal: boolean
} {
  const { code, severity, message } = error as {
    readonly code?: unknown
    readonly severity?: unknown
    readonly message?: unknown
  }
  const text = typeof message === 'string' && message !== '' ? message : String(code ?? error)
  // Only what came from the server has a severity.
  if (typeof code !== 'string' || typeof severity !== 'string') {
    return { code: null, text, isFinal: true }
  }
  return { code, text, isFinal: severity !== 'ERROR' }
}
