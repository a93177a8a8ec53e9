import type { AgentOnce } from './agent/agentOnce.ts'
import type { Json } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import { guardCloidKind } from '../../src/core/protocol/guardCloid.ts'
import { limits } from '../../src/core/values/limits.ts'
import {
  actionsIn,
  checkExit,
  checkKnown,
  checkNotMore,
  listOf,
  opens,
  ordersIn,
} from './actionChecks.ts'
import type { Origin } from './sending.ts'
import type { DiskRecord } from './watchedDisk.ts'
import { Violation } from './violation.ts'

/** A bot's request and what came of it. */
export interface Request {
  readonly id: number
  readonly client: string | null
  readonly nonce: number
  readonly action: Json
  readonly at: number
  readonly life: number
  readonly isValid: boolean
  /** The bytes it came as. */
  readonly text: string
  /** Whether it reached Guard whole, and whether somebody waits for the answer. */
  readonly fate: 'whole' | 'gone' | 'cut'
  answer: { readonly status: number; readonly body: Json; readonly at: number } | null
}

/** What leaves Guard for the venue, as far as the world reads it. */
export interface VenueRequest {
  readonly action: Json
  readonly nonce: number
  readonly expiresAfter: number
}

/** An action on disk that was not sent yet. */
interface Intent {
  readonly expiresBy: number | null
  readonly origin: Origin
}

/**
 * What the world knows of Guard without asking it: what is on disk, what left for the venue, what
 * was answered. Each fact is checked the moment it is learned.
 */
export class Oracle {
  /** Actions on disk that were not sent yet, by their text; a text may stand there twice. */
  readonly #intents = new Map<string, readonly Intent[]>()
  /** Guard's own order ids that have left. */
  readonly #ids = new Set<string>()
  readonly #executed = new Map<string, number>()
  readonly #decisions = new Map<string, DiskRecord[]>()
  readonly #known = new Set<string>()
  readonly #rememberedCodes = new Set<string>()
  lastSeq = 0
  /** What each number of the journal has stood for. */
  readonly #lines = new Map<number, string>()
  shownSeq = 0
  /** A journal is being opened. */
  isOpening = false
  decisionCount = 0
  riskState = 'active'
  /** When a kill was acknowledged as durable; null before. */
  killedAt: number | null = null
  /** Whether a disk has lately failed to do what it was asked. */
  isDiskBad = false
  /** Whether there is another disk for emergency records, and it works. */
  isSecondDiskGood = false
  /** When it last did, by elapsed time. */
  diskBadAt = -Infinity
  /** Requests that never reached Guard whole, as `client:nonce`. */
  readonly neverWhole = new Set<string>()
  /** What bots said of how long their requests may live, by `client:nonce`. */
  readonly expiries = new Map<string, number>()
  /** When bots asked for what, by `client:nonce`, in elapsed time. */
  readonly askedAt = new Map<string, number>()
  /** Checks that an agent’s repeated calls trade once; null in worlds without an agent. */
  agentOnce: AgentOnce | null = null
  /** Whether the process that lives now has looked up what earlier ones sent. */
  isRecovered = true

  get codes(): ReadonlySet<string> {
    return this.#rememberedCodes
  }

  /**
   * A start has read the journal up to here: nothing that was on disk may be missing. `isWritten`: it
   * could also write again what no mark covers. Where the disk refused that, what a killed process
   * had not synced can be read from the kernel's memory, and the next power cut takes it.
   */
  onOpened(lastSeq: number, isWritten: boolean): void {
    this.isOpening = false
    if (lastSeq < this.lastSeq) {
      const text = `${this.lastSeq} records were on disk, a start found ${lastSeq}`
      throw new Violation('durable', text)
    }
    if (isWritten) this.lastSeq = lastSeq
  }

  /** A reader was shown an event: it is on disk, in order, and stays there. */
  onShown(seq: number): void {
    if (seq > this.lastSeq) throw new Violation('shown', `${seq} was shown and is on no disk`)
    this.shownSeq = seq
  }

