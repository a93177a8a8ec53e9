import type { Socket } from 'node:net'
import { limits } from '../../core/values/limits.ts'

interface Pending {
  readonly writableLength: number
  on(event: 'close', listener: () => void): unknown
}

/**
 * Whoever asks on without reading gets no more answers made: Node takes up every request that has
 * arrived, and each answer would be kept until those before it are read.
 */
export class PendingAnswers {
  readonly #ofSocket = new WeakMap<Socket, Set<Pending>>()

  /** False when the connection has ended, or is ended for what it has left unread. */
  mayAsk(socket: Socket, answer: Pending): boolean {
    if (!this.mayGoOn(socket)) return false
    const pending = this.#ofSocket.get(socket) ?? new Set<Pending>()
    this.#ofSocket.set(socket, pending.add(answer))
    answer.on('close', () => pending.delete(answer))
    return true
  }

  /** Calls `then` once every answer of a connection is given; never when the connection ends before. */
  whenNone(socket: Socket, then: () => void): void {
    const [first] = this.#ofSocket.get(socket) ?? []
    if (first === undefined) {
      then()
      return
    }
    const failed = (): void => {
      socket.destroy()
    }
    socket.on('error', failed)
    // It has taken itself off the list by then.
    first.on('close', () => {
      socket.off('error', failed)
      if (!socket.destroyed) this.whenNone(socket, then)
    })
  }

  /** The same for an answer that is made later than it was asked for. */
  mayGoOn(socket: Socket): boolean {
    if (socket.destroyed) return false
    let unread = 0
    for (const each of this.#ofSocket.get(socket) ?? []) unread += each.writableLength
    if (unread <= limits.unreadBytesOfSocketMax) return true
    socket.destroy()
    return false
  }
}
