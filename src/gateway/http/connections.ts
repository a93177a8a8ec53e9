import type { Socket } from 'node:net'
import { limits } from '../../core/values/limits.ts'
import type { Clock } from '../../engine/ports.ts'

/** What a connection is asked while it is decided who goes. */
interface Asked {
  /** Whether something that was let through came on it: it goes last, or not at all. */
  readonly hasTraded: (socket: Socket) => boolean
  /** Whether its latest request was let through. */
  readonly isTrading: (socket: Socket) => boolean
}

type End = 'half_open' | 'displaced' | 'full'

/** Something that is being asked on a connection. */
interface Call {
  /** The whole of it has come, and its answer is not made yet. */
  readonly isWorkedOn: () => boolean
  /** The whole of it has come. */
  readonly isWhole: () => boolean
}

interface Seat {
  readonly calls: Set<Call>
  /** Since when nothing was asked, or since when what was asked has not come to its end. */
  quietSince: number
  /** Everything up to here belonged to requests that were answered. */
  bytesHeard: number
  hasAsked: boolean
  /** Since when one and the same request is known to be half-open, in the same place. */
  half: { readonly since: number; readonly bytesHeard: number } | null
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
  readonly #ended: (end: End) => void

  constructor(clock: Pick<Clock, 'monotonicMs'>, asked: Asked, ended: (end: End) => void) {
    this.#clock = clock
    this.#asked = asked
    this.#ended = ended
  }

  /** False when it was ended because there is no room for it; one that is known stays. */
  enter(socket: Socket): boolean {
    if (this.#seats.has(socket)) return true
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
    this.#seats.set(socket, { calls: new Set(), quietSince, ...nothingYet })
    socket.on('close', () => this.#seats.delete(socket))
    return true
  }

  /** Something is asked on a connection; the returned function says that it has its answer. */
  began(socket: Socket, call: Call): () => void {
    const seat = this.#seats.get(socket)
    if (seat === undefined) return () => undefined
    // A request that is first seen in the middle began when the silence before it ended, at latest.
    if (seat.hasAsked && seat.calls.size === 0) seat.quietSince = this.#clock.monotonicMs()
    seat.hasAsked = true
    seat.calls.add(call)
    return () => {
      if (!seat.calls.delete(call)) return
      seat.quietSince = this.#clock.monotonicMs()
      seat.bytesHeard = socket.bytesRead
    }
  }

  /** To be called every second: where connections are short, what is half-open is not waited for. */
  sweep(): void {
    if (this.#seats.size < limits.connectionsShortFrom) return
    const now = this.#clock.monotonicMs()
    for (const [socket, seat] of [...this.#seats]) {
      const { bytesHeard } = seat
      if (!isHalfOpen(socket, seat)) seat.half = null
      else if (seat.half?.bytesHeard !== bytesHeard) seat.half = { since: now, bytesHeard }
      else if (now - seat.half.since >= limits.halfOpenMsMax) this.#end(socket, 'half_open')
    }
  }

  /** Ends every connection, whatever it is being used for. */
  destroyAll(): void {
    for (const socket of [...this.#seats.keys()]) socket.destroy()
  }

  #end(socket: Socket, why: End): void {
    this.#seats.delete(socket)
    this.#ended(why)
    socket.destroy()
  }

  #longestQuiet(): Socket | null {
    let [longest, since, rank] = [null as Socket | null, Infinity, Infinity]
    for (const [socket, seat] of this.#seats) {
      if ([...seat.calls].some(({ isWorkedOn }) => isWorkedOn())) continue
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

/** A head or a body has begun and not ended, or nothing ever came. */
function isHalfOpen(socket: Socket, { calls, bytesHeard, hasAsked }: Seat): boolean {
  if (calls.size > 0) return [...calls].every(({ isWhole }) => !isWhole())
  return !hasAsked || socket.bytesRead > bytesHeard
}
