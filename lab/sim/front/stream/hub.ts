import type { Json } from '../../../../src/core/protocol/action.ts'
import type { VenueEvent } from '../../engine/venueEvent.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type { ArmedFault, FaultSubject } from '../faults.ts'
import { patched } from '../jsonPatch.ts'
import { isObject } from '../exchange/schema.ts'
import type { FrontOptions } from '../options.ts'
import { EventBatch } from './eventBatch.ts'
import { FastContexts } from './fastContexts.ts'
import { dexIn, partOf, withoutRows, withPart } from './oneDex.ts'
import type { Socket } from './socket.ts'
import type { SocketWorld } from './socket.ts'
import { channelOf, firstData, streamData } from './streamData.ts'
import type { StreamType, Subscription } from './subscription.ts'

/** How often each snapshot stream is sent, whether or not it changed. */
const cadences = {
  allMids: 'allMidsMs',
  l2Book: 'bookMs',
  activeAssetCtx: 'contextMs',
  assetCtxs: 'contextMs',
  allDexsAssetCtxs: 'contextMs',
  spotAssetCtxs: 'contextMs',
  candle: 'candleMs',
  clearinghouseState: 'accountMs',
  allDexsClearinghouseState: 'accountMs',
  spotState: 'accountMs',
  twapStates: 'accountMs',
  openOrders: 'accountMs',
  activeAssetData: 'accountMs',
  webData2: 'webDataMs',
  webData3: 'webDataMs',
} as const satisfies { readonly [Type in StreamType]?: keyof FrontOptions }

type Cadenced = keyof typeof cadences
const cadenced = Object.keys(cadences) as Cadenced[]

/** Streams that follow an account's changes at once. */
const accountTypes: readonly StreamType[] = [
  'clearinghouseState',
  'allDexsClearinghouseState',
  'spotState',
  'twapStates',
  'activeAssetData',
]
const eventTypes: readonly StreamType[] = [
  'orderUpdates',
  'userFills',
  'userEvents',
  'userFundings',
  'userNonFundingLedgerUpdates',
  'userHistoricalOrders',
  'userTwapHistory',
  'userTwapSliceFills',
  'notification',
  'trades',
]

interface Entry {
  readonly socket: Socket
  readonly subscription: Subscription
}

export interface HubWorld extends SocketWorld {
  readonly venue: VenueReads
  readonly options: FrontOptions
}

/** Who listens to what, and what they are sent when. */
export class Hub {
  readonly sockets = new Set<Socket>()
  readonly #world: HubWorld
  readonly #byType = new Map<StreamType, Map<string, Entry[]>>()
  readonly #fastContexts = new FastContexts()
  readonly #dueMs = new Map<string, number>()
  /** The least of them: it is asked for far more often than it changes. */
  #nextMs = Infinity
  /** What a stale stream keeps showing, by its key. */
  readonly #frozen = new Map<string, Json>()

  constructor(world: HubWorld) {
    this.#world = world
  }

  add(socket: Socket, subscription: Subscription): void {
    socket.subscriptions.set(subscription.key, subscription)
    const byKey = this.#byType.get(subscription.type) ?? new Map<string, Entry[]>()
    this.#byType.set(subscription.type, byKey)
    const entries = byKey.get(subscription.key) ?? []
    byKey.set(subscription.key, entries)
    entries.push({ socket, subscription })
  }

  remove(socket: Socket, subscription: Subscription): void {
    socket.subscriptions.delete(subscription.key)
    const byKey = this.#byType.get(subscription.type)
    const left = byKey?.get(subscription.key)?.filter((entry) => entry.socket !== socket) ?? []
    if (left.length === 0) byKey?.delete(subscription.key)
    else byKey?.set(subscription.key, left)
  }

  leave(socket: Socket): void {
    for (const subscription of socket.subscriptions.values()) this.remove(socket, subscription)
    this.sockets.delete(socket)
  }

  /** The frame that follows an acknowledgement. */
  sendFirst(socket: Socket, subscription: Subscription): void {
    const { venue, options } = this.#world
    const data = firstData(subscription, venue, options.orderUpdatesReplay)
    if (data !== null) this.#send({ socket, subscription }, data)
  }

