import { limits } from '../core/values/limits.ts'
import type { Json } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'
import type { EquityPool } from '../core/protocol/decodeInfoHistory.ts'
import { OrderListReader } from '../core/protocol/orderListReader.ts'
import type { Address } from '../core/values/address.ts'
import { dexOf } from '../core/protocol/coinKind.ts'
import { isOddCoin } from '../core/values/coin.ts'
import type { Coin } from '../core/values/coin.ts'
import type { Millis } from '../core/values/millis.ts'
import type {
  Clock,
  FollowedDex,
  Log,
  OpenSocket,
  Random,
  SnapshotKind,
  Socket,
  Timers,
  VenueNews,
  VenueStream,
} from '../engine/ports.ts'
import { PendingSubscriptions } from './pendingSubscriptions.ts'
import { ShortConnections } from './shortConnections.ts'
import { StoppedVenueTime } from './stoppedVenueTime.ts'
import { streamEvents } from './streamEvents.ts'
import type { StreamNews } from './streamEvents.ts'
import {
  accountSubscriptions,
  allStates,
  coinSubscriptions,
  dexSubscriptions,
  mainState,
  tellingSubscriptions,
} from './subscriptions.ts'

interface StreamOptions {
  readonly url: string
  readonly account: Address
  readonly openSocket: OpenSocket
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
}

type StreamState = 'live' | 'stale' | 'down'

const tickMs = 500
const pingAfterMs = 1_000
const staleAfterMs = 3_000
const downAfterMs = 6_000
const liveEveryMs = 1_000
const stableAfterMs = 10_000
const backoffMsMin = 250
const backoffMsMax = 10_000
const followedMax = limits.followedCoinsMax

/** Follows the account on one socket; a socket that is open and silent counts as down. */
export function createVenueStream(options: StreamOptions): VenueStream {
  return new Stream(options)
}

class Stream implements VenueStream {
  lastMessageAt: Millis | null = null
  private pool: EquityPool = 'perp'
  private readonly snapshots = new Map<SnapshotKind, { body: () => Json; at: Millis }>()
  private readonly orderLists: OrderListReader
  private readonly options: StreamOptions
  private deliver: (event: VenueNews) => void = () => undefined
  private socket: Socket | null = null
  private isOpen = false
  private health: StreamState = 'down'
  private liveToldMs = 0
  private openedMs = 0
  private heardMs = 0
  private pingedMs = 0
  /** Something that was said on this socket may be lost. */
  private hasGap = false
  private attempts = 0
  private readonly followed = new Set<Coin>()
  private readonly pending = new PendingSubscriptions()
  /** What is asked for because of builder dexes, as it is written; empty without them. */
  private dexes: ReadonlyMap<string, Json> = new Map()
  private telling: readonly Json[]
  /** The states of all dexes are told together: that of the main one is not asked for by itself. */
  private hasAllStates = false
  private readonly short = new ShortConnections()
  /** Guard itself has ended the connection, which is not closed yet. */
  private isEnded = false
  private readonly standstill = new StoppedVenueTime(staleAfterMs)
  private readonly cancels = new Set<() => void>()
  private isStopped = true

  constructor(options: StreamOptions) {
    this.options = options
    this.telling = tellingSubscriptions(options.account, this.state)
    this.orderLists = new OrderListReader(options.account)
  }

  start(deliver: (event: VenueNews) => void): void {
    this.deliver = deliver
    this.isStopped = false
    this.cancels.add(
      this.options.timers.every(tickMs, () => {
        this.tick()
      }),
    )
    this.connect()
  }

  follow(coin: Coin): void {
    // The venue ends a connection that asks for a coin by a name it does not have.
    if (isOddCoin(coin)) return
    const isNew = !this.followed.delete(coin)
    this.followed.add(coin)
    if (!isNew) return
    if (this.isOpen) this.subscribeTo([coin])
    const [oldest] = this.followed
    if (this.followed.size > followedMax && oldest !== undefined) this.unfollow(oldest)
  }

  followDexes(dexes: readonly FollowedDex[] | null): void {
    const { account } = this.options
    const wanted = (dexes ?? []).flatMap((dex) => dexSubscriptions(account, dex))
    if (dexes !== null) wanted.unshift(allStates(account))
    const before = this.dexes
    this.dexes = new Map(wanted.map((each) => [JSON.stringify(each), each]))
    for (const [key, each] of before) if (!this.dexes.has(key)) this.unsubscribe([each])
    if (this.isOpen) this.subscribe(this.ofDexes([...before.keys()]))
    // The venue ends a connection that asks for a coin which it does not have, as of a dex that vanished.
    const names = new Set(['', ...(dexes ?? []).map(({ name }) => name)])
    for (const coin of this.followed) if (!names.has(dexOf(coin))) this.unfollow(coin)
    if (!this.isOpen) this.short.forget()
    else if (this.short.isBare) this.askAll(this.options.clock.monotonicMs())
    if (dexes !== null || !this.hasAllStates) return
    this.tellStates(false)
    if (this.isOpen) this.subscribe([mainState(account)])
  }

