import { WebSocket } from 'ws'
import type { Json } from '../core/protocol/action.ts'
import { startSimulator } from './simulator.ts'
import type { Simulator, SimulatorOptions } from './simulatorOptions.ts'

/** A key everybody knows, and the address it belongs to. */
export const demoKey = '0x0123456789012345678901234567890123456789012345678901234567890123'
export const demoUser = '0x14791697260e4c9a71f18484c9f997b308e59325'
export const stranger = '0x2b5ad5c4795c026514f8317c7a215e218dccd6cf'

export type Answered = { readonly status: number; readonly text: string; readonly json: any }

/** A simulator on a free port with the calls a test makes. */
export class TestVenue {
  readonly simulator: Simulator
  readonly #sockets: TestSocket[] = []

  constructor(simulator: Simulator) {
    this.simulator = simulator
  }

  static async start(options: SimulatorOptions = {}): Promise<TestVenue> {
    return new TestVenue(
      await startSimulator({ port: 0, control: true, weightLimit: null, ...options }),
    )
  }

  get url(): string {
    return this.simulator.url
  }

  async send(method: string, path: string, body?: unknown, headers = {}): Promise<Answered> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: parsed(text) }
  }

  async info(body: unknown, headers = {}): Promise<any> {
    return (await this.send('POST', '/info', body, headers)).json
  }

  async control(path: string, body: unknown): Promise<any> {
    const done = await this.send('POST', `/sim/${path}`, body)
    if (done.status !== 200) throw new Error(`${path}: ${String(done.status)} ${done.text}`)
    return done.json
  }

  /** A frozen venue with the usual markets and one account. */
  async freeze(account: { readonly [key: string]: unknown } = {}): Promise<void> {
    await this.control('reset', {
      frozen: true,
      accounts: [{ address: demoUser, equity: '10000', ...account }],
    })
  }

  async state(user: string = demoUser): Promise<any> {
    return (await this.send('GET', `/sim/state?user=${user}`)).json
  }

  async log(since = 0): Promise<any[]> {
    return (await this.send('GET', `/sim/log?since=${String(since)}`)).json
  }

  fault(body: unknown): Promise<any> {
    return this.control('fault', body)
  }

  async open(headers: { readonly [name: string]: string } = {}): Promise<TestSocket> {
    const socket = new TestSocket(new WebSocket(this.simulator.wsUrl, { headers }))
    this.#sockets.push(socket)
    await socket.opened
    return socket
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close()
    await this.simulator.close()
  }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type Frame = { readonly channel: string; readonly data: any }

/** A client's end of a socket, with every frame kept in order. */
export class TestSocket {
  readonly frames: Frame[] = []
  readonly texts: string[] = []
  readonly opened: Promise<void>
  /** Resolves with the close code. */
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  #waiting: (() => void)[] = []

  constructor(socket: WebSocket) {
    this.#socket = socket
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', () => {
        resolve()
      })
      socket.once('error', reject)
    })
    this.closed = new Promise((resolve) => {
      socket.once('close', (code) => {
        resolve(code)
      })
    })
    socket.on('message', (data: Buffer) => {
      const text = data.toString('utf8')
      this.texts.push(text)
      const frame = parsed(text)
      if (frame !== undefined) this.frames.push(frame as Frame)
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  subscribe(subscription: { readonly [key: string]: Json }): void {
    this.send({ method: 'subscribe', subscription })
  }

  /** The first frame, from `from` on, that fits; waits for it to come. */
  async next(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    for (;;) {
      const found = this.frames.slice(from).find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  onChannel(channel: string, from = 0): Promise<Frame> {
    return this.next((frame) => frame.channel === channel, from)
  }

  /** Everything sent before this has been answered once it resolves. */
  async settled(): Promise<void> {
    const from = this.frames.length
    this.send({ method: 'ping' })
    await this.onChannel('pong', from)
  }

  close(): void {
    this.#socket.terminate()
  }
}
