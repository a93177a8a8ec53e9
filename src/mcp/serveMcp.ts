import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { limits } from '../core/values/limits.ts'
import { loadCrypto } from '../crypto/loadCrypto.ts'
import { AgentKey } from './agentKey.ts'
import { BoundedLines, tooLongAnswer } from './boundedLines.ts'
import { agentServers } from './agentServer.ts'
import { AgentContext } from './context.ts'
import { EventWatch } from './eventWatch.ts'
import { openGuardPort } from './guardPort.ts'
import type { GuardPort } from './guardPort.ts'
import { openFront } from './httpFront.ts'
import type { FrontDoor } from './httpFront.ts'
import { HttpSessions } from './httpSessions.ts'
import { Nonces } from './nonces.ts'
import { ReadShare } from './readShare.ts'
import { Sender } from './sender.ts'

export interface ServeOptions {
  /** Where the running Guard listens. */
  readonly url: string
  /** Guard's own read token, where it listens beyond its machine. */
  readonly guardToken: string | null
  /** The client key; null for a server that only looks. */
  readonly key: Uint8Array | null
  readonly mayTrade: boolean
  readonly version: string
  /** Where it listens, and who may come in; null for standard input and output. */
  readonly http: { readonly host: string; readonly port: number; readonly door: FrontDoor } | null
}

/** A server for agents that runs. */
export interface ServedMcp {
  /** Where it listens; null over standard input and output. */
  readonly url: string | null
  /** Resolves when the other side has gone; never for a server that listens. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Serves agents until it is closed. It talks to the running Guard's HTTP port and to nothing else. */
export async function serveMcp(options: ServeOptions): Promise<ServedMcp> {
  const port = openGuardPort({ url: options.url, token: options.guardToken })
  const context = await contextOf(port, options.key)
  const watch = new EventWatch(port)
  const parts = { context, watch, mayTrade: options.mayTrade, version: options.version }
  const lasting = agentServers({ ...parts, isLasting: true })
  if (options.http === null) return overStdio(lasting, watch)
  const sessions = new HttpSessions(agentServers({ ...parts, isLasting: false }), lasting, watch)
  const front = await openFront({ ...options.http, answer: sessions.answer })
  return {
    url: front.url,
    ended: new Promise(() => undefined),
    close: async () => {
      await sessions.close()
      watch.close()
      await front.close()
    },
  }
}

async function contextOf(port: GuardPort, bytes: Uint8Array | null): Promise<AgentContext> {
  const reads = new ReadShare(port, Date.now)
  const nonces = new Nonces(Date.now)
  if (bytes === null) return new AgentContext(port, reads, nonces, null)
  const key = new AgentKey(await loadCrypto(), bytes)
  return new AgentContext(port, reads, nonces, { key, sender: new Sender(port, key, nonces) })
}

function overStdio(factory: ReturnType<typeof agentServers>, watch: EventWatch): ServedMcp {
  const bytesMax = limits.agentMessageBytesMax
  const lines = new BoundedLines(bytesMax, (ends) => {
    process.stdout.write(tooLongAnswer(ends, bytesMax))
  })
  process.stdin.pipe(lines)
  // Many short messages may wait in one piece.
  const maxBufferSize = limits.agentWaitingBytesMax
  const transport = new StdioServerTransport(lines, process.stdout, { maxBufferSize })
  const handle = serveStdio(factory, { transport, maxSubscriptions: limits.agentSubscriptionsMax })
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
  })
  return {
    url: null,
    ended,
    close: async () => {
      watch.close()
      await handle.close()
    },
  }
}
