import { HttpLine } from '../httpLine.ts'
import type { HostileBodies } from './hostileBodies.ts'
import { Pace } from './pace.ts'
import { PingSocket } from './pingSocket.ts'
import { UnreadConnection } from './unreadConnection.ts'

/** Counts of what the hostile requests were answered with. */
export interface Tally {
  /** Requests and frames that were sent, by kind. */
  readonly sent: { [kind: string]: number }
  /** How many were turned away with 429 and left no record. */
  shed: number
  /** How many found their connection ended. */
  cutOff: number
  /** Answers that no hostile request should get. */
  readonly breaches: string[]
}

/** How many connections wait for each answer before they ask on. */
const askers = 4
const pipelined = 50
const pings = 20
/** How many of each kind stay open at once without being read. */
const unreadMax = 8
const breachesMax = 5
/** An answer that tells of an order that was taken, or of one that is gone. */
const taken = /"resting"|"filled"|"success"|"waitingFor/

type Send = (crowd: HostileCrowd, line: HttpLine, tally: Tally) => Promise<number> | number

/** Each kind of request, and how often it is drawn among all of them. */
export const kinds: readonly (readonly [name: string, share: number, send: Send])[] = [
  ['stranger', 2_500, posts('/exchange', (bodies) => bodies.stranger())],
  ['bad signature', 1_500, posts('/exchange', (bodies) => bodies.badSignature())],
  ['malformed', 1_500, posts('/exchange', (bodies) => bodies.malformed())],
  ['expired, again', 1_500, posts('/exchange', (bodies) => bodies.replay())],
  ['nested', 500, posts('/exchange', (bodies) => bodies.nested())],
  ['1 MiB', 2, posts('/exchange', (bodies) => bodies.large())],
  ['unknown cancel', 50, posts('/exchange', (bodies) => bodies.unknownCancel())],
  ['new read', 100, posts('/info', (bodies) => bodies.newRead())],
  ['ping', 30, (crowd) => crowd.ping()],
  ['unread ping', 30, (crowd) => crowd.pingUnread()],
  ['unread answer', 30, (crowd) => crowd.pipeline()],
  ['stalled events', 20, (crowd) => crowd.stallEvents()],
]

function posts(path: string, make: (bodies: HostileBodies) => string): Send {
  return async (crowd, line, tally) => {
    const answer = await line.post(path, make(crowd.bodies))
    if (line.status === 429) tally.shed += 1
    if (taken.test(answer) && tally.breaches.length < breachesMax) tally.breaches.push(answer)
    return 1
  }
}

/** Sends hostile requests of every kind, mixed, at a pace or as fast as a few connections get answers. */
export class HostileCrowd {
  readonly bodies: HostileBodies
  readonly #url: string
  /** Each kind once, and then all of them mixed by their shares. */
  readonly #deck = [
    ...kinds,
    ...shuffled(kinds.flatMap((kind) => Array.from({ length: kind[1] }, () => kind))),
  ]
  #drawn = 0
  #unread: UnreadConnection[] = []
  #stalled: UnreadConnection[] = []
  #pinging: PingSocket | null = null
  #unreadPings: PingSocket[] = []

  constructor(url: string, bodies: HostileBodies) {
    this.#url = url
    this.bodies = bodies
  }

  /** Resolves once so many are sent; every connection is closed again then. */
  async attack(requests: number, perSecond: number | null): Promise<Tally> {
    const pace = new Pace(perSecond)
    const tally: Tally = { sent: {}, shed: 0, cutOff: 0, breaches: [] }
    let left = requests
    const ask = async (): Promise<void> => {
      const line = await HttpLine.open(this.#url)
      while (left > 0) {
        const [name, , send] = this.#draw()
        try {
          const count = await send(this, line, tally)
          left -= count
          await pace.sent(count)
          tally.sent[name] = (tally.sent[name] ?? 0) + count
        } catch {
          left -= 1
          tally.cutOff += 1
        }
      }
      line.close()
    }
    await Promise.all(Array.from({ length: askers }, ask))
    this.#closeAll()
    return tally
  }

  async ping(): Promise<number> {
    if (this.#pinging?.isOpen !== true) this.#pinging = await PingSocket.open(this.#url)
    await this.#pinging.sendAndHear(pings)
    return pings
  }

  async pingUnread(): Promise<number> {
    this.#unreadPings = openOnes(this.#unreadPings)
    if (this.#unreadPings.length < unreadMax) {
      const socket = await PingSocket.open(this.#url)
      socket.stopReading()
      this.#unreadPings.push(socket)
    }
    const [first] = this.#unreadPings
    first?.send(pings)
    this.#unreadPings.push(...this.#unreadPings.splice(0, 1))
    return pings
  }

  /** Orders of strangers on one connection, one behind the other. */
  pipeline(): number {
    this.#unread = openOnes(this.#unread)
    if (this.#unread.length < unreadMax) this.#unread.push(new UnreadConnection(this.#url))
    const [first] = this.#unread
    first?.post(
      '/exchange',
      Array.from({ length: pipelined }, () => this.bodies.stranger()),
    )
    this.#unread.push(...this.#unread.splice(0, 1))
    return pipelined
  }

  /** Asks for all events, as a stream and as pages, and takes none of them. */
  stallEvents(): number {
    if (this.#stalled.length >= unreadMax) this.#stalled.shift()?.close()
    const connection = new UnreadConnection(this.#url)
    if (this.#drawn % 2 === 0) connection.get('/guard/events?since=0', 'text/event-stream')
    else connection.get('/guard/events?since=0')
    this.#stalled.push(connection)
    return 1
  }

  #draw(): (typeof kinds)[number] {
    const found = this.#deck[this.#drawn++ % this.#deck.length]
    if (found === undefined) throw new RangeError('an empty deck')
    return found
  }

  #closeAll(): void {
    for (const each of [...this.#unread, ...this.#stalled, ...this.#unreadPings]) each.close()
    this.#pinging?.close()
    this.#unread = []
    this.#stalled = []
    this.#unreadPings = []
    this.#pinging = null
  }
}

/** Those of whom the other side takes nothing more are given up. */
function openOnes<T extends { readonly isOpen: boolean; close(): void }>(all: readonly T[]): T[] {
  return all.filter((each) => {
    if (!each.isOpen) each.close()
    return each.isOpen
  })
}

/** Always in the same order, so that two runs send the same. */
function shuffled<T>(list: readonly T[]): readonly T[] {
  const result = [...list]
  let state = 1
  for (let at = result.length - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = state % (at + 1)
    const [a, b] = [result[at], result[other]]
    if (a === undefined || b === undefined) continue
    result[at] = b
    result[other] = a
  }
  return result
}
