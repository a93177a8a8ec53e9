import type { Socket } from 'node:net'
import { limits } from '../../core/values/limits.ts'
import type { Clock } from '../../engine/ports.ts'

/** What a connection is asked while it is decided who goes. */
interface Asked {
  /** Whether any request on it was ever let through: it goes after all those where none was. */
  readonly hasTraded: (socket: Socket) => boolean
  /** Whether its latest request was let through: then it does not go at all. */
  readonly isTrading: (socket: Socket) => boolean
}

/**
 * Why a connection was ended: its request did not go on (`half_open`), it made room for a new one
 * (`displaced`), or it was itself new and no other could go (`full`).
 */
export type ConnectionEnd = 'half_open' | 'displaced' | 'full'

/** A request on a connection, from the moment its head has been read until its answer is over. */
interface OpenRequest {
  /** Whether the whole request has been received, and its answer is not made yet. */
  readonly isWorkedOn: () => boolean
  /** Whether the whole request has been received. */
  readonly isWhole: () => boolean
}

/** Of one connection: its open requests, and what tells how long its client has been silent. */
interface Seat {
  readonly open: Set<OpenRequest>
  /**
   * When something last went on here: the connection was opened, a request began while none was open, or
   * one ended. Where one has to go, it is the one where that is longest ago.
   */
  quietSince: number
  /** How many bytes had been received when the last request was over: more than that is a new one's. */
  bytesHeard: number
  /** Whether the head of a request was ever received whole. */
  hasAsked: boolean
  /**
   * Null unless the last sweep found a request half received. `since` is the time of the first sweep
   * that found as many bytes received, `bytesRead`, as there are now.
   */
  half: { readonly since: number; readonly bytesRead: number } | null
}

/**
 * Bounds the connections so that nobody is shut out by those who ask for nothing: where there are
 * too many, the one goes that has been silent or has not finished its request for longest, and
 * that never had anything let through. Who trades keeps its connection, and so does whoever is
 * being answered, follows the events or has a socket.
 */
export class Connections {
  readonly #seats = new Map<Socket, Seat>()
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #asked: Asked
  readonly #ended: (why: ConnectionEnd) => void

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    asked: Asked,
    ended: (why: ConnectionEnd) => void,
  ) {
    this.#clock = clock
    this.#asked = asked
    this.#ended = ended
  }

  /** False when it was ended because there is no room for it; one that is known stays. */
  enter(socket: Socket): boolean {
    if (this.#seats.has(socket)) return true
    // Between an upgrade and its next reader nobody else listens, and an error that nobody hears ends Guard.
    socket.on('error', () => socket.destroy())
    if (this.#seats.size >= limits.httpConnectionsMax) {
      const shed = this.#longestQuiet()
      if (shed === null) {
        this.#ended('full')
        socket.destroy()
        return false
      }
      this.#end(shed, 'displaced')
    }
    const quietSince = this.#clock.monotonicMs()
    const nothingYet = { bytesHeard: 0, hasAsked: false, half: null }
    this.#seats.set(socket, { open: new Set(), quietSince, ...nothingYet })
    socket.on('close', () => this.#seats.delete(socket))
    return true
  }

  /** A request begins on a connection; the returned function ends it. */
  began(socket: Socket, request: OpenRequest): () => void {
    const seat = this.#seats.get(socket)
    if (seat === undefined) return () => undefined
    // The first request of a connection counts from when the connection was opened: until its head had
    // come nobody saw it begin. Every later one counts from now.
    if (seat.hasAsked && seat.open.size === 0) seat.quietSince = this.#clock.monotonicMs()
    seat.hasAsked = true
    seat.open.add(request)
    return () => {
      if (!seat.open.delete(request)) return
      seat.quietSince = this.#clock.monotonicMs()
      seat.bytesHeard = socket.bytesRead
    }
  }

  /**
   * To be called every second: with many connections open, those are ended whose request does not go on.
   * One that does, however slowly, may take as long as Node's server lets a request take.
   */
  sweep(): void {
    if (this.#seats.size < limits.connectionsShortFrom) return
    const now = this.#clock.monotonicMs()
    for (const [socket, seat] of [...this.#seats]) {
      const { bytesRead } = socket
      if (!isHalfOpen(socket, seat)) seat.half = null
      else if (seat.half?.bytesRead !== bytesRead) seat.half = { since: now, bytesRead }
      else if (now - seat.half.since >= limits.halfOpenMsMax) this.#end(socket, 'half_open')
    }
  }

  /** Ends every connection, whatever it is being used for. */
  destroyAll(): void {
    for (const socket of [...this.#seats.keys()]) socket.destroy()
  }

  #end(socket: Socket, why: ConnectionEnd): void {
    this.#seats.delete(socket)
    this.#ended(why)
    socket.destroy()
  }

  #longestQuiet(): Socket | null {
    let [longest, since, rank] = [null as Socket | null, Infinity, Infinity]
    for (const [socket, seat] of this.#seats) {
      if ([...seat.open].some(({ isWorkedOn }) => isWorkedOn())) continue
      if (this.#asked.isTrading(socket)) continue
      const itsRank = this.#asked.hasTraded(socket) ? 1 : 0
      if (itsRank > rank || (itsRank === rank && seat.quietSince >= since)) continue
      longest = socket
      since = seat.quietSince
      rank = itsRank
    }
    return longest
  }
}

/** Whether a request has been received in part, head or body, or none ever was. */
function isHalfOpen(socket: Socket, { open, bytesHeard, hasAsked }: Seat): boolean {
  if (open.size > 0) return [...open].every(({ isWhole }) => !isWhole())
  return !hasAsked || socket.bytesRead > bytesHeard
}
