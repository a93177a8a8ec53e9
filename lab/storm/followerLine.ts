import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { BotDoor } from './botDoor.ts'
import { opcodes, socketFrame, SocketReader, upgradeRequest } from './botFrames.ts'
import type { BotWire } from './botWire.ts'
import { pickAt } from './chance.ts'
import { Violation } from './violation.ts'

/** A socket on which a bot follows streams; whatever comes must have been asked for on it. */
export class FollowerLine {
  readonly #wire: BotWire
  readonly #check: (text: string) => void
  readonly #reader = new SocketReader()
  readonly #asked: JsonObject[] = []
  /** Channel and subject of all it ever asked for here: frames may come after it was given up. */
  readonly #names = new Set<string>()
  readonly #heard = new Set<string>()

  /** `check` sees every text that comes. */
  constructor(door: BotDoor, check: (text: string) => void) {
    this.#check = check
    this.#wire = door.wire({
      onBytes: (bytes) => {
        this.#read(bytes)
      },
      onClose: () => undefined,
    })
    this.#wire.send(upgradeRequest)
  }

  get isOver(): boolean {
    return this.#wire.isOver
  }

  reset(): void {
    this.#wire.reset()
  }

  subscribe(subscription: Json): void {
    if (isObject(subscription)) {
      this.#asked.push(subscription)
      this.#names.add(nameOf(String(subscription['type']), subscription))
    }
    this.#say({ method: 'subscribe', subscription })
  }

  /** Gives up one that it asked for, however that ended. */
  unsubscribe(at: number): void {
    if (this.#asked.length === 0) return
    const subscription = pickAt(this.#asked, at)
    this.#asked.splice(this.#asked.indexOf(subscription), 1)
    this.#say({ method: 'unsubscribe', subscription })
  }

  /** Whether a frame of this stream has come. */
  hasHeard(subscription: JsonObject): boolean {
    return this.#heard.has(nameOf(String(subscription['type']), subscription))
  }

  /** What Guard says on it. */
  hear(text: string): void {
    this.#check(text)
    const { channel, data } = JSON.parse(text) as { channel: string; data?: Json }
    if (notStreams.has(channel)) return
    const shown = Array.isArray(data) ? (data as readonly Json[])[0] : data
    // An empty list shows not even whose it is.
    if (shown === undefined || !isObject(shown)) return
    const name = nameOf(channel, shown)
    this.#heard.add(name)
    if (!this.#names.has(name)) throw new Violation('relayed', `a bot hears ${name} unasked`)
  }

  #say(message: Json): void {
    this.#wire.send(socketFrame(opcodes.text, Buffer.from(JSON.stringify(message))))
  }

  #read(bytes: Buffer): void {
    for (const { opcode, payload } of this.#reader.take(bytes)) {
      if (opcode === opcodes.ping) this.#wire.send(socketFrame(opcodes.pong, payload))
      if (opcode === opcodes.close) this.#wire.send(socketFrame(opcodes.close, payload))
      if (opcode === opcodes.text) this.hear(payload.toString('utf8'))
    }
  }
}

const notStreams: ReadonlySet<string> = new Set(['subscriptionResponse', 'error', 'pong', 'post'])

/** A stream by all that its frames show of it, whether told by a frame or by what was asked. */
function nameOf(channel: string, fields: JsonObject): string {
  switch (channel) {
    case 'allMids':
    case 'orderUpdates':
      return channel
    case 'user':
    case 'userEvents':
      return 'userEvents'
    case 'candle':
      return `candle ${String(fields['coin'] ?? fields['s'])} ${String(fields['interval'] ?? fields['i'])}`
    default:
      return `${channel} ${String(fields['coin'] ?? fields['user'])}`
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
