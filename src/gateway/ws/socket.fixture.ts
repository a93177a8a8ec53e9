import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { until } from '../gateway.fixture.ts'

/** A venue's socket under a test's hand: it acknowledges, and says what the test lets it say. */
export class FakeUpstream {
  readonly url: string
  readonly sockets: { readonly socket: WebSocket; readonly got: any[] }[] = []
  acknowledges = true
  /** Drops the connection on a subscription to this coin, as the venue does. */
  poison: string | null = null
  readonly #close: () => void

  private constructor(port: number, server: WebSocketServer, close: () => void) {
    this.url = `ws://127.0.0.1:${String(port)}/ws`
    this.#close = close
    server.on('connection', (socket) => {
      const entry = { socket, got: [] as any[] }
      this.sockets.push(entry)
      socket.on('message', (raw) => {
        const frame = JSON.parse(String(raw))
        entry.got.push(frame)
        if (frame.method === 'ping') socket.send('{"channel":"pong"}')
        else if (frame.subscription?.coin === this.poison && this.poison !== null)
          socket.terminate()
        else if (this.acknowledges) {
          socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: frame }))
        }
      })
    })
  }

  static async start(): Promise<FakeUpstream> {
    const http = createServer()
    const server = new WebSocketServer({ server: http })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    return new FakeUpstream((http.address() as AddressInfo).port, server, () => {
      for (const socket of server.clients) socket.terminate()
      http.close()
    })
  }

  get open() {
    return this.sockets.filter(({ socket }) => socket.readyState === WebSocket.OPEN)
  }
  /** What was asked for on all sockets, in order. */
  asked(method: string): any[] {
    return this.sockets
      .flatMap(({ got }) => got)
      .filter((frame) => frame.method === method)
      .map((frame) => frame.subscription)
  }
  say(frame: object, socket = this.open[0]?.socket): void {
    socket?.send(JSON.stringify(frame))
  }
  close(): void {
    this.#close()
  }
}

/** A bot's socket. */
export class Bot {
  readonly socket: WebSocket
  readonly got: any[] = []
  readonly texts: string[] = []
  closed: number | null = null

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (raw) => {
      this.texts.push(String(raw))
      this.got.push(JSON.parse(String(raw)))
    })
    socket.on('close', (code) => (this.closed = code))
    socket.on('error', () => undefined)
  }

  static connect(port: number, path = '/ws', headers: Record<string, string> = {}): Promise<Bot> {
    const socket = new WebSocket(`ws://127.0.0.1:${String(port)}${path}`, { headers })
    const bot = new Bot(socket)
    return new Promise((resolve, reject) => {
      socket.on('open', () => {
        resolve(bot)
      })
      socket.on('unexpected-response', (_, response) => {
        reject(new Error(`refused with ${String(response.statusCode)}`))
      })
    })
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }
  subscribe(subscription: object): void {
    this.send({ method: 'subscribe', subscription })
  }
  unsubscribe(subscription: object): void {
    this.send({ method: 'unsubscribe', subscription })
  }
  on(channel: string): any[] {
    return this.got.filter((frame) => frame.channel === channel).map((frame) => frame.data)
  }
  /** Resolves when this many frames of a channel have come. */
  async has(channel: string, count = 1): Promise<any[]> {
    await until(() => this.on(channel).length >= count)
    return this.on(channel)
  }
}
