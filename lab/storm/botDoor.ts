import type { Server } from 'node:http'
import type { Json } from '../../src/core/protocol/action.ts'
import {
  chunkedRequest,
  getRequest,
  HttpAnswers,
  opcodes,
  postRequest,
  socketFrame,
  SocketReader,
  upgradeRequest,
} from './botFrames.ts'
import type { HttpAnswer } from './botFrames.ts'
import { BotWire } from './botWire.ts'
import type { WireHandlers } from './botWire.ts'
import type { Chance } from './chance.ts'
import type { BotFault } from './faultKinds.ts'
import type { VirtualTime } from './virtualTime.ts'

/** What a bot hears; null when the connection ended without an answer. */
type Heard = (answer: { readonly status: number; readonly body: Json } | null) => void

const pieces = 5
const overlong = 20 * 1_048_576

/** How bots reach one process: its HTTP server over connections that take their time, or break. */
export class BotDoor {
  readonly #time: VirtualTime
  readonly #chance: Chance
  readonly #server: Server
  readonly #lines = new Set<HttpLine>()
  readonly #sockets: SocketLine[] = []
  readonly #wires: BotWire[] = []
  #socket: SocketLine | null = null

  constructor(time: VirtualTime, chance: Chance, server: Server) {
    this.#time = time
    this.#chance = chance
    this.#server = server
  }

