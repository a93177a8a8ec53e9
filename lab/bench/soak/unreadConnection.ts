import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** What may wait here to be sent; a connection that is so far behind is given up. */
const unsentMax = 262_144

/** A connection that asks and never reads an answer. */
export class UnreadConnection {
  readonly #socket: Socket
  readonly #host: string

  constructor(url: string) {
    const { hostname, port, host } = new URL(url)
    this.#host = host
    this.#socket = connect(Number(port), hostname)
    this.#socket.on('error', () => undefined)
    this.#socket.pause()
  }

  /** Whether the other side still takes what is sent. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writableLength < unsentMax
  }

  get(path: string, accept = '*/*'): void {
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nAccept: ${accept}\r\n\r\n`)
  }

  /** All of them in one piece, one behind the other. */
  post(path: string, bodies: readonly string[]): void {
    const texts = bodies.map(
      (body) =>
        `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    this.#socket.write(texts.join(''))
  }

  close(): void {
    this.#socket.destroy()
  }
}
