import { limits } from '../core/values/limits.ts'
import type { Timers } from '../engine/ports.ts'
import type { Connect, ConnectionEnd, VenuePlace } from './connect.ts'
import { AnswerReader } from './httpAnswer.ts'
import type { Progress } from './httpAnswer.ts'
import type { HttpOutcome } from './httpOutcome.ts'

/** How connections are made. */
export interface Network {
  readonly connect: Connect
  readonly timers: Pick<Timers, 'after'>
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
  readonly #end: ConnectionEnd
  readonly #events: ConnectionEvents
  #isReady = false
  #underway: Underway | null = null
  /** Why it was given up before it stood. */
  #tooLate: Error | null = null

  constructor(place: VenuePlace, network: Network, events: ConnectionEvents) {
    const { connect, timers, connectMs } = network
    this.#events = events
    // One that hangs would hold its place among the connections long after the network is back.
    const stopWaiting = timers.after(connectMs, () => {
      this.#tooLate = new Error(`no connection within ${connectMs} ms`)
      this.close()
    })
    this.#end = connect(place, {
      onStanding: () => {
        stopWaiting()
        this.#isReady = true
        events.free(firstIdleMs)
      },
      onBytes: (received) => {
        this.#take(received)
      },
      onEnd: () => {
        if (this.#underway !== null) this.#settle(this.#underway.reader.end())
        this.close()
      },
      onClose: (error) => {
        stopWaiting()
        const text = textOf(error ?? this.#tooLate)
        this.giveUp(text)
        events.closed(this.#isReady ? null : text)
      },
    })
  }

  /** The connection must be free. */
  post(bytes: string): Promise<HttpOutcome> {
    return new Promise((finish) => {
      this.#underway = { reader: new AnswerReader(answerBytesMax), finish }
      this.#end.write(bytes)
    })
  }

  /** Nobody waits any longer for what is underway; its answer must not be taken for another's. */
  giveUp(error: string): void {
    this.#give({ kind: 'unknown', error })
    this.close()
  }

  close(): void {
    this.#end.destroy()
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

function textOf(error: Error | null): string {
  if (error === null) return 'the connection closed before the answer'
  return 'code' in error ? `${error.message} (${String(error.code)})` : error.message
}
