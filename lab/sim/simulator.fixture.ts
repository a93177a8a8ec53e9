import { WebSocket } from 'ws'
import type { Json } from '../../src/core/protocol/action.ts'
import { hashAction, phantomDigest } from '../../src/core/protocol/hashAction.ts'
import { hexToBytes } from '../../src/core/values/hex.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { startSimulator } from './simulator.ts'
import type { Simulator, SimulatorOptions } from './simulatorOptions.ts'

/** A key everybody knows, and the address it belongs to. */
export const demoKey = '0x0123456789012345678901234567890123456789012345678901234567890123'
export const demoUser = '0x14791697260e4c9a71f18484c9f997b308e59325'
export const stranger = '0x2b5ad5c4795c026514f8317c7a215e218dccd6cf'

const crypto = await loadCrypto()
let lastNonce = 0

interface Signing {
  readonly key?: string
  readonly nonce?: number
  readonly expiresAfter?: number
  readonly vaultAddress?: string
  readonly network?: 'mainnet' | 'testnet'
}

/** A signed request as a client sends it. */
export function signed(action: Json, signing: Signing = {}): { readonly [key: string]: Json } {
  const { key = demoKey, vaultAddress = null, expiresAfter = null, network = 'testnet' } = signing
  lastNonce = Math.max(lastNonce + 1, Date.now())
  const nonce = signing.nonce ?? lastNonce
  const hash = hashAction(crypto.keccak256, action, nonce, vaultAddress, expiresAfter)
  const digest = phantomDigest(crypto.keccak256, hash, network)
  const signature = crypto.secp256k1.sign(digest, hexToBytes(key.slice(2)) ?? new Uint8Array())
  return {
    action,
    nonce,
    signature: { ...signature },
    ...(vaultAddress === null ? {} : { vaultAddress }),
    ...(expiresAfter === null ? {} : { expiresAfter }),
  }
}

export const ethAsset = 1

/** A buy of 0.1 ETH that fills at once in a frozen venue. */
export const marketBuy = order({ p: '2600', tif: 'Ioc' })

export function order(
  fields: {
    p?: string
    tif?: string
    b?: boolean
    s?: string
    r?: boolean
    a?: number
    c?: string
  },
  ...children: Json[]
): { type: string; orders: Json[]; grouping: string } {
  const { p = '2400', tif = 'Gtc', b = true, s = '0.1', r = false, a = ethAsset, c } = fields
  const parent = { a, b, p, s, r, t: { limit: { tif } }, ...(c === undefined ? {} : { c }) }
  const grouping = children.length === 0 ? 'na' : 'normalTpsl'
  return { type: 'order', orders: [parent, ...children], grouping }
}

/** A market stop that sells 0.1 ETH. */
export const stopChild: Json = {
  ...{ a: ethAsset, b: false, p: '2000', s: '0.1', r: true },
  t: { trigger: { isMarket: true, triggerPx: '2300', tpsl: 'sl' } },
}

type Answered = { readonly status: number; readonly text: string; readonly json: any }

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

  /** Signs an action and posts it; rejects when the connection is closed without an answer. */
  exchange(action: Json, signing: Signing = {}, headers = {}): Promise<Answered> {
    return this.send('POST', '/exchange', signed(action, signing), headers)
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

  /** Ends every socket a test opened, and returns once the venue has seen it. */
  async closeSockets(): Promise<void> {
    for (const socket of this.#sockets.splice(0)) socket.close()
    while ((await this.send('GET', '/healthz')).json.sockets > 0);
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

type Frame = { readonly channel: string; readonly data: any }

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
