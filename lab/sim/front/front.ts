import type { Json } from '../../../src/core/protocol/action.ts'
import type { Crypto } from '../../../src/core/protocol/crypto.ts'
import type { Coin } from '../../../src/core/values/coin.ts'
import type { Refusal, VenueControl } from '../engine/venueControl.ts'
import type { VenueEvent } from '../engine/venueEvent.ts'
import type { VenueReads } from '../engine/venueReads.ts'
import { actionSubject, carriesTriggers, questionSubject } from './actionSubject.ts'
import { AddressBudget } from './addressBudget.ts'
import { exchangeWeight, parseBody, postAnswer } from './bodies.ts'
import { ClockMove } from './clockMove.ts'
import type { Pause } from './clockMove.ts'
import { DailyActions } from './dailyActions.ts'
import { ExchangeDesk } from './exchange/exchangeDesk.ts'
import type { DeskSettings } from './exchange/exchangeDesk.ts'
import { readEnvelope } from './exchange/readEnvelope.ts'
import type { Envelope } from './exchange/readEnvelope.ts'
import { isObject } from './exchange/schema.ts'
import { FaultBoard } from './faults.ts'
import type { ArmedFault } from './faults.ts'
import * as replies from './httpReplies.ts'
import { answerInfo } from './info/answerInfo.ts'
import type { Ask } from './info/ask.ts'
import { infoWeight, rowWeight } from './info/infoWeight.ts'
import type { FrontOptions } from './options.ts'
import { RequestLog } from './requestLog.ts'
import type { LogEntry } from './requestLog.ts'
import type { Replay } from './replay.ts'
import { afterDelay, meetFaults, meetingText, noMeeting } from './requestFaults.ts'
import { Hub } from './stream/hub.ts'
import { SocketDesk } from './stream/socketDesk.ts'
import type { PostAnswer } from './stream/socketDesk.ts'
import { TaskQueue } from './taskQueue.ts'
import type { Answer, Connection, HttpReply, HttpRequest, Link } from './transport.ts'
import { WeightMeter } from './weightMeter.ts'

interface FrontSettings extends DeskSettings {
  /** Request weight a minute and IP; null is none, and then the socket has no limits either. */
  readonly weightLimit: number | null
  readonly options: FrontOptions
  /** Whether requests are kept for the control interface. */
  readonly isLogged: boolean
  /** The clock outside, which `/sim/clock` does not move. */
  wallMs(): number
  /** How a long move of the clock lets everything else go on; without it, it does not. */
  readonly pause?: Pause
}

/** Who asks, however the question came. */
interface Caller {
  readonly ip: string
  readonly isObserver: boolean
  readonly via: 'http' | 'ws'
}

const refuseTextDefault = 'Order refused.'

/** The venue's counter: everything between a socket and the engine, without the socket. */
export class Front {
  readonly venue: VenueReads & VenueControl
  readonly faults = new FaultBoard()
  readonly tasks = new TaskQueue()
  readonly log = new RequestLog()
  readonly budget = new AddressBudget()
  readonly daily: DailyActions
  readonly desk: ExchangeDesk
  readonly hub: Hub
  readonly clockMove: ClockMove
  readonly #settings: FrontSettings
  /** What answers to questions are made of. */
  readonly #asked: Omit<Ask, 'request'>
  readonly #weight: WeightMeter
  readonly #sockets: SocketDesk
  /** How far `/sim/clock` moved the venue's clock ahead. */
  #aheadMs = 0
  #events: VenueEvent[] = []
  /** Whether the last 429 was of an action that was executed. */
  #hidden = false
  /** Until then the streams do not tell of them. */
  #tellAt = 0
  /** A price path from a file, while one runs. */
  replay: Replay | null = null

