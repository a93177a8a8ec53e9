import type { Connect } from '../../src/venue/connect.ts'
import type { OpenSocket } from '../../src/engine/ports.ts'
import { limits } from '../../src/core/values/limits.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import type { HttpReply } from '../sim/front/transport.ts'
import { ArmedFaults } from './armedFaults.ts'
import type { Armed, ArmedFault } from './armedFaults.ts'
import { Chance } from './chance.ts'
import { connectFaults } from './faultKinds.ts'
import type { StandingFault } from './faultKinds.ts'
import { FakeStreams } from './fakeStreams.ts'
import { answerOf, inPieces, readRequest } from './httpFront.ts'
import type { FrontManners, FrontRequest } from './httpFront.ts'
import { latencyMs, venueCallerIp } from './latency.ts'
import type { Plan } from './plan.ts'
import { VenueWire } from './venueWire.ts'
import type { NetOwner } from './venueWire.ts'
import type { VirtualTime } from './virtualTime.ts'

/** What may be wrong with a request or a connection on its way. */
export type NetFault = ArmedFault | StandingFault

export interface NetHooks {
  /** A request leaves Guard; called before anything can happen to it. Null: nobody follows it. */
  leaving(owner: NetOwner, request: FrontRequest, fault: NetFault | null): Passage | null
  /** Something is about to reach Guard over a connection. */
  reaching(owner: NetOwner): void
  /** A fault met a connection, and no request. */
  struck(fault: NetFault): void
  /** Guard uses connections as it must not. */
  broken(text: string): void
}

/** Follows one request on its way to the venue. */
export interface Passage {
  /** It will be there after so many milliseconds; called once for each copy of it. */
  takesOff(afterMs: number): void
  /** It is there: `execute` makes it happen and answers what the venue said. */
  arrives(execute: () => HttpReply | null): void
}

/** A request on its way, with all that it takes to answer it. */
interface Carried extends FrontRequest {
  readonly wire: VenueWire
  readonly passage: Passage | null
  readonly armed: Armed | null
}

/**
 * The network between Guard and the simulator: connections that Guard opens, over which its own HTTP
 * client speaks; slow, unordered among themselves, and as bad as it is told to be.
 */
export class FakeNet {
  readonly #time: VirtualTime
  readonly #sim: SimulatorCore
  readonly #chance: Chance
  /** For what only connections have, so that the rest of a world does not hang on it. */
  readonly #wireChance: Chance
  readonly #manners: FrontManners
  readonly #hooks: NetHooks
  readonly #faults: ArmedFaults
  readonly #wires = new Map<NetOwner, Set<VenueWire>>()
  readonly #sockets: FakeStreams

  constructor(
    time: VirtualTime,
    sim: SimulatorCore,
    { seed, front }: Pick<Plan, 'seed' | 'front'>,
    hooks: NetHooks,
  ) {
    this.#time = time
    this.#sim = sim
    this.#chance = new Chance(seed, 'net')
    this.#wireChance = new Chance(seed, 'wire')
    this.#manners = front
    this.#hooks = hooks
    this.#faults = new ArmedFaults(time)
    this.#sockets = new FakeStreams(time, sim, this.#chance)
  }

  /** What is wrong with Guard's WebSockets. */
  get streams(): FakeStreams['trouble'] {
    return this.#sockets.trouble
  }

