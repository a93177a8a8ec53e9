import { isObject } from '../../core/protocol/fields.ts'
import type { Reply } from '../../engine/guard.ts'

/** Calls a task in a later turn of the event loop: what has arrived meanwhile comes before it. */
export type NextTurn = (task: () => void) => void

/**
 * Who is heard when. A connection whose latest request Guard let through is heard at once; all
 * others wait in one line, of which one is heard in each turn of the event loop. The requests of one
 * connection are heard in the order they came. A request of a stranger costs two signature
 * recoveries: however many of them come at once, on however many connections, who trades waits for
 * one at most, and so do the answers of disk and venue.
 */
export class RequestTurns {
  readonly #nextTurn: NextTurn
  readonly #trading = new WeakSet<object>()
  readonly #everTraded = new WeakSet<object>()
  /** How many requests of a connection wait. */
  readonly #waitingOf = new WeakMap<object, number>()
  /** One for each connection at most where it is heard one by one, and no more than may be pending. */
  #waiting: (() => void)[] = []
  #isAsked = false

  constructor(nextTurn: NextTurn) {
    this.#nextTurn = nextTurn
  }

  /** Has a request answered, now or in its turn. */
  async exchange(connection: object, handle: () => Promise<Reply>): Promise<Reply> {
    const turn = this.#turnOf(connection)
    if (turn !== null) await turn
    const reply = await handle()
    if (isLetThrough(reply)) {
      this.#trading.add(connection)
      this.#everTraded.add(connection)
    }
    return reply
  }

  /** Whether the latest request of a connection was let through, and no other is being decided on. */
  isTrading(connection: object): boolean {
    return this.#trading.has(connection)
  }

  /** Whether any request of a connection was ever let through, also where later ones were refused. */
  hasTraded(connection: object): boolean {
    return this.#everTraded.has(connection)
  }

  /** Null when it is now. */
  #turnOf(connection: object): Promise<void> | null {
    const before = this.#waitingOf.get(connection) ?? 0
    // Behind a request of its own that waits it waits too: a cancel must not overtake its order.
    // And only one is ahead of others until its answer is known.
    if (before === 0 && this.#trading.delete(connection)) return null
    this.#waitingOf.set(connection, before + 1)
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        this.#waitingOf.set(connection, (this.#waitingOf.get(connection) ?? 1) - 1)
        resolve()
      })
      this.#ask()
    })
  }

  #ask(): void {
    if (this.#isAsked || this.#waiting.length === 0) return
    this.#isAsked = true
    this.#nextTurn(() => {
      this.#isAsked = false
      this.#waiting.shift()?.()
      this.#ask()
    })
  }
}

/** Whether a reply of `/exchange` says that something was sent on for it. */
function isLetThrough({ status, body }: Reply): boolean {
  const verdict = isObject(body) ? body['verdict'] : null
  return status === 200 && (verdict === 'allow' || verdict === 'resize')
}