  /** The process died, and its connections with it. */
  drop(): void {
    for (const line of this.#lines) line.wire.drop()
    this.#lines.clear()
    for (const line of this.#sockets) line.wire.drop()
    for (const wire of this.#wires) wire.drop()
    this.#socket = null
  }

  /** A connection that the caller speaks on itself. */
  wire(handlers: WireHandlers): BotWire {
    const wire = new BotWire(this.#time, this.#chance, this.#server, handlers)
    this.#wires.push(wire)
    return wire
  }

  get(target: string, heard: Heard): void {
    const line = this.#line()
    line.expect(heard)
    line.wire.send(getRequest(target))
  }

  /** Posts a body, whole or as the fault has it; only a whole request may be acted on. */
  post(target: string, body: Buffer, fault: BotFault | null, heard: Heard): void {
    const line = this.#line()
    const { wire } = line
    const half = body.subarray(0, body.length >> 1)
    switch (fault) {
      case 'bot_slow_body':
        line.expect(heard)
        wire.send(postRequest(target, Buffer.alloc(0), body.length))
        for (const piece of this.#split(body)) wire.send(piece, this.#chance.whole(0, 900))
        return
      case 'bot_chunked_body':
        line.expect(heard)
        for (const piece of chunkedRequest(target, this.#split(body))) wire.send(piece)
        return
      case 'bot_pipelined':
        line.expect(() => undefined)
        line.expect(heard)
        line.expect(() => undefined)
        wire.send(
          Buffer.concat([
            getRequest('/healthz'),
            postRequest(target, body),
            getRequest('/healthz'),
          ]),
        )
        return
      case 'bot_cut_body':
        wire.send(postRequest(target, half, body.length))
        wire.reset(this.#chance.whole(0, 400))
        return
      case 'bot_gone':
        wire.send(postRequest(target, body))
        wire.reset(this.#chance.whole(0, 8))
        return
      case 'bot_overlong':
        line.expect(heard)
        wire.send(postRequest(target, half, overlong))
        return
      case 'bot_garbage':
        wire.send(Buffer.concat([Buffer.from('POST /exchange HTTP/9.9\r\n\r\n'), body]))
        return
      default:
        line.expect(heard)
        wire.send(postRequest(target, body))
    }
  }

  /** The same over a socket, as an action post. */
  postOnSocket(payload: string, fault: BotFault | null, heard: Heard): void {
    // Whoever breaks a socket breaks its own: nobody else's answers are lost with it.
    const line = isSilent(fault) ? this.#newSocket() : this.#openSocket()
    const { wire } = line
    const id = line.expect(isSilent(fault) ? () => undefined : heard)
    const text = `{"method":"post","id":${id},"request":{"type":"action","payload":${payload}}}`
    const frame = socketFrame(opcodes.text, Buffer.from(text))
    switch (fault) {
      case 'bot_slow_body':
      case 'bot_chunked_body':
        this.#inFragments(wire, Buffer.from(text), fault === 'bot_slow_body' ? 900 : 0)
        return
      case 'bot_pipelined':
        wire.send(
          Buffer.concat([socketFrame(opcodes.text, Buffer.from('{"method":"ping"}')), frame]),
        )
        return
      case 'bot_cut_body':
        wire.send(frame.subarray(0, frame.length >> 1))
        wire.reset(this.#chance.whole(0, 400))
        return
      case 'bot_gone':
        wire.send(frame)
        wire.reset(this.#chance.whole(0, 8))
        return
      case 'bot_overlong':
        wire.send(Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0, 1, 0, 0, 0]), frame]))
        return
      case 'bot_garbage':
        wire.send(Buffer.concat([Buffer.from([0xf3, 0x00]), frame]))
        return
      default:
        wire.send(frame)
    }
  }

  #inFragments(wire: BotWire, text: Buffer, waitMs: number): void {
    const parts = this.#split(text)
    for (const [at, part] of parts.entries()) {
      const isLast = at === parts.length - 1
      wire.send(
        socketFrame(at === 0 ? opcodes.text : opcodes.rest, part, isLast),
        this.#chance.whole(0, waitMs),
      )
      if (!isLast) wire.send(socketFrame(opcodes.ping, Buffer.from('?')))
    }
  }

  #split(bytes: Buffer): readonly Buffer[] {
    const length = Math.ceil(bytes.length / pieces)
    return Array.from({ length: pieces }, (_, at) =>
      bytes.subarray(at * length, (at + 1) * length),
    ).filter((piece) => piece.length > 0)
  }

  /** A connection that is free, or a new one. */
  #line(): HttpLine {
    for (const line of this.#lines) {
      if (line.wire.isOver) this.#lines.delete(line)
      else if (line.isFree) return line.take()
    }
    const line = new HttpLine((handlers) => {
      return new BotWire(this.#time, this.#chance, this.#server, handlers)
    })
    this.#lines.add(line)
    return line.take()
  }

  #openSocket(): SocketLine {
    if (this.#socket === null || this.#socket.isUnusable) {
      this.#socket = this.#newSocket()
    }
    return this.#socket
  }

  #newSocket(): SocketLine {
    const line = new SocketLine((handlers) => {
      return new BotWire(this.#time, this.#chance, this.#server, handlers)
    })
    this.#sockets.push(line)
    return line
  }
}

/** Faults after which a bot on a socket hears nothing. */
function isSilent(fault: BotFault | null): boolean {
  return (
    fault === 'bot_cut_body' ||
    fault === 'bot_gone' ||
    fault === 'bot_overlong' ||
    fault === 'bot_garbage'
  )
}

type OpenWire = (handlers: { onBytes(bytes: Buffer): void; onClose(): void }) => BotWire

/** A kept connection; the bot waits for its answers before it asks anew. */
class HttpLine {
  readonly wire: BotWire
  readonly #answers = new HttpAnswers()
  #waiting: Heard[] = []
  #isTaken = false

  constructor(open: OpenWire) {
    this.wire = open({
      onBytes: (bytes) => {
        for (const answer of this.#answers.take(bytes)) this.#hear(answer)
      },
      onClose: () => {
        const left = this.#waiting
        this.#waiting = []
        for (const heard of left) heard(null)
      },
    })
  }

  get isFree(): boolean {
    return !this.#isTaken
  }

  take(): this {
    this.#isTaken = true
    return this
  }

  expect(heard: Heard): void {
    this.#waiting.push(heard)
  }

  #hear({ status, body, isLast }: HttpAnswer): void {
    const heard = this.#waiting.shift()
    // An answer to what nobody asked: the connection was spoilt, and Guard closes it.
    if (heard === undefined) return
    // A client asks nothing more on a connection whose end it was told.
    if (this.#waiting.length === 0 && !isLast) this.#isTaken = false
    heard({ status, body: jsonOf(body) })
  }
}

class SocketLine {
  readonly wire: BotWire
  readonly #reader = new SocketReader()
  readonly #waiting = new Map<number, Heard>()
  #lastId = 0
  #isLeaving = false

  constructor(open: OpenWire) {
    this.wire = open({
      onBytes: (bytes) => {
        this.#read(bytes)
      },
      onClose: () => {
        for (const heard of this.#waiting.values()) heard(null)
        this.#waiting.clear()
      },
    })
    this.wire.send(upgradeRequest)
  }

  get isUnusable(): boolean {
    return this.wire.isOver || this.#isLeaving
  }

  expect(heard: Heard): number {
    this.#lastId += 1
    this.#waiting.set(this.#lastId, heard)
    return this.#lastId
  }

  #read(bytes: Buffer): void {
    for (const { opcode, payload } of this.#reader.take(bytes)) {
      if (opcode === opcodes.ping) this.wire.send(socketFrame(opcodes.pong, payload))
      if (opcode === opcodes.close) {
        this.#isLeaving = true
        this.wire.send(socketFrame(opcodes.close, payload))
      }
      if (opcode === opcodes.text) this.#hear(jsonOf(payload.toString('utf8')))
    }
  }

  #hear(frame: Json): void {
    const { channel, data } = frame as { channel?: string; data?: PostAnswer }
    if (channel !== 'post' || data === undefined) return
    const heard = this.#waiting.get(data.id)
    this.#waiting.delete(data.id)
    const { type, payload } = data.response
    // A shed request has no body of its own, as over HTTP.
    heard?.({ status: payload === null ? 429 : type === 'action' ? 200 : 500, body: payload })
  }
}

interface PostAnswer {
  readonly id: number
  readonly response: { readonly type: string; readonly payload: Json }
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
