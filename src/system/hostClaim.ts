import { createConnection, createServer } from 'node:net'
import type { Server } from 'node:net'
import { limits } from '../core/values/limits.ts'

/** Who holds a name on this machine. */
interface Holder {
  readonly pid: number
  readonly home: string
}

type HostClaim =
  | { readonly kind: 'held'; release(): void }
  /** Another Guard has it. */
  | { readonly kind: 'taken'; readonly by: Holder }
  /** It cannot be known: something has the name that is no Guard, or the system has no such names. */
  | { readonly kind: 'unknown'; readonly why: string }

/**
 * Takes a name for this process, for as long as it lives. The system keeps such names in memory and
 * lets go of one with its process; whoever asks the holder is told who it is. One name is of one
 * network namespace: a container of its own has its own names.
 */
export async function claimOnHost(name: string, holder: Holder): Promise<HostClaim> {
  if (process.platform !== 'linux') return { kind: 'unknown', why: 'only Linux has such names' }
  const path = pathOf(name)
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${JSON.stringify(holder)}\n`)
  })
  server.maxConnections = limits.hostClaimAsksMax
  const refusal = await listening(server, path)
  if (refusal === null) {
    // It must not keep the process alive.
    server.unref()
    return { kind: 'held', release: () => void server.close() }
  }
  if (refusal !== 'EADDRINUSE') return { kind: 'unknown', why: refusal }
  const by = await holderOf(path)
  return by === null
    ? { kind: 'unknown', why: 'something has its name and does not say who it is' }
    : { kind: 'taken', by }
}

/** Null once it listens, else the error's code. */
function listening(server: Server, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    server.once('error', (error) => {
      resolve('code' in error ? String(error.code) : error.message)
    })
    server.listen(path, () => {
      resolve(null)
    })
  })
}

/** Who holds a name on this machine now; null where nobody does, or none that answers as a Guard. */
export async function holderOnHost(name: string): Promise<Holder | null> {
  return process.platform === 'linux' ? await holderOf(pathOf(name)) : null
}

/** The zero byte makes it a name in memory and not a file. */
function pathOf(name: string): string {
  return `\0guard-${name}`
}

/** Asks who has a name; null for one that does not answer as a Guard does. */
function holderOf(path: string): Promise<Holder | null> {
  return new Promise((resolve) => {
    let text = ''
    const socket = createConnection(path)
    socket.setTimeout(answerMs, () => socket.destroy())
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8')
      if (text.length > limits.hostClaimCharsMax) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      resolve(parsed(text))
    })
  })
}

function parsed(text: string): Holder | null {
  try {
    const { pid, home } = JSON.parse(text) as { readonly [key: string]: unknown }
    return typeof pid === 'number' && typeof home === 'string' ? { pid, home } : null
  } catch {
    return null
  }
}

const answerMs = 1_000
