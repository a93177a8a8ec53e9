import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import type { Address } from '../../src/core/values/address.ts'
import { bytesToHex } from '../../src/core/values/hex.ts'
import { limits } from '../../src/core/values/limits.ts'
import { FakeDisk } from '../fakes/fakeDisk.ts'
import type { CrashMode } from '../fakes/fakeFile.ts'
import { createSimulator } from '../sim/createSimulator.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import { BotDoor } from './botDoor.ts'
import { BotTraffic } from './botTraffic.ts'
import { Chance } from './chance.ts'
import { Coverage } from './coverage.ts'
import { firstDexes } from './dexes/dexPlan.ts'
import { DiskTrouble } from './diskTrouble.ts'
import { FakeNet } from './fakeNet.ts'
import type { NetFault, NetHooks, Passage } from './fakeNet.ts'
import type { FrontRequest } from './httpFront.ts'
import type { NetOwner } from './venueWire.ts'
import { markets } from './markets.ts'
import { HaltOracle } from './haltOracle.ts'
import { startProcess, stateDirectory, stormKillFile } from './guardProcess.ts'
import type { GuardProcess, ProcessParts } from './guardProcess.ts'
import { Oracle } from './oracle.ts'
import { readingsOf } from './readingsOf.ts'
import type { VenueRequest } from './oracle.ts'
import type { Plan } from './plan.ts'
import type { Origin, Sending } from './sending.ts'
import { startRules } from './startRules.ts'
import { Trace } from './trace.ts'
import { accountsOf } from './stormAccounts.ts'
import { VenueSide } from './venueSide.ts'
import { Violation } from './violation.ts'
import { ProcessTime, VirtualTime } from './virtualTime.ts'
import { WatchedDisk } from './watchedDisk.ts'
import { keys, owner, user } from './keys.ts'

export interface RunOptions {
  /** Keeps the lines of what happened. */
  readonly isTraced?: boolean
  /** Breaks what each process is made of, to see that the oracle notices. */
  readonly sabotage?: (life: GuardProcess, parts: ProcessParts, world: World) => ProcessParts
  /** Called whenever the world has come right in the middle of its storm. */
  readonly rested?: (world: World) => void
  /** Breaks a process once it is put together. */
  readonly afterBirth?: (life: GuardProcess, world: World) => void
}

/** What stays when a process dies, and the process that lives now. */
export class World {
  readonly options: RunOptions
  readonly plan: Plan
  readonly crypto: Crypto
  readonly time: VirtualTime
  readonly sim: SimulatorCore
  readonly disk: FakeDisk
  readonly trouble: DiskTrouble
  readonly net: FakeNet
  readonly oracle = new Oracle()
  readonly halts = new HaltOracle(() => this.time.now)
  readonly venueSide: VenueSide
  readonly coverage = new Coverage()
  readonly trace: Trace
  readonly chance: Chance
  readonly bots: BotTraffic
  readonly watched: WatchedDisk
  readonly killWatchers = new Set<() => void>()
  life: GuardProcess | null = null
  lives = 0
  /** Set while the machine is down on purpose; nothing starts a process then. */
  isHeld = false
  /** The storm is over: nobody begins anything any more. */
  isHealed = false
  clockOffsetMs = 0
  rules: Rules
  clientKeys: readonly Uint8Array[] = [keys.first, keys.second]
  /** When a client was last given or denied access, by elapsed time. */
  clientsChangedAt = -1
  isAgentRevoked = false
  /** Somebody traded past Guard: it cannot know of everything at once. */
  isTraded = false
  /** Armed by a fault: the process dies as the next request leaves, or as the next answer comes. */
  dieAt: { readonly when: 'send' | 'answer'; readonly mode: CrashMode | 'killed' } | null = null
  /** When something last went wrong or was done to the world from outside, by elapsed time. */
  lastTroubleAt = 0
  /** Until when the venue refuses by one of its limits what it would take otherwise, by elapsed time. */
  limitedUntil = 0
  /** Faults that struck within the last seconds, for the coverage table. */
  readonly recent = new Map<string, number>()
  failure: Violation | null = null
  /** Each undoes what a turned bit did to a file. */
  putBack: (() => void)[] = []
  /** When somebody made the kill file. */
  killFileAt: number | null = null
  private readonly secrets = Object.values(keys).map(bytesToHex)

