import type { Json } from '../../core/protocol/action.ts'
import { limits } from '../../core/values/limits.ts'
import type { GatewayOptions } from '../gatewayOptions.ts'
import type { InfoReader } from '../info/infoReader.ts'
import { CoinList } from './coinList.ts'
import { PerMinute } from './perMinute.ts'
import { parseSubscription } from './subscription.ts'
import type { Subscription } from './subscription.ts'
import { acknowledgement, Topic } from './topic.ts'
import type { Listener } from './topic.ts'
import { Upstream } from './upstream.ts'

type Fields = { readonly [key: string]: Json }

/** The venue allows ten sockets and ten followed users for one address; Guard needs some itself. */
const upstreamsMax = limits.relaySocketsMax
const usersMax = limits.relayUsersMax
/**
 * Of its 1,000 subscriptions Guard's own stream has up to 138, and as many again while the venue has
 * not noticed that the socket before is gone.
 */
const topicsMax = limits.relayTopicsMax
/**
 * It takes 30 new sockets and 2,000 messages a minute from an address. A bot that starts over and
 * over must not use them up, nor sockets that are lost again and again, or Guard's own stream could
 * not come back: a socket that nobody needs is kept for the next one, and only so many sockets and
 * streams are asked for in a minute, for the first time or again.
 */
const restMs = 60_000
const asksMax = limits.relayAsksPerMinuteMax
const connectsMax = limits.relayConnectsPerMinuteMax

/** Shares the venue's streams among bots: one subscription there, however many ask for it here. */
export class Relay {
  readonly #options: GatewayOptions
  readonly #coins: CoinList
  readonly #topics = new Map<string, { readonly topic: Topic; readonly upstream: Upstream }>()
  readonly #upstreams = new Set<Upstream>()
  /** Those without a topic, with what calls off their end. */
  readonly #resting = new Map<Upstream, () => void>()
  readonly #asks: PerMinute
  readonly #connects: PerMinute
  #isClosed = false

  constructor(options: GatewayOptions, info: InfoReader) {
    this.#options = options
    this.#coins = new CoinList(info)
    this.#asks = new PerMinute(asksMax, options.clock)
    this.#connects = new PerMinute(connectsMax, options.clock)
  }

