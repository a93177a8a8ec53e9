import { EventEmitter } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { WebSocket } from 'ws'
import type { Json } from '../../src/core/protocol/action.ts'
import { startRig } from '../../src/gateway/gateway.fixture.ts'
import { account } from '../../src/gateway/status.fixture.ts'
import type { Rig } from '../../src/gateway/gateway.fixture.ts'
import { parseEventsQuery } from '../../src/gateway/events/eventsQuery.ts'
import { checkQuery, parseTarget } from '../../src/gateway/http/router.ts'
import { BodyRoom } from '../../src/gateway/http/bodyRoom.ts'
import { RequestTurns } from '../../src/gateway/http/requestTurns.ts'
import { UnreadAnswers } from '../../src/gateway/http/unreadAnswers.ts'
import { InfoReader } from '../../src/gateway/info/infoReader.ts'
import { parseFrame } from '../../src/gateway/ws/frame.ts'
import type { Relay } from '../../src/gateway/ws/relay.ts'
import { SocketClient } from '../../src/gateway/ws/socketClient.ts'
import { parseSubscription, routeOfFrame } from '../../src/gateway/ws/subscription.ts'
import { mutateBytes } from './mutate.ts'
import type { FuzzTarget } from './runFuzz.ts'

const request =
  '{"action":{"type":"order","orders":[]},"nonce":1,"signature":{"r":"0x1","s":"0x2","v":27}}'
const frames = [
  `{"method":"post","id":1,"request":{"type":"action","payload":${request}}}`,
  `{"request":{"payload":${request},"type":"action"},"id":18446744073709551615,"method":"post"}`,
  '{"method":"post","id":2,"request":{"type":"info","payload":{"type":"meta"}}}',
  '{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC","nSigFigs":5,"mantissa":2}}',
  `{"method":"unsubscribe","subscription":{"type":"userFills","user":"${account}","aggregateByTime":true}}`,
  '{"method":"subscribe","subscription":{"type":"candle","coin":"BTC","interval":"1m"}}',
  '{"method":"ping"}',
].map((each) => Buffer.from(each))

class FakeConnection extends EventEmitter {
  readonly OPEN = 1
  readonly readyState = 1
  readonly bufferedAmount = 0
  readonly isPaused = false
  readonly sent: string[] = []
  send(text: string | Buffer): void {
    this.sent.push(String(text))
  }
  pause(): void {}
  resume(): void {}
  ping(): void {}
  close(): void {}
  terminate(): void {}
}

/** A message on a bot's socket, through the socket's own handler; the judged payload is what was sent. */
export async function socketTarget(): Promise<FuzzTarget> {
  const rig = await startRig()
  const info = new InfoReader(rig.guard, rig.venue, rig.time, rig.options.metrics.http, account)
  const relay = {
    subscribe: (listener: { send(text: string): void }, fields: { [key: string]: Json }) => {
      const parsed = parseSubscription(fields)
      listener.send(JSON.stringify(typeof parsed === 'string' ? parsed : 'subscribed'))
      return Promise.resolve()
    },
    unsubscribe: (listener: { send(text: string): void }) => {
      listener.send('"unsubscribed"')
    },
  } as unknown as Relay
  const connection = new FakeConnection()
  const unread = new UnreadAnswers(() => undefined)
  void new SocketClient(
    connection as unknown as WebSocket,
    'fuzz',
    rig.options,
    info,
    relay,
    unread,
    new BodyRoom(rig.time),
    new RequestTurns(queueMicrotask),
  )
  return {
    name: 'socket messages',
    share: 12,
    seeds: frames,
    make: mutateBytes,
    read: async (input) => {
      const text = Buffer.from(input).toString('utf8')
      connection.sent.length = 0
      rig.guard.bodies.length = 0
      rig.venue.asked.length = 0
      rig.logged.length = 0
      connection.emit('message', Buffer.from(input))
      for (let turn = 0; turn < 20 && connection.sent.length === 0; turn += 1)
        await Promise.resolve()
      if (connection.sent.length !== 1)
        throw new Error(`${connection.sent.length} answers to one message`)
      JSON.parse(connection.sent[0] ?? '')
      if (rig.logged.some((line) => line.startsWith('error')))
        return `failed: ${connection.sent[0] ?? ''}`
      checkPost(text, rig)
      return (connection.sent[0] ?? '').slice(0, 60).replaceAll('"', '')
    },
    close: () => rig.gateway.close(0),
  }
}