  constructor(plan: Plan, crypto: Crypto, options: RunOptions) {
    this.options = options
    this.plan = plan
    this.rules = startRules(plan)
    this.crypto = crypto
    this.time = new VirtualTime(plan.startMs)
    this.trace = new Trace(this.time, options.isTraced === true)
    this.chance = new Chance(plan.seed, 'world')
    this.sim = createSimulator(
      {
        ...{ seed: plan.seed, control: true, network: 'testnet' },
        weightLimit: plan.hasReader || plan.hasFollower ? 1_200 : null,
        scenario: plan.isFrozen ? 'calm' : 'trend',
        options: {
          ...readingsOf(plan),
          ...{ allMidsMs: plan.rhythm.allMids, contextMs: plan.rhythm.contexts },
          ...{ accountMs: plan.rhythm.account, streamLagMs: plan.streamLagMs },
        },
      },
      crypto,
      () => this.time.now,
    )
    this.bots = new BotTraffic(this)
    this.venueSide = new VenueSide(this.sim, user, this, (check) => {
      this.guarded(check)
    })
    this.trouble = new DiskTrouble(this.time, new Chance(plan.seed, 'disk'))
    this.disk = new FakeDisk(this.trouble.options())
    this.watched = new WatchedDisk(
      (record) => {
        this.trace.record(record)
        this.guarded(() => {
          if (!this.oracle.onDisk(record)) return
          this.halts.onDisk(record)
          this.venueSide.onDisk(record, this.life?.rules ?? this.rules)
        })
      },
      (lastSeq) => {
        this.trace.say(`the journal is cut to ${lastSeq}`)
        this.guarded(() => {
          this.oracle.onCut(lastSeq)
        })
      },
    )
    this.net = new FakeNet(this.time, this.sim, plan, this.netHooks())
    this.control('reset', {
      frozen: plan.isFrozen,
      seed: plan.seed,
      markets,
      dexes: plan.dexes === null ? [] : [...firstDexes],
      accounts: [...accountsOf(plan, crypto)],
    })
  }

  get clients(): readonly Address[] {
    return this.clientKeys.map((key) => this.crypto.secp256k1.addressOf(key))
  }

  /** What a test does to the venue that no client could; false when the venue would not. */
  control(path: string, body: Json): boolean {
    let isDone = false
    // Guard may have gone by what is there until now, however soon it is gone.
    if (path !== 'reset') this.venueSide.look()
    this.sim.http(
      {
        ...{ method: 'POST', url: `/sim/${path}`, contentType: 'application/json' },
        ...{ isObserver: true, ip: '127.0.0.1', body: JSON.stringify(body) },
      },
      (reply) => {
        isDone = reply?.status === 200
      },
    )
    return isDone
  }

