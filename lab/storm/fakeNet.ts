import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import type { HttpReply } from '../sim/front/transport.ts'
import type { HttpOutcome } from '../../src/venue/httpOutcome.ts'
import type { HttpTransport } from '../../src/venue/httpTransport.ts'
import type { OpenSocket } from '../../src/engine/ports.ts'
import type { Chance } from './chance.ts'
import { exchangeFaults, readFaults } from './faultKinds.ts'
import type { ExchangeFault, ReadFault } from './faultKinds.ts'
import type { VirtualTime } from './virtualTime.ts'

/** Whose traffic it is: what a dead process asked for is never answered. */
export interface NetOwner {
  readonly isDead: boolean
}

interface NetHooks {
  /** A request leaves Guard; called before anything can happen to it. Null: nobody follows it. */
  leaving(owner: NetOwner, path: string, body: string, fault: NetFault | null): Passage | null
  /** An answer is about to reach Guard. */
  answering(owner: NetOwner, path: string): void
}

/** Follows one request on its way to the venue. */
export interface Passage {
  /** It will be there after so many milliseconds; called once for each copy of it. */
  takesOff(afterMs: number): void
  /** It is there: `execute` makes it happen and answers what the venue said. */
  arrives(execute: () => HttpReply | null): void
}

export type NetFault = ExchangeFault | ReadFault

interface CarriedRequest {
  readonly path: string
  readonly body: string
  readonly passage: Passage | null
}

interface Armed {
  readonly kind: NetFault
  readonly isRead: boolean
  left: number
  readonly untilMs: number
  readonly ms: number
}

const ip = '10.0.0.1'
const nothing = 'the connection was reset'

/** The network between Guard and the simulator: slow, unordered, and as bad as it is told to be. */
export class FakeNet {
  readonly #time: VirtualTime
  readonly #sim: SimulatorCore
  readonly #chance: Chance
  readonly #hooks: NetHooks
  #armed: Armed[] = []
  readonly #open = new Map<NetOwner, Set<() => void>>()
  readonly streams = { dropFrames: 0, garbageFrames: 0, refuseUntil: 0, deafUntil: 0 }

  constructor(time: VirtualTime, sim: SimulatorCore, chance: Chance, hooks: NetHooks) {
    this.#time = time
    this.#sim = sim
    this.#chance = chance
    this.#hooks = hooks
  }

  /** Strikes the next `count` requests of its side within `forMs`. */
  arm(kind: NetFault, count: number, forMs: number, ms: number): void {
    const isRead = (readFaults as readonly string[]).includes(kind)
    this.#armed.push({ kind, isRead, left: count, untilMs: this.#time.elapsed + forMs, ms })
  }

  get isCalm(): boolean {
    const { dropFrames, garbageFrames, refuseUntil, deafUntil } = this.streams
    const now = this.#time.elapsed
    return (
      this.#armed.every(({ untilMs }) => untilMs <= now) &&
      dropFrames + garbageFrames === 0 &&
      Math.max(refuseUntil, deafUntil) <= now
    )
  }

  heal(): void {
    this.#armed = []
    Object.assign(this.streams, { dropFrames: 0, garbageFrames: 0, refuseUntil: 0, deafUntil: 0 })
  }

