import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { openGuardJournal, wire } from '../../src/assembly/wire.ts'
import type { Seams, Setup } from '../../src/assembly/wire.ts'
import type { GuardEvent } from '../../src/core/events/guardEvent.ts'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { hashAction, phantomDigest } from '../../src/core/protocol/hashAction.ts'
import { defaultRules } from '../../src/core/rules/rules.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import { address } from '../../src/core/values/address.ts'
import type { Address } from '../../src/core/values/address.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import type { FleetView } from '../../src/engine/fleetView.ts'
import type { Guard } from '../../src/engine/guard.ts'
import { killFileIn } from '../../src/system/killFile.ts'
import { silentObserver } from '../../src/engine/observer.ts'
import type { Signer, VenueHttp, VenueStream } from '../../src/engine/ports.ts'
import { eventsSchema } from '../../src/gateway/schema/openApi.ts'
import { status as statusSchema } from '../../src/gateway/schema/status.ts'
import { MemoryIndex } from '../../src/journal/memoryIndex.ts'
import type { OpenedJournal } from '../../src/journal/opened.ts'
import { TestVenue } from '../../lab/sim/simulator.fixture.ts'
import type { SimulatorOptions } from '../../lab/sim/simulatorOptions.ts'
import { systemRandom } from '../../src/system/systemRandom.ts'
import { systemTimers } from '../../src/system/systemTimers.ts'
import { connectOverNetwork } from '../../src/venue/connect.ts'
import type { HttpTransport } from '../../src/venue/httpTransport.ts'
import { openSocket } from '../../src/venue/socket.ts'
import type { SlidingWeightBudget } from '../../src/venue/weightBudget.ts'
import { breakable, Disk, MachineClock, mortal } from './frailty.fixture.ts'
import { accountInside } from './insideGuard.fixture.ts'

const isEvent = new Ajv2020({ strict: false, allErrors: true }).compile(eventsSchema())

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const apiKey = keyOf(0x11)
const clientKey = keyOf(0x22)
export const accountAddress = address('0x00000000000000000000000000000000000000aa')

export const ownerAddress = address('0x00000000000000000000000000000000000000cc')

export interface WorldOptions {
  readonly mode?: 'paper' | 'testnet'
  readonly rules?: Partial<Rules>
  readonly account?: JsonObject
  /** The account is a sub-account or a vault of `ownerAddress`, whose API wallet Guard has. */
  readonly owned?: 'sub' | 'vault'
  /** Other accounts of the venue, for whom `act` trades. */
  readonly others?: readonly JsonObject[]
  readonly markets?: readonly JsonObject[]
  /** Builder dexes; without it there are none. */
  readonly dexes?: readonly JsonObject[]
  readonly weightLimit?: number
  /** Other readings of the venue, and its cadences. */
  readonly simulator?: Pick<SimulatorOptions, 'options' | 'weightLimit'>
  readonly timeoutMs?: number
  /** How long a stop waits for what is on its way. */
  readonly drainMs?: number
  /** The fleet that each Guard of this world is a member of; whoever makes it attaches it. */
  readonly fleet?: () => FleetView
  /** Stands between Guard and its signer. */
  readonly signer?: (real: Signer) => Signer
}

const identity = { account: accountAddress, network: 'testnet' } as const

const standardMarkets = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '100000' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' },
  { name: 'SOL', szDecimals: 2, maxLeverage: 20, mid: '200' },
]

/** Guard against the real simulator, over real sockets and a real disk. */
export class World {
  readonly venue: TestVenue
  readonly options: WorldOptions
  readonly crypto: Crypto
  readonly home: string
  readonly client: string
  /** Under the journal's own segments; it can be made to fail or to wait. */
  readonly disk = new Disk()
  /** The clock of the machine that Guard runs on; the venue has its own. */
  readonly machine = new MachineClock()
  /** What Guard logged, oldest first. */
  readonly logged: {
    readonly level: string
    readonly message: string
    readonly [key: string]: Json
  }[] = []
  guard!: Guard
  budget!: SlidingWeightBudget
  opened!: OpenedJournal
  private transport!: HttpTransport
  private lastNonce = 0
  private readonly repeated: { readonly ms: number; readonly task: () => void }[] = []
  private isRunning = false
  private isDead = { value: false }
  private stream!: VenueStream

  private constructor(venue: TestVenue, options: WorldOptions, crypto: Crypto, home: string) {
    this.venue = venue
    this.options = options
    this.crypto = crypto
    this.home = home
    this.client = crypto.secp256k1.addressOf(clientKey)
  }

  /** A frozen venue with the account, and a Guard that has recovered. */
  static async start(options: WorldOptions = {}): Promise<World> {
    const world = await World.stopped(options)
    await world.startGuard()
    return world
  }

  static async stopped(options: WorldOptions = {}): Promise<World> {
    const crypto = await loadCrypto()
    const venue = await TestVenue.start(options.simulator)
    const home = await mkdtemp(join(tmpdir(), 'guard-engine-'))
    const world = new World(venue, options, crypto, home)
    await world.reset(options.account ?? {})
    return world
  }