  /** Tells the streams what happened. */
  publish(events: readonly VenueEvent[]): void {
    if (this.sockets.size === 0) return
    const batch = new EventBatch(events)
    if (batch.isReset) this.#startOver()
    for (const type of eventTypes) {
      for (const entry of this.#entries(type)) {
        const frames = batch.dataFor(entry.subscription, this.#world.options.laterIsSnapshot)
        for (const data of frames) this.#send(entry, data)
      }
    }
    this.#pushWhere(['bbo'], ({ coin }) => coin !== null && batch.coinsWithBestChanged.has(coin))
    this.#pushWhere(['openOrders'], ({ user }) => user !== null && batch.openOrders.has(user))
    this.#pushWhere(accountTypes, ({ user }) => user !== null && batch.accounts.has(user))
  }

  /** Shows every snapshot stream as it is now: what a control call changed is seen at once. */
  pushAll(): void {
    this.#pushWhere([...cadenced, 'bbo'], () => true)
  }

  /** Sends what is due by the clock, and ends connections on which nothing was sent. */
  tick(): void {
    const now = this.#world.wallMs()
    this.#pushDue(now)
    for (const socket of this.sockets) {
      if (now - socket.lastSentMs < this.#world.options.idleMs) continue
      if (!socket.isSilent({ types: [], coins: [] })) socket.drop()
    }
  }

  /** When `tick` next has something to send. */
  nextAt(): number {
    return this.#nextMs
  }

  /** Faults that act at once: a cut, and the moment from which snapshots stand still. */
  armed(fault: ArmedFault): void {
    if (fault.kind === 'disconnect') this.#disconnect(fault)
    if (fault.kind !== 'stale') return
    for (const type of [...cadenced, 'bbo'] as const) {
      for (const entry of this.#entries(type)) {
        if (fault.dex === null) this.#freeze(entry)
        else this.#freezePart(entry, fault.dex)
      }
    }
  }

  unfreeze(): void {
    this.#frozen.clear()
  }

  /**
   * A fresh venue: what was held is gone, then come the prices, the orders and all the rest, so that
   * nobody sees a new position before the stops that cover it, or an old one without its own.
   */
  #startOver(): void {
    this.#frozen.clear()
    const { venue } = this.#world
    for (const type of ['clearinghouseState', 'allDexsClearinghouseState'] as const) {
      for (const entry of this.#entries(type)) {
        this.#send(entry, withoutPositions(streamData(entry.subscription, venue)))
      }
    }
    const types = new Set<StreamType>(['allMids', 'activeAssetCtx', 'openOrders'])
    for (const type of this.#byType.keys()) types.add(type)
    for (const type of types) {
      for (const { socket, subscription } of this.#entries(type)) {
        this.sendFirst(socket, subscription)
      }
    }
  }

  #pushDue(now: number): void {
    const { options } = this.#world
    for (const type of cadenced) {
      if (type === 'l2Book') continue
      const every = options[cadences[type]]
      const due = this.#dueMs.get(type) ?? now + every
      if (now >= due) this.#pushWhere([type], () => true)
      this.#dueMs.set(type, now >= due ? now + every : due)
    }
    this.#pushFastContexts(now)
    for (const isFast of [false, true]) {
      const name = isFast ? 'fastBook' : 'book'
      const every = isFast ? options.fastBookMs : options.bookMs
      const due = this.#dueMs.get(name) ?? now + every
      if (now >= due) this.#pushWhere(['l2Book'], (each) => each.isFast === isFast)
      this.#dueMs.set(name, now >= due ? now + every : due)
    }
    this.#nextMs = Math.min(...this.#dueMs.values())
  }

  #pushFastContexts(now: number): void {
    const every = this.#world.options.contextMs
    const due = this.#dueMs.get('fastAssetCtxs') ?? now + every
    this.#dueMs.set('fastAssetCtxs', now >= due ? now + every : due)
    const entries = this.#entries('fastAssetCtxs')
    if (now < due || entries.length === 0) return
    const data = this.#fastContexts.changes(this.#world.venue)
    if (data !== null) for (const entry of entries) this.#send(entry, data)
  }

  #pushWhere(types: readonly StreamType[], fits: (each: Subscription) => boolean): void {
    for (const type of types) {
      const byKey = this.#byType.get(type)
      if (byKey === undefined) continue
      for (const entries of byKey.values()) {
        const first = entries[0]
        if (first === undefined || !fits(first.subscription)) continue
        const data = streamData(first.subscription, this.#world.venue)
        if (data === null) continue
        for (const entry of [...entries]) this.#send(entry, data)
      }
    }
  }