  latest(kind: SnapshotKind): { readonly body: () => Json; readonly at: Millis } | null {
    return this.snapshots.get(kind) ?? null
  }

  countEquityIn(pool: EquityPool): void {
    this.pool = pool
  }

  stop(): void {
    this.isStopped = true
    for (const cancel of this.cancels) cancel()
    this.cancels.clear()
    this.socket?.terminate()
    this.socket = null
  }

  private unfollow(coin: Coin): void {
    this.followed.delete(coin)
    this.unsubscribe(coinSubscriptions(this.options.account, coin))
  }

  private unsubscribe(subscriptions: readonly Json[]): void {
    for (const subscription of subscriptions) {
      this.pending.forget(subscription)
      this.socket?.send(JSON.stringify({ method: 'unsubscribe', subscription }))
    }
  }

  /** From the first frame that has all dexes on, the main one's state is not told twice. */
  private heardAllStates(): void {
    if (this.hasAllStates || this.dexes.size === 0) return
    this.tellStates(true)
    this.unsubscribe([mainState(this.options.account)])
  }

  private tellStates(hasAll: boolean): void {
    this.hasAllStates = hasAll
    this.telling = tellingSubscriptions(this.options.account, this.state)
  }

  /** What tells the positions. */
  private get state(): Json {
    const { account } = this.options
    return this.hasAllStates ? allStates(account) : mainState(account)
  }

  private connect(): void {
    if (this.isStopped) return
    const { url, openSocket } = this.options
    const socket: Socket = openSocket(url, {
      onOpen: () => {
        if (socket === this.socket) this.opened()
      },
      onText: (text) => {
        if (socket === this.socket) this.heard(text)
      },
      onClose: (reason) => {
        if (socket === this.socket) this.closed(reason)
      },
    })
    this.socket = socket
  }

  private opened(): void {
    const now = this.options.clock.monotonicMs()
    this.isOpen = true
    this.openedMs = now
    this.heardMs = now
    this.pingedMs = now
    this.hasGap = false
    this.isEnded = false
    this.short.opened(now)
    const told = accountSubscriptions(this.options.account, this.state)
    this.subscribe(told)
    const known = new Set(told.map((each) => JSON.stringify(each)))
    this.subscribe(this.ofDexes([...known]))
    this.subscribeTo([...this.followed])
    this.options.log.log('info', 'the venue stream is open', { url: this.options.url })
  }

  /** What is asked for because of builder dexes, but for what is known already, as it is written. */
  private ofDexes(known: readonly string[]): Json[] {
    const { isBare } = this.short
    return [...this.dexes].flatMap(([key, each]) => {
      const isLeftOut = isBare && isObject(each) && each['dex'] !== undefined
      return isLeftOut || known.includes(key) ? [] : [each]
    })
  }

  private subscribeTo(coins: readonly Coin[]): void {
    const { isBare } = this.short
    for (const coin of coins) {
      if (isBare && dexOf(coin) !== '') continue
      this.subscribe(coinSubscriptions(this.options.account, coin))
    }
  }

  /** What was left out because of connections that the venue ended is asked for again. */
  private askAll(now: number): void {
    const asked = this.ofDexes([]).map((each) => JSON.stringify(each))
    this.short.askAll(now)
    this.subscribe(this.ofDexes(asked))
    this.subscribeTo([...this.followed].filter((coin) => dexOf(coin) !== ''))
  }

  private subscribe(subscriptions: readonly Json[]): void {
    const now = this.options.clock.monotonicMs()
    for (const subscription of subscriptions) {
      this.pending.asked(subscription, now)
      this.send(subscription)
    }
  }

  private send(subscription: Json): void {
    this.socket?.send(JSON.stringify({ method: 'subscribe', subscription }))
  }

