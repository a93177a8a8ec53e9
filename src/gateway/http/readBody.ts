import type { IncomingMessage } from 'node:http'
import { limits } from '../../core/values/limits.ts'
import type { RequestRoom } from './bodyRoom.ts'

type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too_long' }
  /** Others are sending so much that this one was not kept. */
  | { readonly kind: 'no_room' }
  /** The client went away in the middle: there is nobody to answer. */
  | { readonly kind: 'gone' }

/** What is read and thrown away after the limit, so that the client gets to read its answer. */
const drainBytesMax = limits.drainBytesMax

/** Reads a body to its end, or to the limit. What is not kept is read too, and thrown away. */
export function readBody(
  request: IncomingMessage,
  room: Pick<RequestRoom, 'admits'>,
): Promise<Body> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > drainBytesMax) return Promise.resolve({ kind: 'too_long' })
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let length = 0
    let refused: 'too_long' | 'no_room' | null = null
    const admit = (bytes: number): void => {
      if (bytes > limits.bodyBytesMax) refused = 'too_long'
      else if (refused === null && !room.admits(bytes)) refused = 'no_room'
      if (refused !== null) chunks = []
    }
    admit(declared)
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      // Whoever sends in chunks does not say how much will come.
      if (length > declared) admit(length)
      if (refused === null) chunks.push(chunk)
      else if (length > drainBytesMax) {
        request.pause()
        resolve({ kind: 'too_long' })
      }
    })
    request.on('end', () => {
      const [first] = chunks
      if (refused !== null) resolve({ kind: refused })
      else if (first !== undefined && chunks.length === 1) resolve({ kind: 'whole', bytes: first })
      else resolve({ kind: 'whole', bytes: Buffer.concat(chunks) })
    })
    const gone = (): void => {
      resolve({ kind: 'gone' })
    }
    request.on('error', gone)
    request.on('close', gone)
  })
}
