import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGuard } from '../../src/cli/assembly/startGuard.ts'
import type { StartedGuard } from '../../src/cli/assembly/startGuard.ts'
import { renderToml } from '../../src/cli/setup/renderToml.ts'
import { readConfig } from '../../src/config/readConfig.ts'
import { address } from '../../src/core/values/address.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { TestVenue } from '../../lab/sim/simulator.fixture.ts'

/** The key every bot here has: Guard knows it, and it is worth nothing on the venue. */
export const clientKey = '0x0123456789012345678901234567890123456789012345678901234567890123'
export const client = address('0x14791697260e4c9a71f18484c9f997b308e59325')
export const account = address('0x2b5ad5c4795c026514f8317c7a215e218dccd6cf')
export const owner = address('0x00000000000000000000000000000000000000cc')
const walletKey = new Uint8Array(32).fill(0x11)

/** Asset numbers are places in this list, as the recorded requests have them. */
export const markets = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '100000' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' },
  { name: 'SOL', szDecimals: 2, maxLeverage: 20, mid: '200' },
  { name: 'XRP', szDecimals: 0, maxLeverage: 20, mid: '2.5' },
  { name: 'DOGE', szDecimals: 0, maxLeverage: 10, mid: '0.17' },
  { name: 'LINK', szDecimals: 1, maxLeverage: 10, mid: '14.5' },
  { name: 'kPEPE', szDecimals: 0, maxLeverage: 10, mid: '0.0071' },
]

interface RigOptions {
  readonly mode?: 'paper' | 'testnet'
  readonly rules?: readonly string[]
  readonly account?: { readonly [field: string]: unknown }
  /** The account is a sub-account of `owner`, whose API wallet Guard has. */
  readonly isSubAccount?: boolean
  /** Builder dexes; without it there are none. */
  readonly dexes?: readonly object[]
}

/** What one step of a bot left behind: Guard's decisions and what the venue was sent for them. */
export interface Trace {
  readonly decisions: any[]
  readonly events: any[]
  readonly venue: any[]
}

/** A venue and a Guard in front of it, over real sockets, as a bot on this machine finds them. */
export class Rig {
  readonly venue: TestVenue
  readonly started: StartedGuard
  readonly home: string
  private constructor(venue: TestVenue, started: StartedGuard, home: string) {
    this.venue = venue
    this.started = started
    this.home = home
  }

  static async start(options: RigOptions = {}): Promise<Rig> {
    const { secp256k1 } = await loadCrypto()
    const wallet = secp256k1.addressOf(walletKey)
    const venue = await TestVenue.start()
    await venue.control('reset', {
      frozen: true,
      markets,
      ...(options.dexes === undefined ? {} : { dexes: options.dexes }),
      accounts: options.isSubAccount
        ? [
            { address: owner, equity: '1', agents: [wallet] },
            { address: account, equity: '10000', sub_of: owner, ...options.account },
          ]
        : [{ address: account, equity: '10000', agents: [wallet], ...options.account }],
    })
    const home = await mkdtemp(join(tmpdir(), 'guard-clients-'))
    const mode = options.mode ?? 'testnet'
    const toml = renderToml({
      mode,
      account,
      listen: '127.0.0.1:0',
      venueUrl: venue.url,
      apiWallet: mode === 'paper' ? null : wallet,
      via: options.isSubAccount ? owner : null,
      client: { address: client, name: 'bot' },
      rules: options.rules ?? [],
    })
    const config = readConfig(toml, home)
    if (!config.ok) throw new Error(JSON.stringify(config.error))
    const started = await startGuard({
      config: config.value,
      privateKey: mode === 'paper' ? null : walletKey,
      log: { log: () => undefined },
    })
    await started.recovered
    const rig = new Rig(venue, started, home)
    await rig.until(async () => (await fetch(`${rig.url}/readyz`)).ok, 'Guard to be ready')
    return rig
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.started.gateway.port)}`
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${String(this.started.gateway.port)}/ws`
  }

  async get(path: string): Promise<any> {
    return await (await fetch(`${this.url}${path}`)).json()
  }

  /** Runs a step and gives back what it did to Guard and to the venue, once both are at rest. */
  async during<T>(
    step: () => Promise<T>,
    isTold: (decisions: any[]) => boolean = () => true,
  ): Promise<T & { readonly trace: Trace }> {
    const since = (await this.get('/guard/status')).last_seq
    const logged = (await this.venue.log()).length
    const seen = await step()
    await this.settle()
    let events: any[] = []
    let decisions: any[] = []
    let venue: any[] = []
    await this.until(async () => {
      venue = (await this.venue.log()).slice(logged)
      events = await this.get(`/guard/events?since=${String(since)}`)
      const recorded = new Set(
        events.filter(({ kind }) => kind === 'sent').map((sent) => sent.nonce),
      )
      decisions = events.filter((event) => event.kind === 'decision')
      return venue.every(({ nonce }) => recorded.has(nonce)) && isTold(decisions)
    }, 'everything to be on record')
    return { ...seen, trace: { decisions, events, venue } }
  }

  /** Guard knows all that the venue knows: nothing is in flight, and both see the same. */
  async settle(): Promise<void> {
    await this.until(async () => {
      const [status, state] = [await this.get('/guard/status'), await this.venue.state(account)]
      const held = new Map<string, number>(
        state.clearinghouseState.assetPositions.map(({ position }: any) => [
          position.coin,
          Math.abs(Number(position.szi)),
        ]),
      )
      return (
        status.in_flight === 0 &&
        status.open_orders === state.openOrders.length &&
        status.positions.length === held.size &&
        status.positions.every((each: any) => held.get(each.coin) === Number(each.size))
      )
    }, 'Guard to see what the venue has')
  }

  /** Waits by looking again, never by guessing how long it takes. */
  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    const giveUp = Date.now() + 90_000
    while (!(await condition())) {
      if (Date.now() > giveUp) throw new Error(`gave up waiting for ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  async openOrders(): Promise<any[]> {
    return (await this.venue.state(account)).openOrders
  }

  /** What the account holds of a coin at the venue. */
  async held(coin: string): Promise<number> {
    const { assetPositions } = (await this.venue.state(account)).clearinghouseState
    const found = assetPositions.find(({ position }: any) => position.coin === coin)
    return Number(found?.position.szi ?? 0)
  }

  async close(): Promise<void> {
    await this.started.stop('SIGTERM')
    await this.venue.close()
    await rm(this.home, { recursive: true, force: true })
  }
}
