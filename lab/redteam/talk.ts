import { request } from 'node:http'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import type { Json } from '../../src/core/protocol/action.ts'
import { Breach } from './breach.ts'

/** What came back over HTTP; `json` is null where it was no JSON. */
export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly text: string
  readonly json: Json
}

export interface Ask {
  readonly method?: string
  readonly body?: string | Uint8Array
  readonly headers?: { readonly [name: string]: string }
}

const timeoutMs = 15_000

/** One HTTP request, path and headers exactly as given, on a connection of its own. */
export function ask(base: string, path: string, init: Ask = {}): Promise<Answer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
        port,
        path,
        method: init.method ?? (init.body === undefined ? 'GET' : 'POST'),
        headers: { ...init.headers },
        agent: false,
        timeout: timeoutMs,
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: parsed(text),
          })
        })
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    outgoing.on('error', reject)
    outgoing.end(init.body)
  })
}

export function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

/** Raw bytes on the port; resolves with all that came back once it closed, or after `waitMs`. */
export function raw(
  base: string,
  pieces: readonly (string | Uint8Array)[],
  waitMs = 1_500,
): Promise<string> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'))
    let text = ''
    const end = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(text)
    }
    const timer = setTimeout(end, waitMs)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Guard may hang up while the rest is still being written.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
    socket.on('close', end)
    for (const piece of pieces) socket.write(piece)
  })
}

/** A bot's socket. */
export class Talk {
  readonly socket: WebSocket
  readonly heard: string[] = []
  closeCode: number | null = null
  private wake: () => void = () => undefined

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      this.heard.push(data.toString('utf8'))
      this.wake()
    })
    socket.on('close', (code) => {
      this.closeCode = code
      this.wake()
    })
    socket.on('error', () => undefined)
  }

  /** Opens one; a refusal of the upgrade is thrown with its HTTP status. */
  static open(
    base: string,
    path = '/ws',
    headers: { readonly [name: string]: string } = {},
  ): Promise<Talk> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${base.replace(/^http/, 'ws')}${path}`, {
        headers: { ...headers },
        perMessageDeflate: false,
        handshakeTimeout: timeoutMs,
      })
      socket.on('unexpected-response', (_request, response) => {
        socket.terminate()
        reject(new Refused(response.statusCode ?? 0))
      })
      socket.once('error', reject)
      socket.once('open', () => {
        resolve(new Talk(socket))
      })
    })
  }

  say(text: string | Uint8Array): void {
    this.socket.send(text)
  }

  /** The first frame that fits, also one that came before. */
  async hears(fits: (frame: string) => boolean, waitMs = 5_000): Promise<string> {
    const giveUp = Date.now() + waitMs
    for (;;) {
      const found = this.heard.find(fits)
      if (found !== undefined) return found
      if (this.closeCode !== null) throw new Breach(`the socket was closed (${this.closeCode})`)
      if (Date.now() > giveUp) throw new Error('no answer on the socket')
      await this.change(giveUp - Date.now())
    }
  }

  async closed(waitMs = 5_000): Promise<number> {
    const giveUp = Date.now() + waitMs
    while (this.closeCode === null && Date.now() < giveUp) await this.change(giveUp - Date.now())
    return this.closeCode ?? 0
  }

  end(): void {
    this.socket.terminate()
  }

  private change(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, waitMs))
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** An upgrade that was answered with an HTTP status instead. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the upgrade was refused with ${status}`)
    this.status = status
  }
}
