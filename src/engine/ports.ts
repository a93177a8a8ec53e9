import type { AccountEvent, Source } from '../core/account/accountEvent.ts'
import type { EventBody, EventKind, GuardEvent, Internal } from '../core/events/guardEvent.ts'
import type { Json, WireAction } from '../core/protocol/action.ts'
import type { EquityPool } from '../core/protocol/decodeInfoHistory.ts'
import type { AssetContext } from '../core/protocol/decodeMeta.ts'
import type { ClearinghouseState } from '../core/protocol/venueState.ts'
import type { Address } from '../core/values/address.ts'
import type { Brand } from '../core/values/brand.ts'
import type { Cloid } from '../core/values/cloid.ts'
import type { Coin } from '../core/values/coin.ts'
import type { Millis, Nonce } from '../core/values/millis.ts'
import type { Result } from '../core/values/result.ts'

/** The world as the engine sees it: everything that waits, ticks or is random comes through here. */

export interface Clock {
  /** UTC epoch milliseconds; may step. */
  now(): Millis
  /** Milliseconds that never go back, with a fraction; for durations only. */
  monotonicMs(): number
}

export interface Timers {
  /** Runs `task` once after `ms`; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
  /** Runs `task` every `ms` until cancelled. */
  every(ms: number, task: () => void): () => void
}