  private heard(text: string): void {
    const { clock, account, log } = this.options
    if (this.pending.heard(text) === 'lost') this.hasGap = true
    if (this.hasGap) {
      // What was kept back may be lost: a new socket tells recent fills and orders again.
      this.end()
      return
    }
    const at = clock.now()
    const now = clock.monotonicMs()
    this.heardMs = now
    this.lastMessageAt = at
    if (now - this.openedMs > stableAfterMs) this.attempts = 0
    const events = streamEvents(text, account, this.pool, at, this.orderLists)
    for (const event of events.ok ? events.value.events : []) {
      const time = timeOf(event)
      if (time !== null) this.standstill.seen(time, now)
      if (event.kind === 'dex_states') this.heardAllStates()
    }
    this.tellAlive(at, now)
    if (!events.ok) {
      log.log('warn', 'a stream frame could not be read', { problem: events.error })
      return
    }
    const news = this.standstill.isStanding ? newsOnly(events.value) : events.value
    this.keep(news, at)
    for (const event of news.events) {
      this.deliver(event.kind === 'dex_prices' ? { ...event, toldAlone: this.followed } : event)
    }
  }

  /**
   * A stream that keeps telling the same moment is stale, however much it says, and one that has not
   * answered yet for the orders and positions is no stream of them, however alive it is.
   */
  private tellAlive(at: Millis, now: number): void {
    if (this.isUntold) return
    if (this.standstill.isStanding) {
      if (this.health !== 'live') return
      this.snapshots.clear()
      this.options.log.log('warn', 'the venue stream repeats itself', { url: this.options.url })
      this.tell('stale', at)
    } else if (this.health !== 'live' || now - this.liveToldMs >= liveEveryMs) {
      this.liveToldMs = now
      this.tell('live', at)
    }
  }

  /** Whether orders or positions were asked for on this socket and nothing has come of it. */
  private get isUntold(): boolean {
    return this.pending.hasAny(this.telling)
  }

  /** A snapshot holds until something happened that it cannot know of. */
  private keep({ events, snapshot }: StreamNews, at: Millis): void {
    const isNews = events.some(isChange)
    if (isNews) this.snapshots.clear()
    if (snapshot !== null) this.snapshots.set(snapshot.kind, { body: snapshot.body, at })
  }

  private end(): void {
    this.isEnded = true
    this.socket?.terminate()
  }

  private closed(reason: string): void {
    if (this.isOpen && !this.isEnded) this.short.ended(this.options.clock.monotonicMs())
    this.isOpen = false
    this.snapshots.clear()
    this.pending.clear()
    this.socket = null
    if (this.isStopped) return
    const waitMs = this.backoffMs()
    this.attempts += 1
    this.tell('down', this.options.clock.now())
    this.options.log.log('warn', 'the venue stream closed', { reason, retry_ms: waitMs })
    const cancel = this.options.timers.after(waitMs, () => {
      this.cancels.delete(cancel)
      this.connect()
    })
    this.cancels.add(cancel)
  }

  /** Doubles up to the bound, with up to a quarter more by chance, so that a fleet does not march in step. */
  private backoffMs(): number {
    const base = Math.min(backoffMsMax, backoffMsMin * 2 ** Math.min(this.attempts, 16))
    const chance = this.options.random.bytes(1)[0] ?? 0
    return base + Math.floor((base * chance) / 1_024)
  }

  private tick(): void {
    if (!this.isOpen) return
    const now = this.options.clock.monotonicMs()
    const silentMs = now - this.heardMs
    if (now - this.pingedMs >= pingAfterMs) {
      this.pingedMs = now
      this.socket?.send('{"method":"ping"}')
    }
    for (const subscription of this.pending.due(now)) {
      this.options.log.log('warn', 'a subscription is not acknowledged: asked again', {
        subscription,
      })
      this.send(subscription)
    }
    if (this.short.mayAskAgain(now)) this.askAll(now)
    const standsMs = Math.min(this.standstill.forMs(now), now - this.openedMs)
    const untoldMs = this.isUntold ? now - this.openedMs : 0
    if (Math.max(silentMs, standsMs, untoldMs) >= downAfterMs) this.end()
    else if (silentMs >= staleAfterMs && this.health === 'live') {
      this.hasGap = true
      this.tell('stale', this.options.clock.now())
    }
  }

  private tell(state: StreamState, at: Millis): void {
    this.health = state
    this.deliver({ kind: 'stream', state, at })
  }
}

/** What a stream that repeats itself still tells: things that happened, and no states. */
function newsOnly({ events }: StreamNews): StreamNews {
  return { events: events.filter(isChange), snapshot: null }
}

/** What changes orders, positions or cash, told of apart from the snapshots; history is no news. */
function isChange(event: VenueNews): boolean {
  if (event.kind === 'order_updates') return true
  return 'isSnapshot' in event && !event.isSnapshot
}

/** The venue's time of a state. */
function timeOf(event: VenueNews): Millis | null {
  if (event.kind === 'state') return event.state.time
  return event.kind === 'dex_states' ? (event.states.get('')?.time ?? null) : null
}