  async reset(account: JsonObject): Promise<void> {
    await this.venue.control('reset', {
      frozen: true,
      markets: this.options.markets ?? standardMarkets,
      ...(this.options.dexes === undefined ? {} : { dexes: this.options.dexes }),
      accounts: [
        { address: accountAddress, equity: '10000', ...this.owner(), ...account },
        ...(this.isOwned ? [{ address: ownerAddress, equity: '777', agents: this.agents }] : []),
        ...(this.options.others ?? []),
      ],
    })
  }

  private get isOwned(): boolean {
    return this.options.owned !== undefined
  }
  private get agents(): readonly string[] {
    return [this.crypto.secp256k1.addressOf(apiKey)]
  }
  private owner(): JsonObject {
    const { owned } = this.options
    return owned === undefined ? { agents: this.agents } : { [`${owned}_of`]: ownerAddress }
  }

  /** Opens the journal and builds Guard; `wait` false leaves it recovering. */
  async startGuard(wrap: (venue: VenueHttp) => VenueHttp = (venue) => venue): Promise<void> {
    await this.buildGuard(wrap)
    await this.guard.start()
    await this.until(() => this.guard.ready().ok, 'ready')
  }

  async buildGuard(wrap: (venue: VenueHttp) => VenueHttp = (venue) => venue): Promise<void> {
    const isDead = { value: false }
    this.isDead = isDead
    this.repeated.length = 0
    const timers = mortal(isDead, (ms, task) => this.repeated.push({ ms, task }))
    const { guard, opened, deps, transport } = await wire(this.setup(), {
      ...{ ...this.journalSeams(), timers, random: systemRandom, crypto: this.crypto },
      log: {
        log: (level, message, fields) => {
          this.logged.push({ level, message, ...fields })
        },
      },
      ...{ killFile: killFileIn(this.home), connect: connectOverNetwork, openSocket, venue: wrap },
      ...(this.options.signer !== undefined && { signer: this.options.signer }),
    })
    this.guard = guard
    this.opened = opened
    this.budget = deps.budget as SlidingWeightBudget
    this.stream = deps.stream
    this.transport = transport
    this.isRunning = true
  }

  private setup(): Setup {
    const rules = { ...defaultRules, ...this.options.rules }
    const mode = this.options.mode ?? 'testnet'
    return {
      config: {
        ...{ version: '0.0.0-test', mode, ...identity, venueUrl: this.venue.url },
        ...{ clients: [address(this.client)], builders: [] },
        drainMs: this.options.drainMs ?? 2_000,
        via: this.isOwned ? ownerAddress : null,
        ...{ rulesFor: () => rules, rulesCode: 'gr1_e30', rulesDecoded: {} },
      },
      privateKey: mode === 'paper' ? null : apiKey,
      journal: this.journalSetup(),
      wsUrl: this.venue.simulator.wsUrl,
      timeoutMs: this.options.timeoutMs ?? 1_000,
      weightPerMinute: this.options.weightLimit ?? 1_000_000,
      fleet: this.options.fleet?.() ?? null,
      observer: silentObserver,
    }
  }

  private journalSetup(): Setup['journal'] {
    return { directory: join(this.home, 'journal'), bounds: { retryMs: 50 } }
  }

  private journalSeams(): Pick<Seams, 'clock' | 'io' | 'openIndex'> {
    return { clock: this.machine, io: breakable(this.disk), openIndex: () => new MemoryIndex() }
  }

  /** Reads the journal of a stopped Guard. */
  async reopen(read: (opened: OpenedJournal) => Promise<void>): Promise<void> {
    const seams = { ...this.journalSeams(), timers: systemTimers, log: { log: () => undefined } }
    const opened = await openGuardJournal(this.journalSetup(), identity, seams)
    await read(opened)
    await opened.journal.close()
  }

  async stopGuard(reason = 'SIGTERM'): Promise<void> {
    if (!this.isRunning) return
    this.isRunning = false
    await this.guard.stop(reason)
    this.transport.close()
  }

  /**
   * Leaves this Guard to itself as a crash would: its timers and sockets no longer count, nothing
   * more is written, and the next one finds the journal as the disk has it.
   */
  async crash(): Promise<void> {
    this.isRunning = false
    this.isDead.value = true
    this.stream.stop()
    this.transport.close()
    await this.opened.journal.close()
  }

  async newestSegment(directory: string): Promise<string> {
    const names = await readdir(directory)
    const segments = names.filter((name) => /^\d+-.*\.ndjson$/.test(name)).sort()
    return join(directory, segments.at(-1) ?? '')
  }

  /** Every event and the status are what the published schemas say, in every test. */
  private checkContract(): void {
    for (const event of this.events()) {
      if (!isEvent(event)) {
        throw new Error(`${JSON.stringify(event)}: ${JSON.stringify(isEvent.errors)}`)
      }
    }
    statusSchema.parse(this.guard.status())
  }

