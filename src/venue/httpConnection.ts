import { limits } from '../core/values/limits.ts'
import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AnswerReader } from './httpAnswer.ts'
import type { Progress } from './httpAnswer.ts'
import type { HttpOutcome } from './httpOutcome.ts'

/** Where the venue is. */
export interface VenuePlace {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** Whose certificates are believed instead of the usual authorities'. */
  readonly authority?: string | undefined
  /** After this a connection that does not stand is given up. */
  readonly connectMs: number
}

/** What a connection tells its owner. */
interface ConnectionEvents {
  /** The next request may come, within `idleMs`; at first when the connection stands. */
  readonly free: (idleMs: number) => void
  /** Once, when no request may come any more; `early` says why it never stood. */
  readonly closed: (early: string | null) => void
}

interface Underway {
  readonly reader: AnswerReader
  readonly finish: (outcome: HttpOutcome) => void
}

const answerBytesMax = limits.venueAnswerBytesMax
const firstIdleMs = 10_000

/**
 * One connection to the venue, one request at a time. It is free only once it stands, and a request
 * is written at once and as a whole: what was never given to a connection was provably not sent,
 * and of what was, any failure leaves unknown what became of it.
 */
export class HttpConnection {
  readonly #socket: Socket
  readonly #events: ConnectionEvents
  #isReady = false
  #underway: Underway | null = null
  #error: Error | null = null

  constructor(place: VenuePlace, events: ConnectionEvents) {
    this.#events = events
    this.#socket = open(place)
    const socket = this.#socket
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 10_000)
    // One that hangs would hold its place among the connections long after the network is back.
    const patience = setTimeout(() => {
      socket.destroy(new Error(`no connection within ${place.connectMs} ms`))
    }, place.connectMs)
    socket.once(place.isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(patience)
      this.#isReady = true
      events.free(firstIdleMs)
    })
    socket.on('data', (received: Buffer) => {
      this.#take(received)
    })
    socket.on('end', () => {
      if (this.#underway !== null) this.#settle(this.#underway.reader.end())
      this.close()
    })
    socket.on('error', (error) => {
      this.#error = error
    })
    socket.on('close', () => {
      clearTimeout(patience)
      const text = textOf(this.#error)
      this.giveUp(text)
      events.closed(this.#isReady ? null : text)
    })
  }

  /** The connection must be free. */
  post(bytes: string): Promise<HttpOutcome> {
    return new Promise((finish) => {
      this.#underway = { reader: new AnswerReader(answerBytesMax), finish }
      this.#socket.write(bytes)
    })
  }

  /** Nobody waits any longer for what is underway; its answer must not be taken for another's. */
  giveUp(error: string): void {
    this.#give({ kind: 'unknown', error })
    this.close()
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(received: Buffer): void {
    // Nobody asked: whatever it is, it must not be read as the answer to the next request.
    if (this.#underway === null) this.close()
    else this.#settle(this.#underway.reader.take(received))
  }

  #settle(progress: Progress): void {
    if (progress.kind === 'more') return
    if (progress.kind === 'bad') {
      this.giveUp(progress.error)
      return
    }
    const { idleMs, ...answer } = progress.answer
    this.#give({ kind: 'answer', ...answer })
    if (idleMs > 0) this.#events.free(idleMs)
    else this.close()
  }

  #give(outcome: HttpOutcome): void {
    const underway = this.#underway
    this.#underway = null
    underway?.finish(outcome)
  }
}

function open({ host, port, isTls, authority }: VenuePlace): Socket {
  if (!isTls) return connectTcp(port, host)
  // The name that the certificate must bear; an address has none to send.
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
  return connectTls({ host, port, ...name, ca: authority, ALPNProtocols: ['http/1.1'] })
}

function textOf(error: Error | null): string {
  if (error === null) return 'the connection closed before the answer'
  return 'code' in error ? `${error.message} (${String(error.code)})` : error.message
}
