import type { Json } from '../../../../src/core/protocol/action.ts'
import { isObject } from '../exchange/schema.ts'
import { WeightMeter } from '../weightMeter.ts'
import type { Connection, Link } from '../transport.ts'
import type { Hub, HubWorld } from './hub.ts'
import { subjectOf } from './hub.ts'
import { rawPostId } from './rawPostId.ts'
import { plainSubject, Socket } from './socket.ts'
import { readSubscription } from './subscription.ts'
import type { Subscription } from './subscription.ts'

/** Null closes the connection without an answer; a text frame goes out as it is. */
export type PostAnswer =
  | { readonly kind: 'response'; readonly response: Json }
  | { readonly kind: 'raw'; readonly text: string }

/** Who answers posts: the same desks that answer HTTP. `unfit` is not a request at all. */
interface Posts {
  info(payload: Json, link: Link, answer: (reply: PostAnswer | null) => void): 'taken' | 'unfit'
  action(payload: Json, link: Link, answer: (reply: PostAnswer | null) => void): 'taken' | 'unfit'
}

/** Takes connections and what clients say on them. */
export class SocketDesk {
  readonly #hub: Hub
  readonly #world: HubWorld
  readonly #posts: Posts
  readonly #hasLimits: boolean
  readonly #messages: WeightMeter
  readonly #connects: WeightMeter

  constructor(hub: Hub, world: HubWorld, posts: Posts, hasLimits: boolean) {
    this.#hub = hub
    this.#world = world
    this.#posts = posts
    this.#hasLimits = hasLimits
    this.#messages = new WeightMeter(() => (hasLimits ? world.options.messagesPerMinute : null))
    this.#connects = new WeightMeter(() =>
      hasLimits ? world.options.newConnectionsPerMinute : null,
    )
  }

  clear(): void {
    this.#messages.clear()
    this.#connects.clear()
  }

  connect(link: Link): Connection {
    const socket = new Socket(link, this.#world)
    const isRefused = !link.isObserver && this.#isRefused(link)
    if (isRefused) socket.drop()
    else this.#hub.sockets.add(socket)
    return {
      receive: (text) => {
        if (socket.isOpen) this.#receive(socket, text)
      },
      closed: () => {
        socket.isOpen = false
        this.#hub.leave(socket)
      },
    }
  }

  #isRefused(link: Link): boolean {
    if (this.#world.faults.take('ws', ['disconnect'], plainSubject) !== null) return true
    if (!this.#connects.take(link.ip, 1, this.#world.wallMs())) return true
    return this.#hasLimits && this.#ofIp(link.ip).length >= this.#world.options.connectionsMax
  }

  #ofIp(ip: string): Socket[] {
    return [...this.#hub.sockets].filter((each) => each.link.ip === ip && !each.link.isObserver)
  }

  #receive(socket: Socket, text: string): void {
    if (!socket.link.isObserver && !this.#messages.take(socket.link.ip, 1, this.#world.wallMs())) {
      this.#limit(
        socket,
        `Cannot send more than ${String(this.#world.options.messagesPerMinute)} messages per minute.`,
      )
      return
    }
    const request = parse(text)
    const isRead = isObject(request) && this.#take(socket, request, text)
    if (!isRead) {
      this.#error(socket, `Error parsing JSON into valid websocket request: ${text}`)
    }
  }

  /** False when it is no request of the venue's. */
  #take(socket: Socket, request: { readonly [key: string]: Json }, text: string): boolean {
    switch (request['method']) {
      case 'ping':
        socket.answer('{"channel":"pong"}')
        return true
      case 'subscribe':
      case 'unsubscribe':
        return this.#subscription(socket, request['method'], request['subscription'])
      case 'post':
        return this.#post(socket, request['request'], text)
      default:
        return false
    }
  }

  #subscription(
    socket: Socket,
    method: 'subscribe' | 'unsubscribe',
    json: Json | undefined,
  ): boolean {
    const read = readSubscription(json, this.#world.venue)
    if (read === 'invalid') return false
    if (read === 'drop') {
      socket.drop()
      this.#hub.leave(socket)
      return true
    }
    const isKnown = socket.subscriptions.has(read.key)
    if (isKnown === (method === 'subscribe')) {
      this.#error(socket, `Already ${method}d: ${read.key}`)
      return true
    }
    if (method === 'subscribe') this.#subscribe(socket, read)
    else {
      this.#acknowledge(socket, method, read)
      this.#hub.remove(socket, read)
    }
    return true
  }

  #subscribe(socket: Socket, subscription: Subscription): void {
    const full = this.#isFull(socket, subscription)
    if (full !== null) {
      this.#limit(socket, full)
      return
    }
    this.#acknowledge(socket, 'subscribe', subscription)
    this.#hub.add(socket, subscription)
    this.#hub.sendFirst(socket, subscription)
    if (socket.link.isObserver) return
    const cut = this.#world.faults.take('ws', ['disconnect'], subjectOf(subscription))
    if (cut !== null) socket.drop()
  }

  #acknowledge(socket: Socket, method: string, subscription: Subscription): void {
    socket.answer(
      JSON.stringify({
        channel: 'subscriptionResponse',
        data: { method, subscription: subscription.normalised },
      }),
    )
  }

  #isFull(socket: Socket, subscription: Subscription): string | null {
    if (!this.#hasLimits || socket.link.isObserver) return null
    const { subscriptionsMax, ws_max_users: usersMax } = this.#world.options
    const all = this.#ofIp(socket.link.ip).flatMap((each) => [...each.subscriptions.values()])
    if (all.length >= subscriptionsMax) {
      return `Cannot subscribe to more than ${String(subscriptionsMax)} channels.`
    }
    const users = new Set(all.map((each) => each.user))
    users.add(subscription.user)
    users.delete(null)
    return users.size > usersMax ? `Cannot track more than ${String(usersMax)} total users.` : null
  }

  #post(socket: Socket, request: Json | undefined, text: string): boolean {
    const id = rawPostId(text)
    if (id === null || !isObject(request) || request['payload'] === undefined) return false
    const { type, payload } = request
    if (type !== 'info' && type !== 'action') return false
    if (this.#hasLimits && socket.pending >= this.#world.options.pendingPostsMax) {
      this.#limit(socket, `too many pending post requests id=${id}`)
      return true
    }
    socket.pending += 1
    const taken = this.#posts[type](payload, socket.link, (reply) => {
      socket.pending -= 1
      if (reply === null) {
        socket.drop()
        this.#hub.leave(socket)
      } else if (reply.kind === 'raw') socket.answer(reply.text)
      else {
        const response = JSON.stringify(reply.response)
        socket.answer(`{"channel":"post","data":{"id":${id},"response":${response}}}`)
      }
    })
    if (taken === 'unfit') socket.pending -= 1
    return taken === 'taken'
  }

  #limit(socket: Socket, text: string): void {
    this.#error(socket, text)
    if (this.#world.options.limitClosesSocket) socket.drop()
  }

  #error(socket: Socket, text: string): void {
    socket.answer(JSON.stringify({ channel: 'error', data: text }))
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
