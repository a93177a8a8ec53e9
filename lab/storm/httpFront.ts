import type { HttpReply } from '../sim/front/transport.ts'
import { Chance } from './chance.ts'

/** A request as it came over a connection. */
export interface FrontRequest {
  readonly path: string
  readonly body: string
}

/** Bytes of an answer, and whether the connection ends with them. */
interface FrontAnswer {
  readonly bytes: Buffer
  readonly isLast: boolean
}

/** Reads what Guard wrote; null unless it is exactly one whole request. */
export function readRequest(text: string): FrontRequest | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [start = '', ...headers] = text.slice(0, end).split('\r\n')
  const path = /^POST (\/[a-z]+) HTTP\/1\.1$/.exec(start)?.[1]
  const length = valueOf(headers, 'content-length')
  const isJson = valueOf(headers, 'content-type') === 'application/json'
  const hasHost = valueOf(headers, 'host') !== null
  const body = text.slice(end + 4)
  if (path === undefined || !isJson || !hasHost) return null
  return length === String(Buffer.byteLength(body)) ? { path, body } : null
}

function valueOf(headers: readonly string[], name: string): string | null {
  const found = headers.find((each) => each.toLowerCase().startsWith(`${name}:`))
  return found === undefined ? null : found.slice(name.length + 1).trim()
}

/** How the venue's front treats connections, in one world. */
export interface FrontManners {
  /** Says with every answer what its clock shows. */
  readonly saysDate: boolean
  /** Ends a connection that lay idle for so many seconds, and says so; null: it keeps them. */
  readonly idleSeconds: number | null
  /** A connection stands after at most so many milliseconds. */
  readonly standsMs: number
  /** Between two pieces of an answer at most so many milliseconds pass. */
  readonly pieceMs: number
}

export function mannersOf(seed: number): FrontManners {
  const chance = new Chance(seed, 'front')
  return {
    saysDate: chance.is(0.5),
    idleSeconds: chance.pick([null, null, 2, 5, 75]),
    standsMs: chance.pick([0, 12, 12, 60]),
    pieceMs: chance.pick([0, 0, 3, 20]),
  }
}

/** Connections stand at once and are kept. */
export const plainManners: FrontManners = {
  ...{ saysDate: false, idleSeconds: null, standsMs: 0, pieceMs: 0 },
}

/** Writes an answer in one of the ways that servers have to say where it ends. */
export function answerOf(
  { status, body, contentType }: HttpReply,
  manners: FrontManners,
  nowMs: number,
  chance: Chance,
): FrontAnswer {
  const way = chance.next()
  const isLast = way < 0.06
  const lines = [`HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Refused'}`]
  if (contentType !== null) lines.push(`Content-Type: ${contentType}`)
  if (manners.saysDate) lines.push(`Date: ${new Date(nowMs).toUTCString()}`)
  if (isLast) lines.push('Connection: close')
  else if (manners.idleSeconds !== null) lines.push(`Keep-Alive: timeout=${manners.idleSeconds}`)
  const whole = Buffer.from(body)
  if (way < 0.03) return { bytes: written(lines, whole), isLast }
  if (way < 0.7) {
    return { bytes: written([...lines, `Content-Length: ${whole.length}`], whole), isLast }
  }
  const cut = Math.floor(chance.next() * whole.length)
  const chunks = [whole.subarray(0, cut), whole.subarray(cut)].filter((each) => each.length > 0)
  const pieces = chunks.flatMap((each) => [
    Buffer.from(`${each.length.toString(16)}\r\n`),
    each,
    Buffer.from('\r\n'),
  ])
  const chunked = Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
  return { bytes: written([...lines, 'Transfer-Encoding: chunked'], chunked), isLast }
}

function written(lines: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body])
}

/** As a network delivers it: mostly at once, now and then in pieces that end anywhere. */
export function inPieces(bytes: Buffer, chance: Chance): readonly Buffer[] {
  if (!chance.is(0.3)) return [bytes]
  const cuts = Array.from({ length: chance.whole(1, 4) }, () => chance.whole(1, bytes.length - 1))
  const ends = [...new Set(cuts), bytes.length].sort((one, two) => one - two)
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
}
