import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { hashAction, phantomDigest } from '../../src/core/protocol/hashAction.ts'
import { botRequest } from './bots.ts'
import type { Twist } from './bots.ts'
import { Chance } from './chance.ts'
import type { BotFault } from './faultKinds.ts'
import type { GuardProcess } from './guardProcess.ts'
import type { Request } from './oracle.ts'
import type { Plan } from './plan.ts'
import type { Step } from './step.ts'
import type { Trace } from './trace.ts'
import type { VirtualTime } from './virtualTime.ts'
import type { Oracle } from './oracle.ts'
import type { Coverage } from './coverage.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import { Violation } from './violation.ts'
import { keys, user } from './keys.ts'

/** What bots need of the world they trade in. */
interface BotWorld {
  readonly plan: Plan
  readonly time: VirtualTime
  readonly crypto: Crypto
  readonly sim: SimulatorCore
  readonly oracle: Oracle
  readonly trace: Trace
  readonly coverage: Coverage
  /** The client keys whose requests Guard accepts at this moment. */
  readonly clientKeys: readonly Uint8Array[]
  /** When a client was last given or denied access, by elapsed time. */
  readonly clientsChangedAt: number
  readonly life: GuardProcess | null
  near(): readonly string[]
  state(): string
  /** Runs a check; what it finds ends the world. */
  guarded(check: () => void): void
  checkSecrets(text: string): void
  acknowledgeKill(): void
  struck(kind: string): void
}

interface Armed {
  readonly kind: BotFault
  readonly untilMs: number
  left: number
}

/** A request that came whole is decided this long after at the latest, whoever waits for it. */
const decidedMsMax = 10_000

/** Of this Guard may take 250 ms; the rest is for the way to it and back. */
const killMsMax = 500

/** What bots send to Guard's port, and what they hear. */
export class BotTraffic {
  readonly #world: BotWorld
  readonly chance: Chance
  readonly requests: Request[] = []
  /** Requests that wait for their answer. */
  readonly waiting = new Set<Request>()
  #armed: Armed[] = []
  #lastNonce = 0

  constructor(world: BotWorld) {
    this.#world = world
    this.chance = new Chance(world.plan.seed, 'bots')
  }

  /** Strikes the next `count` requests of bots within `forMs`. */
  arm(kind: BotFault, count: number, forMs: number): void {
    this.#armed.push({ kind, left: count, untilMs: this.#world.time.elapsed + forMs })
  }

  nonce(): number {
    this.#lastNonce = Math.max(this.#world.time.now, this.#lastNonce + 1)
    return this.#lastNonce
  }

  sign(action: Json, nonce: number, key: Uint8Array, expiresAfter: number | null): JsonObject {
    const { keccak256, secp256k1 } = this.#world.crypto
    const hash = hashAction(keccak256, action, nonce, null, expiresAfter)
    const digest = phantomDigest(keccak256, hash, 'mainnet')
    const { r, s, v } = secp256k1.sign(digest, key)
    const expiry = expiresAfter === null ? {} : { expiresAfter }
    return { action, nonce, signature: { r, s, v }, ...expiry }
  }

  /** What a bot of this kind does now. */
  do(step: Step & { readonly kind: 'bot' }): void {
    const world = this.#world
    const { margin } = world.plan
    const { bot, dice, onDex } = step
    const { actions, twist } = botRequest(world.sim.venue, user, bot, dice, margin, onDex)
    for (const action of actions) {
      this.#request(step.bot, action, twist, { key: step.dice[3], life: step.dice[1] })
    }
  }

  /** What a bot of good faith asks for, by a habit of this name. */
  ask(habit: string, action: Json, chance: Chance): void {
    this.#request(habit, action, 'none', { key: chance.next(), life: chance.next() })
  }

