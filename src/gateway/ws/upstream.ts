import { limits } from '../../core/values/limits.ts'
import type { Json } from '../../core/protocol/action.ts'
import type { Log, OpenSocket, Socket, Timers } from '../../engine/ports.ts'
import { shownInFrame } from '../shownToBots.ts'
import type { ShownNames } from '../shownToBots.ts'
import { isObject, parseObject } from './frame.ts'
import { parseSubscription, routeOfFrame } from './subscription.ts'
import type { Topic } from './topic.ts'

interface UpstreamOptions {
  readonly url: string
  readonly openSocket: OpenSocket
  readonly timers: Timers
  readonly log: Log
  /** False when there were too many new sockets in this minute, or streams that were asked for. */
  readonly mayConnect: (again: number) => boolean
  /** False when too many streams were asked for in this minute. */
  readonly mayAskAgain: () => boolean
  /** The venue refused a subscription, in its own words. */
  readonly refused: (topic: Topic, text: string) => void
  readonly reconnecting: () => void
  /** Guard's own account, in lower case: whose orders Guard gives ids to. */
  readonly account: string
  readonly names: ShownNames
}

const pingEveryMs = 20_000
/** The venue closes what has been silent for 60 s; Guard asks every 20 s and gives up after three. */
const silentPingsMax = limits.silentPingsMax
const backoffMs = [500, 1_000, 2_000, 5_000, 10_000]
const backoffMsMax = 15_000
/** Lost this often while a subscription was being asked for, the subscription is what is wrong. */
const lossesMax = limits.relayLossesMax

/** One socket to the venue that carries relayed subscriptions; it comes back by itself. */
export class Upstream {
  /** One topic for each route: a frame says no more of where it belongs. */
  readonly topics = new Map<string, Topic>()
  readonly #options: UpstreamOptions
  #socket: Socket | null = null
  #isOpen = false
  #failures = 0
  #silentPings = 0
  #cancelRetry: (() => void) | null = null
  readonly #stopPings: () => void
  #isClosed = false

  constructor(options: UpstreamOptions) {
    this.#options = options
    this.#stopPings = options.timers.every(pingEveryMs, () => {
      this.#ping()
    })
    this.#connect()
  }

  add(topic: Topic): void {
    this.topics.set(topic.subscription.route, topic)
    if (this.#socket === null && this.#cancelRetry === null) this.#connect()
    else this.#ask('subscribe', topic)
  }

  /** Without a topic it rests: a socket that is lost then comes back with the next one. */
  remove(topic: Topic): void {
    this.topics.delete(topic.subscription.route)
    this.#ask('unsubscribe', topic)
    if (this.topics.size > 0) return
    this.#cancelRetry?.()
    this.#cancelRetry = null
  }

  close(): void {
    this.#isClosed = true
    this.#stopPings()
    this.#cancelRetry?.()
    this.#socket?.terminate()
  }

  /** So many of the topics were asked for before, on a socket that was lost. */
  #connect(again = 0): void {
    if (!this.#options.mayConnect(again)) {
      this.#retryIn(backoffMsMax)
      return
    }
    this.#silentPings = 0
    const { log, openSocket, url } = this.#options
    this.#socket = openSocket(url, {
      onOpen: () => {
        this.#isOpen = true
        const acknowledgedFirst = [...this.topics.values()].sort((a, b) => a.losses - b.losses)
        for (const topic of acknowledgedFirst) this.#ask('subscribe', topic)
      },
      onText: (text) => {
        this.#silentPings = 0
        this.#failures = 0
        this.#receive(text)
      },
      onClose: (reason) => {
        if (!this.#isClosed) log.log('warn', 'the relay socket to the venue was lost', { reason })
        this.#lost()
      },
    })
  }

  #lost(): void {
    const wasOpened = this.#isOpen
    this.#socket = null
    this.#isOpen = false
    if (this.#isClosed) return
    for (const topic of [...this.topics.values()]) {
      const isSuspect = wasOpened && !topic.wasAcknowledged
      topic.restart()
      if (!isSuspect) continue
      topic.losses += 1
      if (topic.losses < lossesMax) continue
      this.#options.refused(topic, `Invalid subscription ${topic.subscription.meaning}`)
    }
    if (this.topics.size === 0) return
    this.#options.reconnecting()
    const wait = backoffMs[this.#failures] ?? backoffMsMax
    this.#failures += 1
    this.#retryIn(wait)
  }

  #retryIn(ms: number): void {
    this.#cancelRetry = this.#options.timers.after(ms, () => {
      this.#cancelRetry = null
      if (!this.#isClosed) this.#connect(this.topics.size)
    })
  }

  #ping(): void {
    if (!this.#isOpen) return
    this.#silentPings += 1
    if (this.#silentPings > silentPingsMax) this.#socket?.terminate()
    else this.#socket?.send('{"method":"ping"}')
  }

  #ask(method: 'subscribe' | 'unsubscribe', { subscription }: Topic): void {
    if (this.#isOpen)
      this.#socket?.send(JSON.stringify({ method, subscription: subscription.wire }))
  }

  #receive(text: string): void {
    const frame = parseObject(text)
    const channel = frame?.['channel']
    const data = frame?.['data'] ?? null
    if (typeof channel !== 'string') return
    if (channel === 'subscriptionResponse') this.#acknowledged(data)
    else if (channel === 'error') this.#error(data)
    else {
      const topic = this.topics.get(routeOfFrame(channel, data) ?? '')
      // Before the acknowledgement a frame belongs to a subscription that was just given up.
      if (topic?.isAcknowledged === true) {
        this.#deliver(topic, text, data)
      }
    }
  }

  /** As bytes, made once: any number of bots may follow it. */
  #deliver(topic: Topic, text: string, data: Json): void {
    const { type, user } = topic.subscription
    const { account, names } = this.#options
    const shown = user === account ? shownInFrame(type, text, names) : text
    const shownData = shown === text ? data : (parseObject(shown)?.['data'] ?? null)
    topic.deliver(Buffer.from(shown), shownData)
  }

  #acknowledged(data: Json): void {
    if (!isObject(data) || data['method'] !== 'subscribe' || !isObject(data['subscription'])) return
    this.#topicOf(data['subscription'])?.acknowledge()
  }

  #error(data: Json): void {
    if (typeof data !== 'string') return
    const brace = data.indexOf('{')
    const named = brace < 0 ? null : parseObject(data.slice(brace))
    const fields = named !== null && isObject(named['subscription']) ? named['subscription'] : named
    const pending = [...this.topics.values()].find(({ isAcknowledged }) => !isAcknowledged)
    const topic = fields === null ? pending : this.#topicOf(fields)
    if (topic === undefined || topic.isAcknowledged) return
    if (!data.startsWith('Already subscribed')) {
      this.#options.refused(topic, data)
      return
    }
    // It was given up once, and the venue has not heard that: only a new one begins with its state.
    topic.acknowledge()
    if (!this.#options.mayAskAgain()) return
    this.#ask('unsubscribe', topic)
    this.#ask('subscribe', topic)
  }

  #topicOf(fields: { readonly [key: string]: Json }): Topic | undefined {
    const parsed = parseSubscription(fields)
    if (typeof parsed === 'string') return undefined
    const topic = this.topics.get(parsed.route)
    return topic?.subscription.meaning === parsed.meaning ? topic : undefined
  }
}
