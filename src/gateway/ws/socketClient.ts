import type { RawData, WebSocket } from 'ws'
import { limits } from '../../core/values/limits.ts'
import type { GatewayOptions } from '../gatewayOptions.ts'
import type { BodyRoom } from '../http/bodyRoom.ts'
import type { RequestTurns } from '../http/requestTurns.ts'
import type { Holder, UnreadAnswers } from '../http/unreadAnswers.ts'
import type { InfoReader } from '../info/infoReader.ts'
import { asInfoRequest } from '../routes/infoRoute.ts'
import { parseFrame, parseObject } from './frame.ts'
import type { ClientFrame } from './frame.ts'
import { errorFrame, unreadableFrame } from './relay.ts'
import type { Relay } from './relay.ts'
import type { Listener } from './topic.ts'

/** As many requests may wait as on the venue; then the socket is not read until some are answered. */
const pendingMax = limits.socketPendingMax

/** One bot's socket. */
export class SocketClient implements Listener, Holder {
  readonly #connection: WebSocket
  readonly #options: GatewayOptions
  readonly #info: InfoReader
  readonly #relay: Relay
  readonly #unread: UnreadAnswers
  readonly #room: BodyRoom
  readonly #turns: RequestTurns
  readonly #id: string
  #pending = 0
  /** Frames that had arrived when the socket was stopped. */
  readonly #waiting: string[] = []
  #isHeard = true
  /** Subscriptions are taken one after the other, in the order they came. */
  #subscriptions: Promise<void> = Promise.resolve()

  /** `id` names the socket in the log; a post adds its own. */
  constructor(
    connection: WebSocket,
    id: string,
    options: GatewayOptions,
    info: InfoReader,
    relay: Relay,
    unread: UnreadAnswers,
    room: BodyRoom,
    turns: RequestTurns,
  ) {
    this.#unread = unread
    this.#room = room
    this.#turns = turns
    this.#id = id
    this.#connection = connection
    this.#options = options
    this.#info = info
    this.#relay = relay
    connection.on('message', (raw) => {
      this.#isHeard = true
      if (this.#pending < pendingMax) this.#receive(textOf(raw))
      else this.#waiting.push(textOf(raw))
    })
    connection.on('ping', (data) => {
      this.#pong(data)
    })
    connection.on('pong', () => {
      this.#isHeard = true
    })
    connection.on('error', (error) => {
      this.#failed(error)
    })
  }

  send(text: string | Buffer): void {
    if (this.#connection.readyState !== this.#connection.OPEN) return
    if (this.unreadBytes > limits.unreadBytesOfSocketMax) {
      this.#options.metrics.http.slowReader('ws')
      this.#options.log.log('warn', 'a socket did not read and was cut off')
      this.#connection.terminate()
      return
    }
    this.#connection.send(text, { binary: false })
    this.#unread.wrote(this)
  }

  get unreadBytes(): number {
    return this.#connection.bufferedAmount
  }

  drop(): void {
    this.#connection.terminate()
  }

  /** Whoever does not read what it is told gets no more pongs: their number has no bound. */
  #pong(data: Buffer): void {
    this.#isHeard = true
    if (this.#connection.readyState !== this.#connection.OPEN) return
    if (this.unreadBytes <= limits.unreadBytesSmall) this.#connection.pong(data)
  }

  /** Ends a connection whose other end has gone without a word. */
  heartbeat(): void {
    if (!this.#isHeard) this.#connection.terminate()
    this.#isHeard = false
    if (this.#connection.readyState === this.#connection.OPEN) this.#connection.ping()
  }

  close(): void {
    this.#connection.close(1001, 'Guard stops')
  }

  #receive(text: string): void {
    const frame = parseFrame(text)
    // A subscription waits for its turn, and none is so long.
    const isTooLong = frame?.kind !== 'post' && text.length > limits.subscriptionCharsMax
    if (frame === null || isTooLong) {
      this.send(unreadableFrame(text))
      return
    }
    switch (frame.kind) {
      case 'ping':
        this.send('{"channel":"pong"}')
        return
      case 'subscribe':
        this.#wait(this.#inTurn(() => this.#relay.subscribe(this, frame.subscription, text)))
        return
      case 'unsubscribe':
        this.#wait(
          this.#inTurn(() => {
            this.#relay.unsubscribe(this, frame.subscription, text)
            return Promise.resolve()
          }),
        )
        return
      case 'post':
        this.#wait(this.#post(frame))
    }
  }

