import { limits } from '../core/values/limits.ts'
import type { AccountEvent } from '../core/account/accountEvent.ts'
import type { Json } from '../core/protocol/action.ts'
import type { EquityPool } from '../core/protocol/decodeInfoHistory.ts'
import { OrderListReader } from '../core/protocol/orderListReader.ts'
import type { Address } from '../core/values/address.ts'
import type { Coin } from '../core/values/coin.ts'
import type { Millis } from '../core/values/millis.ts'
import type {
  Clock,
  Log,
  OpenSocket,
  Random,
  SnapshotKind,
  Socket,
  Timers,
  VenueStream,
} from '../engine/ports.ts'
import { PendingSubscriptions } from './pendingSubscriptions.ts'
import { StoppedVenueTime } from './stoppedVenueTime.ts'
import { streamEvents } from './streamEvents.ts'
import type { StreamNews } from './streamEvents.ts'

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
  private deliver: (event: AccountEvent) => void = () => undefined
  private socket: Socket | null = null
  private isOpen = false
  private state: StreamState = 'down'
  private liveToldMs = 0
  private openedMs = 0
  private heardMs = 0
  private pingedMs = 0
  /** Something that was said on this socket may be lost. */
  private hasGap = false
  private attempts = 0
  private readonly followed = new Set<Coin>()
  private readonly pending = new PendingSubscriptions()
  private readonly telling: readonly Json[]
  private readonly standstill = new StoppedVenueTime(staleAfterMs)
  private readonly cancels = new Set<() => void>()
  private isStopped = true

  constructor(options: StreamOptions) {
    this.options = options
    this.telling = tellingSubscriptions(options.account)
    this.orderLists = new OrderListReader(options.account)
  }

  start(deliver: (event: AccountEvent) => void): void {
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
    const isNew = !this.followed.delete(coin)
    this.followed.add(coin)
    if (!isNew) return
    if (this.isOpen) this.subscribe(coinSubscriptions(this.options.account, coin))
    const [oldest] = this.followed
    if (this.followed.size > followedMax && oldest !== undefined) this.unfollow(oldest)
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
    for (const subscription of coinSubscriptions(this.options.account, coin)) {
      this.pending.forget(subscription)
      this.socket?.send(JSON.stringify({ method: 'unsubscribe', subscription }))
    }
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
    this.subscribe(accountSubscriptions(this.options.account))
    for (const coin of this.followed) this.subscribe(coinSubscriptions(this.options.account, coin))
    this.options.log.log('info', 'the venue stream is open', { url: this.options.url })
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
      this.socket?.terminate()
      return
    }
    const at = clock.now()
    const now = clock.monotonicMs()
    this.heardMs = now
    this.lastMessageAt = at
    if (now - this.openedMs > stableAfterMs) this.attempts = 0
    const events = streamEvents(text, account, this.pool, at, this.orderLists)
    for (const event of events.ok ? events.value.events : []) {
      if (event.kind === 'state') this.standstill.seen(event.state.time, now)
    }
    this.tellAlive(at, now)
    if (!events.ok) {
      log.log('warn', 'a stream frame could not be read', { problem: events.error })
      return
    }
    const news = this.standstill.isStanding ? newsOnly(events.value) : events.value
    this.keep(news, at)
    for (const event of news.events) this.deliver(event)
  }

  /**
   * A stream that keeps telling the same moment is stale, however much it says, and one that has not
   * answered yet for the orders and positions is no stream of them, however alive it is.
   */
  private tellAlive(at: Millis, now: number): void {
    if (this.isUntold) return
    if (this.standstill.isStanding) {
      if (this.state !== 'live') return
      this.snapshots.clear()
      this.options.log.log('warn', 'the venue stream repeats itself', { url: this.options.url })
      this.tell('stale', at)
    } else if (this.state !== 'live' || now - this.liveToldMs >= liveEveryMs) {
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

  private closed(reason: string): void {
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
    const standsMs = Math.min(this.standstill.forMs(now), now - this.openedMs)
    const untoldMs = this.isUntold ? now - this.openedMs : 0
    if (Math.max(silentMs, standsMs, untoldMs) >= downAfterMs) this.socket?.terminate()
    else if (silentMs >= staleAfterMs && this.state === 'live') {
      this.hasGap = true
      this.tell('stale', this.options.clock.now())
    }
  }

  private tell(state: StreamState, at: Millis): void {
    this.state = state
    this.deliver({ kind: 'stream', state, at })
  }
}

/** What a stream that repeats itself still tells: things that happened, and no states. */
function newsOnly({ events }: StreamNews): StreamNews {
  return { events: events.filter(isChange), snapshot: null }
}

/** What changes orders, positions or cash, told of apart from the snapshots; history is no news. */
function isChange(event: AccountEvent): boolean {
  if (event.kind === 'order_updates') return true
  return 'isSnapshot' in event && !event.isSnapshot
}

/** What tells of every change of positions and orders. */
function tellingSubscriptions(user: Address): Json[] {
  return [
    { type: 'clearinghouseState', user },
    { type: 'openOrders', user },
    { type: 'orderUpdates', user },
    { type: 'userFills', user },
  ]
}

function accountSubscriptions(user: Address): Json[] {
  return [
    ...tellingSubscriptions(user),
    { type: 'userFundings', user },
    { type: 'userNonFundingLedgerUpdates', user },
    { type: 'spotState', user },
    { type: 'twapStates', user },
    { type: 'userTwapSliceFills', user },
    { type: 'allMids' },
  ]
}

function coinSubscriptions(user: Address, coin: Coin): Json[] {
  return [
    { type: 'activeAssetCtx', coin },
    { type: 'activeAssetData', user, coin },
  ]
}
