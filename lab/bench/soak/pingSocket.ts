import { WebSocket } from 'ws'

const unsentMax = 262_144
const ping = '{"method":"ping"}'

/** A WebSocket that only pings: in the venue's words and in the protocol's own. */
export class PingSocket {
  readonly #socket: WebSocket
  #heard = 0
  #asked = 0
  #waiting: { readonly upTo: number; readonly resolve: () => void }[] = []

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', () => {
      this.#heard += 1
      this.#wake()
    })
    socket.on('close', () => {
      this.#wake()
    })
    socket.on('error', () => undefined)
  }

  static open(url: string): Promise<PingSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { perMessageDeflate: false })
      socket.once('error', reject)
      socket.once('open', () => {
        resolve(new PingSocket(socket))
      })
    })
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN && this.#socket.bufferedAmount < unsentMax
  }

  /** Leaves every later answer unread, so that it has to wait at the other end. */
  stopReading(): void {
    this.#socket.pause()
  }

  send(count: number): void {
    for (let n = 0; n < count; n += 1) {
      if (n % 2 === 0) this.#socket.send(ping)
      else this.#socket.ping('x'.repeat(125))
    }
  }

  /** Until these are answered too, or the other side ends the connection. */
  async sendAndHear(count: number): Promise<void> {
    this.#asked += count
    const upTo = this.#asked
    for (let n = 0; n < count; n += 1) this.#socket.send(ping)
    await new Promise<void>((resolve) => {
      this.#waiting.push({ upTo, resolve })
      this.#wake()
    })
  }

  close(): void {
    this.#socket.terminate()
  }

  #wake(): void {
    this.#waiting = this.#waiting.filter(({ upTo, resolve }) => {
      const waits = this.isOpen && this.#heard < upTo
      if (!waits) resolve()
      return waits
    })
  }
}
