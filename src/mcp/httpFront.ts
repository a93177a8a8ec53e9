import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { limits } from '../core/values/limits.ts'

/** Decides who may speak at all, as Guard's own port does. */
export interface FrontDoor {
  refuse(request: IncomingMessage): Refused | null
  refuseReader(request: IncomingMessage): Refused | null
}

interface Refused {
  readonly status: number
  readonly code: string
  readonly text: string
}

interface FrontOptions {
  readonly host: string
  readonly port: number
  readonly door: FrontDoor
  /** Answers what came through the door, on the path /mcp. */
  readonly answer: (request: Request) => Promise<Response>
}

/** A listening port; `url` has the path in it. */
interface Front {
  readonly url: string
  close(): Promise<void>
}

/** Serves MCP over HTTP on one path; everything else, and everybody without the token, is refused. */
export async function openFront({ host, port, door, answer }: FrontOptions): Promise<Front> {
  const timeouts = { requestTimeout: 30_000, keepAliveTimeout: 120_000 }
  const waiting = new WeakSet<Socket>()
  const server = createServer(timeouts, (request, response) => {
    const { socket } = request
    // An answer that stands behind another one does not hear that its connection has gone: whatever was
    // kept for it would be kept for ever. No agent's client asks before it was answered.
    if (waiting.has(socket)) {
      request.resume()
      sendError(response, oneAtATime)
      return
    }
    waiting.add(socket)
    response.on('close', () => waiting.delete(socket))
    void served(request, response, door, answer).catch(() => {
      response.destroy()
    })
  })
  server.maxConnections = limits.httpConnectionsMax
  await listening(server, host, port)
  const { port: bound } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${name}:${String(bound)}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

const oneAtATime = {
  status: 503,
  code: 'one_at_a_time',
  text: 'the request before it on this connection is not answered yet; nothing was done for this one',
}

async function served(
  request: IncomingMessage,
  response: ServerResponse,
  door: FrontDoor,
  answer: FrontOptions['answer'],
): Promise<void> {
  const refused = door.refuse(request) ?? door.refuseReader(request)
  if (refused !== null) {
    sendError(response, refused)
    return
  }
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  if (path !== '/mcp') {
    sendError(response, { status: 404, code: 'not_found', text: 'the path is /mcp' })
    return
  }
  const body = await bodyOf(request)
  if (body === null) {
    const text = `a message has at most ${String(limits.agentMessageBytesMax)} bytes`
    sendError(response, { status: 413, code: 'too_large', text })
    return
  }
  const ended = new AbortController()
  response.on('close', () => {
    ended.abort()
  })
  await sendAnswer(response, await answer(webRequest(request, body, ended.signal)))
}

/** The whole body; null when it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > limits.agentMessageBytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function webRequest(request: IncomingMessage, body: Buffer, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, value)
  }
  const method = request.method ?? 'GET'
  const isEmpty = method === 'GET' || method === 'HEAD' || body.length === 0
  const init = { method, headers, signal, ...(isEmpty ? {} : { body: new Uint8Array(body) }) }
  return new Request(new URL(request.url ?? '/', 'http://localhost'), init)
}

async function sendAnswer(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) {
    response.end()
    return
  }
  response.flushHeaders()
  const stream = Readable.fromWeb(answer.body as ReadableStream)
  stream.on('error', () => response.destroy())
  response.on('close', () => stream.destroy())
  stream.pipe(response)
}

function sendError(response: ServerResponse, { status, code, text }: Refused): void {
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...challenge,
  })
  response.end(JSON.stringify({ error: { code, text } }))
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
