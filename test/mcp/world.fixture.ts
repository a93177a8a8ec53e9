import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGuard } from '../../src/cli/assembly/startGuard.ts'
import { version } from '../../src/cli/version.ts'
import { readConfig } from '../../src/config/readConfig.ts'
import type { Json } from '../../src/core/protocol/action.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { createDoor } from '../../src/gateway/http/door.ts'
import { exposedWords } from '../../src/gateway/gatewayOptions.ts'
import { serveMcp } from '../../src/mcp/serveMcp.ts'
import type { ServedMcp } from '../../src/mcp/serveMcp.ts'
import { markets } from '../../src/cli/cli.fixture.ts'
import { simControl } from '../../lab/demo/simControl.ts'
import { strangerKey } from '../../lab/redteam/signing.ts'
import { ask } from '../../lab/redteam/talk.ts'
import { startSimulator } from '../../lab/sim/simulator.ts'
import type { Simulator } from '../../lab/sim/simulatorOptions.ts'

export const token = 'a-token-of-this-test'
export type Revision = '2026-07-28' | '2025-11-25'

interface WorldOptions {
  readonly mode?: 'testnet' | 'paper'
  readonly rules?: readonly string[]
  /** Tighter rules of the agent's own. */
  readonly clientRules?: readonly string[]
  readonly markets?: readonly Json[]
  /** Builder dexes, on each of which the account has 3,000 USD; without it there are none. */
  readonly dexes?: readonly { readonly name: string; readonly markets: readonly Json[] }[]
  /** The request weight a minute that Guard plans with. */
  readonly weight?: number
}

type Started = Awaited<ReturnType<typeof startGuard>>

/** A simulator whose prices stand still, a Guard in front of it, and servers for agents. */
export class AgentWorld {
  readonly simulator: Simulator
  readonly account: string
  readonly clientKey: Uint8Array
  readonly otherKey: Uint8Array
  readonly client: string
  readonly crypto: Crypto
  readonly #home: string
  readonly #wallet: Uint8Array
  readonly #options: WorldOptions
  readonly #servers = new Set<ServedMcp>()
  readonly #clients = new Set<Client>()
  #guard: Started | null = null
  /** Where Guard listens; the same after a restart. */
  url = 'http://127.0.0.1:0'
  #seen = 0

  private constructor(
    crypto: Crypto,
    simulator: Simulator,
    keys: { account: string; wallet: Uint8Array },
    options: WorldOptions,
  ) {
    this.crypto = crypto
    this.simulator = simulator
    this.account = keys.account
    this.#wallet = keys.wallet
    this.#options = options
    this.clientKey = strangerKey()
    this.otherKey = strangerKey()
    this.client = crypto.secp256k1.addressOf(this.clientKey)
    this.#home = mkdtempSync(join(tmpdir(), 'guard-mcp-'))
  }

  static async open(options: WorldOptions = {}): Promise<AgentWorld> {
    const crypto = await loadCrypto()
    const [own, wallet] = [strangerKey(), strangerKey()]
    const account = crypto.secp256k1.addressOf(own)
    const simulator = await startSimulator({ port: 0, seed: 1, control: true, weightLimit: null })
    const agents = [crypto.secp256k1.addressOf(wallet)]
    await simControl(simulator.url).reset({
      frozen: true,
      markets: (options.markets ?? markets) as Json,
      ...(options.dexes === undefined ? {} : { dexes: options.dexes as unknown as Json }),
      accounts: [{ address: account, equity: '10000', agents, ...dexEquity(options) }],
    })
    const world = new AgentWorld(crypto, simulator, { account, wallet }, options)
    await world.startGuard()
    return world
  }

  get control() {
    return simControl(this.simulator.url)
  }

  async startGuard(): Promise<void> {
    const { addressOf } = this.crypto.secp256k1
    const { mode = 'testnet', rules = [] } = this.#options
    const config = readConfig(
      [
        `mode = "${mode}"`,
        `account = "${this.account}"`,
        `listen = "${this.url.slice('http://'.length)}"`,
        '[venue]',
        `url = "${this.simulator.url}"`,
        `api_wallet = "${addressOf(this.#wallet)}"`,
        `weight_per_minute = ${this.#options.weight ?? 1_000_000}`,
        'timeout_ms = 5000',
        '[clients]',
        `"${this.client}" = { name = "agent" }`,
        `"${addressOf(this.otherKey)}" = { name = "bot" }`,
        '[rules]',
        ...rules,
        ...(this.#options.clientRules === undefined
          ? []
          : [`[client."${this.client}"]`, ...this.#options.clientRules]),
      ].join('\n'),
      this.#home,
    )
    if (!config.ok) throw new Error(config.error.join('\n'))
    this.#guard = await startGuard({
      config: config.value,
      privateKey: mode === 'paper' ? null : this.#wallet,
      log: { log: () => undefined },
      seams: { page: () => new Map() },
    })
    this.url = this.#guard.gateway.url
    await this.#guard.recovered
  }

  async stopGuard(): Promise<void> {
    await this.#guard?.stop('SIGTERM')
    this.#guard = null
  }

  async restartGuard(): Promise<void> {
    await this.stopGuard()
    await this.startGuard()
  }

  /** A server for agents over HTTP, as `guard mcp --http` serves it. */
  async serve(given: { readonly key?: Uint8Array | null; readonly trade?: boolean } = {}) {
    const { key = this.clientKey, trade = true } = given
    const exposed = { words: exposedWords, hosts: [], token } as const
    const door = createDoor({ host: '127.0.0.1', port: 0, exposed })
    const http = { host: '127.0.0.1', port: 0, door }
    const served = await serveMcp({
      url: this.url,
      guardToken: null,
      key,
      mayTrade: trade,
      version,
      http,
    })
    this.#servers.add(served)
    return served
  }

  /** A client of the official package, connected by one revision of the protocol. */
  async connect(served: ServedMcp, revision: Revision = '2026-07-28'): Promise<Client> {
    const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(served.url ?? ''), { requestInit }),
    )
    this.#clients.add(client)
    return client
  }

  /** A server and a client of it. */
  async agent(given: Parameters<AgentWorld['serve']>[0] = {}): Promise<Client> {
    return this.connect(await this.serve(given))
  }

  /** The actions that reached the venue since this was last asked. */
  async venueActions(): Promise<readonly any[]> {
    const { json } = await ask(this.simulator.url, `/sim/log?since=${this.#seen}`)
    const fresh = json as readonly any[]
    this.#seen = fresh.at(-1)?.n ?? this.#seen
    return fresh.map(({ action }) => action)
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close().catch(() => undefined)
    for (const served of this.#servers) await served.close()
    await this.stopGuard()
    await this.simulator.close()
    rmSync(this.#home, { recursive: true, force: true })
  }
}

function dexEquity({ dexes = [] }: WorldOptions): { dex_equity?: Record<string, string> } {
  if (dexes.length === 0) return {}
  return { dex_equity: Object.fromEntries(dexes.map(({ name }) => [name, '3000'])) }
}

/** Calls a tool; what it gave, whole. */
export async function call(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<any> {
  const result: any = await client.callTool({ name, arguments: given })
  return {
    isError: result.isError === true,
    text: result.content[0].text,
    data: result.structuredContent,
  }
}
