import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'

/** An answer of the local port; it goes out with the id under which it stands in the log. */
export class Answer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  requestId = ''
  /** Called after each piece of the body was written: what the reader leaves unread is counted then. */
  wasWritten: () => void = () => undefined
  /** Whether it is worth making a long answer: false once its connection is gone, or reads nothing. */
  isWorthMaking: () => boolean = () => true
  #hasEnded = false
  readonly #atTheEnd: (() => void)[] = []

  /** Whether all of it was given, or its connection is gone: nothing is to be made or kept for it. */
  get isOver(): boolean {
    return this.#hasEnded || this.req.socket.destroyed
  }

  /**
   * Calls `then` once it is over; at once when it is. Node's own `close` does not do: an answer that
   * waits behind another one on its connection never hears that the connection is gone.
   */
  whenOver(then: () => void): void {
    if (this.#hasEnded) then()
    else this.#atTheEnd.push(then)
  }

  /** To be called when it was given and when its connection closes, whichever comes first. */
  over(): void {
    this.#hasEnded = true
    for (const then of this.#atTheEnd.splice(0)) then()
  }

  /** Ends its connection, and with it the answers before and behind it. */
  cutOff(): void {
    this.req.socket.destroy()
  }
}