  constructor(venue: VenueReads & VenueControl, crypto: Crypto, settings: FrontSettings) {
    this.venue = venue
    this.#settings = settings
    this.#asked = { venue, budget: this.budget, options: settings.options }
    this.clockMove = new ClockMove(venue, settings.pause ?? null, () => {
      this.tell()
    })
    this.#weight = new WeightMeter(() => settings.weightLimit)
    this.daily = new DailyActions(settings.options)
    this.desk = new ExchangeDesk(venue, crypto, this.budget, this.daily, settings)
    const world = {
      venue,
      options: settings.options,
      faults: this.faults,
      tasks: this.tasks,
      wallMs: () => settings.wallMs(),
    }
    this.hub = new Hub(world)
    const posts = {
      info: this.#postInfo.bind(this),
      action: this.#postAction.bind(this),
    }
    this.#sockets = new SocketDesk(this.hub, world, posts, settings.weightLimit !== null)
    venue.onEvent((events) => this.#events.push(...events))
  }

  get wallMs(): number {
    return this.#settings.wallMs()
  }

  connect(link: Link): Connection {
    const connection = this.#sockets.connect(link)
    return {
      receive: (text) => {
        const isTaken = this.clockMove.whenStill(() => {
          this.catchUp()
          connection.receive(text)
          this.flush()
        })
        if (!isTaken) link.drop()
      },
      closed: () => {
        connection.closed()
      },
    }
  }

  /** Brings the venue to the clock, then sends what that caused and what is due. */
  advance(): void {
    if (this.clockMove.isUnderWay) return
    this.tasks.run(this.wallMs)
    this.catchUp()
    this.flush()
    this.hub.tick()
  }

  nextAt(): number {
    return Math.min(this.tasks.nextAt(), this.hub.nextAt())
  }

  /** The venue's clock never goes back while it lives. */
  catchUp(): void {
    this.venue.advanceTo(this.#replayed())
  }

  /** Calls `done` once the venue is there; nothing else may be asked of it before. */
  moveClock(ms: number, done: () => void): void {
    this.#aheadMs += ms
    this.clockMove.to(this.#replayed(), done)
  }

  /** Where the clock is to be; the steps of a price path up to there are taken. */
  #replayed(): number {
    const target = Math.max(this.venue.nowMs, this.wallMs + this.#aheadMs)
    this.replay?.advanceTo(this.venue, target)
    return target
  }

  /** Forgets everything about callers; the venue itself is reset by its own call. */
  startOver(seed: number): void {
    this.#aheadMs = 0
    this.#tellAt = 0
    this.#hidden = false
    this.faults.clear()
    this.faults.seed(seed)
    this.hub.unfreeze()
    this.log.clear()
    this.budget.clear()
    this.daily.clear()
    this.desk.nonces.clear()
    this.#weight.clear()
    this.#sockets.clear()
  }

  /** Request weight that an address has spent within the last minute; nothing while there is no limit. */
  weightUsed(ip: string): number {
    return this.#weight.used(ip, this.wallMs)
  }

  /** Tells the streams what happened, unless that is held back behind an answer. */
  flush(): void {
    if (this.wallMs >= this.#tellAt) this.tell()
  }

  /** Tells it at once. */
  tell(): void {
    this.#tellAt = 0
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    this.hub.publish(events)
  }

  /** `POST /info` and `POST /exchange`; the paths were sorted out before. */
  post(path: '/info' | '/exchange', request: HttpRequest, answer: Answer): void {
    const caller: Caller = { ip: request.ip, isObserver: request.isObserver, via: 'http' }
    const parsed = parseBody(request.body)
    this.catchUp()
    if (parsed === undefined) answer(replies.notJson)
    else if (path === '/info') this.#info(parsed, caller, answer)
    else this.#exchange(parsed, caller, answer)
    this.flush()
  }

  #info(request: Json, caller: Caller, answer: Answer): void {
    const subject = questionSubject(request)
    const type = subject.types[0] ?? ''
    if (!this.#takeWeight(caller, infoWeight(type))) {
      answer(replies.tooManyRequests(this.#settings.options.tooManyRequestsBody))
      return
    }
    const meeting = caller.isObserver ? noMeeting : meetFaults(this.faults, 'info', subject)
    afterDelay(meeting, this.tasks, this.wallMs, () => {
      const execute = (): HttpReply => {
        this.catchUp()
        const told = answerInfo(this.#asked, request)
        if (told === 'unfit') return replies.unfit
        if (told === 'failed') return replies.failed
        if (!caller.isObserver) {
          this.#weight.add(caller.ip, rowWeight(type, told.json), this.wallMs)
        }
        return replies.jsonReply(told.json)
      }
      answer(this.#meet(meeting.fault, execute))
    })
  }

  #exchange(request: Json, caller: Caller, answer: Answer): void {
    const envelope = readEnvelope(request)
    if (!this.#takeWeight(caller, exchangeWeight(envelope))) {
      const entry = this.#settings.isLogged ? this.#open(request, caller) : null
      answer(this.#tooMany(() => this.#executeAction(envelope, null, entry), null))
      return
    }
    const action = isObject(request) ? request['action'] : undefined
    const subject = actionSubject(this.venue, action)
    const meeting = caller.isObserver ? noMeeting : meetFaults(this.faults, 'exchange', subject)
    const refuse =
      caller.isObserver || envelope === null ? null : this.#takeRefusal(action, subject)
    const entry = this.#settings.isLogged ? this.#open(request, caller) : null
    if (entry !== null) entry.fault = meetingText(meeting, refuse)
    if (entry !== null && envelope !== null && meeting.fault !== null) {
      this.desk.identify(envelope, entry)
    }
    afterDelay(meeting, this.tasks, this.wallMs, () => {
      const execute = (): HttpReply => {
        this.catchUp()
        return this.#executeAction(envelope, refuse, entry)
      }
      const reply = this.#meet(meeting.fault, execute)
      answer(reply)
      this.#tellLater()
      this.flush()
    })
  }

  /** What waits longest decides: a steady flow of actions does not silence the streams. */
  #tellLater(): void {
    const { streamLagMs } = this.#settings.options
    if (streamLagMs === 0 || this.#tellAt !== 0 || this.#events.length === 0) return
    this.#tellAt = this.wallMs + streamLagMs
    this.tasks.add(this.#tellAt, () => {
      this.flush()
    })
  }

  #executeAction(
    envelope: Envelope | null,
    refuse: ArmedFault | null,
    entry: LogEntry | null,
  ): HttpReply {
    if (envelope === null) return replies.unfit
    const refusal = refuse === null ? null : this.#refusalOf(refuse)
    const reply = this.desk.take(envelope, refusal, entry)
    if (reply === 'unfit') return replies.unfit
    if (entry !== null) this.log.answered(entry, reply)
    return replies.jsonReply(reply)
  }

  #refusalOf(fault: ArmedFault): Refusal {
    const asset = fault.coin === null ? undefined : this.venue.market(fault.coin as Coin)?.asset
    return {
      text: fault.text ?? refuseTextDefault,
      only: fault.kind === 'refuse_stop' ? 'triggers' : 'all',
      ...(asset === undefined ? {} : { asset }),
    }
  }

  /** The answer that a fault leaves; null closes the connection. */
  #meet(fault: ArmedFault | null, execute: () => HttpReply): HttpReply | null {
    switch (fault?.kind) {
      case 'drop_request':
        return null
      case 'drop_reply':
        execute()
        return null
      case 'lie':
        return replies.patchedReply(execute(), fault.patch)
      case 'fail_share':
      case 'http_500':
        return { ...replies.failed, ...(fault.text === null ? {} : { body: fault.text }) }
      case 'http_429':
        return this.#tooMany(execute, fault.text)
      case 'http_408':
        execute()
        return replies.timedOut
      case 'reply':
        if (fault.executed) execute()
        return { ...replies.garbage, body: fault.text ?? 'null' }
      case 'status':
        return replies.withStatuses(execute(), JSON.parse(fault.text ?? 'null') as Json)
      case 'garbage':
        execute()
        return fault.text === null ? replies.garbage : { ...replies.garbage, body: fault.text }
      default:
        return execute()
    }
  }

  /** A 429; by one reading every second one hides that the action was executed. */
  #tooMany(execute: () => HttpReply, text: string | null): HttpReply {
    const { http429_executes: executes, tooManyRequestsBody } = this.#settings.options
    if (executes === 'random') {
      this.#hidden = !this.#hidden
      if (this.#hidden) execute()
    }
    return replies.tooManyRequests(text ?? tooManyRequestsBody)
  }

  /** A refusal of stops is used up only by what carries stops. */
  #takeRefusal(
    action: Json | undefined,
    subject: ReturnType<typeof actionSubject>,
  ): ArmedFault | null {
    const kinds = carriesTriggers(action)
      ? (['refuse', 'refuse_stop'] as const)
      : (['refuse'] as const)
    return this.faults.take('exchange', kinds, subject)
  }

  #takeWeight(caller: Caller, weight: number): boolean {
    if (caller.isObserver) return true
    if (caller.via === 'ws' && this.#settings.options.postWeight === 'free') return true
    return this.#weight.take(caller.ip, weight, this.wallMs)
  }

  #open(request: Json, caller: Caller): LogEntry {
    const told = isObject(request) ? request : {}
    return this.log.open(this.venue.nowMs, caller.via, {
      action: told['action'] ?? null,
      nonce: told['nonce'] ?? null,
      expiresAfter: told['expiresAfter'] ?? null,
      vaultAddress: told['vaultAddress'] ?? null,
    })
  }

  #postInfo(
    payload: Json,
    link: Link,
    answer: (reply: PostAnswer | null) => void,
  ): 'taken' | 'unfit' {
    const told = answerInfo(this.#asked, payload)
    if (told === 'unfit') return 'unfit'
    const type = questionSubject(payload).types[0] ?? ''
    this.#info(payload, { ip: link.ip, isObserver: link.isObserver, via: 'ws' }, (reply) => {
      answer(
        reply === null
          ? null
          : postAnswer(reply, (data) => ({ type: 'info', payload: { type, data } })),
      )
    })
    return 'taken'
  }

  #postAction(
    payload: Json,
    link: Link,
    answer: (reply: PostAnswer | null) => void,
  ): 'taken' | 'unfit' {
    if (readEnvelope(payload) === null) return 'unfit'
    this.#exchange(payload, { ip: link.ip, isObserver: link.isObserver, via: 'ws' }, (reply) => {
      answer(
        reply === null ? null : postAnswer(reply, (data) => ({ type: 'action', payload: data })),
      )
    })
    return 'taken'
  }
}