  /** The end of the journal was cut off. */
  onCut(lastSeq: number): void {
    if (lastSeq < this.shownSeq) {
      throw new Violation(
        'durable',
        `${this.shownSeq} was shown, and the journal was cut to ${lastSeq}`,
      )
    }
    this.lastSeq = lastSeq
  }

  /** A line reached the disk. False for one that was there before: it is no news to anybody. */
  onDisk(record: DiskRecord): boolean {
    if (record.seq > 0) {
      // What no mark covers is written once more, at the start or as soon as the disk takes it.
      const line = JSON.stringify(record)
      const known = this.#lines.get(record.seq) ?? line
      if (record.seq <= this.lastSeq && known === line) return false
      this.#lines.set(record.seq, line)
      // What a crash left unsynced may have survived all the same.
      const isNext = this.isOpening ? record.seq > this.lastSeq : record.seq === this.lastSeq + 1
      if (!isNext) throw new Violation('gap', `record ${record.seq} follows ${this.lastSeq}`)
      this.lastSeq = record.seq
    }
    if (!this.#isKnown(record)) this.#take(record)
    this.agentOnce?.onDisk(record)
    return true
  }

  #take(record: DiskRecord): void {
    switch (record.kind) {
      case 'decision':
        return this.#onDecision(record)
      case 'flatten':
      case 'protect':
        if (record['sent'] === true) this.#expect(listOf(record['actions']), null, null)
        return
      case 'risk':
        this.riskState = String(record['state'])
        return
      case 'reviewed':
        if (record['what'] === 'stopped') this.riskState = 'active'
        return
      default:
    }
  }

  /**
   * The same record may reach a disk twice: through the emergency file and then the journal, or
   * once more after a sync that came too late was cut off. It is one intent all the same.
   */
  #isKnown(record: DiskRecord): boolean {
    const { kind, seq, at_ms: at, client, nonce, actions, reason, forward, code } = record
    // The emergency file gives a record a time of its own.
    const moment = kind === 'decision' ? [client, nonce, forward, code] : [at, seq]
    const name = JSON.stringify([kind, moment, actions, reason])
    if (this.#known.has(name)) return true
    this.#known.add(name)
    return false
  }

  #onDecision(record: DiskRecord): void {
    this.decisionCount += 1
    this.#rememberedCodes.add(String(record['code']))
    const key = `${String(record['client'])}:${String(record['nonce'])}`
    if (this.neverWhole.has(key)) {
      throw new Violation('whole', `${key} was decided, and only a part of it ever came`)
    }
    if (record['nonce'] !== null) {
      this.#decisions.set(key, [...(this.#decisions.get(key) ?? []), record])
    }
    checkExit((record['request'] ?? null) as Json, record['code'])
    if (record['verdict'] === 'veto') return
    checkNotMore(record)
    this.#expect(actionsIn(record), key, this.expiries.get(key) ?? null)
    const executions = (this.#executed.get(key) ?? 0) + 1
    this.#executed.set(key, executions)
    if (executions > 1 && record['nonce'] !== null) {
      throw new Violation('one_execution', `the request ${key} was let through twice`)
    }
  }