  /** Strikes the next `count` requests or connections of its kind within `forMs`. */
  arm(kind: ArmedFault, count: number, forMs: number, ms: number): void {
    this.#faults.arm(kind, count, forMs, ms)
    if (!(connectFaults as readonly string[]).includes(kind)) return
    for (const wire of this.#standing()) if (!wire.isBusy) wire.end(latencyMs(this.#wireChance))
  }

  /** Strikes every connection there is; false where there is none. */
  strikeAll(kind: StandingFault): boolean {
    const wires = this.#standing()
    for (const wire of wires) {
      if (kind === 'connections_vanish') wire.vanish()
      else wire.fail('read', 'ECONNRESET', latencyMs(this.#wireChance))
    }
    return wires.length > 0
  }

  #standing(): readonly VenueWire[] {
    return [...this.#wires.values()].flatMap((wires) => [...wires])
  }

  get isCalm(): boolean {
    return this.#faults.isCalm && this.#sockets.isCalm
  }

  heal(): void {
    this.#faults.heal()
    this.#sockets.heal()
  }

  /** The process died: its sockets close without a word. */
  dropAll(owner: NetOwner): void {
    this.#sockets.dropAll(owner)
    this.#wires.delete(owner)
  }

  openSocket(owner: NetOwner): OpenSocket {
    return this.#sockets.openSocket(owner)
  }

  connect(owner: NetOwner): Connect {
    const wires = new Set<VenueWire>()
    this.#wires.set(owner, wires)
    return (_, handlers) => {
      const wire: VenueWire = new VenueWire(this.#time, owner, handlers, {
        written: (text) => {
          this.#written(owner, wire, text)
        },
        reaching: () => {
          this.#hooks.reaching(owner)
        },
        closed: () => wires.delete(wire),
      })
      wires.add(wire)
      if (wires.size > limits.venueConnectionsMax) {
        this.#hooks.broken(`${wires.size} connections to the venue at once`)
      }
      this.#answerCall(wire)
      return wire
    }
  }

  /** What becomes of a connection that Guard asks for. */
  #answerCall(wire: VenueWire): void {
    const { standsMs, idleSeconds } = this.#manners
    const armed = this.#faults.take('connection')
    if (armed !== null) this.#hooks.struck(armed.kind)
    switch (armed?.kind) {
      case 'connection_refused':
        wire.fail('connect', 'ECONNREFUSED', latencyMs(this.#wireChance))
        return
      case 'connection_hangs':
        return
      default: {
        const lateMs = armed?.ms ?? 0
        const idleMs = idleSeconds === null ? null : idleSeconds * 1_000
        wire.stand(lateMs + this.#wireChance.whole(0, standsMs), idleMs)
      }
    }
  }

  #written(owner: NetOwner, wire: VenueWire, text: string): void {
    const request = readRequest(text)
    if (request === null) this.#hooks.broken(`no whole request: ${text.slice(0, 200)}`)
    else if (wire.isBusy || !wire.isStanding) {
      this.#hooks.broken(`a request on a connection that is not free: ${text.slice(0, 200)}`)
    } else if (wire.isVanished) this.#hooks.leaving(owner, request, 'connections_vanish')
    else {
      const armed = this.#faults.take(request.path === '/info' ? 'read' : 'exchange', 'answer')
      const passage = this.#hooks.leaving(owner, request, armed?.kind ?? null)
      this.#carry({ ...request, wire, passage, armed })
    }
  }

  #carry(request: Carried): void {
    const { wire, armed } = request
    const kind = armed?.kind ?? null
    const delay = isSlowUp(kind) ? (armed?.ms ?? 0) : 0
    const early = earlyReply(kind)
    if (early !== null) {
      this.#reply(request, early, 0)
      return
    }
    if (kind === 'reset_before_body') {
      wire.fail('read', 'ECONNRESET', latencyMs(this.#chance))
      return
    }
    if (kind === 'request_lost' || kind === 'read_lost') return
    this.#deliver(request, latencyMs(this.#chance) + delay, (reply) => {
      const wait = this.#holdMs(armed)
      if (kind === 'answer_lost') return
      if (reply === null) wire.end(latencyMs(this.#chance) + wait)
      else this.#reply(request, spoilt(reply, kind), wait)
    })
    if (kind === 'request_doubled') {
      this.#deliver(request, latencyMs(this.#chance) + (armed?.ms ?? 0), () => undefined)
    }
  }

  /** How long an answer is held up on its way. */
  #holdMs(armed: Armed | null): number {
    switch (armed?.kind) {
      case 'answer_late':
      case 'read_stale':
        return armed.ms
      case 'answers_overtake':
        return this.#wireChance.whole(0, armed.ms)
      case 'answers_held':
        return Math.max(0, armed.untilMs - this.#time.elapsed)
      default:
        return 0
    }
  }

  #reply({ wire, armed }: Carried, reply: HttpReply, waitMs: number): void {
    const chance = this.#wireChance
    const afterMs = latencyMs(this.#chance) + waitMs
    const { bytes, isLast } = answerOf(reply, this.#manners, this.#time.now, chance)
    if (armed?.kind === 'reset_mid_body' || armed?.kind === 'answer_cut') {
      wire.begin(bytes.subarray(0, chance.whole(1, bytes.length - 1)), afterMs)
      if (armed.kind === 'answer_cut') wire.end(afterMs)
      else wire.fail('read', 'ECONNRESET', afterMs)
      return
    }
    wire.answer(inPieces(bytes, chance), afterMs, () => chance.whole(0, this.#manners.pieceMs))
    if (isLast) wire.end(afterMs)
  }

  #deliver(
    { path, body, passage }: Carried,
    afterMs: number,
    answer: (reply: HttpReply | null) => void,
  ): void {
    const request = { method: 'POST', url: path, contentType: 'application/json', body }
    const execute = (): HttpReply | null => {
      let told: HttpReply | null = null
      this.#sim.http({ ...request, isObserver: false, ip: venueCallerIp }, (reply) => {
        told = reply
        answer(reply)
      })
      return told
    }
    passage?.takesOff(afterMs)
    this.#time.after(afterMs, () => {
      if (passage === null) execute()
      else passage.arrives(execute)
    })
  }
}

const said = (status: number, body: string): HttpReply => ({
  status,
  contentType: 'text/plain',
  body,
})

/** What a front answers without passing the request on; null where it does. */
function earlyReply(kind: NetFault | null): HttpReply | null {
  switch (kind) {
    case 'http_429':
    case 'read_http_429':
      return said(429, 'null')
    case 'http_500':
    case 'read_http_500':
      return said(500, 'Internal Server Error')
    default:
      return null
  }
}

/** The answer as a bad front passes it on. */
function spoilt(reply: HttpReply, kind: NetFault | null): HttpReply {
  if (kind === 'http_502_executed') return said(502, 'Bad Gateway')
  if (kind === 'answer_garbage' || kind === 'read_garbage') return said(200, '<html>busy</html>')
  if (kind !== 'answer_truncated') return reply
  const whole = Buffer.from(reply.body)
  return { ...reply, body: whole.toString('utf8', 0, Math.max(1, whole.length >> 1)) }
}

function isSlowUp(kind: NetFault | null): boolean {
  return kind === 'request_late' || kind === 'request_slow' || kind === 'read_slow'
}
