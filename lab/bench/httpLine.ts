import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** Where the status stands in `HTTP/1.1 200 OK`. */
const statusAt = 9

/**
 * One kept connection that posts one request at a time. It does as little as a client can, so that
 * what is measured is the other side. Where the server has ended it meanwhile, as servers do with
 * the idle, the next request makes it anew.
 */
export class HttpLine {
  readonly #place: { readonly port: number; readonly hostname: string; readonly host: string }
  #socket: Socket
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #waiting: { resolve(body: string): void; reject(error: Error): void } | null = null
  #status = 0

  private constructor(url: string) {
    const { hostname, port, host } = new URL(url)
    this.#place = { port: Number(port), hostname, host }
    this.#socket = this.#connect()
  }

  static open(url: string): Promise<HttpLine> {
    return new Promise((resolve, reject) => {
      const line = new HttpLine(url)
      line.#socket.once('error', reject)
      line.#socket.once('connect', () => {
        resolve(line)
      })
    })
  }

  /** The HTTP status of the latest answer; 0 before the first. */
  get status(): number {
    return this.#status
  }

  post(path: string, body: string): Promise<string> {
    const head =
      `POST ${path} HTTP/1.1\r\nHost: ${this.#place.host}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    return this.#ask(head + body)
  }

  get(path: string): Promise<string> {
    return this.#ask(`GET ${path} HTTP/1.1\r\nHost: ${this.#place.host}\r\n\r\n`)
  }

  close(): void {
    this.#waiting = null
    this.#socket.destroy()
  }

  #connect(): Socket {
    const socket = connect(this.#place.port, this.#place.hostname)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      this.#take(chunk)
    })
    socket.on('error', (error) => {
      this.#fail(error)
    })
    socket.on('end', () => {
      socket.destroy()
      this.#fail(new Error('the connection was closed'))
    })
    return socket
  }

  #ask(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        this.#received = Buffer.alloc(0)
        this.#socket = this.#connect()
      }
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#received.toString('latin1', 0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      this.#fail(new Error(`an answer without a length: ${head.split('\r\n')[0] ?? ''}`))
      return
    }
    const whole = end + 4 + Number(length)
    if (this.#received.length < whole) return
    const body = this.#received.toString('utf8', end + 4, whole)
    this.#status = Number(head.slice(statusAt, statusAt + 3))
    this.#received = this.#received.subarray(whole)
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.resolve(body)
  }

  #fail(error: Error): void {
    const waiting = this.#waiting
    this.#waiting = null
    waiting?.reject(error)
  }
}
