import { connect } from 'node:net'
import type { Socket } from 'node:net'

/**
 * One kept connection that posts one request at a time. It does as little as a client can, so that
 * what is measured is the other side.
 */
export class HttpLine {
  readonly #socket: Socket
  readonly #host: string
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #waiting: { resolve(body: string): void; reject(error: Error): void } | null = null

  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      this.#take(chunk)
    })
    socket.on('error', (error) => {
      this.#fail(error)
    })
    socket.on('close', () => {
      this.#fail(new Error('the connection was closed'))
    })
  }

  static open(url: string): Promise<HttpLine> {
    const { hostname, port, host } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new HttpLine(socket, host))
      })
    })
  }

  post(path: string, body: string): Promise<string> {
    const head =
      `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    return this.#ask(head + body)
  }

  get(path: string): Promise<string> {
    return this.#ask(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n\r\n`)
  }

  close(): void {
    this.#waiting = null
    this.#socket.destroy()
  }

  #ask(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      if (this.#socket.destroyed) this.#fail(new Error('the connection was closed'))
      else this.#socket.write(request)
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
