import type { EventKind, GuardEvent } from '../core/events/guardEvent.ts'
import type { Address } from '../core/values/address.ts'
import type { Cloid } from '../core/values/cloid.ts'
import type { Nonce } from '../core/values/millis.ts'
import type { DecisionRecord, EventReader } from '../engine/ports.ts'
import type { IndexFilter, Position } from './eventIndex.ts'
import type { EventRing } from './eventRing.ts'
import { matchesFilter } from './indexRow.ts'
import { rowOf } from './indexer.ts'
import type { Indexer } from './indexer.ts'
import { JournalError } from './journalError.ts'
import { orderCloids } from './orderCloids.ts'
import { openRecord } from './record.ts'
import type { RecordStore } from './recordStore.ts'

/** What readers ask, answered from memory, the index and the journal; only what is on disk. */
export class JournalReader implements EventReader {
  readonly #ring: EventRing
  readonly #store: RecordStore
  readonly #indexer: Indexer
  /** What was appended so far is on disk, or the disk takes longer than a reader is kept waiting. */
  readonly #settled: () => Promise<void>

  constructor(ring: EventRing, store: RecordStore, indexer: Indexer, settled: () => Promise<void>) {
    this.#ring = ring
    this.#store = store
    this.#indexer = indexer
    this.#settled = settled
  }

  get firstSeq(): number {
    return this.#ring.firstSeq
  }

  get lastSeq(): number {
    return this.#ring.lastSeq
  }

  since(since: number): readonly GuardEvent[] {
    return this.#ring.since(since)
  }

  subscribe(listener: (event: GuardEvent) => void): () => void {
    return this.#ring.subscribe(listener)
  }

  page(
    since: number,
    limit: number,
    kinds: readonly EventKind[] | null,
  ): Promise<readonly GuardEvent[]> {
    return this.search(since, limit, { ...anything, kinds })
  }

  /** Up to `limit` events after `since` that fit, oldest first. */
  async search(since: number, limit: number, filter: IndexFilter): Promise<readonly GuardEvent[]> {
    if (limit <= 0) return []
    if (isAnything(filter)) {
      if (since + 1 >= this.#ring.firstSeq) return this.#ring.since(since).slice(0, limit)
      return this.#walk(since, limit, filter)
    }
    const reach = this.#indexer.reach
    const found = await this.#readAll(await this.#indexer.page(since, reach, limit, filter))
    if (found === null) return this.#walk(since, limit, filter)
    if (found.length >= limit) return found
    const rest = await this.#walk(Math.max(since, reach), limit - found.length, filter)
    return [...found, ...rest]
  }

  decision(nonce: Nonce, client: Address | null): Promise<DecisionRecord | null> {
    return this.#find(
      `the decision with nonce ${nonce}`,
      () => this.#indexer.decision(nonce, client),
      (event) => isDecision(event, nonce, client),
    )
  }

  decisionOn(cloid: Cloid): Promise<DecisionRecord | null> {
    return this.#find(
      `the decision on order ${cloid}`,
      () => this.#indexer.decisionOn(cloid),
      (event) => orderCloids(event).includes(cloid),
    )
  }

  /** A decision that the index names; it is believed only if it is the one asked for. */
  async #find(
    what: string,
    look: () => Promise<Position | null>,
    isAsked: (event: GuardEvent) => boolean,
  ): Promise<DecisionRecord | null> {
    // Whoever has the reply to a request finds what was sent for it, not only the decision.
    await this.#settled()
    for (let tries = 0; tries < 2; tries += 1) {
      const position = await look()
      if (position === null) return null
      // From disk whatever its age: a decision costs the same on the first day and years later.
      const decision = (await this.#store.at(position))?.event ?? null
      if (decision !== null && isAsked(decision)) {
        const sent = await this.#readAll(await this.#indexer.sends(decision.seq))
        if (sent !== null) return { decision, sent }
      } else {
        await this.#indexer.distrust()
      }
    }
    throw new JournalError('damaged', `${what} cannot be read`)
  }

  /** Reads forward through the journal itself. */
  async #walk(since: number, limit: number, filter: IndexFilter): Promise<readonly GuardEvent[]> {
    const found: GuardEvent[] = []
    const all = isAnything(filter)
    const next = await this.#indexer.position(since + 1)
    const hint = next ?? (await this.#indexer.position(since))
    for await (const lines of this.#store.after(since, hint)) {
      for (const line of lines) {
        if (!all && !matchesFilter(rowOf(line), filter)) continue
        found.push(openRecord(line.bytes, line.seal).event)
        if (found.length >= limit) return found
      }
      // However much of the past is read, an order on its way waits for one group of it at most.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return found
  }

  /** Null when the index named a place where the record does not stand. */
  async #readAll(positions: readonly Position[]): Promise<GuardEvent[] | null> {
    const events: GuardEvent[] = []
    for (const position of positions) {
      const event = await this.#read(position)
      if (event === null) {
        await this.#indexer.distrust()
        return null
      }
      events.push(event)
    }
    return events
  }

  async #read(position: Position): Promise<GuardEvent | null> {
    return this.#ring.get(position.seq) ?? (await this.#store.at(position))?.event ?? null
  }
}

function isDecision(event: GuardEvent, nonce: Nonce, client: Address | null): boolean {
  if (event.kind !== 'decision' || event.nonce !== nonce) return false
  return client === null || event.client === client
}

function isAnything(filter: IndexFilter): boolean {
  return Object.values(filter).every((value) => value === null)
}

const anything: IndexFilter = { kinds: null, coin: null, code: null, fromMs: null, untilMs: null }
