import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { ExchangeClient, HttpTransport } from '@nktkas/hyperliquid'
import { privateKeyToAccount } from 'viem/accounts'
import { Bench, markets, passphrase } from '../../src/cli/cli.fixture.ts'
import { startFleet, until } from '../../src/fleet/fleet.fixture.ts'
import type { TestFleet } from '../../src/fleet/fleet.fixture.ts'
import { status as statusSchema } from '../../src/gateway/schema/status.ts'
import { guard, Started } from '../cli/program.fixture.ts'

export type HomeName = 'first' | 'second'
type Key = `0x${string}`

const secondKey: Key = `0x${'5eed'.repeat(16)}`
const secondWallet = privateKeyToAccount(secondKey).address.toLowerCase()

/** A Guard that runs as a process of its own. */
export interface Running {
  readonly home: HomeName
  readonly run: Started
  readonly url: string
}

/** A request as the venue has it on record. */
interface Sent {
  readonly signer: string
  readonly nonce: number
  readonly action: { readonly type: string; readonly orders?: readonly { readonly c?: string }[] }
}

/**
 * Two homes of one account, each as on a host of its own, with a simulator and a real store between them;
 * Guards are processes that can be killed.
 */
export class TwoHosts {
  readonly bench: Bench
  readonly fleet: TestFleet

  private constructor(bench: Bench, fleet: TestFleet) {
    this.bench = bench
    this.fleet = fleet
  }

  static async open(): Promise<TwoHosts> {
    const bench = await Bench.open()
    const hosts = new TwoHosts(bench, await startFleet(bench.account))
    bench.secret('second.key', `${secondKey}\n`)
    const agents = [bench.wallet, secondWallet]
    const accounts = [{ address: bench.account, equity: '10000', agents }]
    await bench.control.reset({ frozen: true, markets, accounts })
    await hosts.#home('first', 'wallet.key')
    await hosts.#home('second', 'second.key')
    return hosts
  }

  async close(): Promise<void> {
    await this.fleet.stop()
    await this.bench.close()
  }

  envOf(home: HomeName): Record<string, string> {
    return { GUARD_KEY_PASSPHRASE: passphrase, HOME: this.bench.path(`user-${home}`) }
  }

  edit(home: HomeName, from: string, to: string): void {
    const file = this.bench.path(home, 'guard.toml')
    const text = readFileSync(file, 'utf8')
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
    writeFileSync(file, text.replace(from, to))
  }

