import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import { startGuard } from '../../src/cli/assembly/startGuard.ts'
import { demoMarkets } from '../../lab/demo/demoMarkets.ts'
import { readConfig } from '../../src/config/readConfig.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../../src/core/protocol/hashAction.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { Pen, strangerKey } from '../../lab/redteam/signing.ts'
import { ask } from '../../lab/redteam/talk.ts'
import { startSimulator } from '../../lab/sim/simulator.ts'
import type { Simulator } from '../../lab/sim/simulatorOptions.ts'

/** A simulator in which prices stand still, and what is attacked in front of it. */
export interface World {
  readonly url: string
  readonly simUrl: string
  readonly pen: Pen
  readonly morePens: readonly Pen[]
  close(): Promise<void>
}

interface Venue {
  readonly crypto: Crypto
  readonly simulator: Simulator
  readonly account: string
  readonly wallet: Uint8Array
  readonly pen: Pen
}

async function openVenue(): Promise<Venue> {
  const crypto = await loadCrypto()
  const [own, wallet, client] = [strangerKey(), strangerKey(), strangerKey()]
  const account = crypto.secp256k1.addressOf(own)
  const simulator = await startSimulator({ port: 0, seed: 1, control: true, weightLimit: null })
  await ask(simulator.url, '/sim/reset', {
    body: JSON.stringify({
      frozen: true,
      markets: demoMarkets,
      accounts: [
        { address: account, equity: '10000', agents: [crypto.secp256k1.addressOf(wallet)] },
      ],
    }),
  })
  return { crypto, simulator, account, wallet, pen: new Pen(crypto, client) }
}

export async function guardedWorld(): Promise<World> {
  const { crypto, simulator, account, wallet, pen } = await openVenue()
  const morePens = Array.from({ length: 15 }, () => new Pen(crypto, strangerKey()))
  const home = mkdtempSync(join(tmpdir(), 'guard-redteam-'))
  const { addressOf } = crypto.secp256k1
  const config = readConfig(
    [
      'mode = "testnet"',
      `account = "${account}"`,
      'listen = "127.0.0.1:0"',
      '[venue]',
      `url = "${simulator.url}"`,
      `api_wallet = "${addressOf(wallet)}"`,
      'weight_per_minute = 1000000',
      '[clients]',
      ...[pen, ...morePens].map(({ key }, n) => `"${addressOf(key)}" = { name = "red ${n}" }`),
      '[rules]',
      'markets = ["BTC", "ETH", "SOL"]',
      'max_orders_per_minute = 100000',
      // What hundreds of attacks cost in fees and spreads, more of them on a slow machine, halts nothing.
      'daily_loss_stop = "15%"',
    ].join('\n'),
    home,
  )
  if (!config.ok) throw new Error(config.error.join('\n'))
  const guard = await startGuard({
    config: config.value,
    privateKey: wallet,
    log: { log: () => undefined },
  })
  await guard.recovered
  return {
    url: guard.gateway.url,
    simUrl: simulator.url,
    pen,
    morePens,
    close: async () => {
      await guard.stop('SIGTERM')
      await simulator.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Signs whatever it is given with the account's API wallet and passes it on: a proxy without rules. */
export async function naiveWorld(): Promise<World> {
  const venue = await openVenue()
  const proxy = new NaiveProxy(venue)
  await proxy.open()
  return {
    url: proxy.url,
    simUrl: venue.simulator.url,
    pen: venue.pen,
    morePens: [],
    close: async () => {
      proxy.close()
      await venue.simulator.close()
    },
  }
}

const json = { 'content-type': 'application/json' }

class NaiveProxy {
  readonly #venue: Venue
  readonly #server: Server
  #nonce = 0

  constructor(venue: Venue) {
    this.#venue = venue
    this.#server = createServer(
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    )
    const sockets = new WebSocketServer({ server: this.#server, perMessageDeflate: false })
    sockets.on('connection', (socket) => {
      socket.on('error', () => undefined)
      socket.on('message', (raw: Buffer) => {
        void this.#message(raw.toString('utf8')).then((text) => socket.send(text))
      })
    })
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.toLowerCase()
    let reply: unknown = { status: 'ok' }
    if (path.includes('exchange') || path.includes('kill')) reply = await this.#forward(body)
    else if (path === '/info')
      reply = (await ask(this.#venue.simulator.url, '/info', { body, headers: json })).json
    else if (path === '/guard/status') reply = await this.#status()
    else if (path === '/guard/events') reply = []
    response.setHeader('access-control-allow-origin', '*')
    response.end(JSON.stringify(reply))
  }

  async #message(text: string): Promise<string> {
    try {
      const frame = JSON.parse(text)
      if (frame.method === 'ping') return '{"channel":"pong"}'
      const payload = await this.#forward(JSON.stringify(frame.request.payload))
      return JSON.stringify({
        channel: 'post',
        data: { id: frame.id, response: { type: 'action', payload } },
      })
    } catch {
      return '{"channel":"error","data":"?"}'
    }
  }

  async #forward(body: string): Promise<unknown> {
    try {
      const { action } = JSON.parse(body)
      const { crypto, wallet, simulator } = this.#venue
      this.#nonce = Math.max(Date.now(), this.#nonce + 1)
      const nonce = this.#nonce
      const hash = hashAction(crypto.keccak256, action, nonce, null, null)
      const signature = crypto.secp256k1.sign(
        phantomDigest(crypto.keccak256, hash, 'testnet'),
        wallet,
      )
      const { r, s, v } = signature
      const request = JSON.stringify({ action, nonce, signature: { r, s, v } })
      const answer = await ask(simulator.url, '/exchange', { body: request, headers: json })
      return answer.json ?? { status: 'err', response: answer.text }
    } catch (error) {
      return { status: 'err', response: String(error) }
    }
  }

  async #status(): Promise<unknown> {
    const { account, simulator } = this.#venue
    const state: any = (
      await ask(simulator.url, '/info', {
        body: JSON.stringify({ type: 'clearinghouseState', user: account }),
        headers: json,
      })
    ).json
    return {
      schema: 1,
      mode: 'testnet',
      network: 'testnet',
      account,
      last_seq: 0,
      kill: { latched: false },
      risk: { state: 'active', equity: '10000' },
      rules_decoded: { markets: ['BTC', 'ETH', 'SOL'] },
      positions: state?.assetPositions ?? [],
      open_orders: 0,
      in_flight: 0,
    }
  }
}