export interface Random {
  bytes(count: number): Uint8Array
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export interface Log {
  log(level: LogLevel, message: string, fields?: { readonly [key: string]: Json }): void
}

// ---------------------------------------------------------------------------------------- journal

/**
 * Proof that a record is on disk. Only a journal mints one. An emergency record has a negative
 * number; `onDisk` is false only for one that no disk would take in time: it is kept in memory and
 * in the log, because what lowers risk is never held up. `later` resolves once a disk has it.
 */
export type Durable = Brand<
  {
    readonly seq: number
    readonly emergency: boolean
    readonly onDisk: boolean
    readonly later: Promise<void>
  },
  'Durable'
>

export interface Appended {
  readonly seq: number
  readonly event: GuardEvent
  /** How much of the disk it takes, about. */
  readonly bytes: number
  /** Resolves once the record is on disk; rejects with `JournalError` when it never will be. */
  readonly durable: Promise<Durable>
}

export interface Journal {
  /**
   * Numbers and queues a record in this tick. `now` starts a flush; `ride` goes with the next one,
   * or within 5 ms. Throws `JournalError` (nothing numbered) when broken or its queue is full.
   */
  append(body: EventBody & Internal, flush: 'now' | 'ride'): Appended
  /**
   * For what lowers risk while the journal is broken or late: a line in the emergency files, synced.
   * It gets a negative number that later records may refer to (`decision`, `of`); once the disk works
   * again the record joins the journal and such references are rewritten to its real number. `late`
   * is the same record where it waits in the journal: should the disk take that, the line was a copy.
   * It waits for no disk longer than `journalPatienceMs` and `emergencyPatienceMs` together.
   */
  appendEmergency(body: EventBody & Internal, late: Appended | null): Promise<Durable>
  /** Null while healthy; otherwise what a person should read. */
  readonly error: string | null
  /** What a person should see to although records are kept; null when there is nothing. */
  readonly warning: string | null
  /** What a person should do before its disk is full; null while there is room. */
  readonly shortOfSpace: string | null
  readonly lastSeq: number
  /** The last record on disk: whoever knows it can tell whether a record before it was changed. */
  readonly head: JournalHead
  readonly stats: JournalStats
  /** Flushes, stops, releases the lock. */
  close(): Promise<void>
}

export interface JournalHead {
  readonly seq: number
  /** SHA-256, 64 hex digits. */
  readonly hash: string
}

/** A record as it is on disk, with the internal part that readers never see. */
export interface JournalRecord {
  readonly seq: number
  readonly at_ms: number
  readonly body: EventBody & Internal
}

/**
 * What the journal holds from earlier runs. A snapshot says what was derived from the records up to
 * its `seq`, so that a start reads only what came after.
 */
export interface JournalHistory {
  /** Records after `since`, oldest first. */
  replay(since: number): AsyncIterable<JournalRecord>
  /** Keeps what was derived from the records up to `seq`, which must be on disk. */
  saveSnapshot(name: string, seq: number, state: Json): Promise<void>
  /** Null where none was ever kept; `unreadable` where it is damaged, or is another journal's. */
  loadSnapshot(
    name: string,
  ): Promise<{ readonly seq: number; readonly state: Json } | 'unreadable' | null>
}

export interface JournalStats {
  readonly path: string
  readonly events: number
  readonly bytes: number
  /** When records last reached the disk, UTC epoch milliseconds. */
  readonly lastSyncMs: number | null
}

/** What readers may see: only what is on disk, in order, without gaps, without `_`. */
export interface EventReader {
  readonly firstSeq: number
  readonly lastSeq: number
  /** From memory: events after `since`, oldest first. */
  since(since: number): readonly GuardEvent[]
  /** From disk: up to `limit` events after `since`; `kinds` null means all. */
  page(
    since: number,
    limit: number,
    kinds: readonly EventKind[] | null,
  ): Promise<readonly GuardEvent[]>
  /** Called for each event once it is on disk, in order; the returned function ends it. */
  subscribe(listener: (event: GuardEvent) => void): () => void
  decision(nonce: Nonce, client: Address | null): Promise<DecisionRecord | null>
  /** The decision that an order with this id came from. */
  decisionOn(cloid: Cloid): Promise<DecisionRecord | null>
}

export interface DecisionRecord {
  readonly decision: GuardEvent
  readonly sent: readonly GuardEvent[]
}

// ------------------------------------------------------------------------------------------ venue

export interface SignedRequest {
  readonly action: WireAction
  readonly nonce: number
  readonly signature: { readonly r: string; readonly s: string; readonly v: number }
  /** The sub-account or vault that it is for; null: the account of the API wallet. */
  readonly vaultAddress: Address | null
  readonly expiresAfter: number
}

/** What became of a request. An unknown outcome is its own state, never a failure. */
export type VenueAnswer =
  | { readonly kind: 'reply'; readonly reply: Json }
  /** Provably not delivered (connection refused, budget spent): may be tried again. */
  | { readonly kind: 'not_sent'; readonly error: string }
  /** It may have arrived: ask the venue before doing anything again. `isThrottled`: HTTP 429. */
  | { readonly kind: 'unknown'; readonly error: string; readonly isThrottled?: true }

/**
 * Who may spend the venue's request weight, most urgent first. `clear` is Guard's own cancels,
 * `watch` its look at the account, `read` what bots ask.
 */
export type Urgency = 'safety' | 'clear' | 'exit' | 'watch' | 'cancel' | 'entry' | 'read'

/**
 * The venue's request weight (1,200 a minute for an address) and the account's action allowance.
 * A lane can never spend what is kept for the lanes before it. Whoever decides to send an action
 * takes its weight first, in the tick of the decision; reads through `VenueHttp.info` take their own.
 */
export interface WeightBudget {
  /** What this Guard may spend in a minute now: all of it, or its share where others spend it too. */
  readonly limit: number
  /** What the venue grants the address in a minute. */
  readonly venueLimit: number
  /** Weight spent in the last minute, as far as it is known or the venue has let it be seen. */
  used(): number
  /** Weight taken since this run began, with what was taken up of earlier ones. */
  readonly taken: number
  /** False, and nothing taken, when the lane has no room. `safety` and `clear` are never refused. */
  tryTake(lane: Urgency, weight: number, actions?: number): boolean
  /**
   * Takes what a read can cost at most, and answers how to say what it did cost; null, and nothing
   * taken, when the lane has no room.
   */
  reserve(lane: Urgency, most: number): ((spent: number) => void) | null
  /** In how many milliseconds a lane has room for this much weight again, about a minute at most. */
  roomInMs(lane: Urgency, weight: number): number
  /** What was spent in each second of the last minute, this one first: for the next run to know. */
  history(): readonly number[]
  /**
   * What an earlier run spent, as it was so long ago: the venue has not forgotten it. Where it is
   * not known, as much as bots may read; of a run that only began, what a start reads. What it
   * answers takes that back again, once.
   */
  spentBefore(history: readonly number[] | 'start' | 'unknown', agoMs: number): () => void
  /** What the host knows that an earlier run spent; null where it does not know. */
  knownBefore(): SpentBefore | null
  /**
   * The venue refused a request for its weight: it counts more than Guard knows of, as what another
   * program on the address has spent. After one nothing is read for bots for 10 s, and where it was to
   * close or protect nothing that opens is sent either. After more within a minute all of the limit counts
   * as used, for 10 s, then 20, 40 and 60: what is urgent finds the room that comes free.
   */
  refused(lane: Urgency): void
  /** How long a lane waits for that; 0 when it does not. */
  heldMs(lane: Urgency): number
  /** The venue's own count of the account's action allowance: read now and then, or told in a refusal. */
  setAllowance(cap: number, used: number): void
  /** Whether the venue caps what the account may do in a day, which depends on its mode. */
  setCappedByDay(isCapped: boolean): void
  /** How many actions Guard may need to cover and close all there is: exits of bots leave so many. */
  keepActions(needed: () => number): void
  /** Why an allowance of actions leaves a lane no room for so many, with the figure; null when it does. */
  actionShortage(lane: Urgency, actions: number): string | null
  /** What was done in each hour of the last day, this one first: for the next run to know. */
  actionsOfDay(): readonly number[]
  /** What an earlier run did in each hour, as it was so long ago. */
  actedBefore(day: readonly number[], agoMs: number): void
}

/** What of the request weight this Guard may spend where several on one host have one address. */
export interface WeightShare {
  /** The most it may have spent in any minute, as of now. */
  limit(): number
  /** So far may go what gets out, and Guard's own look: all of it where the host's ledger does not answer. */
  exitLimit(): number
  /** What bots may take now before it is told to the other Guards, and the most that can be. */
  untoldRoom(): number
  untoldMost(): number
  /** Says where to ask what was spent in each second of the last minute, this one first. */
  follow(history: () => readonly number[]): void
  /** Weight was taken. */
  taken(weight: number): void
  /** What the host knows that an earlier run of this Guard spent; null where it does not know. */
  spentBefore(): SpentBefore | null
}

/** What was spent in each second of a minute, the newest first, as it was so long ago. */
export interface SpentBefore {
  readonly history: readonly number[]
  readonly agoMs: number
}

/** This Guard among those of its host. */
export interface HostView {
  status(): HostStatus
  /** How many Guards share the request weight of the same venue, this one among them. */
  readonly sharers: number
  /** Why it cannot share, and lives on its floor; null while it can. */
  readonly problem: string | null
}

/** `host` of `GET /guard/status`. */
export interface HostStatus {
  /** Guards that run on this host, this one among them. */
  readonly guards: number
  /** Request weight a minute that this Guard may spend now, and what nobody can take from it. */
  readonly weight_share: number
  readonly floor: number
  /** The other Guards that run here, with the address of each one's page. */
  readonly others: readonly {
    readonly account: string
    readonly network: string
    readonly url: string
  }[]
}

/** Why a read brought nothing. */
export type ReadFailure =
  /** Guard did not ask: the lane's share of the request weight is spent until `retryMs` from now. */
  | { readonly kind: 'no_weight'; readonly text: string; readonly retryMs: number }
  | { readonly kind: 'unreachable'; readonly text: string }

/** What the venue answered to a read, with its HTTP status. */
export interface ReadAnswer {
  readonly status: number
  readonly body: Json
  /** The body as it came, where it is JSON: who passes it on changes nothing by writing it anew. */
  readonly bytes?: Buffer
}

export interface VenueHttp {
  /**
   * Sends; takes no weight (see `WeightBudget`). Where it had to wait for a connection, `heldBack` is asked
   * in the tick in which it would leave: a reason not to, or null.
   */
  exchange(
    request: SignedRequest,
    lane: Urgency,
    heldBack?: () => string | null,
  ): Promise<VenueAnswer>
  info(request: Json, lane: Urgency): Promise<Result<ReadAnswer, ReadFailure>>
  /**
   * Why nothing may open although the venue can be reached, for a person; null when nothing is against
   * it. Whoever is asked looks into it meanwhile. Missing: nothing ever is.
   */
  doubt?(): string | null
}

/** The account's states that the stream tells whole, in the shape a read of them has. */
export type SnapshotKind = 'clearinghouseState' | 'openOrders' | 'spotState'

/** What is told of builder dexes, before it is joined with what the account knows. */
type DexNews = { readonly at: Millis } & (
  | {
      readonly kind: 'dex_states'
      /** By dex, the main one with an empty name; null where a builder dex's could not be read. */
      readonly states: ReadonlyMap<string, ClearinghouseState | null>
      readonly source: Source
    }
  | {
      readonly kind: 'dex_prices'
      readonly dex: string
      /** In the order of the dex's perps. */
      readonly contexts: readonly AssetContext[]
      /** Coins that the stream tells of by themselves as well: silence there is not ended by this. */
      readonly toldAlone?: ReadonlySet<Coin>
    }
)

export type VenueNews = AccountEvent | DexNews

/** A builder dex whose orders and TWAPs the stream tells. */
export interface FollowedDex {
  readonly name: string
  /** The marks and oracle prices of all its perps, too. */
  readonly withPrices: boolean
}

/** Follows the account on the venue's socket; snapshots, events and silence become account events. */
export interface VenueStream {
  start(deliver: (event: VenueNews) => void): void
  /** Keeps the coin's price, mark and leverage setting fresh from now on (a bounded set). */
  follow(coin: Coin): void
  /**
   * From now on the states of all dexes are told together, and the orders of these; null: there is no
   * dex but the main one.
   */
  followDexes(dexes: readonly FollowedDex[] | null): void
  /** Where the account's equity is counted, by its mode: it decides what a transfer means. */
  countEquityIn(pool: EquityPool): void
  /**
   * The last snapshot of a kind, as the venue wrote it; null before the first, after a break, and
   * once an order, fill, funding or transfer was told of after it.
   */
  latest(kind: SnapshotKind): { readonly body: () => Json; readonly at: Millis } | null
  /** When the last frame of any kind came; null before the first. */
  readonly lastMessageAt: Millis | null
  stop(): void
}

/** The one thing that sees the API wallet key. */
export interface Signer {
  readonly address: Address
  sign(action: WireAction, nonce: Nonce, expiresAfter: number): SignedRequest
}

// ------------------------------------------------------------------------------------ state on disk

/** The kill file: any directory entry named `kill` in the state directory latches. */
export interface KillFile {
  /** The first line (empty when it has none or cannot be read) when the entry exists; else null. */
  seen(): { readonly firstLine: string } | null
  /** Creates it durably when it does not exist; rejects when the disk refuses. */
  write(reason: string): Promise<void>
  /** Calls at every change of the directory; a poll by the caller is the second line. */
  watch(changed: () => void): () => void
}

/** A socket to the venue, narrow enough that a fake world can play it. */
export interface Socket {
  /** Before it is open, and after its end, nothing is sent. */
  send(text: string): void
  /** Drops the connection at once; `onClose` follows. */
  terminate(): void
}

interface SocketHandlers {
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  /** Exactly once, also when the connection was never made. */
  readonly onClose: (reason: string) => void
}

export type OpenSocket = (url: string, handlers: SocketHandlers) => Socket