  async start(home: HomeName, ...more: string[]): Promise<Running> {
    const where = ['--home', this.bench.path(home), '--listen', '127.0.0.1:0', '--json']
    const run = new Started(['run', ...where, ...more], { env: this.envOf(home) })
    const [, url = ''] = await run.until(/"url":"(http:[^"]+)"/)
    return { home, run, url }
  }

  async statusOf(url: string) {
    return statusSchema.parse(await (await fetch(`${url}/guard/status`)).json())
  }

  async opens({ url }: Running): Promise<void> {
    await until(async () => (await this.#known(url))?.entries.pass === true)
  }

  /** Between standing by and acting nobody listens for a moment. */
  async acts({ url }: Running): Promise<void> {
    await until(async () => (await this.#known(url))?.fleet?.writer?.held === true)
  }

  async standsBy({ url }: Running): Promise<void> {
    await until(async () => (await this.#known(url))?.fleet?.store === 'up')
  }

  async isReady({ url }: Running): Promise<boolean> {
    return (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
  }

  /** Resolves once the store has all that a standby would carry over. */
  async handedOver(): Promise<void> {
    const isThere =
      'select h.epoch = w.epoch from guard.handovers h join guard.writers w using (guard_id)'
    await until(async () => (await this.fleet.server.psql(isThere)) === 't')
  }

  /** The store's time of the lease goes on by so much; its trigger does not take that for a contact. */
  async skip(by: string): Promise<void> {
    await this.fleet.server.psql(
      `alter table guard.writers disable trigger note_contact; update guard.writers set until = until - interval '${by}'; alter table guard.writers enable trigger note_contact`,
    )
  }

  /** What signs as this home's bot; its nonces are given where they are not the time. */
  botOf({ home, url }: Running, nonceManager?: () => number): ExchangeClient {
    const key = readFileSync(this.bench.path(`${home}.client`), 'utf8').trim() as Key
    return new ExchangeClient({
      transport: new HttpTransport({ apiUrl: url, isTestnet: true }),
      wallet: privateKeyToAccount(key),
      ...(nonceManager === undefined ? {} : { nonceManager }),
    })
  }

  /** What rests at the venue. */
  async resting(): Promise<readonly { readonly oid: number }[]> {
    const state = await this.#venue(`state?user=${this.bench.account}`)
    return (state as { openOrders: { oid: number }[] }).openOrders
  }

  /** Nobody watches meanwhile: the account itself takes its stops away. */
  async takeStops(): Promise<void> {
    const cancels = (await this.resting()).map(({ oid }) => ({ a: 1, o: oid }))
    if (cancels.length === 0) return
    await this.bench.control.act(this.bench.account, { type: 'cancel', cancels })
  }

  /** Nonces of a wallet and ids of orders that came to the venue more than once. */
  async sentTwice(): Promise<readonly string[]> {
    const names = ((await this.#venue('log?since=0')) as readonly Sent[]).flatMap(
      ({ signer, nonce, action }) => [
        `${signer} ${nonce}`,
        ...(action.orders ?? []).flatMap(({ c }) => (c === undefined ? [] : [c])),
      ],
    )
    const known = new Set<string>()
    return names.filter((name) => known.has(name) || (known.add(name), false))
  }

  /** Whether every number of a journal is in the store once, and none contradicts another. */
  async areNumbersOnce(): Promise<boolean> {
    const once =
      'select count(*) = count(distinct (writer_epoch, seq)) and (select count(*) from guard.forks) = 0 from guard.events'
    return (await this.fleet.server.psql(once)) === 't'
  }

  /** Both know one bot: a standby takes nobody whom the first does not. */
  #shareBot(): void {
    const [first, second] = (['first', 'second'] as const).map((home) => {
      const key = readFileSync(this.bench.path(`${home}.client`), 'utf8').trim() as Key
      return { key, address: privateKeyToAccount(key).address.toLowerCase() }
    })
    this.edit('second', second?.address ?? '', first?.address ?? '')
    writeFileSync(this.bench.path('second.client'), `${first?.key ?? ''}\n`)
  }

  async #known(url: string) {
    return await this.statusOf(url).catch(() => null)
  }

  async #venue(path: string): Promise<unknown> {
    return await (await fetch(`${this.bench.simulator.url}/sim/${path}`)).json()
  }

  /** A port of the second host's own that leads to the venue: by it alone its claims are others. */
  async #wayIn(port: number): Promise<number> {
    const server = createServer((socket) => {
      const venue = connect(port, '127.0.0.1')
      for (const [each, other] of [[socket, venue] as const, [venue, socket] as const]) {
        each.on('error', () => other.destroy())
        each.pipe(other)
      }
    })
    server.unref().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  async #home(name: HomeName, key: string): Promise<void> {
    const { bench } = this
    const args = bench.initArgs(name)
    args[args.indexOf(bench.path('wallet.key'))] = bench.path(key)
    const made = await guard(args, { env: this.envOf(name) })
    if (made.code !== 0) throw new Error(made.err)
    bench.grantWeight(name)
    // What two hosts have for themselves: their claims, and their ledger.
    if (name === 'second') {
      const { port } = new URL(bench.simulator.url)
      this.edit(
        name,
        `//127.0.0.1:${port}`,
        `//127.0.0.1:${String(await this.#wayIn(Number(port)))}`,
      )
      this.#shareBot()
    }
    bench.secret(`${name}/fleet.url`, `${this.fleet.memberUrl}\n`)
    appendFileSync(bench.path(name, 'guard.toml'), '\n[fleet]\nurl_file = "fleet.url"\n')
  }
}
