import type { ConnectionEnd, ConnectionHandlers } from '../../src/venue/connect.ts'
import type { VirtualTime } from './virtualTime.ts'

/** Whose traffic it is: what a dead process asked for is never answered. */
export interface NetOwner {
  readonly isDead: boolean
}

/** What a wire tells the network it belongs to. */
interface WireEvents {
  /** Guard has written this, at once. */
  written(text: string): void
  /** Something is about to reach Guard, which may die of it. */
  reaching(): void
  /** Guard or the network has ended it. */
  closed(): void
}

/**
 * How long after its peer has vanished an idle connection is found dead: the operating system asks
 * from the tenth second on, once a second, and gives up after ten questions.
 */
const foundDeadMs = 20_000

/** A connection of Guard's to the venue. What goes down to Guard keeps its order, however late it is. */
export class VenueWire implements ConnectionEnd {
  readonly #time: VirtualTime
  readonly #owner: NetOwner
  readonly #handlers: ConnectionHandlers
  readonly #events: WireEvents
  #isStanding = false
  #isOver = false
  #isVanished = false
  #downAt = 0
  /** When its last answer was whole, by elapsed time; null while a request is under way. */
  #idleSince: number | null = null

  constructor(
    time: VirtualTime,
    owner: NetOwner,
    handlers: ConnectionHandlers,
    events: WireEvents,
  ) {
    this.#time = time
    this.#owner = owner
    this.#handlers = handlers
    this.#events = events
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get isStanding(): boolean {
    return this.#isStanding
  }

  /** Whether the other side is gone without a word: nothing arrives there, and nothing comes. */
  get isVanished(): boolean {
    return this.#isVanished
  }

  get isBusy(): boolean {
    return this.#idleSince === null
  }

  // -------------------------------------------------------------------------------- Guard's end

  write(text: string): void {
    if (this.#isOver || this.#owner.isDead) return
    this.#events.written(text)
    this.#idleSince = null
  }

  destroy(): void {
    if (this.#isOver) return
    this.#over()
    queueMicrotask(() => {
      this.#tellClosed(null)
    })
  }

  // ------------------------------------------------------------------------------ the other end

  /** `idleMs`: it is ended when nothing was asked on it for so long; null: never. */
  stand(afterMs: number, idleMs: number | null): void {
    this.#down(afterMs, () => {
      this.#isStanding = true
      this.#idleSince = this.#time.elapsed
      if (idleMs !== null) this.#endWhenIdleFor(idleMs)
      this.#handlers.onStanding()
    })
  }

  /** Sends these one after the other; with the last of them an answer is whole. */
  answer(pieces: readonly Buffer[], afterMs: number, pieceMs: () => number): void {
    let ms = afterMs
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) ms += pieceMs()
      this.#down(ms, () => {
        if (at === pieces.length - 1) this.#idleSince = this.#time.elapsed
        this.#handlers.onBytes(piece)
      })
    }
  }

  /** Sends what is not the end of an answer. */
  begin(piece: Buffer, afterMs: number): void {
    this.#down(afterMs, () => {
      this.#handlers.onBytes(piece)
    })
  }

  /** The venue writes nothing more; Guard closes then. */
  end(afterMs: number): void {
    this.#down(afterMs, () => {
      this.#handlers.onEnd()
    })
  }

  /** Ends it with an error, or keeps it from ever standing. */
  fail(message: string, code: string, afterMs: number): void {
    this.#down(afterMs, () => {
      this.#over()
      this.#tellClosed(Object.assign(new Error(`${message} ${code}`), { code }))
    })
  }

  /** The other side is gone, and nobody says so. */
  vanish(): void {
    if (this.#isVanished) return
    this.#isVanished = true
    this.#time.after(foundDeadMs, () => {
      if (this.#isOver || this.#owner.isDead || this.isBusy) return
      this.#over()
      this.#tellClosed(Object.assign(new Error('read ETIMEDOUT'), { code: 'ETIMEDOUT' }))
    })
  }

  /** Looks again whenever it might have been idle for so long. */
  #endWhenIdleFor(ms: number): void {
    const since = this.#idleSince
    this.#time.at((since ?? this.#time.elapsed) + ms, () => {
      if (this.#isOver || this.#owner.isDead) return
      if (since !== null && this.#idleSince === since) this.end(0)
      else this.#endWhenIdleFor(ms)
    })
  }

  #down(afterMs: number, run: () => void): void {
    this.#downAt = Math.max(this.#downAt, this.#time.elapsed + afterMs)
    this.#time.at(this.#downAt, () => {
      if (this.#isOver || this.#isVanished || this.#owner.isDead) return
      this.#events.reaching()
      if (!isGone(this.#owner)) run()
    })
  }

  #over(): void {
    this.#isOver = true
    this.#events.closed()
  }

  #tellClosed(error: Error | null): void {
    if (!this.#owner.isDead) this.#handlers.onClose(error)
  }
}

/** Asked anew each time: a hook may have ended the process meanwhile. */
function isGone(owner: NetOwner): boolean {
  return owner.isDead
}