function checkPost(text: string, rig: Rig): void {
  const frame = parseFrame(text)
  const [judged] = rig.guard.bodies
  if (frame?.kind !== 'post' || frame.type !== 'action') {
    if (judged !== undefined) throw new Error('judged without being a post of an action')
    return
  }
  const whole = JSON.parse(text) as { request: { type: string; payload?: Json } }
  // One without a payload is judged as null, so that its refusal is on record.
  const { type, payload = null } = whole.request
  const isSent = 'payload' in whole.request ? text.includes(frame.payload) : payload === null
  if (judged?.body !== frame.payload || !isSent)
    throw new Error('what is judged is not what was sent')
  if (type !== 'action' || !isDeepStrictEqual(payload, JSON.parse(frame.payload))) {
    throw new Error('two readers find different payloads')
  }
}

/** Subscriptions, routes of frames, targets and queries: what is read without a body. */
export const textTarget: FuzzTarget = {
  name: 'subscriptions, targets and queries',
  share: 6,
  seeds: [
    ...frames.slice(3),
    ...[
      '/guard/events?since=1&wait=3&kind=decision,sent',
      '/guard/decision?nonce=1&client=0x',
      '//guard//status?',
      '/guard/events?source=journal&limit=10',
    ].map((each) => Buffer.from(each)),
  ],
  make: mutateBytes,
  read: (input) => {
    const text = Buffer.from(input).toString('utf8')
    const { path, query } = parseTarget(text)
    const search = new URLSearchParams(query)
    const events = parseEventsQuery(search)
    const twice = checkQuery(search)
    const frame = parseFrame(text)
    let sub = ''
    if (frame?.kind === 'subscribe' || frame?.kind === 'unsubscribe') {
      const parsed = parseSubscription(frame.subscription)
      sub = typeof parsed === 'string' ? parsed : `${parsed.type} ${parsed.route}`
      if (typeof parsed !== 'string' && !isDeepStrictEqual(parseSubscription(parsed.wire), parsed))
        throw new Error('what is passed on does not mean what was asked for')
      routeOfFrame(String(frame.subscription['type']), frame.subscription)
    }
    return `${path.length > 20} ${events.ok ? 'events' : events.error} ${twice?.text ?? ''} ${sub}`
  },
}

const crlf = '\r\n'
const head = (lines: readonly string[], body = ''): Buffer =>
  Buffer.from([...lines, '', body].join(crlf))
const http = [
  head(
    ['POST /exchange HTTP/1.1', 'Host: 127.0.0.1', `Content-Length: ${request.length}`],
    request,
  ),
  head(
    ['POST /exchange HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked'],
    `5${crlf}{"a":${crlf}2${crlf}1}${crlf}0${crlf}${crlf}`,
  ),
  head(['GET /guard/status HTTP/1.1', 'Host: [::1]:8547', 'Origin: http://localhost']),
  head([
    'GET /ws HTTP/1.1',
    'Host: 127.0.0.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]),
  head(
    ['POST /guard/kill HTTP/1.1', 'Host: 127.0.0.1:1', 'Content-Length: 2', 'Expect: 100-continue'],
    '{}',
  ),
  head(['POST //info HTTP/1.0', 'Host: 127.0.0.1', 'Content-Length: 16'], '{"type": "meta"}'),
]

/** Raw bytes on Guard's port, through Node's parser and the gateway's door and routes. */
export async function httpTarget(): Promise<FuzzTarget> {
  const rig = await startRig()
  return {
    name: 'raw HTTP',
    share: 0.5,
    seeds: http,
    make: mutateBytes,
    read: async (input) => {
      rig.guard.bodies.length = 0
      rig.logged.length = 0
      const answer = await spoken(connect(rig.gateway.port, '127.0.0.1'), input)
      if (rig.logged.some((line) => line.startsWith('error')))
        throw new Error(`a handler failed: ${rig.logged.join('; ')}`)
      const sent = Buffer.from(input).toString('latin1')
      if (rig.guard.bodies.length > 0 && !/host/i.test(sent))
        throw new Error('judged without a Host')
      return `${answer.slice(0, 20)} ${rig.guard.bodies.length}`
    },
    close: () => rig.gateway.close(0),
  }
}

/** Says it and hangs up its side; everything the other side said. */
function spoken(socket: Socket, input: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      // A socket that was upgraded stays open until someone ends it.
      if (/^HTTP\/1.1 101/.test(text)) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      resolve(text)
    })
    socket.end(input)
  })
}
