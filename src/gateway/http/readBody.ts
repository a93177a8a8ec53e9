import type { IncomingMessage } from 'node:http'
import { limits } from '../../core/values/limits.ts'

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too_long' }
  /** The client went away in the middle: there is nobody to answer. */
  | { readonly kind: 'gone' }

/** What is read and thrown away after the limit, so that the client gets to read its answer. */
const drainBytesMax = limits.drainBytesMax

/** Reads a body to its end, or to the limit. */
export function readBody(request: IncomingMessage): Promise<Body> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > drainBytesMax) return Promise.resolve({ kind: 'too_long' })
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limits.bodyBytesMax) {
        chunks.push(chunk)
        return
      }
      chunks = []
      if (length > drainBytesMax) {
        request.pause()
        resolve({ kind: 'too_long' })
      }
    })
    request.on('end', () => {
      const [first] = chunks
      if (length > limits.bodyBytesMax) resolve({ kind: 'too_long' })
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