  #send({ socket, subscription }: Entry, fresh: Json): void {
    const subject = subjectOf(subscription)
    const isStale =
      this.#isSnapshot(subscription) &&
      !socket.link.isObserver &&
      this.#world.faults.isActive('stale', subject, this.#world.wallMs())
    if (!isStale) this.#frozen.delete(subscription.key)
    else this.#freeze({ subscription })
    const whole = isStale ? (this.#frozen.get(subscription.key) ?? fresh) : fresh
    const told = socket.link.isObserver ? whole : this.#ofDexes(subscription, subject, whole)
    if (told === null) return
    const lie = socket.link.isObserver ? null : this.#world.faults.take('ws', ['lie'], subject)
    const data = lie === null ? told : patched(told, lie.patch)
    socket.stream(JSON.stringify({ channel: channelOf(subscription), data }), subject)
  }

  /** What is told where single dexes are silent, or stand still; null where nothing is left to tell. */
  #ofDexes({ key }: Subscription, subject: FaultSubject, whole: Json): Json {
    const { faults } = this.#world
    const now = this.#world.wallMs()
    let told = whole
    for (const dex of faults.dexesUnder('stale', subject, now)) {
      const part = this.#frozen.get(partKey(key, dex))
      if (part !== undefined) told = withPart(told, dex, part)
    }
    return withoutRows(told, faults.dexesUnder('silence', subject, now))
  }

  #isSnapshot(subscription: Subscription): boolean {
    return subscription.type in cadences || subscription.type === 'bbo'
  }

  #freeze({ subscription }: Pick<Entry, 'subscription'>): void {
    if (this.#frozen.has(subscription.key)) return
    const data = streamData(subscription, this.#world.venue)
    if (data !== null) this.#frozen.set(subscription.key, data)
  }

  /** Cuts the connections it fits; with none to cut it waits for the next one. */
  #disconnect(fault: ArmedFault): void {
    const cut = [...this.sockets].filter(
      (socket) => !socket.link.isObserver && socketFits(socket, fault),
    )
    if (cut.length === 0) return
    this.#world.faults.use(fault)
    for (const socket of cut) socket.drop()
  }

  /** The same of one dex in a stream that tells of all. */
  #freezePart({ subscription }: Entry, dex: string): void {
    if (subjectOf(subscription).dex === dex) this.#freeze({ subscription })
    const part = partOf(streamData(subscription, this.#world.venue), dex)
    if (part !== null) this.#frozen.set(partKey(subscription.key, dex), part)
  }

  #entries(type: StreamType): Entry[] {
    return [...(this.#byType.get(type)?.values() ?? [])].flat()
  }
}

/** A frame of states, of one dex or of all, as it is once everything that was held is gone. */
function withoutPositions(data: Json): Json {
  if (!isObject(data)) return data
  const { clearinghouseState: one, clearinghouseStates: all } = data
  return {
    ...data,
    ...(one !== undefined && { clearinghouseState: emptied(one) }),
    ...(Array.isArray(all) && {
      clearinghouseStates: (all as [string, Json][]).map(([dex, state]) => [dex, emptied(state)]),
    }),
  }
}

function partKey(key: string, dex: string): string {
  return `${key} of ${dex}`
}

function emptied(state: Json): Json {
  return isObject(state) ? { ...state, assetPositions: [] } : state
}

/** The names a stream goes by when a fault is matched. */
export function subjectOf(subscription: Subscription): FaultSubject {
  return {
    types: [subscription.type, channelOf(subscription)],
    coins: subscription.coin === null ? [] : [subscription.coin],
    ...dexOf(subscription),
  }
}

/** The one dex that a stream tells of; none where it tells of several. */
function dexOf({ normalised, coin }: Subscription): Pick<FaultSubject, 'dex'> {
  if (coin !== null) return { dex: dexIn(coin) }
  return typeof normalised['dex'] === 'string' ? { dex: normalised['dex'] } : {}
}

function socketFits(socket: Socket, fault: ArmedFault): boolean {
  if (fault.type === null && fault.coin === null && fault.dex === null) return true
  return [...socket.subscriptions.values()].some(
    (each) =>
      (fault.type === null || subjectOf(each).types.includes(fault.type)) &&
      (fault.coin === null || each.coin === fault.coin) &&
      (fault.dex === null || subjectOf(each).dex === fault.dex),
  )
}
