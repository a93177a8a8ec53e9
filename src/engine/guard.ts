import type { Mode } from '../core/events/guardEvent.ts'
import type { Coin } from '../core/values/coin.ts'
import type { Json } from '../core/protocol/action.ts'
import type { Crypto } from '../core/protocol/crypto.ts'
import type { Markets } from '../core/protocol/market.ts'
import type { RulesFor } from '../core/rules/rules.ts'
import type { Address } from '../core/values/address.ts'
import type { AccountExposure, FleetView, Handover } from './fleetView.ts'
import type { Observer } from './observer.ts'
import type { Unserved } from './unservedCounts.ts'
import type {
  EventReader,
  HostView,
  Journal,
  JournalHistory,
  KillFile,
  Log,
  Random,
  Signer,
  Timers,
  VenueHttp,
  VenueStream,
  WeightBudget,
} from './ports.ts'
import type { StatusView } from './statusView.ts'
import type { VenueClock } from './venueClock.ts'

/** What bots' client order ids name where their order stands at the venue under one of Guard's. */
export interface OrderNames {
  /** The id at the venue of the order that a bot calls so: that very one, or one of Guard's. */
  idOf(name: string): string
  /** How a bot calls the order that Guard gave this id; null where it has no name for it. */
  nameOf(id: string): string | null
}

export type Readiness = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** An answer to a local endpoint: the HTTP status and the JSON body. */
export interface Reply {
  readonly status: number
  readonly body: Json
}

export type Via = 'http' | 'ws'

/**
 * Guard as the gateway and the command line see it. Nothing here throws. Only `start`,
 * `handleExchange` and a preview whose price or account is too old wait for the venue.
 */
export interface Guard {
  /**
   * Recovers, then serves: resolves once every earlier send was looked up. Until then only
   * what lowers risk passes, everything else is refused with `recovering`; protection and flattening run.
   */
  start(): Promise<void>
  /** Finishes what is in flight (bounded), records `stopped`. Stops on the venue stay. */
  stop(reason: string): Promise<void>

  /**
   * `POST /exchange` or a socket's action post: the exact body bytes. 429 when shed. `request` is
   * the id that the log knows it by, here and below.
   */
  handleExchange(body: Uint8Array, via: Via, request?: string): Promise<Reply>
  /**
   * A body over the limit was cut off before it could be read: 413, with its decision event; one of
   * `POST /guard/kill` has an `error` event.
   */
  refuseOverlong(via: Via | 'kill', request?: string): Promise<Reply>
  /** `POST /guard/kill`. */
  handleKill(body: Uint8Array, request?: string): Promise<Reply>
  /** The port had no room for something: counted for one `error` event a minute. */
  unserved(what: Unserved): void
  /** `POST /guard/preview`: nothing is journaled, reserved, sent or consumed. */
  preview(body: Uint8Array): Reply | Promise<Reply>

  status(): StatusView
  ready(): Readiness
  /** The account's own reads from the live model in the venue's shape; null: ask the venue. */
  accountRead(request: Json): Json | null
  readonly names: OrderNames
  /** What the venue lists; empty until the first read. */
  readonly markets: Markets

  /** Client keys changed on disk: holds from the next request on. */
  setClients(clients: readonly Address[]): void
  /** A latch pulled at the machine; resolves when it is on disk. */
  kill(reason: string): Promise<void>
  /** How the fleet latches this Guard. */
  readonly latch: FleetLatch
  /** What counts for the fleet's budgets; null until earlier sends are looked up and the account is seen. */
  exposure(): AccountExposure | null
  /** What a standby of this account would carry over. */
  readonly handover: Handover
}

interface FleetLatch {
  /** The last kill of the fleet that was obeyed; a release does not undo that. */
  readonly obeyed: { readonly epoch: number; readonly at: number } | null
  /** Latches by a kill of the fleet; resolves when it is on disk. An epoch is obeyed once. */
  obey(reason: string, epoch: number): Promise<void>
}

export interface GuardConfig {
  readonly version: string
  readonly mode: Mode
  /** What it will be, where it is a standby that can send nothing yet, as in paper mode. */
  readonly standbyFor?: Mode
  readonly network: 'mainnet' | 'testnet'
  readonly account: Address
  /** Whose sub-account or vault the account is; null: it has a key of its own. */
  readonly via: Address | null
  readonly venueUrl: string
  readonly clients: readonly Address[]
  readonly builders: readonly Address[]
  readonly rulesFor: RulesFor
  /** The markets that the rules name one by one, and where, for people; left out: none. */
  readonly namedMarkets?: ReadonlyMap<Coin, string>
  readonly rulesCode: string
  /** The account's rules with every default, for the status. */
  readonly rulesDecoded: Json
  /** The same for each client that has tighter ones of its own; left out where none has. */
  readonly clientRulesDecoded?: { readonly [client: string]: Json }
  /** How long a stop waits for what is in flight. */
  readonly drainMs: number
}

/** What Guard needs in every mode: it can read the venue and cannot send. */
export interface CommonDeps {
  /** The venue's time, which everything that hears the venue keeps right. */
  readonly clock: VenueClock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  readonly journal: Journal
  readonly reader: EventReader
  readonly history: JournalHistory
  readonly killFile: KillFile
  readonly crypto: Crypto
  readonly stream: VenueStream
  readonly budget: WeightBudget
  /** The other Guards of this host; null where this one has not joined them. */
  readonly host: HostView | null
  /** The fleet that this Guard is a member of; null where it is of none. */
  readonly fleet: FleetView | null
  readonly observer: Observer
}

/** Paper mode is given no signer and no way to send: only reads. */
interface PaperDeps extends CommonDeps {
  readonly config: GuardConfig & { readonly mode: 'paper' }
  readonly venue: Pick<VenueHttp, 'info' | 'doubt'>
}

interface LiveDeps extends CommonDeps {
  readonly config: GuardConfig & { readonly mode: 'testnet' | 'mainnet' }
  readonly venue: VenueHttp
  readonly signer: Signer
}

export type GuardDeps = PaperDeps | LiveDeps