  /** Asks for a stream; every refusal has the venue's own form and leaves the socket open. */
  async subscribe(listener: Listener, fields: Fields, frame: string): Promise<void> {
    const parsed = parseSubscription(fields)
    if (parsed === 'unreadable') {
      listener.send(unreadableFrame(frame))
      return
    }
    const refusal = parsed === 'invalid' ? invalid(fields) : await this.#refusal(parsed, fields)
    if (this.#isClosed) return
    if (parsed === 'invalid' || refusal !== null)
      listener.send(errorFrame(refusal ?? invalid(fields)))
    else this.#join(listener, parsed, fields)
  }

  unsubscribe(listener: Listener, fields: Fields, frame: string): void {
    const parsed = parseSubscription(fields)
    if (parsed === 'unreadable') {
      listener.send(unreadableFrame(frame))
      return
    }
    const shared = parsed === 'invalid' ? undefined : this.#topics.get(parsed.key)
    if (shared?.topic.listeners.has(listener) !== true) {
      listener.send(errorFrame(`Already unsubscribed: ${JSON.stringify(fields)}`))
      return
    }
    this.#part(listener, shared.topic)
    listener.send(acknowledgement('unsubscribe', fields))
  }

  /** A socket closed: what it alone followed is given up. */
  leave(listener: Listener): void {
    for (const { topic } of [...this.#topics.values()]) {
      if (topic.listeners.has(listener)) this.#part(listener, topic)
    }
  }

  counts(): { readonly upstreamSockets: number; readonly upstreamSubscriptions: number } {
    return { upstreamSockets: this.#upstreams.size, upstreamSubscriptions: this.#topics.size }
  }

  close(): void {
    this.#isClosed = true
    for (const callOff of this.#resting.values()) callOff()
    for (const upstream of this.#upstreams) upstream.close()
    this.#upstreams.clear()
    this.#topics.clear()
  }

  async #refusal(
    { key, meaning, coin, user }: Subscription,
    fields: Fields,
  ): Promise<string | null> {
    if (this.#topics.has(key)) return null
    if (coin !== null) {
      const listed = await this.#coins.has(coin)
      if (listed === 'unknown') return `Guard cannot ask the venue about ${coin} now: ${meaning}`
      if (listed === 'no') return invalid(fields)
    }
    if (user !== null && !this.#mayFollow(user)) {
      return `Cannot track more than ${usersMax} total users.`
    }
    if (this.#topics.size >= topicsMax) {
      return `Cannot track more than ${topicsMax} subscriptions.`
    }
    return this.#asks.take()
      ? null
      : `Guard asks the venue for at most ${asksMax} streams a minute: ${meaning}`
  }

  #mayFollow(user: string): boolean {
    const users = new Set([this.#options.account.toLowerCase(), user])
    for (const { topic } of this.#topics.values()) {
      if (topic.subscription.user !== null) users.add(topic.subscription.user)
    }
    return users.size <= usersMax
  }

  #join(listener: Listener, subscription: Subscription, fields: Fields): void {
    const shared = this.#topics.get(subscription.key)
    if (shared?.topic.listeners.has(listener) === true) {
      listener.send(errorFrame(`Already subscribed: ${JSON.stringify(fields)}`))
      return
    }
    if (shared) {
      shared.topic.join(listener, fields)
      return
    }
    const upstream = this.#upstreamFor(subscription.route)
    if (upstream === null) {
      listener.send(
        errorFrame(`Cannot follow so many different streams of one kind: ${subscription.meaning}`),
      )
      return
    }
    const topic = new Topic(subscription)
    topic.join(listener, fields)
    this.#topics.set(subscription.key, { topic, upstream })
    upstream.add(topic)
  }

  #upstreamFor(route: string): Upstream | null {
    for (const upstream of this.#upstreams) {
      if (upstream.topics.has(route)) continue
      this.#resting.get(upstream)?.()
      this.#resting.delete(upstream)
      return upstream
    }
    if (this.#upstreams.size >= upstreamsMax) return null
    const { upstreamUrl, openSocket, timers, log, metrics } = this.#options
    const upstream = new Upstream({
      url: upstreamUrl,
      account: this.#options.account.toLowerCase(),
      names: this.#options.guard.names,
      openSocket,
      timers,
      log,
      mayConnect: (again) => this.#mayConnect(again),
      mayAskAgain: () => this.#asks.take(),
      refused: (topic, text) => {
        this.#refused(topic, text)
      },
      reconnecting: () => {
        metrics.http.upstreamReconnect()
      },
    })
    this.#upstreams.add(upstream)
    return upstream
  }

  /** Takes the socket and the streams that are asked for again on it, or neither. */
  #mayConnect(again: number): boolean {
    return this.#connects.hasRoomFor(1) && this.#asks.take(again) && this.#connects.take()
  }

  #refused(topic: Topic, text: string): void {
    const listeners = [...topic.listeners.keys()]
    for (const listener of listeners) this.#part(listener, topic)
    for (const listener of listeners) listener.send(errorFrame(text))
  }

  #part(listener: Listener, topic: Topic): void {
    topic.leave(listener)
    const { key } = topic.subscription
    const shared = this.#topics.get(key)
    if (topic.listeners.size > 0 || !shared) return
    this.#topics.delete(key)
    shared.upstream.remove(topic)
    if (shared.upstream.topics.size === 0) this.#rest(shared.upstream)
  }

  #rest(upstream: Upstream): void {
    const end = (): void => {
      upstream.close()
      this.#upstreams.delete(upstream)
      this.#resting.delete(upstream)
    }
    this.#resting.set(upstream, this.#options.timers.after(restMs, end))
  }
}

export const errorFrame = (text: string): string => JSON.stringify({ channel: 'error', data: text })

/** In the venue's words, with the beginning of what was sent. */
export const unreadableFrame = (frame: string): string =>
  errorFrame(`Error parsing JSON into valid websocket request: ${echoed(frame)}`)

const echoed = (text: string): string => text.slice(0, limits.echoedCharsMax)

const invalid = (fields: Fields): string => `Invalid subscription ${echoed(JSON.stringify(fields))}`
