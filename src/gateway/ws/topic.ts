import type { Json } from '../../core/protocol/action.ts'
import { isObject } from './frame.ts'
import { PackedMarks } from './packedMarks.ts'
import type { Subscription } from './subscription.ts'

type Fields = { readonly [key: string]: Json }

/** Someone whom frames are sent to. */
export interface Listener {
  send(text: string | Buffer): void
}

/** One subscription on the venue, shared by all who asked for it. */
export class Topic {
  readonly subscription: Subscription
  /** Each listener with the subscription in its own words, for the acknowledgement. */
  readonly listeners = new Map<Listener, Fields>()
  /** Whether the venue acknowledged it; it has not while the socket is being opened again. */
  isAcknowledged = false
  /** Connections lost while this was being asked for: the venue drops a socket for a bad request. */
  losses = 0
  /** The venue took it once, so it is a good one. */
  wasAcknowledged = false
  readonly #memory: FrameMemory

  constructor(subscription: Subscription) {
    this.subscription = subscription
    this.#memory = createMemory(subscription)
  }

  /** A frame that belongs here, as it came and as it reads. */
  deliver(raw: Buffer, data: Json): void {
    this.#memory.add(raw, data)
    for (const listener of this.listeners.keys()) listener.send(raw)
  }

  acknowledge(): void {
    this.isAcknowledged = true
    this.wasAcknowledged = true
    for (const [listener, asked] of this.listeners) {
      if (!this.#told.has(listener)) this.#tell(listener, asked)
    }
  }

  /** A late listener is told at once, with what it missed. */
  join(listener: Listener, asked: Fields): void {
    this.listeners.set(listener, asked)
    if (!this.isAcknowledged) return
    this.#tell(listener, asked)
    const past = this.#memory.replay()
    if (past !== null) listener.send(past)
  }

  leave(listener: Listener): void {
    this.listeners.delete(listener)
    this.#told.delete(listener)
  }

  /** The venue starts anew after a reconnect. */
  restart(): void {
    this.isAcknowledged = false
    this.#memory.clear()
  }

  readonly #told = new Set<Listener>()

  #tell(listener: Listener, asked: Fields): void {
    this.#told.add(listener)
    listener.send(acknowledgement('subscribe', asked))
  }
}

/** Clients match it by the fields they sent, nulls too: it has these and no others. */
export function acknowledgement(method: 'subscribe' | 'unsubscribe', subscription: Fields): string {
  return JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } })
}

interface FrameMemory {
  add(raw: Buffer, data: Json): void
  replay(): string | Buffer | null
  clear(): void
}

function createMemory({ type, memory }: Subscription): FrameMemory {
  switch (memory.kind) {
    case 'state':
      return stateMemory()
    case 'list':
      return listMemory(type, memory.field, memory.max)
    case 'packed':
      return packedMemory(type)
    case 'orders':
      return orderMemory()
    case 'none':
      return { add: () => undefined, replay: () => null, clear: () => undefined }
  }
}

function stateMemory(): FrameMemory {
  let last: Buffer | null = null
  return {
    add: (raw) => {
      last = raw
    },
    replay: () => last,
    clear: () => {
      last = null
    },
  }
}

function listMemory(channel: string, field: string | null, max: number): FrameMemory {
  let shell: Fields = {}
  let items: readonly Json[] = []
  let isSeen = false
  return {
    add: (_, data) => {
      const added = field === null ? data : isObject(data) ? data[field] : null
      if (!Array.isArray(added)) return
      if (isObject(data)) shell = data
      const isSnapshot = !isSeen || (isObject(data) && data['isSnapshot'] === true)
      isSeen = true
      if (isSnapshot) items = added
      else {
        const rows = added as readonly Json[]
        const isNewestFirst = timeOf(items.at(0)) > timeOf(items.at(-1))
        items = isNewestFirst
          ? [...rows.toReversed(), ...items].slice(0, max)
          : [...items, ...rows].slice(-max)
      }
    },
    replay: () => {
      if (!isSeen) return null
      const data = field === null ? items : { ...shell, isSnapshot: true, [field]: items }
      return JSON.stringify({ channel, data })
    },
    clear: () => {
      items = []
      isSeen = false
    },
  }
}

function packedMemory(channel: string): FrameMemory {
  const marks = new PackedMarks()
  return {
    add: (_, data) => {
      marks.add(data)
    },
    replay: () => marks.replay(channel),
    clear: () => {
      marks.clear()
    },
  }
}

function orderMemory(): FrameMemory {
  const open = new Map<number, Json>()
  return {
    add: (_, data) => {
      for (const update of Array.isArray(data) ? (data as readonly Json[]) : []) {
        if (!isObject(update) || !isObject(update['order'])) continue
        const { oid } = update['order']
        if (typeof oid !== 'number') continue
        open.delete(oid)
        if (update['status'] === 'open' && open.size < 2_000) open.set(oid, update)
      }
    },
    replay: () =>
      open.size === 0
        ? null
        : JSON.stringify({ channel: 'orderUpdates', data: [...open.values()] }),
    clear: () => {
      open.clear()
    },
  }
}

function timeOf(item: Json | undefined): number {
  const time = isObject(item) ? item['time'] : undefined
  return typeof time === 'number' ? time : 0
}
