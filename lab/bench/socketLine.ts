import { WebSocket } from 'ws'
import type { JsonObject } from '../../src/core/protocol/action.ts'

/** One WebSocket on which actions are posted one at a time. */
export class SocketLine {
  readonly #socket: WebSocket
  #id = 0
  #waiting: ((frame: string) => void) | null = null

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      const frame = data.toString('utf8')
      if (!frame.includes('"post"')) return
      const waiting = this.#waiting
      this.#waiting = null
      waiting?.(frame)
    })
  }

  static open(url: string): Promise<SocketLine> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { perMessageDeflate: false })
      socket.once('error', reject)
      socket.once('open', () => {
        resolve(new SocketLine(socket))
      })
    })
  }

  post(body: string): Promise<string> {
    this.#id += 1
    const frame = `{"method":"post","id":${this.#id},"request":{"type":"action","payload":${body}}}`
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#socket.send(frame)
    })
  }

  /** From now on the venue tells this too; what it tells is passed over. */
  subscribe(subscription: JsonObject): void {
    this.#socket.send(JSON.stringify({ method: 'subscribe', subscription }))
  }

  close(): void {
    this.#socket.terminate()
  }
}
