import type { HostileBodies } from './hostileBodies.ts'
import { HostileLine } from './hostileLine.ts'
import type { Post } from './hostileLine.ts'
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
const askers = 16
/** So many requests one of them sends in one piece. */
const batchMax = 16
const pipelined = 50
const pings = 20
/** How many of each kind stay open at once without being read. */
const unreadMax = 8
const breachesMax = 5
/** An answer that tells of an order that was taken, or of one that is gone. */
const taken = /"resting"|"filled"|"success"|"waitingFor/

/** Sends something by itself, and tells how many requests that were. */
type Send = (crowd: HostileCrowd) => Promise<number> | number

interface Kind {
  readonly name: string
  /** How often it is drawn among all of them. */
  readonly share: number
  readonly does: PostOf | Send
}

type PostOf = { readonly path: string; readonly make: (bodies: HostileBodies) => string }

export const kinds: readonly Kind[] = [
  { name: 'stranger', share: 2_500, does: order((bodies) => bodies.stranger()) },
  { name: 'bad signature', share: 1_500, does: order((bodies) => bodies.badSignature()) },
  { name: 'malformed', share: 1_500, does: order((bodies) => bodies.malformed()) },
  { name: 'expired, again', share: 1_500, does: order((bodies) => bodies.replay()) },
  { name: 'nested', share: 500, does: order((bodies) => bodies.nested()) },
  { name: '1 MiB', share: 2, does: order((bodies) => bodies.large()) },
  { name: 'unknown cancel', share: 50, does: order((bodies) => bodies.unknownCancel()) },
  {
    name: 'new read',
    share: 100,
    does: { path: '/info', make: (bodies) => bodies.newRead() },
  },
  { name: 'ping', share: 30, does: (crowd) => crowd.ping() },
  { name: 'unread ping', share: 30, does: (crowd) => crowd.pingUnread() },
  { name: 'unread answer', share: 30, does: (crowd) => crowd.pipeline() },
  { name: 'stalled events', share: 20, does: (crowd) => crowd.stallEvents() },
]

function order(make: PostOf['make']): PostOf {
  return { path: '/exchange', make }
}

/** Sends hostile requests of every kind, mixed, at a pace or as fast as a few connections get answers. */
export class HostileCrowd {
  readonly bodies: HostileBodies
  readonly #url: string
  /** Each kind once, and then all of them mixed by their shares. */
  readonly #deck = [
    ...kinds,
    ...shuffled(kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind))),
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
    const ask = async (_: unknown, asker: number): Promise<void> => {
      let line = await HostileLine.open(this.#url)
      while (left > 0) {
        const { batch, alone } = this.#drawSome(Math.min(batchMax, left))
        left -= batch.length
        if (!line.isOpen) line = await HostileLine.open(this.#url)
        await postAll(line, batch, tally)
        // Some stay where a read has taken them, which is Node's server; the others come anew.
        if (asker % 4 !== 0 && batch.some(({ path }) => path === '/info')) line.close()
        const count = alone === null ? 0 : await this.#sendAlone(alone, tally)
        left -= count
        await pace.sent(batch.length + count)
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

  /** Requests that go together in one piece, and what was drawn that does not go with them. */
  #drawSome(most: number): { readonly batch: readonly Drawn[]; readonly alone: Kind | null } {
    const batch: Drawn[] = []
    while (batch.length < most) {
      const kind = this.#draw()
      if (typeof kind.does === 'function') return { batch, alone: kind }
      const { path, make } = kind.does
      batch.push({ name: kind.name, path, body: make(this.bodies) })
    }
    return { batch, alone: null }
  }

  async #sendAlone({ name, does }: Kind, tally: Tally): Promise<number> {
    if (typeof does !== 'function') return 0
    try {
      const count = await does(this)
      tally.sent[name] = (tally.sent[name] ?? 0) + count
      return count
    } catch {
      tally.cutOff += 1
      return 1
    }
  }

  #draw(): Kind {
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

interface Drawn extends Post {
  readonly name: string
}

/** What became of them is told; those that found the connection ended are counted as such. */
async function postAll(line: HostileLine, batch: readonly Drawn[], tally: Tally): Promise<void> {
  if (batch.length === 0) return
  const answers = await line.postAll(batch)
  for (const [at, { name }] of batch.entries()) {
    const answer = answers[at]
    if (answer === undefined) {
      tally.cutOff += 1
      continue
    }
    tally.sent[name] = (tally.sent[name] ?? 0) + 1
    if (answer.status === 429) tally.shed += 1
    if (taken.test(answer.body) && tally.breaches.length < breachesMax) {
      tally.breaches.push(answer.body)
    }
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
