import type { Socket } from 'node:net'
import { limits } from '../../core/values/limits.ts'
import type { Clock } from '../../engine/ports.ts'

/**
 * Bounds the memory of large requests, all that are being received or answered together, and how
 * much of them is read in a second: nobody needs one, and a few hundred would take all the memory
 * or all the time there is. What is small and alone on its connection always finds room, whatever
 * others send: exits, cancels and kills are small.
 */
export class BodyRoom {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #taken = 0
  /** Bytes of large requests that may be read now. */
  #tokens: number = limits.largeBodiesBytesBurst
  #refilledAt: number
  readonly #ofSocket = new WeakMap<object, number>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
    this.#refilledAt = clock.monotonicMs()
  }

  /** Room for a part of a body; false when there is none. It is kept until it is given back. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > limits.largeBodiesBytesMax) return false
    if (bytes > limits.bodyBytesSmall && !this.#mayRead(bytes)) return false
    this.#taken += bytes
    return true
  }

  #mayRead(bytes: number): boolean {
    const now = this.#clock.monotonicMs()
    const refill = ((now - this.#refilledAt) * limits.largeBodiesBytesPerSecond) / 1_000
    this.#refilledAt = now
    this.#tokens = Math.min(limits.largeBodiesBytesBurst, this.#tokens + refill)
    if (this.#tokens < bytes) return false
    this.#tokens -= bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes
  }

  /** For one request on a connection, until `end` is called. */
  enter(socket: Socket): RequestRoom {
    const before = this.#ofSocket.get(socket) ?? 0
    this.#ofSocket.set(socket, before + 1)
    return new RequestRoom(this, before === 0, () => {
      this.#ofSocket.set(socket, (this.#ofSocket.get(socket) ?? 1) - 1)
    })
  }
}

/** What one request has taken of the room. */
export class RequestRoom {
  readonly #room: BodyRoom
  readonly #isAlone: boolean
  readonly #left: () => void
  #taken = 0
  #hasEnded = false

  constructor(room: BodyRoom, isAlone: boolean, left: () => void) {
    this.#room = room
    this.#isAlone = isAlone
    this.#left = left
  }

  /** Whether its body may have so many bytes; false when there is no room for them now. */
  admits(bytes: number): boolean {
    if (this.#hasEnded) return false
    if (this.#isAlone && bytes <= limits.bodyBytesSmall) return true
    const wanted = Math.max(bytes, limits.queuedBodyBytesMin) - this.#taken
    if (wanted <= 0) return true
    if (!this.#room.take(wanted)) return false
    this.#taken += wanted
    return true
  }

  /** The request was answered, or its connection is gone. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#room.giveBack(this.#taken)
    this.#left()
  }
}
