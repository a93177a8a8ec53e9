import type { Socket } from 'node:net'
import { limits } from '../../core/values/limits.ts'
import type { Answer } from './answer.ts'
import { holdSocket } from './holdSocket.ts'

/**
 * The answers that each connection waits for. Whoever asks on without reading gets no more of them
 * made: Node takes up every request that has arrived, and each answer would be kept until those
 * before it are read. Nor is a connection read on while many wait. When it goes, all its answers are
 * over.
 */
export class PendingAnswers {
  readonly #ofSocket = new WeakMap<Socket, Set<Answer>>()

  /** Takes up a request; false when its connection has ended, or is ended for what it has left unread. */
  takeUp(socket: Socket, answer: Answer): boolean {
    if (!this.stillReads(socket)) return false
    const pending = this.#ofSocket.get(socket) ?? this.#watch(socket)
    pending.add(answer)
    if (isFull(pending)) socket.pause()
    answer.whenOver(() => {
      pending.delete(answer)
      if (pending.size === limits.unansweredOfSocketMax - 1) socket.resume()
    })
    answer.on('close', () => {
      answer.over()
    })
    return true
  }

  /**
   * Calls `then` once every answer of a connection is given, with all that has arrived since still to
   * be read; never when the connection ends before, as it does behind an event stream.
   */
  whenNone(socket: Socket, then: () => void): void {
    const [first] = this.#ofSocket.get(socket) ?? []
    if (first === undefined) {
      then()
      return
    }
    const release = holdSocket(socket)
    // By then it is off the list: `takeUp` was the first to ask when it is over.
    first.whenOver(() => {
      release()
      // One whose last answer ends it takes no more.
      if (!socket.destroyed && socket.writable) this.whenNone(socket, then)
    })
  }

  /**
   * Asked again where an answer is made later than it was asked for: false when the connection has
   * ended, or is ended now for what it has left unread.
   */
  stillReads(socket: Socket): boolean {
    if (socket.destroyed) return false
    let unread = 0
    for (const each of this.#ofSocket.get(socket) ?? []) unread += each.writableLength
    if (unread <= limits.unreadBytesOfSocketMax) return true
    socket.destroy()
    return false
  }

  #watch(socket: Socket): Set<Answer> {
    const pending = new Set<Answer>()
    this.#ofSocket.set(socket, pending)
    // While an upgrade waits, Node has let go of the connection. It no longer tells the answer before the
    // upgrade when the reader takes more bytes, so that this handler has to tell it.
    socket.on('drain', () => {
      const [first] = pending
      first?.emit('drain')
    })
    // Node reads on whenever one of them is given.
    socket.on('resume', () => {
      if (isFull(pending)) socket.pause()
    })
    // One listener for all of them: there may be a thousand, with those that came in one piece.
    socket.on('close', () => {
      for (const answer of [...pending]) answer.over()
    })
    return pending
  }
}

const isFull = ({ size }: ReadonlySet<Answer>): boolean => size >= limits.unansweredOfSocketMax