  /** A check that fails ends the run with what it found first. */
  guarded(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.failure ??= error
    }
  }

  /** A kill was answered as being on disk: from now on nothing opens, through every restart. */
  acknowledgeKill(): void {
    this.trace.say('the kill was acknowledged')
    this.oracle.killedAt ??= this.time.elapsed
  }

  touched(fault: string): void {
    this.lastTroubleAt = this.time.elapsed
    this.struck(fault)
  }

  struck(fault: string): void {
    this.recent.set(fault, this.time.elapsed)
    this.coverage.struck(fault)
  }

  // ------------------------------------------------------------------------------------- processes

  /** Starts a process, unless one lives. What keeps it from starting is tried again. */
  start(): void {
    if (this.life !== null || this.isHeld) return
    this.lives += 1
    const life: GuardProcess = {
      number: this.lives,
      time: new ProcessTime(this.time, () => this.clockOffsetMs),
      isDead: false,
      ...{ guard: null, gateway: null, door: null, isStopping: false, rules: this.rules },
      opened: null,
      recoveredAt: null,
    }
    this.life = life
    this.trace.say(`life ${life.number} starts`)
    this.oracle.isOpening = true
    this.oracle.isRecovered = false
    this.run(life).catch((error: unknown) => {
      this.trace.say(`life ${life.number} cannot start: ${String(error)}`)
      if (life.isDead) return
      this.end(life)
      this.disk.kill()
      for (const undo of this.putBack.reverse()) undo()
      this.putBack = []
      this.time.after(1_000, () => {
        this.start()
      })
    })
  }

  private async run(life: GuardProcess): Promise<void> {
    const parts = this.partsOf(life)
    await startProcess(life, this.options.sabotage?.(life, parts, this) ?? parts)
    if (life.isDead || life.guard === null || life.opened === null) return
    this.options.afterBirth?.(life, this)
    if (life.gateway !== null) {
      life.door = new BotDoor(this.time, this.bots.chance, life.gateway.server)
    }
    const { journal } = life.opened
    this.guarded(() => {
      this.oracle.onOpened(journal.lastSeq, journal.error === null)
    })
    life.opened.reader.subscribe(({ seq }) => {
      this.guarded(() => {
        if (!life.isDead) this.oracle.onShown(seq)
      })
    })
    await life.guard.start()
    if (this.life !== life) return
    life.recoveredAt = this.time.elapsed
    this.oracle.isRecovered = true
    this.trace.say(`life ${life.number} has recovered`)
  }

  partsOf(life: GuardProcess): ProcessParts {
    const io = this.watched.watch(this.disk.io)
    const kill = `${stateDirectory}/kill`
    return {
      ...{ account: user, network: 'testnet', apiKey: keys.api, crypto: this.crypto },
      via: this.plan.isOwned ? owner : null,
      ...{ rules: this.rules, clients: this.clients, io, timeoutMs: 2_000 },
      ...{ isKeyed: this.plan.isKeyed, hasSecondDisk: this.plan.hasSecondDisk },
      killFile: stormKillFile(io, () => this.disk.bytes(kill), this.killWatchers),
      log: {
        log: (level, message, fields) => {
          const text = `${level} ${message} ${JSON.stringify(fields ?? {})}`
          this.checkSecrets(text)
          if (level === 'error') this.trace.say(text)
        },
      },
      chance: new Chance(this.plan.seed, `life ${life.number}`),
      connect: this.net.connect(life),
      openSocket: this.net.openSocket(life),
    }
  }

  /** The process is gone at once; `mode` says what is left of what it had not synced. */
  die(mode: CrashMode | 'killed'): void {
    const { life } = this
    this.dieAt = null
    if (life === null) return
    this.trace.say(`life ${life.number} dies (${typeof mode === 'string' ? mode : 'torn'})`)
    this.end(life)
    if (mode === 'killed') this.disk.kill()
    else this.disk.crash(mode)
    const waitMs = this.chance.pick([20, 200, 1_000, 4_000])
    this.time.after(waitMs, () => {
      this.start()
    })
  }

  /** The machine that was down on purpose is started again. */
  release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    this.start()
  }

  /** Nothing of this life counts any more. */
  end(life: GuardProcess): void {
    life.isDead = true
    life.door?.drop()
    life.time.end()
    this.net.dropAll(life)
    this.watched.forget()
    this.killWatchers.clear()
    this.bots.waiting.clear()
    this.trouble.heal(this.disk)
    if (this.life === life) this.life = null
    this.lastTroubleAt = this.time.elapsed
  }

  // ---------------------------------------------------------------------------------------- traffic

  private netHooks(): NetHooks {
    return {
      leaving: (owner, request, fault) => this.onLeaving(owner, request, fault),
      reaching: () => {
        if (this.dieAt?.when === 'answer') this.die(this.dieAt.mode)
      },
      struck: (fault) => {
        this.touched(fault)
      },
      broken: (text) => {
        this.guarded(() => {
          throw new Violation('one_at_a_time', text)
        })
      },
    }
  }

  private onLeaving(
    owner: NetOwner,
    { path, body }: FrontRequest,
    fault: NetFault | null,
  ): Passage | null {
    if (fault !== null) this.touched(fault)
    if (path !== '/exchange') return null
    const request = JSON.parse(body) as VenueRequest & { readonly action: JsonObject }
    const { action } = request
    let origin: Origin | null = null
    this.guarded(() => {
      origin = this.oracle.onSend(request)
    })
    const sending = this.sendingOf(request, origin, fault !== null)
    this.guarded(() => {
      this.venueSide.follow(sending, !this.isTraded)
    })
    this.trace.sent(request, fault)
    this.coverage.met(this.near(), `sends ${String(action['type'])}`, this.state())
    if (owner === this.life && this.dieAt?.when === 'send') this.die(this.dieAt.mode)
    // What its bot lets live only briefly may end while the disk is waited for.
    const isLasting = request.expiresAfter - request.nonce >= limits.sendLifeMs
    const isServing = this.life?.recoveredAt != null && !this.oracle.isDiskBad
    const isTimed = fault === null && isLasting && isServing
    return this.venueSide.passageOf(sending, () => {
      if (origin !== null) this.oracle.onMistimed(request, origin)
      if (!isTimed) return
      this.guarded(() => {
        throw new Violation('venue_time', `the venue refused this by its clock: ${body}`)
      })
    })
  }

  private sendingOf(
    { action, expiresAfter }: VenueRequest & { readonly action: JsonObject },
    origin: Origin | null,
    isStruck: boolean,
  ): Sending {
    const leftAt = this.time.elapsed
    const askedAt = this.oracle.askedAt.get(origin?.key ?? '') ?? leftAt
    const rules = this.life?.rules ?? this.rules
    return { action, origin, askedAt, leftAt, expiresAfter, rules, isStruck }
  }

  /** Faults of the last five seconds. */
  near(): readonly string[] {
    const since = this.time.elapsed - 5_000
    return [...this.recent].filter(([, at]) => at >= since).map(([fault]) => fault)
  }

  state(): string {
    const { life, oracle } = this
    if (life === null) return 'dead'
    if (life.recoveredAt === null) return 'recovering'
    if (oracle.killedAt !== null) return 'killed'
    if (oracle.riskState !== 'active') return oracle.riskState
    return oracle.isDiskBad ? 'disk broken' : 'serving'
  }

  /** No key stands in a file, a log line or an answer. */
  checkSecrets(text: string): void {
    if (!this.secrets.some((secret) => text.includes(secret))) return
    this.guarded(() => {
      throw new Violation('secret', `a private key stands in: ${text.slice(0, 100)}`)
    })
  }
}
