import type { Server } from 'node:http'
import { Duplex } from 'node:stream'
import type { Chance } from './chance.ts'
import type { VirtualTime } from './virtualTime.ts'

/** What a bot does with its end of a connection. */
export interface WireHandlers {
  onBytes(bytes: Buffer): void
  /** Guard's end is closed, by whoever. */
  onClose(): void
}

/** Guard's end: to its HTTP server it is a socket like any other. */
class GuardEnd extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly #say: (bytes: Buffer) => void
  readonly #over: () => void

  constructor(say: (bytes: Buffer) => void, over: () => void) {
    super({ allowHalfOpen: true })
    this.#say = say
    this.#over = over
    // A reset is the other end's doing; whoever reads hears of it by the close that follows.
    this.on('error', () => undefined)
  }

  override _read(): void {
    // Bytes are pushed as they arrive.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#say(chunk)
    done()
  }

  override _final(done: () => void): void {
    this.#over()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#over()
    done(error)
  }
}

/** A connection of a bot to Guard's port: bytes keep their order and take their time. */
export class BotWire {
  readonly #time: VirtualTime
  readonly #chance: Chance
  readonly #end: GuardEnd
  #isOver = false
  #upAt = 0
  #downAt = 0

  constructor(time: VirtualTime, chance: Chance, server: Server, handlers: WireHandlers) {
    this.#time = time
    this.#chance = chance
    const down = (run: () => void): void => {
      this.#downAt = Math.max(this.#downAt, time.elapsed + this.#latency())
      time.at(this.#downAt, run)
    }
    this.#end = new GuardEnd(
      (bytes) => {
        down(() => {
          if (!this.#isOver) handlers.onBytes(bytes)
        })
      },
      () => {
        down(() => {
          if (this.#isOver) return
          this.#isOver = true
          handlers.onClose()
        })
      },
    )
    server.emit('connection', this.#end)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Sends bytes after a wait; what is sent later arrives later. Returns when they arrive. */
  send(bytes: Buffer, waitMs = 0): number {
    this.#up(waitMs, () => {
      if (!this.#end.destroyed && !this.#end.readableEnded) this.#end.push(bytes)
    })
    return this.#upAt
  }

  /** The bot is gone in the middle of whatever it was doing. */
  reset(waitMs = 0): void {
    this.#up(waitMs, () => {
      this.#isOver = true
      this.#end.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
    })
  }

  /** The process at the other end died. */
  drop(): void {
    this.#isOver = true
    this.#end.destroy()
  }

  #up(waitMs: number, run: () => void): void {
    this.#upAt = Math.max(this.#upAt, this.#time.elapsed) + waitMs + this.#latency()
    this.#time.at(this.#upAt, run)
  }

  #latency(): number {
    return this.#chance.whole(0, 2)
  }
}
