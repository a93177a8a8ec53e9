import type { ArmedFault, FaultBoard, FaultSubject } from '../faults.ts'
import type { TaskQueue } from '../taskQueue.ts'
import type { Link } from '../transport.ts'
import type { Subscription } from './subscription.ts'

/** Frames that are answers and not streams: only a fault without a match fits them. */
export const plainSubject: FaultSubject = { types: [], coins: [] }

export interface SocketWorld {
  readonly faults: FaultBoard
  readonly tasks: TaskQueue
  wallMs(): number
}

/** A frame held back by `reorder` goes out by itself after this, if no other frame passes it. */
const heldMsMax = 1_000
const delayMsDefault = 1_000

/** The venue's end of one connection: what leaves it passes the faults here. */
export class Socket {
  readonly subscriptions = new Map<string, Subscription>()
  readonly link: Link
  readonly #world: SocketWorld
  isOpen = true
  /** Posts that were not answered yet. */
  pending = 0
  lastSentMs: number
  #holdUntilMs = 0
  #held: { readonly text: string; readonly fault: ArmedFault } | null = null

  constructor(link: Link, world: SocketWorld) {
    this.link = link
    this.#world = world
    this.lastSentMs = world.wallMs()
  }

  /** Acknowledgements, pongs, errors and answers. */
  answer(text: string): void {
    if (this.isSilent(plainSubject)) return
    this.#pass(text)
  }

  /** A stream's frame. */
  stream(text: string, subject: FaultSubject): void {
    if (this.link.isObserver) {
      this.#pass(text)
      return
    }
    if (this.isSilent(subject)) return
    const { faults } = this.#world
    const delay = faults.take('ws', ['delay'], subject)
    if (delay !== null) {
      const until = this.#world.wallMs() + (delay.ms ?? delayMsDefault)
      this.#holdUntilMs = Math.max(this.#holdUntilMs, until)
    }
    if (this.#releaseAfter(text, subject)) return
    const reorder = faults.take('ws', ['reorder'], subject)
    if (reorder !== null) {
      this.#hold(text, reorder)
      return
    }
    this.#pass(text)
    if (faults.take('ws', ['duplicate'], subject) !== null) this.#pass(text)
  }

  isSilent(subject: FaultSubject): boolean {
    if (this.link.isObserver) return false
    return this.#world.faults.isActive('silence', subject, this.#world.wallMs())
  }

  /** Ends the connection without a close frame. */
  drop(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.link.drop()
  }

  /** Sends `text` and then the frame that waits to be overtaken by one like it. */
  #releaseAfter(text: string, subject: FaultSubject): boolean {
    const held = this.#held
    if (held === null) return false
    const { type, coin, dex } = held.fault
    const isLike =
      (type === null || subject.types.includes(type)) &&
      (coin === null || subject.coins.includes(coin)) &&
      (dex === null || subject.dex === dex)
    if (!isLike) return false
    this.#held = null
    this.#pass(text)
    this.#pass(held.text)
    return true
  }

  #hold(text: string, fault: ArmedFault): void {
    const held = { text, fault }
    this.#held = held
    this.#world.tasks.add(this.#world.wallMs() + (fault.ms ?? heldMsMax), () => {
      if (this.#held !== held) return
      this.#held = null
      this.#pass(text)
    })
  }

  /** In order, behind whatever is delayed on this connection. */
  #pass(text: string): void {
    if (!this.isOpen) return
    const now = this.#world.wallMs()
    if (now >= this.#holdUntilMs) {
      this.lastSentMs = now
      this.link.send(text)
      return
    }
    this.#world.tasks.add(this.#holdUntilMs, () => {
      if (!this.isOpen) return
      this.lastSentMs = this.#world.wallMs()
      this.link.send(text)
    })
  }
}
