import type { EventKind } from '../core/events/guardEvent.ts'

/** Where a record lies: the segment by its first seq, and the byte its line starts at. */
export interface Position {
  readonly seq: number
  readonly segment: number
  readonly offset: number
  readonly length: number
}

/** One record's line in the index. */
export interface IndexRow extends Position {
  readonly atMs: number
  readonly kind: EventKind
  readonly code: string | null
  readonly nonce: number | null
  readonly client: string | null
  /** For a `sent`: the seq it belongs to. */
  readonly decision: number | null
  readonly coins: readonly string[]
  /** For a decision: the ids of the orders it is about. */
  readonly cloids: readonly string[]
  /** For a decision: whether it was no veto, so that its orders came to be. */
  readonly isPassed: boolean
}

/** Where a decision on an order lies, and whether it was no veto. */
export interface OrderDecision extends Position {
  readonly isPassed: boolean
}

/** Which records to page through; null means any. */
export interface IndexFilter {
  readonly kinds: readonly EventKind[] | null
  readonly coin: string | null
  readonly code: string | null
  readonly fromMs: number | null
  readonly untilMs: number | null
}

/** How far an index reaches, with the hash of its last record, so that it can be believed. */
export interface IndexHead {
  readonly seq: number
  readonly hash: string
}

/**
 * A way to find records, filled behind the journal and never the truth: whatever it answers is read
 * from the journal and checked there. Any method may fail; the index is then made anew. It answers
 * later, so that no disk it may wait for holds up the one who asks.
 */
export interface EventIndex {
  readonly head: IndexHead
  /** Adds rows in order, all or none. */
  add(rows: readonly IndexRow[], head: IndexHead): Promise<void>
  /** The latest decision with that nonce, of that client or of any. */
  decision(nonce: number, client: string | null): Promise<Position | null>
  /** The latest decision on an order with that id that passed; the latest veto where none did. */
  decisionOn(cloid: string): Promise<OrderDecision | null>
  /** The sends that belong to a record, in order. */
  sends(decision: number): Promise<readonly Position[]>
  position(seq: number): Promise<Position | null>
  /** Up to `limit` records after `since`, oldest first. */
  page(since: number, limit: number, filter: IndexFilter): Promise<readonly Position[]>
  /** Forgets the records up to this one. */
  forget(upTo: number): Promise<void>
  /** Forgets everything. */
  clear(): Promise<void>
  close(): Promise<void>
}
