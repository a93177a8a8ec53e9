/** The bytes a bot's HTTP and WebSocket clients write and read; only as much as bots need. */

export interface HttpAnswer {
  readonly status: number
  readonly body: string
  /** Whether it says that the connection ends with it. */
  readonly isLast: boolean
}

interface SocketFrame {
  readonly opcode: number
  readonly payload: Buffer
}

export const opcodes = { rest: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

const head = 'Host: 127.0.0.1:8547\r\n'

export function getRequest(target: string): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${head}\r\n`)
}

/** A declared length other than the body's own is a lie that a bot may tell. */
export function postRequest(target: string, body: Buffer, length = body.length): Buffer {
  const lines = `POST ${target} HTTP/1.1\r\n${head}Content-Type: application/json\r\n`
  return Buffer.concat([Buffer.from(`${lines}Content-Length: ${length}\r\n\r\n`), body])
}

/** The same in chunks of its own, each a piece of the message. */
export function chunkedRequest(target: string, pieces: readonly Buffer[]): readonly Buffer[] {
  const lines = `POST ${target} HTTP/1.1\r\n${head}Content-Type: application/json\r\n`
  return [
    Buffer.from(`${lines}Transfer-Encoding: chunked\r\n\r\n`),
    ...pieces.map((piece) =>
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    ),
    Buffer.from('0\r\n\r\n'),
  ]
}

export const upgradeRequest = Buffer.from(
  `GET /ws HTTP/1.1\r\n${head}Upgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Key: c3Rvcm0gc3Rvcm0gc3Rvcg==\r\nSec-WebSocket-Version: 13\r\n\r\n',
)

/** Reads answers off a connection, in order. */
export class HttpAnswers {
  #kept = Buffer.alloc(0)

  /** Answers that are whole now. */
  take(bytes: Buffer): readonly HttpAnswer[] {
    this.#kept = Buffer.concat([this.#kept, bytes])
    const found: HttpAnswer[] = []
    for (;;) {
      const end = this.#kept.indexOf('\r\n\r\n')
      if (end < 0) return found
      const lines = this.#kept.toString('latin1', 0, end)
      const length = Number(/^content-length: (\d+)$/im.exec(lines)?.[1] ?? 0)
      const whole = end + 4 + length
      if (this.#kept.length < whole) return found
      found.push({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(lines)?.[1]),
        body: this.#kept.toString('utf8', end + 4, whole),
        isLast: /^connection: close$/im.test(lines),
      })
      this.#kept = this.#kept.subarray(whole)
    }
  }

  /** What came after the last answer: the first frames, where the connection was upgraded. */
  get rest(): Buffer {
    return this.#kept
  }
}

const mask = Buffer.from([0x5a, 0xc3, 0x3c, 0xa5])

export function socketFrame(opcode: number, payload: Buffer, isLast = true): Buffer {
  const masked = Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)))
  const { length } = payload
  const size =
    length < 126
      ? Buffer.from([0x80 | length])
      : length < 65_536
        ? Buffer.from([0xfe, length >> 8, length & 0xff])
        : Buffer.concat([Buffer.from([0xff, 0, 0, 0, 0]), uint32(length)])
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode]), size, mask, masked])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Takes apart what Guard sends on a socket. */
class SocketFrames {
  #kept = Buffer.alloc(0)

  take(bytes: Buffer): readonly SocketFrame[] {
    this.#kept = Buffer.concat([this.#kept, bytes])
    const found: SocketFrame[] = []
    for (;;) {
      const short = (this.#kept[1] ?? 0) & 0x7f
      const from = short < 126 ? 2 : short === 126 ? 4 : 10
      if (this.#kept.length < from) return found
      const length =
        short < 126
          ? short
          : short === 126
            ? this.#kept.readUInt16BE(2)
            : Number(this.#kept.readBigUInt64BE(2))
      if (this.#kept.length < from + length) return found
      const payload = this.#kept.subarray(from, from + length)
      found.push({ opcode: (this.#kept[0] ?? 0) & 0x0f, payload })
      this.#kept = this.#kept.subarray(from + length)
    }
  }
}

/** Reads a bot's socket from the answer to its upgrade on. */
export class SocketReader {
  readonly #greeting = new HttpAnswers()
  readonly #frames = new SocketFrames()
  #isOpen = false

  /** Frames that are whole now. */
  take(bytes: Buffer): readonly SocketFrame[] {
    if (this.#isOpen) return this.#frames.take(bytes)
    const [answer] = this.#greeting.take(bytes)
    if (answer === undefined) return []
    this.#isOpen = answer.status === 101
    return this.#frames.take(this.#greeting.rest)
  }
}