  #expect(actions: readonly Json[], key: string | null, expiresBy: number | null): void {
    const origin = { key, actions }
    for (const action of actions) {
      const text = JSON.stringify(action)
      this.#intents.set(text, [...(this.#intents.get(text) ?? []), { expiresBy, origin }])
    }
  }

  /** An action leaves Guard for the venue; answers where it came from, null where no disk says so. */
  onSend(request: VenueRequest): Origin | null {
    const { action } = request
    checkKnown(action)
    const text = JSON.stringify(action)
    const isOpening = opens(action)
    const intents = this.#intents.get(text) ?? []
    // The same text may be asked for twice, until different times, and leave in another order: the
    // one that ends first leaves the others for what comes.
    const allows = ({ expiresBy }: Intent): boolean =>
      request.expiresAfter <= (expiresBy ?? Infinity)
    const [tightest] = intents
      .filter(allows)
      .sort((left, right) => (left.expiresBy ?? Infinity) - (right.expiresBy ?? Infinity))
    const intent = tightest ?? (this.isDiskBad ? undefined : intents[0])
    this.#intents.set(
      text,
      intents.filter((each) => each !== intent),
    )
    const isOnSomeDisk = !this.isDiskBad || this.isSecondDiskGood
    if (intent === undefined && (isOnSomeDisk || isOpening)) {
      throw new Violation('intent_first', `this was sent and is on no disk: ${text}`)
    }
    this.#checkIds(action)
    const lives = request.expiresAfter - request.nonce
    if (!(lives <= limits.expiresAfterMsMax)) {
      throw new Violation('not_longer', `this may arrive ${lives} ms after it was made: ${text}`)
    }
    if (intent !== undefined && !allows(intent)) {
      throw new Violation('not_longer', `this may arrive later than its bot asked for: ${text}`)
    }
    if (isOpening) this.#checkMayOpen(text)
    return intent?.origin ?? null
  }

  /** The venue refused it for the time alone: it did not happen, and may leave once more. */
  onMistimed({ action }: VenueRequest, origin: Origin): void {
    const key = origin.key ?? ''
    const text = JSON.stringify(action)
    const intent = { expiresBy: this.expiries.get(key) ?? null, origin }
    this.#intents.set(text, [...(this.#intents.get(text) ?? []), intent])
    for (const { c } of isObject(action) && action['type'] === 'order' ? ordersIn(action) : []) {
      if (typeof c === 'string') this.#ids.delete(c)
    }
  }

  #checkIds(action: Json): void {
    for (const { c } of isObject(action) && action['type'] === 'order' ? ordersIn(action) : []) {
      // A bot may name again what was given to its own order.
      if (typeof c !== 'string' || (guardCloidKind(c) ?? 'order') === 'order') continue
      if (this.#ids.has(c)) throw new Violation('sent_once', `the order ${c} left again`)
      this.#ids.add(c)
    }
  }

  #checkMayOpen(text: string): void {
    if (!this.isRecovered) {
      throw new Violation('recovery_first', `Guard is still recovering, and this was sent: ${text}`)
    }
    if (this.killedAt !== null) {
      throw new Violation('latched', `the kill switch is latched, and this was sent: ${text}`)
    }
    if (this.riskState !== 'active') {
      throw new Violation('halted', `the account is ${this.riskState}, and this was sent: ${text}`)
    }
  }

  /** A request reached Guard whole, and its bot was gone before the answer: it is decided all the same. */
  checkDecided({ client, nonce, at }: Request): void {
    const key = `${String(client)}:${nonce}`
    if (this.diskBadAt >= at || this.#decisions.has(key)) return
    throw new Violation('one_decision', `the request ${key} came whole and is on no disk`)
  }

  /** A bot got its answer: one decision on disk says the same. */
  onAnswer(request: Request): void {
    const { answer } = request
    if (answer === null) return
    if (answer.status !== 200 && answer.status !== 413 && answer.status !== 429) {
      throw new Violation('answer', `a bot got HTTP ${answer.status}`)
    }
    if (!isObject(answer.body)) {
      if (answer.status === 429) return
      throw new Violation('answer', `a bot got ${JSON.stringify(answer.body)}`)
    }
    const { code } = answer.body
    if (request.isValid) checkExit(request.action, code)
    if (!request.isValid || request.fate !== 'whole' || this.isDiskBad) return
    const key = `${String(request.client)}:${request.nonce}`
    const decisions = this.#decisions.get(key) ?? []
    if (decisions.length === 0) {
      throw new Violation('one_decision', `the request ${key} was answered and is on no disk`)
    }
    const isTold = decisions.some((record) => record['code'] === code)
    if (!isTold && !laterCodes.has(String(code))) {
      const had = decisions.map((record) => String(record['code'])).join(', ')
      throw new Violation('one_decision', `${key} was answered ${String(code)}, decided ${had}`)
    }
  }
}

/** What may become of a request after its decision. */
const laterCodes = new Set([
  'open_risk',
  'leverage',
  'position_cap',
  'liquidation_too_close',
  'account_stale',
  'account_unknown',
  'unprotected_position',
  'unknown_order',
  'venue_unreachable',
  'kill_switch',
  'drawdown_halt',
  'daily_loss_stop',
  'journal',
  'venue_refused_leverage',
])
