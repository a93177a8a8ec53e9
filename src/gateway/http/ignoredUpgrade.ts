import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Whether a request wants to become a WebSocket: the one upgrade there is here. */
export const asksForSocket = ({
  method,
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Every other upgrade is ignored (RFC 9110, 7.8): Java's client and `curl --http2` offer one with
 * their first request. Node has taken the connection from its parser by then, so it comes once more,
 * as if the header had not been there.
 */
export function serveWithoutUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Socket,
  rest: Buffer,
): void {
  // What ran until here was the timeout of a connection that is no longer the server's.
  socket.setTimeout(0)
  socket.unshift(Buffer.concat([headWithoutUpgrade(request), rest]))
  server.emit('connection', socket)
}

/**
 * The head as it came, without what spoke of the upgrade. It gets no longer by that, with no space put
 * in: it is read once more, and one that was just short enough must not be refused as too long.
 */
export function headWithoutUpgrade({
  method = '',
  url = '',
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>): Buffer {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    if (ofUpgrade.has(name.toLowerCase())) continue
    const kept = name.toLowerCase() === 'connection' ? withoutTokens(value) : value
    if (kept !== null) text += `${name}:${kept}\r\n`
  }
  // Header values are bytes to Node, one for each character.
  return Buffer.from(`${text}\r\n`, 'latin1')
}

/** Null when nothing is left. */
function withoutTokens(value: string): string | null {
  const kept = value.split(',').filter((token) => !ofUpgrade.has(token.trim().toLowerCase()))
  return kept.length === 0 ? null : kept.join(',')
}

const ofUpgrade: ReadonlySet<string> = new Set(['upgrade', 'http2-settings'])