  async close(): Promise<void> {
    this.checkContract()
    await this.stopGuard()
    await this.venue.simulator.close()
    // What Guard was writing as it stopped may still come.
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  // ------------------------------------------------------------------------------------ as the bot

  nonce(): number {
    this.lastNonce = Math.max(Date.now(), this.lastNonce + 1)
    return this.lastNonce
  }

  sign(action: Json, options: SignOptions = {}): JsonObject {
    const nonce = options.nonce ?? this.nonce()
    const expiresAfter = options.expiresAfter ?? null
    const vault = options.vault ?? null
    const hash = hashAction(this.crypto.keccak256, action, nonce, vault, expiresAfter)
    const digest = phantomDigest(this.crypto.keccak256, hash, options.as ?? 'mainnet')
    const { r, s, v } = this.crypto.secp256k1.sign(digest, options.key ?? clientKey)
    return {
      action,
      nonce,
      signature: { r, s, v },
      ...(vault === null ? {} : { vaultAddress: vault }),
      ...(expiresAfter === null ? {} : { expiresAfter }),
    }
  }

  /** What a bot gets for a signed action. */
  async ask(action: Json, options: SignOptions = {}): Promise<any> {
    return await this.post(this.sign(action, options))
  }

  async post(request: Json | string): Promise<any> {
    const text = typeof request === 'string' ? request : JSON.stringify(request)
    const reply = await this.guard.handleExchange(new TextEncoder().encode(text), 'http')
    return reply.body
  }

  async kill(reason: string, options: SignOptions = {}): Promise<any> {
    const request = this.sign({ type: 'guardKill', reason }, options)
    const reply = await this.guard.handleKill(new TextEncoder().encode(JSON.stringify(request)))
    return reply.body
  }

  // --------------------------------------------------------------------------------- what happened

  events(kind?: GuardEvent['kind']): any[] {
    const all = this.opened.reader.since(0)
    return kind === undefined ? [...all] : all.filter((event) => event.kind === kind)
  }

  async event(
    kind: GuardEvent['kind'],
    matches: (event: any) => boolean = () => true,
  ): Promise<any> {
    let found: unknown
    await this.until(
      () => {
        found = this.events(kind).find(matches)
        return found !== undefined
      },
      `a ${kind} event; have ${this.events()
        .map((each) => each.kind)
        .join(' ')}`,
    )
    return found
  }

  /** Waits for a condition by looking again, never by guessing how long it takes. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const giveUp = Date.now() + 90_000
    while (!(await condition())) {
      if (Date.now() > giveUp) throw new Error(`gave up waiting for ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  async venueState(): Promise<any> {
    return await this.venue.state(accountAddress)
  }

  async positions(): Promise<Record<string, string>> {
    const state = await this.venueState()
    return sizesIn(state.clearinghouseState)
  }

  /** What is held on a builder dex. */
  async positionsOn(dex: string): Promise<Record<string, string>> {
    return sizesIn(await this.askAbout('clearinghouseState', dex))
  }

  /** What the venue tells of the account on a builder dex, without anybody's faults or weight. */
  async askAbout(type: string, dex: string): Promise<any> {
    const question = { type, user: accountAddress, dex }
    return await this.venue.info(question, { 'X-Sim-Observer': '1' })
  }

  /** Does what Guard does every so many milliseconds, now. */
  fire(everyMs: number): void {
    for (const { ms, task } of this.repeated) if (ms === everyMs) task()
  }

  /** When the stream last told the balance. */
  spotAt(): number {
    return this.stream.latest('spotState')?.at ?? 0
  }

  /** What Guard cannot explain, before it has lasted long enough for an alert. */
  discrepancies(): readonly string[] {
    return accountInside(this.guard).discrepancies()
  }

  /** A trade made outside the bot, by the account itself or by another one. */
  async outside(action: Json, user: string = accountAddress): Promise<any> {
    return await this.venue.control('act', { user, action })
  }
}

function sizesIn(state: any): Record<string, string> {
  return Object.fromEntries(
    state.assetPositions.map((each: any) => [each.position.coin, each.position.szi]),
  )
}

interface SignOptions {
  readonly vault?: Address
  readonly nonce?: number
  readonly expiresAfter?: number
  readonly as?: 'mainnet' | 'testnet'
  readonly key?: Uint8Array
}

/** A limit order in the venue's short keys. */
export function order(
  asset: number,
  isBuy: boolean,
  price: string,
  size: string,
  more: JsonObject = {},
): JsonObject {
  return { a: asset, b: isBuy, p: price, s: size, r: false, t: { limit: { tif: 'Ioc' } }, ...more }
}

export function orders(...list: readonly JsonObject[]): JsonObject {
  return { type: 'order', orders: list, grouping: 'na' }
}

export const gtc: JsonObject = { t: { limit: { tif: 'Gtc' } } }
export const reduceOnly: JsonObject = { r: true }
export const strangerKey: Uint8Array = keyOf(0x33)
