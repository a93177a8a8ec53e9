import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface Post {
  readonly path: string
  readonly body: string
}

interface Answered {
  readonly status: number
  readonly body: string
}

/** Where the status stands in `HTTP/1.1 200 OK`. */
const statusAt = 9

/**
 * One connection that sends several requests in one piece and then reads all their answers: whoever
 * sends the most with the least processor time does it so, and what it takes, Guard cannot have.
 */
export class HostileLine {
  readonly #host: string
  readonly #socket: Socket
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #answers: Answered[] = []
  #wanted = 0
  #wake: () => void = () => undefined

  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      this.#take(chunk)
    })
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        socket.destroy()
        this.#wake()
      })
    }
  }

  static open(url: string): Promise<HostileLine> {
    const { hostname, port, host } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      socket.once('error', reject)
      socket.once('connect', () => {
        resolve(new HostileLine(socket, host))
      })
    })
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Their answers in order; fewer than were asked for where the other side has ended it. */
  async postAll(posts: readonly Post[]): Promise<readonly Answered[]> {
    this.#answers = []
    this.#wanted = posts.length
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      if (this.#socket.destroyed) resolve()
      else this.#socket.write(posts.map((each) => this.#textOf(each)).join(''))
    })
    return this.#answers
  }

  close(): void {
    this.#socket.destroy()
  }

  #textOf({ path, body }: Post): string {
    return (
      `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = this.#received.toString('latin1', 0, end)
      const whole = end + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      if (this.#received.length < whole) return
      const body = this.#received.toString('utf8', end + 4, whole)
      this.#answers.push({ status: Number(head.slice(statusAt, statusAt + 3)), body })
      this.#received = this.#received.subarray(whole)
      if (this.#answers.length === this.#wanted) this.#wake()
    }
  }
}
