import { limits } from '../core/values/limits.ts'
import type { Urgency } from '../engine/ports.ts'
import type { VenuePlace } from './connect.ts'
import { HttpConnection } from './httpConnection.ts'
import type { Network } from './httpConnection.ts'
import type { HttpOutcome } from './httpOutcome.ts'

/** An idle connection: since when, and until when the venue keeps it. */
interface Idle {
  readonly connection: HttpConnection
  readonly sinceMs: number
  readonly untilMs: number
}

/** A request until it is answered; without a connection nothing of it has left. */
interface Request {
  readonly bytes: string
  readonly lane: Urgency
  readonly finish: (outcome: HttpOutcome) => void
  /** Asked before it leaves late: a reason not to, or null. */
  readonly heldBack: (() => string | null) | undefined
  connection: HttpConnection | null
  /** When it was written to its connection. */
  startedMs: number
}

/** How connections are made, and a clock for how long they lie idle. */
interface PoolNetwork extends Network {
  readonly monotonicMs: () => number
}

const connectionsMax = limits.venueConnectionsMax

/**
 * How many connections may be taken before a lane must wait: the others are kept for the lanes
 * before it. A venue that is slow to answer what bots read or order still takes Guard's stops.
 */
const takenMax = {
  safety: connectionsMax,
  clear: 62,
  exit: 60,
  watch: 56,
  cancel: 52,
  entry: 48,
  read: 32,
} as const satisfies Record<Urgency, number>

const poolClosed = 'the connection pool is closed'

/**
 * Connections to the venue that are kept. Whichever is free first takes the most urgent request,
 * and of those the one that has waited longest, so that none is overtaken while its own connection
 * is being made. The latest used one is used next: the others may then age and go.
 */
export class ConnectionPool {
  readonly #place: VenuePlace
  readonly #network: PoolNetwork
  readonly #open = new Set<HttpConnection>()
  /** The open ones whose handshake is not over. */
  readonly #early = new Set<HttpConnection>()
  #idle: Idle[] = []
  /** The most urgent first. */
  #waiting: Request[] = []
  #isClosed = false

  constructor(place: VenuePlace, network: PoolNetwork) {
    this.#place = place
    this.#network = network
  }

  /** `heldBack`: asked where it had to wait, in the tick in which it would leave; a reason not to, or null. */
  post(
    bytes: string,
    timeoutMs: number,
    lane: Urgency,
    heldBack?: () => string | null,
  ): Promise<HttpOutcome> {
    if (this.#isClosed) return Promise.resolve({ kind: 'not_sent', error: poolClosed })
    return new Promise((resolve) => {
      const stopWaiting = this.#network.timers.after(timeoutMs, () => {
        this.#expire(request, timeoutMs)
      })
      const finish = (outcome: HttpOutcome): void => {
        stopWaiting()
        resolve(outcome)
      }
      const request: Request = { bytes, lane, finish, heldBack, connection: null, startedMs: 0 }
      this.#queue(request)
      this.#serve(request)
      // Those being made for others may hang: it has one made for itself.
      if (request.connection === null) this.#connectFor(lane)
    })
  }

  close(): void {
    this.#isClosed = true
    this.#idle = []
    for (const { finish } of this.#waiting.splice(0))
      finish({ kind: 'not_sent', error: poolClosed })
    for (const connection of this.#open) connection.close()
  }

  #queue(request: Request): void {
    const urgency = takenMax[request.lane]
    const behind = this.#waiting.findIndex(({ lane }) => takenMax[lane] < urgency)
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, request)
  }

  /**
   * Starts what may start on the connections that are free. What has waited may be wanted no more, as an
   * entry when the kill switch was pulled meanwhile; `asked` was asked for in this tick.
   */
  #serve(asked: Request | null = null): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#taken >= takenMax[next.lane]) return
      const idle = this.#takeIdle()
      if (idle === null) return
      this.#waiting.shift()
      const held = next === asked ? null : (next.heldBack?.() ?? null)
      if (held === null) {
        this.#start(idle.connection, next)
      } else {
        this.#idle.push(idle)
        next.finish({ kind: 'not_sent', error: held })
      }
    }
  }

  #connectFor(lane: Urgency): void {
    const isRoom = this.#taken + this.#early.size < takenMax[lane]
    if (isRoom && this.#open.size < connectionsMax) this.#connect()
  }

  /** Connections with a request, and those that are being closed. */
  get #taken(): number {
    return this.#open.size - this.#early.size - this.#idle.length
  }

  #start(connection: HttpConnection, request: Request): void {
    request.connection = connection
    request.startedMs = this.#network.monotonicMs()
    void connection.post(request.bytes).then(request.finish)
  }

  #expire(request: Request, timeoutMs: number): void {
    if (request.connection !== null) {
      request.connection.giveUp(`no answer within ${timeoutMs} ms`)
      this.#closeSilentSince(request.startedMs)
      return
    }
    this.#waiting = this.#waiting.filter((each) => each !== request)
    request.finish({ kind: 'not_sent', error: `no connection within ${timeoutMs} ms` })
  }

  /**
   * A peer that has vanished says nothing, and mostly all connections to it are dead at once. Those
   * that have told nothing since are not given the next requests, to lose a time-out on each.
   */
  #closeSilentSince(startedMs: number): void {
    const silent = this.#idle.filter(({ sinceMs }) => sinceMs <= startedMs)
    this.#idle = this.#idle.filter(({ sinceMs }) => sinceMs > startedMs)
    for (const { connection } of silent) connection.close()
  }

  #takeIdle(): Idle | null {
    for (;;) {
      const idle = this.#idle.pop()
      if (idle === undefined) return null
      if (this.#network.monotonicMs() < idle.untilMs) return idle
      idle.connection.close()
    }
  }

  #connect(): void {
    const connection: HttpConnection = new HttpConnection(this.#place, this.#network, {
      free: (idleMs) => {
        this.#early.delete(connection)
        const sinceMs = this.#network.monotonicMs()
        this.#idle.push({ connection, sinceMs, untilMs: sinceMs + idleMs })
        this.#serve()
      },
      closed: (early) => {
        this.#forget(connection, early)
      },
    })
    this.#open.add(connection)
    this.#early.add(connection)
  }

  /** Each connection was made for one request; where it could not be made, one goes without. */
  #forget(connection: HttpConnection, early: string | null): void {
    this.#open.delete(connection)
    this.#early.delete(connection)
    this.#idle = this.#idle.filter((each) => each.connection !== connection)
    if (early !== null) this.#waiting.shift()?.finish({ kind: 'not_sent', error: early })
    this.#serve()
    const next = this.#waiting[this.#early.size]
    if (next !== undefined) this.#connectFor(next.lane)
  }
}