  async #post({ id, type, payload }: ClientFrame & { readonly kind: 'post' }): Promise<void> {
    const startedAt = this.#options.clock.monotonicMs()
    const request = `${this.#id}-${id}`
    const response = await this.#withRoom(payload, () =>
      type === 'info' ? this.#read(payload) : this.#judge(payload, request),
    )
    const ms = this.#options.clock.monotonicMs() - startedAt
    this.#options.log.log(type === 'action' ? 'info' : 'debug', `socket post ${type}`, {
      request,
      ms: Math.round(ms * 1_000) / 1_000,
    })
    this.send(`{"channel":"post","data":{"id":${id},"response":${response}}}`)
  }

  /** What is small always finds room: the socket bounds how many of them wait. */
  async #withRoom(payload: string, respond: () => Promise<string>): Promise<string> {
    const bytes = payload.length <= limits.framePayloadBytesSmall ? 0 : payload.length
    if (!this.#room.take(bytes)) {
      this.#options.guard.unserved('bodies')
      return errorResponse(noRoomText)
    }
    try {
      return await respond()
    } finally {
      this.#room.giveBack(bytes)
    }
  }

  async #judge(payload: string, request: string): Promise<string> {
    const { guard } = this.#options
    const { body } = await this.#turns.exchange(this, () =>
      guard.handleExchange(Buffer.from(payload), 'ws', request),
    )
    this.#info.wrote()
    return JSON.stringify({ type: 'action', payload: body })
  }

  async #read(payload: string): Promise<string> {
    const request = asInfoRequest(parseObject(payload))
    if (request === null) return errorResponse('an info request is an object with a type')
    const answer = await this.#info.read(request)
    if (!answer.ok) {
      const { kind, text } = answer.error
      const why = kind === 'unreachable' ? 'the venue did not answer the read' : 'too many reads'
      return errorResponse(`${why}: ${text}`)
    }
    if (answer.status !== 200) {
      return errorResponse(
        typeof answer.value === 'string' ? answer.value : `the venue answered ${answer.status}`,
      )
    }
    const name = JSON.stringify(request.type)
    return `{"type":"info","payload":{"type":${name},"data":${answer.bytes.toString('utf8')}}}`
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    this.#subscriptions = this.#subscriptions.then(task)
    return this.#subscriptions
  }

  /** Counts what is under way; a socket that asks too much is not read for a while. */
  #wait(task: Promise<void>): void {
    this.#pending += 1
    if (this.#pending >= pendingMax) this.#connection.pause()
    task
      .catch((error: unknown) => {
        const text = error instanceof Error ? error.message : String(error)
        this.#options.log.log('error', 'a request on a socket failed', { error: text })
        this.send(errorFrame('Guard could not answer; see its log'))
      })
      .finally(() => {
        this.#pending -= 1
        this.#goOn()
      })
  }

  #goOn(): void {
    while (this.#pending < pendingMax) {
      const text = this.#waiting.shift()
      if (text === undefined) break
      this.#receive(text)
    }
    if (this.#connection.isPaused && this.#pending < pendingMax) this.#connection.resume()
  }

  /** The connection is closed with 1009 already; what was too long to read is still on record. */
  #failed(error: Error & { readonly code?: string }): void {
    if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
      void this.#options.guard.refuseOverlong('ws', this.#id)
      return
    }
    this.#options.log.log('info', 'a socket failed', { error: error.message })
  }
}

function textOf(raw: RawData): string {
  if (Array.isArray(raw)) return Buffer.concat(raw).toString('utf8')
  return (raw instanceof ArrayBuffer ? Buffer.from(raw) : raw).toString('utf8')
}

const noRoomText = 'too many large requests at once; this one was not read'
const errorResponse = (text: string): string => JSON.stringify({ type: 'error', payload: text })