  /** The process died: its sockets close without a word. */
  dropAll(owner: NetOwner): void {
    for (const end of this.#open.get(owner) ?? []) end()
    this.#open.delete(owner)
  }

  transport(owner: NetOwner): HttpTransport {
    return {
      post: (path, body, timeoutMs) => this.#post(owner, path, body, timeoutMs),
      close: () => undefined,
    }
  }

  #post(owner: NetOwner, path: string, body: string, timeoutMs: number): Promise<HttpOutcome> {
    return new Promise((resolve) => {
      if (owner.isDead) return
      const armed = this.#take(path === '/info')
      const passage = this.#hooks.leaving(owner, path, body, armed?.kind ?? null)
      let isDone = false
      const finish = (outcome: HttpOutcome): void => {
        if (isDone || owner.isDead) return
        isDone = true
        this.#hooks.answering(owner, path)
        if (!isGone(owner)) resolve(outcome)
      }
      const error = `no answer within ${timeoutMs} ms`
      this.#time.after(timeoutMs, () => {
        finish({ kind: 'unknown', error })
      })
      this.#carry({ path, body, passage }, armed, finish)
    })
  }

  #carry(
    request: CarriedRequest,
    armed: Armed | null,
    finish: (outcome: HttpOutcome) => void,
  ): void {
    const kind = armed?.kind ?? null
    const delay = isSlowUp(kind) ? (armed?.ms ?? 0) : 0
    const early = earlyOutcome(kind)
    if (early !== null) {
      this.#time.after(this.#latency(), () => {
        finish(early)
      })
      return
    }
    if (kind === 'request_lost' || kind === 'read_lost') return
    this.#deliver(request, this.#latency() + delay, (reply) => {
      const wait = isSlowDown(kind) ? (armed?.ms ?? 0) : 0
      if (kind === 'answer_lost') return
      this.#time.after(this.#latency() + wait, () => {
        finish(outcomeOf(reply, kind))
      })
    })
    if (kind === 'request_doubled') {
      this.#deliver(request, this.#latency() + (armed?.ms ?? 0), () => undefined)
    }
  }

  #deliver(
    { path, body, passage }: CarriedRequest,
    afterMs: number,
    answer: (reply: HttpReply | null) => void,
  ): void {
    const contentType = 'application/json'
    const execute = (): HttpReply | null => {
      let told: HttpReply | null = null
      this.#sim.http(
        { method: 'POST', url: path, contentType, isObserver: false, ip, body },
        (reply) => {
          told = reply
          answer(reply)
        },
      )
      return told
    }
    passage?.takesOff(afterMs)
    this.#time.after(afterMs, () => {
      if (passage === null) execute()
      else passage.arrives(execute)
    })
  }

  #take(isRead: boolean): Armed | null {
    const now = this.#time.elapsed
    this.#armed = this.#armed.filter(({ left, untilMs }) => left > 0 && untilMs > now)
    const armed = this.#armed.find((each) => each.isRead === isRead) ?? null
    if (armed !== null) armed.left -= 1
    return armed
  }

  #latency(): number {
    return this.#chance.whole(0, 12)
  }

  /** A socket whose frames keep their order, both ways, however late they are. */
  openSocket(owner: NetOwner): OpenSocket {
    return (_, handlers) => {
      let isOver = false
      let lastAt = 0
      let sentAt = 0
      const inOrder = (run: () => void): void => {
        lastAt = Math.max(lastAt, this.#time.elapsed + this.#latency())
        this.#time.at(lastAt, () => {
          if (!isOver && !owner.isDead) run()
        })
      }
      const close = (reason: string): void => {
        if (isOver) return
        isOver = true
        if (!owner.isDead) handlers.onClose(reason)
      }
      if (this.#time.elapsed < this.streams.refuseUntil) {
        this.#time.after(this.#latency(), () => {
          close('connect ECONNREFUSED')
        })
        return { send: () => undefined, terminate: () => undefined }
      }
      const link = {
        ip,
        isObserver: false,
        send: (text: string) => {
          const frame = this.#pass(text)
          if (frame !== null) inOrder(() => handlers.onText(frame))
        },
        drop: () => {
          inOrder(() => close('closed by the venue'))
          this.#time.after(0, () => connection.closed())
        },
      }
      const connection = this.#sim.connect(link)
      const ends = this.#open.get(owner) ?? new Set()
      this.#open.set(
        owner,
        ends.add(() => connection.closed()),
      )
      inOrder(() => handlers.onOpen())
      return {
        send: (text) => {
          if (owner.isDead || this.#time.elapsed < this.streams.deafUntil) return
          sentAt = Math.max(sentAt, this.#time.elapsed + this.#latency())
          this.#time.at(sentAt, () => {
            if (!isOver) connection.receive(text)
          })
        },
        terminate: () => {
          connection.closed()
          this.#time.after(0, () => {
            close('terminated')
          })
        },
      }
    }
  }

  /** What becomes of a frame on its way; null when it is lost. */
  #pass(text: string): string | null {
    if (this.streams.dropFrames > 0) {
      this.streams.dropFrames -= 1
      return null
    }
    if (this.streams.garbageFrames > 0) {
      this.streams.garbageFrames -= 1
      return text.slice(0, Math.floor(text.length / 2))
    }
    return text
  }
}

/** Asked anew each time: a hook may have ended the process meanwhile. */
function isGone(owner: NetOwner): boolean {
  return owner.isDead
}

/** Outcomes for which nothing reaches the venue. */
function earlyOutcome(kind: NetFault | null): HttpOutcome | null {
  const answer = (status: number, text: string): HttpOutcome => ({
    kind: 'answer',
    status,
    body: Buffer.from(text),
  })
  switch (kind) {
    case 'connection_refused':
    case 'read_refused':
      return { kind: 'not_sent', error: 'connect ECONNREFUSED' }
    case 'reset_before_body':
      return { kind: 'unknown', error: nothing }
    case 'http_429':
    case 'read_http_429':
      return answer(429, 'null')
    case 'http_500':
    case 'read_http_500':
      return answer(500, 'Internal Server Error')
    default:
      return null
  }
}

function outcomeOf(reply: HttpReply | null, kind: NetFault | null): HttpOutcome {
  if (reply === null) return { kind: 'unknown', error: nothing }
  const whole = Buffer.from(reply.body)
  if (kind === 'reset_mid_body') return { kind: 'unknown', error: 'the answer broke off' }
  if (kind === 'http_502_executed') {
    return { kind: 'answer', status: 502, body: Buffer.from('Bad Gateway') }
  }
  if (kind === 'answer_garbage' || kind === 'read_garbage') {
    return { kind: 'answer', status: 200, body: Buffer.from('<html>busy</html>') }
  }
  const cut = kind === 'answer_truncated' ? Math.max(1, whole.length >> 1) : whole.length
  return { kind: 'answer', status: reply.status, body: whole.subarray(0, cut) }
}

function isSlowUp(kind: NetFault | null): boolean {
  return kind === 'request_late' || kind === 'request_slow' || kind === 'read_slow'
}

function isSlowDown(kind: NetFault | null): boolean {
  return kind === 'answer_late' || kind === 'read_stale'
}

/** Whether a fault strikes requests on the network itself, and not in the simulator's engine. */
export function isNetFault(kind: string): kind is NetFault {
  if (kind === 'error_in_200' || kind === 'stop_refused') return false
  return [...exchangeFaults, ...readFaults].some((each) => each === kind)
}