  /** `dice` are numbers from 0 to 1: whose request it is, and how long it may live. */
  #request(
    name: string,
    action: Json,
    twist: Twist,
    dice: { readonly key: number; readonly life: number },
  ): void {
    const world = this.#world
    const key = world.clientKeys[dice.key < 0.5 ? 0 : world.clientKeys.length - 1] ?? keys.first
    const nonce = twist === 'old_nonce' ? this.nonce() - 60_000 : this.nonce()
    // Some bots say until when their request may live.
    const expiresAfter = nonce % 4 === 0 ? nonce + 1_000 + Math.floor(dice.life * 9_000) : null
    const signer = twist === 'stranger' ? keys.stranger : key
    const signed = this.sign(action, nonce, signer, expiresAfter)
    const client = world.crypto.secp256k1.addressOf(key)
    world.oracle.askedAt.set(`${client}:${nonce}`, world.time.elapsed)
    if (expiresAfter !== null) world.oracle.expiries.set(`${client}:${nonce}`, expiresAfter)
    const last = this.requests.at(-1)
    let text = JSON.stringify(signed)
    if (twist === 'bad_signature') text = text.replace('"nonce":1', '"nonce":2')
    if (twist === 'malformed') text = text.slice(0, -1)
    if (twist === 'replay' && last !== undefined) {
      text = last.text
      world.oracle.neverWhole.delete(keyOf(last))
    }
    const isValid = twist === 'none' && name !== 'withdraw'
    world.trace.say(() => `bot ${this.requests.length} ${name} ${JSON.stringify(action)}`)
    world.coverage.met(world.near(), `bot ${kindOf(action)}`, world.state())
    this.#ask(text, { client, nonce, action, isValid, text })
  }

  /** Somebody pulls the switch with a client's key. */
  kill(): void {
    const { life, time } = this.#world
    if (life?.door == null || life.isStopping) return
    const pulledAt = time.elapsed
    const action = { type: 'guardKill', reason: 'enough' }
    const signed = this.sign(action, this.nonce(), keys.first, null)
    const body = Buffer.from(JSON.stringify(signed))
    life.door.post('/guard/kill', body, null, (answer) => {
      if (!life.isDead && answer !== null) this.#checkPrompt(time.elapsed - pulledAt)
      const told = answer?.body as { readonly killed?: { readonly durable: boolean } } | undefined
      if (!life.isDead && told?.killed?.durable === true) this.#world.acknowledgeKill()
    })
  }

  /** A disk is waited for a quarter of a second; the way to Guard and back takes its time too. */
  #checkPrompt(ms: number): void {
    if (ms <= killMsMax) return
    this.#world.guarded(() => {
      throw new Violation('kill_prompt', `a kill was answered after ${ms} ms`)
    })
  }

  /** Sends bytes to the living process and follows what it answers. */
  #ask(text: string, request: Omit<Request, 'id' | 'at' | 'life' | 'answer' | 'fate'>): void {
    const { life, time, oracle } = this.#world
    if (life?.door == null || life.isStopping) return
    const fault = this.#take()
    const fate = fateOf(fault)
    const copies = fault === 'bot_doubled' ? 2 : 1
    for (let copy = 0; copy < copies; copy += 1) {
      const id = this.requests.length
      const asked: Request = {
        ...{ ...request, id, at: time.elapsed, life: life.number, fate },
        answer: null,
      }
      this.requests.push(asked)
      if (fate === 'whole') this.waiting.add(asked)
      if (fate === 'cut' && asked.isValid) oracle.neverWhole.add(keyOf(asked))
      if (fate === 'gone' && asked.isValid) this.#checkLater(life, asked)
      this.#post(life, asked, text, fault)
    }
  }

  #post(life: GuardProcess, asked: Request, text: string, fault: BotFault | null): void {
    const { door } = life
    const heard = (answer: { readonly status: number; readonly body: Json } | null): void => {
      if (!life.isDead) this.#heard(life, asked, answer)
    }
    const isSocket = asked.id % 3 === 0 && isJson(text)
    if (isSocket) door?.postOnSocket(text, fault, heard)
    else door?.post('/exchange', Buffer.from(text), fault, heard)
  }

  #heard(
    life: GuardProcess,
    asked: Request,
    answer: { readonly status: number; readonly body: Json } | null,
  ): void {
    const world = this.#world
    this.waiting.delete(asked)
    world.guarded(() => {
      if (answer === null) {
        if (asked.fate !== 'whole' || life.isStopping) return
        throw new Violation('answered', `request ${asked.id} was cut off without an answer`)
      }
      asked.answer = { ...answer, at: world.time.elapsed }
      world.checkSecrets(JSON.stringify(answer.body))
      world.trace.answered(asked)
      if (this.#isStillClient(asked)) world.oracle.onAnswer(asked)
    })
  }

  #checkLater(life: GuardProcess, asked: Request): void {
    const { time, oracle } = this.#world
    time.after(decidedMsMax, () => {
      if (life.isDead || life.isStopping || !this.#isStillClient(asked)) return
      this.#world.guarded(() => {
        oracle.checkDecided(asked)
      })
    })
  }

  /** A key may be taken from a client while its request is on its way, also in the same moment. */
  #isStillClient({ at }: Request): boolean {
    return this.#world.clientsChangedAt < at
  }

  #take(): BotFault | null {
    const now = this.#world.time.elapsed
    this.#armed = this.#armed.filter(({ left, untilMs }) => left > 0 && untilMs > now)
    const [armed] = this.#armed
    if (armed === undefined) return null
    armed.left -= 1
    this.#world.struck(armed.kind)
    return armed.kind
  }
}

function fateOf(fault: BotFault | null): Request['fate'] {
  if (fault === 'bot_gone') return 'gone'
  const isCut = fault === 'bot_cut_body' || fault === 'bot_overlong' || fault === 'bot_garbage'
  return isCut ? 'cut' : 'whole'
}

function keyOf({ client, nonce }: Request): string {
  return `${String(client)}:${nonce}`
}

function kindOf(action: Json): string {
  return String((action as { readonly type?: unknown }).type)
}

/** A frame is JSON or nothing: what is no JSON can only come over HTTP. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
