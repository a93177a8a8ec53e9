import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { McpServerFactory } from '@modelcontextprotocol/server'
import { limits } from '../core/values/limits.ts'
import type { EventWatch } from './eventWatch.ts'
import { resourceUris } from './resources.ts'

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly close: () => Promise<void>
}

/**
 * Both revisions on one path: requests of the newer one each stand alone, and the older one has
 * sessions that begin with its handshake. At most `limits.agentSessionsMax`; the oldest gives way.
 */
export class HttpSessions {
  readonly #modern
  readonly #lasting: McpServerFactory
  readonly #sessions = new Map<string, Session>()
  readonly #stopTelling: () => void

  constructor(perRequest: McpServerFactory, lasting: McpServerFactory, watch: EventWatch) {
    const maxSubscriptions = limits.agentSubscriptionsMax
    const maxRequestBodySize = limits.agentMessageBytesMax
    this.#modern = createMcpHandler(perRequest, {
      legacy: 'reject',
      maxSubscriptions,
      maxRequestBodySize,
    })
    this.#lasting = lasting
    this.#stopTelling = watch.listen(() => {
      for (const uri of resourceUris) this.#modern.notify.resourceUpdated(uri)
    })
  }

  answer = async (request: Request): Promise<Response> => {
    if (!(await isLegacyRequest(request))) return this.#modern.fetch(request)
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : this.#sessions.get(id)
    if (known !== undefined) return known.transport.handleRequest(request)
    if (id !== null) return new Response('this session has ended; begin a new one', { status: 404 })
    return this.#begin(request)
  }

  async close(): Promise<void> {
    this.#stopTelling()
    await this.#modern.close()
    await Promise.all([...this.#sessions.values()].map(({ close }) => close()))
  }

  /** A first request; only a handshake makes a session of it. */
  async #begin(request: Request): Promise<Response> {
    const server = await this.#lasting({ era: 'legacy' })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, close: () => server.close() })
        void this.#endOldest()
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id)
      },
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request)
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  async #endOldest(): Promise<void> {
    const [oldest] = this.#sessions
    if (this.#sessions.size <= limits.agentSessionsMax || oldest === undefined) return
    this.#sessions.delete(oldest[0])
    await oldest[1].close()
  }
}
