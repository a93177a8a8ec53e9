import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AnswerReader } from './httpAnswer.ts'
import type { Progress } from './httpAnswer.ts'
import type { HttpOutcome } from './httpOutcome.ts'

/** Where the venue is. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** Whose certificates are believed instead of the usual authorities'. */
  readonly authority?: string | undefined
}

/** A request on its way: its bytes, and who waits for what comes of it. */
interface Underway {
  readonly bytes: string
  readonly reader: AnswerReader
  readonly finish: (outcome: HttpOutcome) => void
}

const answerBytesMax = 64 * 1_048_576

/**
 * One connection to the venue, one request at a time. A request is written once, as a whole, and
 * only when the connection stands: a failure before that is proof that nothing was sent.
 */
export class HttpConnection {
  readonly #socket: Socket
  readonly #onIdle: (idleMs: number) => void
  #isReady = false
  #isClosed = false
  #underway: Underway | null = null
  #error: Error | null = null

  /** `onIdle` is told when the next request may come, and `onClose` once, when none may. */
  constructor(place: Place, onIdle: (idleMs: number) => void, onClose: () => void) {
    this.#onIdle = onIdle
    const { host, port } = place
    this.#socket = place.isTls
      ? connectTls({
          host,
          port,
          ca: place.authority,
          ...tlsName(host),
          ALPNProtocols: ['http/1.1'],
        })
      : connectTcp(port, host)
    const socket = this.#socket
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 10_000)
    socket.once(place.isTls ? 'secureConnect' : 'connect', () => {
      this.#isReady = true
      this.#write()
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
      this.#isClosed = true
      this.#give(this.#failed(textOf(this.#error)))
      onClose()
    })
  }

  /** The connection must be idle. */
  post(bytes: string, timeoutMs: number): Promise<HttpOutcome> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        const what = this.#isReady ? 'answer' : 'connection'
        this.#give(this.#failed(`no ${what} within ${timeoutMs} ms`))
        this.close()
      }, timeoutMs)
      const finish = (outcome: HttpOutcome): void => {
        clearTimeout(timer)
        resolve(outcome)
      }
      this.#underway = { bytes, reader: new AnswerReader(answerBytesMax), finish }
      if (this.#isClosed) this.#give(this.#failed('the connection is closed'))
      else if (this.#isReady) this.#write()
    })
  }

  close(): void {
    this.#isClosed = true
    this.#socket.destroy()
  }

  #write(): void {
    if (this.#underway !== null && !this.#isClosed) this.#socket.write(this.#underway.bytes)
  }

  #take(received: Buffer): void {
    // Nobody asked: whatever it is, it must not be read as the answer to the next request.
    if (this.#underway === null) this.close()
    else this.#settle(this.#underway.reader.take(received))
  }

  #settle(progress: Progress): void {
    if (progress.kind === 'more') return
    if (progress.kind === 'bad') {
      this.#give({ kind: 'unknown', error: progress.error })
      this.close()
      return
    }
    const { status, body, idleMs } = progress.answer
    this.#give({ kind: 'answer', status, body })
    if (idleMs > 0) this.#onIdle(idleMs)
    else this.close()
  }

  #failed(error: string): HttpOutcome {
    return { kind: this.#isReady ? 'unknown' : 'not_sent', error }
  }

  #give(outcome: HttpOutcome): void {
    const underway = this.#underway
    this.#underway = null
    underway?.finish(outcome)
  }
}

/** The name that the certificate must bear; an address has none to send. */
function tlsName(host: string): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host }
}

function textOf(error: Error | null): string {
  if (error === null) return 'the connection closed before the answer'
  return 'code' in error ? `${error.message} (${String(error.code)})` : error.message
}
